"""A parallel turn of which only some calls were answered.

What it finds: an unanswered call beside others of the same response of the model that have results. Single calls of
responses that followed one another are no such turn, however many of them are answered.
Why it hurts: the provider wants one result for each call; dropping the whole message, as some agents do, turns
the good results into orphans.
Example: u | a{Read,Bash} | r(Read)
Repairs: answer keeps everything; drop-call loses the call; drop-exchange also loses the results of its siblings;
cut-tail everything from this turn on.
"""

from inspector.core.rules.rule import Hits, Scene, open_call_row
from inspector.core.scene.open_calls import OpenCall, open_calls
from inspector.core.scene.tool_names import tool_name

CODE = "D3"
ROW = open_call_row("partly-answered-turn")


def find(scene: Scene) -> Hits:
    for tool in open_calls(scene, OpenCall.PARTLY_ANSWERED):
        text = f"The call to {tool_name(scene, tool)} has no result, while other calls of the same turn have theirs."
        yield scene.open_hit(CODE, tool, text)
