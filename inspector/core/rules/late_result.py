"""A result that came after a later assistant message.

What it finds: a result separated from its call by another assistant message.
Why it hurts: the provider refuses both the call without its result and the result without its call; most
repairs lose the real result here. OpenAI's Responses API finds it by its id (a warning there).
Example: u | a{A} | u"hi" | a"mm" | r(A=x)
Repairs: move (nothing is lost), keep-as-note, drop.
"""

from inspector.core.rules.rule import Hits, Row, Scene, Stage
from inspector.core.scene.stray_results import StrayResult, stray_results
from inspector.core.scene.tool_names import tool_name

CODE = "R4"
ROW = Row("late-result", Stage.PLACES, ("move", "keep-as-note", "drop", "leave"), in_request=True)


def find(scene: Scene) -> Hits:
    for tool in stray_results(scene, StrayResult.LATE):
        text = f"The result of {tool_name(scene, tool)} came after a later assistant message."
        yield scene.hit(CODE, tool, text)
