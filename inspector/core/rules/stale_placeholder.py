"""A placeholder beside the real result.

What it finds: a stand-in of some program (whole text only) for a call that has a real result; or a result without any
content beside one that says something, whichever came first.
Why it hurts: the provider accepts one result a call; the real one must win.
Example: u | a{A} | PH(A) | u"q" | r(A=x)
Repairs: drop the placeholder, or the empty result.
"""

from inspector.core.rules.rule import Hits, Row, Scene, Stage
from inspector.core.scene.stray_results import StrayResult, stray_results
from inspector.core.scene.tool_names import tool_name

CODE = "R6"
ROW = Row("stale-placeholder", Stage.REPEATED_RESULTS, ("drop needless", "leave"), in_request=True)


def find(scene: Scene) -> Hits:
    for tool in stray_results(scene, StrayResult.STALE):
        what = "A placeholder" if scene.is_placeholder(tool) else "An empty result"
        yield scene.hit(CODE, tool, f"{what} stands beside the real result of {tool_name(scene, tool)}.")
