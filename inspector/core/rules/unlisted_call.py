"""A call that the agent does not see.

What it finds: a call without a result that stands among the content blocks alone (`tool_use`, `function_call`), and not
in the list of calls that the agent reads (`tool_calls`). A call that stands in several fields is one call.
Why it hurts: the provider is sent the block and wants its result, while the agent and what mends its history look
through the list, find no call and answer none: "No tool output found for function call".
Example: ai, content [function_call A], tool_calls [] | human"go on"
Repairs: normalise (the call is listed as well, and then has its result put in), answer, drop-call, drop-exchange.
"""

from inspector.core.rules.rule import Hits, Row, Scene, Stage
from inspector.core.scene.open_calls import OpenCall, open_calls
from inspector.core.scene.tool_names import tool_name

CODE = "D7"
ROW = Row("unlisted-call", Stage.LISTED_CALLS, ("normalise listing", "answer", "drop-call", "drop-exchange", "leave"))


def find(scene: Scene) -> Hits:
    for tool in open_calls(scene, OpenCall.UNLISTED):
        name = tool_name(scene, tool)
        text = f"The call to {name} has no result, and stands where the provider finds it and the agent does not."
        yield scene.hit(CODE, tool, text)
