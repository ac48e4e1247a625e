"""One call id twice in a turn.

What it finds: two calls of one turn with the same id.
Why it hurts: every provider wants ids to be unique within a turn.
Example: u | a{A,A} | r(A=x)
Repairs: drop (an identical call without a result of its own), rename (call and result together).
"""

from collections.abc import Iterator

from inspector.core.scene import Hit, Scene

CODE = "K2"
SLUG = "repeated-id"
STRATEGIES = ("drop", "rename", "leave")
DEFAULT = "drop"


def find(scene: Scene) -> Iterator[Hit]:
    for tool in scene.pairing.repeated:
        same = scene.pairing.peers[tool] < 0 and _is_repeat(scene, tool)
        text = f"The id {scene.call_id(tool)!r} is used twice in one turn."
        yield scene.hit(CODE, tool, text, default="drop" if same else "rename")


def _is_repeat(scene: Scene, tool: int) -> bool:
    """Whether an earlier call of the turn has the same id, name and input."""
    mine = _call(scene, tool)
    for other in range(tool - 1, -1, -1):
        if scene.pairing.turn(other) < scene.pairing.turn(tool):
            break
        if scene.call_id(other) == scene.call_id(tool) and _call(scene, other) == mine:
            return True
    return False


def _call(scene: Scene, tool: int) -> tuple[str, str]:
    """The name and the input of a call, without what became of it."""
    record, ordinal = scene.place(tool)
    pointer = scene.format.pointer(scene.columns, record, ordinal)
    blocks = scene.format.view(scene.raw(record)).blocks
    return next((block.name, block.text) for block in blocks if block.pointer == pointer)
