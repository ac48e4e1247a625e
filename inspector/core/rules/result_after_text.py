"""A result that does not lead its own message.

What it finds: a message in which text stands before a result; in contents of Gemini, any part beside the responses.
Why it hurts: Anthropic wants the results first in the message, Gemini wants nothing else in it ("Requests ending with a
model turn are not supported." or a wrong count of parts, vellum-ai/vellum-assistant#39495).
Example: u | a{A} | "note"+r(A=x)
Repairs: move (the result in front of the text, for Gemini all results to a content of their own; nothing is lost).
"""

from inspector.core.index.columns import Role
from inspector.core.index.views import BlockKind
from inspector.core.rules.rule import Hits, Row, Scene, Stage
from inspector.core.scene.pairing import State
from inspector.core.scene.stray_results import StrayResult, stray_results
from inspector.core.scene.tool_names import tool_name

CODE = "R9"
ROW = Row("result-after-text", Stage.PLACES, ("move before-text", "leave"), in_request=True)
_ANSWERS, _RESULT = (int(State.PAIRED), int(State.MIXED)), int(BlockKind.RESULT)  # enums compare slowly


def find(scene: Scene) -> Hits:
    if scene.profile.results_alone and scene.format.profile == scene.profile.name:
        yield from _not_alone(scene)
        return
    for tool in stray_results(scene, StrayResult.BEHIND_TEXT):
        yield scene.hit(CODE, tool, f"The result of {tool_name(scene, tool)} stands behind text in its message.")


def _not_alone(scene: Scene) -> Hits:
    """One hit for each message in which results of calls right before it stand beside something else."""
    kinds, told = scene.columns.block_kinds, set()
    for tool, state in enumerate(scene.pairing.states):
        if state not in _ANSWERS or kinds[scene.pairing.rows[tool]] != _RESULT:
            continue
        record = scene.pairing.record(tool)
        if scene.columns.roles[record] == Role.ASSISTANT:
            continue  # a call that holds its own result, which is sent apart
        if record not in told and any(kinds[row] != _RESULT for row in scene.columns.rows(record)):
            told.add(record)
            text = f"The result of {tool_name(scene, tool)} does not stand by itself in its message."
            yield scene.hit(CODE, tool, text)
