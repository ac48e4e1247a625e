"""A call that is waiting, not broken.

What it finds: a call that the log marks as deferred or awaiting approval, the last call of an agent that is at work
(which then runs), or one whose result may lie on the server.
Why it hurts: it does not: waiting is not damage. Answer it only when it will never run.
Example: u | a{Deploy}, with a hook_deferred_tool record for its id
Repairs: leave; answer, drop-call, drop-exchange or cut-tail when the person decides that it will never run.
"""

from inspector.core.rules.rule import Hits, Row, Scene, Stage
from inspector.core.scene.finding import Severity
from inspector.core.scene.open_calls import OpenCall, open_calls, state_of
from inspector.core.scene.tool_names import tool_name

CODE = "D6"
ROW = Row(
    "pending-call",
    Stage.UNMATCHED,
    ("leave", "answer", "drop-call", "drop-exchange", "cut-tail"),
    adopts=True,
    in_request=True,
)


def find(scene: Scene) -> Hits:
    for tool in open_calls(scene, OpenCall.PENDING):
        text = f"The call to {tool_name(scene, tool)} is {state_of(scene, tool)}."
        if scene.session.elsewhere:
            name, why = tool_name(scene, tool), scene.session.elsewhere
            text = f"Whether the call to {name} has a result cannot be told: {why}."
        yield scene.hit(CODE, tool, text, severity=Severity.INFO)
