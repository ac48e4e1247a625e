"""A request with calls that defines no tools.

What it finds: a whole request body (not a bare history) with calls or results in its messages and without `toolConfig`.
Why it hurts: Bedrock refuses it, and LiteLLM does so for Anthropic; summaries and titles are often asked for like that.
Anthropic itself accepts it by now.
Example: {"modelId": …, "messages": [… toolUse …]} without toolConfig
Repairs: none here: which tools there were is not in the log. Send the tools with the request, or one that is never
called.
"""

from inspector.core.rules.rule import Hits, Row, Scene
from inspector.core.scene.finding import Severity

CODE = "K8"
ROW = Row("tools-not-defined", None, ("leave",))


def find(scene: Scene) -> Hits:
    if not scene.session.without_tools or CODE not in scene.profile.refusals or not scene.pairing.rows:
        return
    text = "The request holds calls and defines no tools: send its tools with it, or one that is never called."
    # The history is sound: what has to change stands beside it, and is not in the log.
    yield scene.hit(CODE, 0, text, severity=Severity.WARNING)
