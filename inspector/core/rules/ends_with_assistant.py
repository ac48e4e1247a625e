"""The history ends with the assistant.

What it finds: a last message that is the assistant's, where the provider in question takes no beginning of an answer
(prefill). It is only noted: the next thing that the person says comes behind it.
Why it hurts: sent as it stands it is refused: "The conversation must end with a user message."
Example: u | a"ok", and nothing behind it
Repairs: none by itself; cut-off answers are kept. Say something, and send the history with it.
"""

from inspector.core.index.columns import Role
from inspector.core.rules.rule import Hit, Hits, Row, Scene
from inspector.core.scene.finding import Severity

CODE = "M5"
ROW = Row("ends-with-assistant", None, ("leave",), by_profile=True)


def find(scene: Scene) -> Hits:
    if scene.profile.prefill or scene.session.answering:
        return
    record = scene.last_spoken
    if record >= 0 and scene.columns.roles[record] == Role.ASSISTANT:
        text = f"The history ends with the assistant: {scene.profile.label} wants a message of the user behind it."
        yield Hit(rule=CODE, message=text, record=record, severity=Severity.INFO)
