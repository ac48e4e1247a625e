"""Open calls and as many orphan results in one place.

What it finds: calls without a result, and right after them as many results whose ids no call carries: one, or several,
of which the first is then taken for that of the first call.
Why it hurts: all are refused. They may belong together (a gateway that rewrites ids), or not.
Example: u | a{A,B} | r(X=x,Y=y)
Repairs: match (the result gets the call's id: only when the person is sure), keep-as-note, drop;
invent-call (a call with no input before it, which says that it was added).
"""

from inspector.core.rules.rule import Hits, Row, Scene, Stage
from inspector.core.scene.stray_results import StrayResult, open_call_before, stray_results

CODE = "R8"
ROW = Row(
    "mismatched-result",
    Stage.MISMATCHES,
    ("match", "invent-call", "keep-as-note", "drop", "leave"),
    default="keep-as-note",
    in_request=True,
)
_OF_ANOTHER_KIND = ("keep-as-note", "drop", "leave")  # the id alone would not match them


def find(scene: Scene) -> Hits:
    for tool in stray_results(scene, StrayResult.MISMATCHED):
        if scene.call_id(open_call_before(scene)[tool]) == scene.call_id(tool):
            text = "This result carries the id of the call before it, but is no result of that kind of call."
            yield scene.hit(CODE, tool, text, strategies=_OF_ANOTHER_KIND)
        else:
            named = scene.call_id(tool)
            text = f"This result carries the id {named!r}, which no call has; a call before it has no result."
            yield scene.orphan_hit(CODE, tool, text, ROW.strategies)
