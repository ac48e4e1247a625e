"""Rules about what the log itself says went wrong: recorded errors, and results that deny what was done."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from inspector.core.formats.bases.traces import Weight
from inspector.core.index.columns import Flag
from inspector.core.index.views import BlockKind
from inspector.core.known_texts.placeholders import QUOTED
from inspector.core.known_texts.provider_errors import explain
from inspector.core.known_texts.refusals import claim_of, may_hold_refusal
from inspector.core.later import Later
from inspector.core.rules.rule import Hit, Hits, Scene, rule
from inspector.core.scene.finding import Severity
from inspector.core.scene.reasoning import OF_REASONING, is_gone
from inspector.core.scene.tool_names import tool_name

if TYPE_CHECKING:
    from inspector.core.evidence import calls as evidence
    from inspector.core.evidence import search
    from inspector.core.known_texts.provider_errors import reading
else:
    reading = Later("inspector.core.known_texts.provider_errors.reading")
    evidence = Later("inspector.core.evidence.calls")
    search = Later("inspector.core.evidence.search")

_NOTE = QUOTED.encode()
# An error about anything else is not mended by answering a call.
_OF_PAIRS = frozenset("D1 D2 D3 D4 R1 R2 R3 R4 R5".split())
_LONGEST = 16 * 1024  # of a record with a refusal alone; most are of one kilobyte
_FLAGGED = Flag.ERROR | Flag.PLACEHOLDER | Flag.OWN_WORDS


@rule("E1", "unexplained-error", None, ("leave",), preconditions=("error",), of_error=True)
def unexplained_error(scene: Scene) -> Hits:
    """A recorded error that no finding explains.

    What it finds: a provider error that is the newest entry of the log, while the history itself is sound. An error about
    the account's quota, sign-in, overload or the network explains itself: the verdict names it, and nothing is found.
    Why it hurts: the session may be stuck for a reason that is not in the pairing of calls and results.
    Example: an assistant line with isApiErrorMessage: true
    Repairs: none: read the error; `explain --error` says what is known of its wording.
    """
    if scene.thread is not scene.session.main:
        return
    record, text = scene.last_error
    if record < 0 or scene.last_error_kind is not None or _is_mended(scene, text):
        return
    short = " ".join(text.split())[:200]
    message = f"The log ends with an error of the provider: “{short}”"
    yield Hit(rule="E1", message=message, record=record, severity=Severity.INFO)


def _is_mended(scene: Scene, text: str) -> bool:
    """Whether the error is from before a repair: what it names is answered or gone, or what repairs put in is there."""
    known = explain(text)
    if known is None:
        return False
    if known.rules[0] in OF_REASONING and is_gone(scene, known.rules[0], text):
        return True
    if not _OF_PAIRS.intersection(known.rules):
        return False
    pairing, columns = scene.pairing, scene.columns
    named = [tool for tool, row in enumerate(pairing.rows) if (columns.call_ids[row] or " ") in text]
    if named:
        return all(pairing.peers[tool] >= 0 for tool in named)
    if reading.read(text).ids:
        return True  # What it names was dropped, or cut off, since.
    if any(columns.block_flags[row] & Flag.PLACEHOLDER for row in pairing.rows):
        return True
    return any(_NOTE in scene.raw(record) for record in pairing.path)


@rule("E2", "denied-but-ran", None, ("leave",), preconditions=("failed",))
def denied_but_ran(scene: Scene) -> Hits:
    """A result that says its call was rejected or cancelled, beside traces of its running.

    What it finds: a result in which a program says that the call was rejected, cancelled or aborted (its own wording, or a
    stand-in that says so), while the log shows between the call and that result that the call was begun or ran.
    Why it hurts: nothing refuses it, but the model reads that nothing was done. The command may have changed files all the
    same.
    Example: an Edit that a snapshot of its file follows, and then "The user doesn't want to proceed with this tool use."
    Repairs: none: look at what the call was to change before the session goes on.
    """
    claims = dict(_claims(scene))
    if not claims:
        return
    rows = [scene.pairing.rows[scene.pairing.peers[tool]] for tool in claims]
    until = [scene.pairing.record(tool) for tool in claims]
    calls = evidence.traced(scene.format, scene.columns, scene.raw, rows, scene.session.faults, until)
    found = search.Search(scene.format, scene.columns, scene.raw, calls).run()
    for (tool, claim), traces in zip(claims.items(), found, strict=True):
        shown = max(traces, key=lambda trace: trace.weight, default=None)
        if shown is not None and shown.weight > Weight.MENTIONED:
            how = "run" if shown.weight == Weight.RAN else "begun"
            text = f'The result of {tool_name(scene, tool)} says "{claim}", but the log shows that it was {how}: '
            yield scene.hit("E2", tool, text + shown.sentence, severity=Severity.INFO)


def _claims(scene: Scene) -> Iterator[tuple[int, str]]:
    """The results of a call that claim that it was stopped, with their words.

    Only results that say that they failed, or that stand in for one in words which may claim it, are looked at.
    """
    pairing, kinds, flags = scene.pairing, scene.columns.block_kinds, scene.columns.block_flags
    for tool, row in enumerate(pairing.rows):
        flagged = flags[row] & _FLAGGED
        if flagged and flagged < Flag.OWN_WORDS and kinds[row] == BlockKind.RESULT and pairing.peers[tool] >= 0:
            record, ordinal = scene.place(tool)
            if claim := scene.read_once(f"claim {ordinal}", record, partial(_claim, scene, tool)):
                yield tool, claim


def _claim(scene: Scene, tool: int) -> str:
    columns, row = scene.columns, scene.pairing.rows[tool]
    record, ordinal = scene.place(tool)
    if columns.block_flags[row] & Flag.PLACEHOLDER:
        return claim_of(scene.stand_in_text(tool))
    if columns.blocks[record] == 1 and columns.ends[record] - columns.starts[record] > _LONGEST:
        return ""
    if not may_hold_refusal(scene.raw(record)):
        return ""
    view = scene.view_of(record, ordinal)
    return claim_of(view.text) if view is not None else ""
