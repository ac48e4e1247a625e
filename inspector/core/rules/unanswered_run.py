"""Assistant messages in a row, none of whose calls was answered.

What it finds: neighbouring assistant messages with calls, all of them without results.
Why it hurts: each call needs its own result; one placeholder for the last one is not enough.
Example: u | a{A} | a{B} | u"go on"
Repairs: answer (every call), drop-call, drop-exchange, cut-tail.
"""

from inspector.core.rules.rule import Hits, Scene, open_call_row
from inspector.core.scene.open_calls import OpenCall, open_calls
from inspector.core.scene.tool_names import tool_name

CODE = "D4"
ROW = open_call_row("unanswered-run")


def find(scene: Scene) -> Hits:
    for tool in open_calls(scene, OpenCall.RUN):
        name = tool_name(scene, tool)
        text = f"The call to {name} has no result; nor has any call of the assistant messages next to it."
        yield scene.open_hit(CODE, tool, text)
