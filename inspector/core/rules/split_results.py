"""The results of one turn split over several messages.

What it finds: results of one assistant turn in two or more user messages.
Why it hurts: Anthropic reads neighbouring user messages as one; Bedrock, Gemini and some gateways refuse them.
Example: u | a{A,B} | r(A=x) | r(B=y)
Repairs: merge (one message; nothing is lost).
"""

from collections.abc import Iterator

from inspector.core.pairing import State
from inspector.core.scene import Hit, Scene
from inspector.core.views import BlockKind

CODE = "R10"
SLUG = "split-results"
STRATEGIES = ("merge", "leave")
DEFAULT = "merge"


def find(scene: Scene) -> Iterator[Hit]:
    if not (scene.format.api and scene.format.together):
        return
    pairing = scene.pairing
    seen: dict[int, int] = {}
    for tool, state in enumerate(pairing.states):
        if state != State.PAIRED or scene.columns.block_kinds[pairing.rows[tool]] != BlockKind.RESULT:
            continue
        record = pairing.record(tool)
        if seen.setdefault(pairing.turn(tool), record) != record:
            text = f"The result of {scene.tool_name(tool)} is in another message than its siblings."
            yield scene.hit(CODE, tool, text)
