"""A call in mid-history without its result.

What it finds: a tool call that nothing answers although the conversation went on.
Why it hurts: the provider refuses the whole history, wherever the gap is.
Example: u"fix it" | a{Bash} | u"stop" | a"ok"
Repairs: answer (a result that says none was recorded), drop-call, drop-exchange, cut-tail.
"""

from collections.abc import Iterator

from inspector.core.scene import Hit, Scene

CODE = "D2"
SLUG = "unanswered-call"
STRATEGIES = ("answer", "drop-call", "drop-exchange", "cut-tail", "leave")
DEFAULT = "answer"


def find(scene: Scene) -> Iterator[Hit]:
    for tool in scene.unanswered.get(CODE, ()):
        text = f"The call to {scene.tool_name(tool)} has no result, and the conversation went on."
        yield scene.open_hit(CODE, tool, text)
