"""A call or result in a message of the wrong role.

What it finds: a result in a message of the assistant or the system, or a call in a user message.
Why it hurts: the provider allows calls in assistant messages and results in user (or tool) messages only.
Example: u | a{A} | a+r(A=x)
Repairs: move (a result to its call), keep-as-note, drop.
"""

from inspector.core.index.columns import Role
from inspector.core.index.views import BlockKind
from inspector.core.rules.rule import Hits, Row, Scene, Stage
from inspector.core.scene.tool_names import tool_name

CODE = "R11"
ROW = Row("wrong-role", Stage.PLACES, ("move block", "keep-as-note aside", "drop", "leave"))


def find(scene: Scene) -> Hits:
    for tool in scene.pairing.misplaced:
        if scene.columns.block_kinds[scene.pairing.rows[tool]] == BlockKind.RESULT:
            default = "move" if scene.pairing.peers[tool] >= 0 else "keep-as-note"
            of = "a system" if scene.columns.roles[scene.place(tool)[0]] == Role.SYSTEM else "an assistant"
            yield scene.hit(CODE, tool, f"A tool result stands in {of} message.", default=default)
        else:
            text = f"A call to {tool_name(scene, tool)} stands in a message that is not the assistant's."
            yield scene.hit(CODE, tool, text, default="drop", strategies=("drop", "leave"))
