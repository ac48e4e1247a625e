"""A call without an id.

What it finds: a call whose id is missing or empty.
Why it hurts: nothing can be matched to it, and every provider refuses it.
Example: u | a{""} | r(""=x)
Repairs: rename (call and its result, first to first, get one new id), drop.
"""

from inspector.core.rules.rule import Hits, Row, Scene, Stage
from inspector.core.scene.tool_names import tool_name

CODE = "K3"
ROW = Row("missing-id", Stage.CALL_FIELDS, ("rename", "drop", "leave"), in_request=True)


def find(scene: Scene) -> Hits:
    for tool in scene.pairing.nameless:
        record, ordinal = scene.place(tool)
        if not scene.format.block_bytes(scene.columns, record, scene.raw(record), ordinal).startswith(b"{"):
            text = "An entry of the list of calls is no call."
            yield scene.hit(CODE, tool, text, default="drop", strategies=("drop", "leave"))
            continue
        yield scene.hit(CODE, tool, f"The call to {tool_name(scene, tool)} has no id.")
