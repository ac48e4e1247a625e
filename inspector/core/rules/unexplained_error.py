"""A recorded error that no finding explains.

What it finds: a provider error that is the newest entry of the log, while the history itself is sound. An error about
the account's quota, sign-in, overload or the network explains itself: the verdict names it, and nothing is found.
Why it hurts: the session may be stuck for a reason that is not in the pairing of calls and results.
Example: an assistant line with isApiErrorMessage: true
Repairs: none: read the error; `explain --error` says what is known of its wording.
"""

from typing import TYPE_CHECKING

from inspector.core.index.columns import Flag
from inspector.core.known_texts.placeholders import QUOTED
from inspector.core.known_texts.provider_errors import explain
from inspector.core.later import Later
from inspector.core.rules.rule import Hit, Hits, Row, Scene
from inspector.core.scene.finding import Severity
from inspector.core.scene.reasoning import OF_REASONING, is_gone

if TYPE_CHECKING:
    from inspector.core.known_texts.provider_errors import reading
else:
    reading = Later("inspector.core.known_texts.provider_errors.reading")

CODE = "E1"
ROW = Row("unexplained-error", None, ("leave",), of_error=True)
_NOTE = QUOTED.encode()
# An error about anything else is not mended by answering a call.
_OF_PAIRS = frozenset("D1 D2 D3 D4 R1 R2 R3 R4 R5".split())


def find(scene: Scene) -> Hits:
    if scene.thread is not scene.session.main:
        return
    record, text = scene.last_error
    if record < 0 or scene.last_error_kind is not None or _is_mended(scene, text):
        return
    short = " ".join(text.split())[:200]
    message = f"The log ends with an error of the provider: “{short}”"
    yield Hit(rule=CODE, message=message, record=record, severity=Severity.INFO)


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
