"""A result behind text in its own message.

What it finds: a message in which text stands before a result.
Why it hurts: Anthropic wants the results first in the message.
Example: u | a{A} | "note"+r(A=x)
Repairs: move the result in front of the text; nothing is lost.
"""

from collections.abc import Iterator

from inspector.core.scene import Hit, Scene

CODE = "R9"
SLUG = "result-after-text"
STRATEGIES = ("move", "leave")
DEFAULT = "move"


def find(scene: Scene) -> Iterator[Hit]:
    for tool in scene.results.get(CODE, ()):
        yield scene.hit(CODE, tool, f"The result of {scene.tool_name(tool)} stands behind text in its message.")
