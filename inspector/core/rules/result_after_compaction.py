"""A result whose call was compacted away.

What it finds: a result after a compaction boundary whose call lies before it, or that stands right behind one.
Why it hurts: the agent loads the result without its call, and the provider refuses it.
Example: a{A} | [compaction] | u"summary" | r(A=x)
Repairs: keep-as-note, drop; invent-call (a call with no input before it, which says that it was added).
"""

from inspector.core.rules.rule import Hits, Scene, orphan_row
from inspector.core.scene.stray_results import StrayResult, stray_results

CODE = "C2"
ROW = orphan_row("result-cut-from-call")


def find(scene: Scene) -> Hits:
    for tool in stray_results(scene, StrayResult.COMPACTED):
        text = f"This result answers the call {scene.call_id(tool)!r}, which the compaction left behind."
        yield scene.orphan_hit(CODE, tool, text, ROW.strategies)
