"""A result without a call.

What it finds: a tool result whose id no call in the log carries. Where its call may lie on the server (a request that
names an earlier response), it is only noted.
Why it hurts: the provider refuses it; yet it may be the only evidence that something was done.
Example: u"summary" | r(A=x)
Repairs: keep-as-note (its text, marked as quoted tool output), drop; invent-call (a call with no input before it, which
says that it was added: the model reads of a call that it may never have made).
"""

from inspector.core.rules.rule import Hits, Scene, orphan_row
from inspector.core.scene.finding import Severity
from inspector.core.scene.stray_results import StrayResult, stray_results

CODE = "R1"
ROW = orphan_row("orphan-result")


def find(scene: Scene) -> Hits:
    for tool in stray_results(scene, StrayResult.ORPHAN):
        text = f"This result answers the call {scene.call_id(tool)!r}, which is nowhere in the log."
        if scene.session.elsewhere:
            text = f"Whether the call {scene.call_id(tool)!r} was made cannot be told: {scene.session.elsewhere}."
            yield scene.hit(CODE, tool, text, severity=Severity.INFO)
            continue
        yield scene.orphan_hit(CODE, tool, text, ROW.strategies)
