"""A call at the end of the log without its result.

What it finds: a tool call in the last turn that nothing answers, when no sibling call of that turn was answered
either.
Why it hurts: the provider refuses every further request until the call has a result. On the command line it
counts as interrupted, unless the agent is known to be at work: by --live, by a program that has the log open to write
to it (Linux), or in the window because the log grows while it is shown.
Example: u"fix it" | a{Bash}, and the log ends.
Repairs: answer (a result that says none was recorded), drop-call, drop-exchange, cut-tail.
"""

from inspector.core.rules.rule import Hits, Scene, open_call_row
from inspector.core.scene.open_calls import OpenCall, open_calls
from inspector.core.scene.tool_names import tool_name

CODE = "D1"
ROW = open_call_row("interrupted-call", may_run=True)


def find(scene: Scene) -> Hits:
    for tool in open_calls(scene, OpenCall.NEWEST):
        text = f"The last call, to {tool_name(scene, tool)}, has no result: the log ends before one was recorded."
        yield scene.open_hit(CODE, tool, text)
