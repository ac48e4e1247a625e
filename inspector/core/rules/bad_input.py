"""A call whose input is no object.

What it finds: a call input that is null, missing, a string or a list (for OpenAI: arguments that are no
string).
Why it hurts: the provider refuses it: "Input should be a valid dictionary".
Example: u | a{A input=null} | r(A=x)
Repairs: normalise: null becomes {}, a string with JSON is parsed, anything else is kept under "_raw".
"""

from inspector.core.rules.rule import Hits, Row, Scene, Stage
from inspector.core.scene.tool_names import tool_name

CODE = "K6"
ROW = Row("bad-input", Stage.CALL_FIELDS, ("normalise input", "leave"), in_request=True)


def find(scene: Scene) -> Hits:
    for tool in scene.pairing.bad_input:
        text = f"The input of the call to {tool_name(scene, tool)} is not of the kind that the provider takes."
        yield scene.hit(CODE, tool, text)
