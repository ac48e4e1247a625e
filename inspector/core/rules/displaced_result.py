"""A result that something else was written in front of.

What it finds: a result that does not follow its call directly: a user text, a reminder or a notification came
between.
Why it hurts: the provider wants the results first in the turn after the call. OpenAI's Responses API finds an output by
its id, wherever behind the call it stands (a warning there); DeepSeek's server does not.
Example: u | a{A} | u"hi" | r(A=x)
Repairs: move (nothing is lost), keep-as-note, drop (then the call is answered by a placeholder).
"""

from inspector.core.rules.rule import Hits, Row, Scene, Stage
from inspector.core.scene.pairing import State
from inspector.core.scene.stray_results import StrayResult, stray_results
from inspector.core.scene.tool_names import tool_name

CODE = "R3"
ROW = Row("displaced-result", Stage.PLACES, ("move", "keep-as-note", "drop", "leave"), in_request=True)


def find(scene: Scene) -> Hits:
    for tool in stray_results(scene, StrayResult.DISPLACED):
        text = f"The result of {tool_name(scene, tool)} does not follow its call: another message came between."
        if scene.pairing.states[tool] == State.PAIRED:
            text = (
                f"The result of {tool_name(scene, tool)} came when its exchange was closed: the agent does not take it."
            )
        yield scene.hit(CODE, tool, text)
