"""A result whose call is on another branch.

What it finds: a result on the path that the agent loads, whose call is in the log but off that path: another
branch, or a subagent.
Why it hurts: the provider refuses it as an orphan.
Example: a result of a subagent written into the main thread
Repairs: keep-as-note, drop; invent-call (a call with no input before it, which says that it was added).
"""

from inspector.core.rules.rule import Hits, Scene, orphan_row
from inspector.core.scene.stray_results import StrayResult, stray_results

CODE = "R12"
ROW = orphan_row("foreign-result")


def find(scene: Scene) -> Hits:
    for tool in stray_results(scene, StrayResult.FOREIGN):
        text = f"This result answers the call {scene.call_id(tool)!r}, which is on another branch of the log."
        yield scene.orphan_hit(CODE, tool, text, ROW.strategies)
