"""A result that says its call was rejected or cancelled, beside traces of its running.

What it finds: a result in which a program says that the call was rejected, cancelled or aborted (its own wording, or a
stand-in that says so), while the log shows between the call and that result that the call was begun or ran.
Why it hurts: nothing refuses it, but the model reads that nothing was done. The command may have changed files all the
same.
Example: an Edit that a snapshot of its file follows, and then "The user doesn't want to proceed with this tool use."
Repairs: none: look at what the call was to change before the session goes on.
"""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from inspector.core.formats.bases.traces import Weight
from inspector.core.index.columns import Flag
from inspector.core.index.views import BlockKind
from inspector.core.known_texts.refusals import claim_of, may_hold_refusal
from inspector.core.later import Later
from inspector.core.rules.rule import Hits, Row, Scene
from inspector.core.scene.finding import Severity
from inspector.core.scene.tool_names import tool_name

if TYPE_CHECKING:
    from inspector.core.evidence import calls as evidence
    from inspector.core.evidence import search
else:
    evidence = Later("inspector.core.evidence.calls")
    search = Later("inspector.core.evidence.search")

CODE = "E2"
ROW = Row("denied-but-ran", None, ("leave",))

_LONGEST = 16 * 1024  # of a record with a refusal alone; most are of one kilobyte
_FLAGGED = Flag.ERROR | Flag.PLACEHOLDER | Flag.OWN_WORDS


def find(scene: Scene) -> Hits:
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
            yield scene.hit(CODE, tool, text + shown.sentence, severity=Severity.INFO)


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
