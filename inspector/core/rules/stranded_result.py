"""A result that hangs off the path.

What it finds: a result whose parent is on the agent's path while it is not itself. Claude Code finds such
siblings on load (noted once); Neovate does not, and leaves the call unanswered.
Why it hurts: the provider sees a call without a result although the log holds it.
Example: a{A,B} | #r(A) and #r(B) both with the assistant as parent
Repairs: relink (the result joins the path; nothing is lost), answer.
"""

from inspector.core.known_texts.amounts import amount
from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage
from inspector.core.scene.finding import Severity
from inspector.core.scene.open_calls import OpenCall, open_calls
from inspector.core.scene.tool_names import tool_name

CODE = "G5"
ROW = Row("stranded-result", Stage.PLACES, ("relink result", "answer", "leave"), in_request=True)


def find(scene: Scene) -> Hits:
    for tool in open_calls(scene, OpenCall.STRANDED):
        name = tool_name(scene, tool)
        yield scene.open_hit(CODE, tool, f"The result of {name} hangs off the path that the agent loads.")
    if scene.thread.recovered and scene.thread is scene.session.main:
        count = len(scene.thread.recovered)
        what = f"{amount(count, 'record')} of parallel calls {'forks' if count == 1 else 'fork'} off the path"
        found = "it" if count == 1 else "them"
        text = f"{what}; the agent finds {found}, simple readers do not."
        yield Hit(
            rule=CODE,
            message=text,
            record=scene.thread.recovered[0],
            severity=Severity.INFO,
            strategies=("leave",),
            default="leave",
        )
