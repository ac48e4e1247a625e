"""A result before its call.

What it finds: a tool result that stands before the only call with its id.
Why it hurts: the provider looks for the result after the call, and for the call before the result: both are
refused.
Example: u | r(A=x) | a{A} | u"y"
Repairs: move (to its call, when nothing else answers that call), keep-as-note, drop.
"""

from inspector.core.rules.rule import Hits, Row, Scene, Stage
from inspector.core.scene.stray_results import StrayResult, stray_results

CODE = "R2"
ROW = Row("early-result", Stage.PLACES, ("move", "keep-as-note", "drop", "leave"), in_request=True)


def find(scene: Scene) -> Hits:
    for tool in stray_results(scene, StrayResult.EARLY):
        claimed = scene.pairing.peers[tool] < 0
        yield scene.hit(
            CODE,
            tool,
            f"The result for {scene.call_id(tool)!r} stands before its call.",
            default="keep-as-note" if claimed else "",
        )
