"""One call id twice in a turn.

What it finds: two calls of one turn with the same id.
Why it hurts: every provider wants ids to be unique within a turn.
Example: u | a{A,A} | r(A=x)
Repairs: drop (an identical call without a result of its own), rename (call and result together).
"""

from inspector.core.index.views import BlockKind
from inspector.core.rules.rule import Hits, Row, Scene, Stage

CODE = "K2"
ROW = Row("repeated-id", Stage.REPEATED_IDS, ("drop again", "rename", "leave"), in_request=True)


def find(scene: Scene) -> Hits:
    same = _repeats(scene) if scene.pairing.repeated else set()
    for tool in scene.pairing.repeated:
        text = f"The id {scene.call_id(tool)!r} is used twice in one turn."
        yield scene.hit(CODE, tool, text, default="drop" if tool in same else "rename")


def _repeats(scene: Scene) -> set[int]:
    """The calls without a result that say what an earlier call of their turn says: the same id, name and input."""
    pairing, kinds = scene.pairing, scene.columns.block_kinds
    unanswered = {tool for tool in pairing.repeated if pairing.peers[tool] < 0}
    asked = {(pairing.turn(tool), scene.call_id(tool)) for tool in unanswered}
    said: set[tuple[int, str, str, str]] = set()
    found = set()
    for tool, row in enumerate(pairing.rows if asked else ()):
        turn, call_id = pairing.turn(tool), scene.call_id(tool)
        if kinds[row] != BlockKind.CALL or (turn, call_id) not in asked:
            continue
        view = scene.view_of(*scene.place(tool))
        if view is not None:
            says = turn, call_id, view.name, view.text
            if says in said and tool in unanswered:
                found.add(tool)
            said.add(says)
    return found
