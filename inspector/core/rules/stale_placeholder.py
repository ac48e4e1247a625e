"""A placeholder beside the real result.

What it finds: a stand-in of some program (whole text only) for a call that has a real result.
Why it hurts: the provider accepts one result a call; the real one must win.
Example: u | a{A} | PH(A) | u"q" | r(A=x)
Repairs: drop the placeholder.
"""

from collections.abc import Iterator

from inspector.core.scene import Hit, Scene

CODE = "R6"
SLUG = "stale-placeholder"
STRATEGIES = ("drop", "leave")
DEFAULT = "drop"


def find(scene: Scene) -> Iterator[Hit]:
    for tool in scene.results.get(CODE, ()):
        yield scene.hit(CODE, tool, f"A placeholder stands beside the real result of {scene.tool_name(tool)}.")
