"""A call in mid-history without its result.

What it finds: a tool call that nothing answers although the conversation went on.
Why it hurts: the provider refuses the whole history, wherever the gap is.
Example: u"fix it" | a{Bash} | u"stop" | a"ok"
Repairs: answer (a result that says none was recorded), drop-call, drop-exchange, cut-tail.
"""

from inspector.core.rules.rule import Hits, Scene, open_call_row
from inspector.core.scene.open_calls import OpenCall, open_calls
from inspector.core.scene.tool_names import tool_name

CODE = "D2"
ROW = open_call_row("unanswered-call")


def find(scene: Scene) -> Hits:
    for tool in open_calls(scene, OpenCall.PASSED_BY):
        text = f"The call to {tool_name(scene, tool)} has no result, and the conversation went on."
        yield scene.open_hit(CODE, tool, text)
