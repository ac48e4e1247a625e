"""The same result twice.

What it finds: a second result for a call, with the same content as the first.
Why it hurts: the provider accepts one result a call.
Example: u | a{A} | r(A=x,A=x)
Repairs: drop, keep-first or keep-last (which of the two goes; nothing is lost, the content is there once).
"""

from inspector.core.rules.rule import Hits, Row, Scene, Stage
from inspector.core.scene.stray_results import StrayResult, stray_results
from inspector.core.scene.tool_names import tool_name

CODE = "R5"
ROW = Row(
    "repeated-result",
    Stage.REPEATED_RESULTS,
    ("drop needless", "keep-first needless", "keep-last needless", "leave"),
    in_request=True,
)


def find(scene: Scene) -> Hits:
    for tool in stray_results(scene, StrayResult.REPEATED):
        text = f"The result of {tool_name(scene, tool)} is here twice, with the same content."
        yield scene.hit(CODE, tool, text)
