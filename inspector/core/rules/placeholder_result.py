"""A result that is a placeholder.

What it finds: a result in its place that is, as a whole, the text by which some program stands in for one that it did
not have. No tool gave it.
Why it hurts: it does not: the provider takes it. But the call may have run all the same, and some wordings say that it
was cancelled, or that it failed.
Example: u | a{A} | r(A=aborted)
Repairs: leave; undo-placeholder (it goes, and the call is open again: answered anew, dropped, or given a real result
that is found elsewhere, as the other choices say; one in the words that would be put again stays, unless it is chosen
by itself).
"""

from inspector.core.index.columns import Flag
from inspector.core.index.views import BlockKind
from inspector.core.known_texts.placeholders import OURS, wording_of
from inspector.core.rules.rule import Hits, Row, Scene, Stage
from inspector.core.scene.pairing import State
from inspector.core.scene.tool_names import tool_name

CODE = "R13"
ROW = Row("placeholder-result", Stage.PLACEHOLDERS, ("undo-placeholder", "leave"), default="leave", in_request=True)
_PLACEHOLDER, _RESULT, _DUPLICATE = Flag.PLACEHOLDER, int(BlockKind.RESULT), int(State.DUPLICATE)


def find(scene: Scene) -> Hits:
    if not scene.columns.any_flagged(Flag.PLACEHOLDER):
        return
    flags, kinds, states = scene.columns.block_flags, scene.columns.block_kinds, scene.pairing.states
    for tool, row in enumerate(scene.pairing.rows):
        if not flags[row] & _PLACEHOLDER or kinds[row] != _RESULT or states[tool] == _DUPLICATE:
            continue
        if scene.pairing.peers[tool] >= 0:
            system = OURS if flags[row] & Flag.OWN_WORDS else wording_of(scene.stand_in_text(tool))
            whose = "in our own wording" if system == OURS else f"in the wording of {system or 'some program'}"
            text = f"The result of {tool_name(scene, tool)} is a placeholder, {whose}: no tool gave it."
            yield scene.hit(CODE, tool, text)
