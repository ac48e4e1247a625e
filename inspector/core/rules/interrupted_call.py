"""A call at the end of the log without its result.

What it finds: a tool call in the last turn that nothing answers, when no sibling call of that turn was answered
either.
Why it hurts: the provider refuses every further request until the call has a result. On the command line it
counts as interrupted; with --live, and in the window for a running session, it may still be waiting.
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
