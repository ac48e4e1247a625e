"""An open call in a message that broke off.

What it finds: a call without a result in a message of which the log says that it was aborted, failed, or was cut at a
limit (stop_reason max_tokens, status incomplete, invalid_tool_calls, an error beside the message). One that has its
result all the same is a pair like any other.
Why it hurts: the provider refuses it as any call without a result. Its input may be cut as well, and programs that
leave out such a message, or its results alone, break the pairs that it holds.
Example: u | a{A}, stop_reason "max_tokens", and the conversation goes on
Repairs: answer (a result that says none was recorded), drop-call, drop-exchange, cut-tail.
"""

from inspector.core.rules.rule import Hits, Scene, open_call_row
from inspector.core.scene.open_calls import OpenCall, open_calls
from inspector.core.scene.tool_names import tool_name

CODE = "D5"
ROW = open_call_row("broken-off-call")


def find(scene: Scene) -> Hits:
    for tool in open_calls(scene, OpenCall.BROKEN_OFF):
        reason = scene.broken_off(tool)
        text = f"The call to {tool_name(scene, tool)} has no result: its message broke off ({reason})."
        yield scene.open_hit(CODE, tool, text)
