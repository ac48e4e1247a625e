"""A message that says nothing.

What it finds: a message without any content, or with nothing but blank texts. (A blank text beside something else is
class M6.)
Why it hurts: Anthropic, Bedrock, Gemini and Mistral refuse it, OpenAI where it is null or a list of nothing. Claude
Code writes fragments of white space itself and drops them on load: those are only noted, under M6.
Example: u | a with content [] | u
Repairs: normalise (the message goes; what else stands in it is kept beside the output).
"""

from inspector.core.bytes.json_text import value_of
from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage
from inspector.core.scene.finding import Severity
from inspector.core.scene.misshapen import misshapen
from inspector.core.wire.fields import words_in

CODE = "M7"
ROW = Row("empty-message", Stage.CONTENTS, ("normalise empty", "leave"))


def find(scene: Scene) -> Hits:
    for record in sorted(scene.empty_messages - misshapen(scene).keys()):
        case = scene.format.lacks_text(scene.raw(record))
        severity = Severity.ERROR if case and f"{CODE} {case}" in scene.profile.refusals else None
        elsewhere = any(words_in(value_of(scene.raw(record))))
        text = "A message has words, but none where its content is read." if elsewhere else "A message has no content."
        yield Hit(rule=CODE, message=text, record=record, case=case, severity=severity)
