"""A call whose result lies before the compaction.

What it finds: a call on the part of the log that the agent would load, whose only result was left behind by a
compaction; or that a compaction follows before any result.
Why it hurts: the agent sends the call without its result.
Example: r(A) | [compaction] | u"summary" | a{A}
Repairs: answer, drop-call, drop-exchange, cut-tail.
"""

from inspector.core.rules.rule import Hits, Scene, open_call_row
from inspector.core.scene.compactions import is_at_boundary
from inspector.core.scene.open_calls import OpenCall, open_calls
from inspector.core.scene.tool_names import tool_name

CODE = "C1"
ROW = open_call_row("call-cut-from-result")


def find(scene: Scene) -> Hits:
    for tool in open_calls(scene, OpenCall.COMPACTED):
        text = f"The result of the call to {tool_name(scene, tool)} was left behind by a compaction."
        if is_at_boundary(scene, tool, 1):
            text = (
                f"The call to {tool_name(scene, tool)} was open when a compaction was recorded, and no result follows."
            )
        yield scene.open_hit(CODE, tool, text)
