"""A result without a call.

What it finds: a tool result whose id no call in the log carries.
Why it hurts: the provider refuses it; yet it may be the only evidence that something was done.
Example: u"summary" | r(A=x)
Repairs: keep-as-note (its text, marked as quoted tool output), drop.
"""

from collections.abc import Iterator

from inspector.core.scene import Hit, Scene

CODE = "R1"
SLUG = "orphan-result"
STRATEGIES = ("keep-as-note", "drop", "leave")
DEFAULT = "keep-as-note"


def find(scene: Scene) -> Iterator[Hit]:
    for tool in scene.results.get(CODE, ()):
        text = f"This result answers the call {scene.call_id(tool)!r}, which is nowhere in the log."
        yield scene.hit(CODE, tool, text)
