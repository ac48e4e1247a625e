"""Two different results for one call.

What it finds: a second result for a call, with other content than the first.
Why it hurts: the provider accepts one result a call, and only the person can tell which one is true.
Example: u | a{A} | r(A=x,A=y)
Repairs: keep-as-note (the first stays, the second becomes quoted text), keep-first, keep-last.
"""

from inspector.core.rules.rule import Hits, Row, Scene, Stage
from inspector.core.scene.stray_results import StrayResult, stray_results
from inspector.core.scene.tool_names import tool_name

CODE = "R7"
ROW = Row(
    "conflicting-result",
    Stage.REPEATED_RESULTS,
    ("keep-as-note second", "keep-first", "keep-last", "leave"),
    in_request=True,
)


def find(scene: Scene) -> Hits:
    for tool in stray_results(scene, StrayResult.CONFLICTING):
        yield scene.hit(CODE, tool, f"The call to {tool_name(scene, tool)} has a second, different result.")
