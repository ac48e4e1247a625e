"""A function call without the signature of the model's thoughts.

What it finds: in a log whose model signs its calls, a step of the current turn (what follows the newest text of the
user) whose first call has no thought signature. Further calls of one step have none, and earlier turns are not looked
at.
Why it hurts: Gemini 3 refuses the request: "Function call is missing a thought_signature in functionCall parts. This is
required for tools to work correctly …"
Example: u | a{A, signed} | r(A=x) | a{B} | r(B=y)
Repairs: normalise (the stand-in that Google documents for calls of another model: skip_thought_signature_validator);
drop-call.

Sources: ai.google.dev/gemini-api/docs/thought-signatures; vercel/ai#15550, cline/cline#8214.
"""

from inspector.core.index.columns import Flag, Role
from inspector.core.index.views import BlockKind
from inspector.core.rules.rule import Hits, Row, Scene, Stage
from inspector.core.scene.tool_names import tool_name

CODE = "T6"
ROW = Row("unsigned-call", Stage.BOUND_BLOCKS, ("normalise signature", "drop-call", "leave"))


def find(scene: Scene) -> Hits:
    columns = scene.columns
    if CODE not in scene.profile.refusals or not any(flag & Flag.SIGNED for flag in set(columns.block_flags)):
        return
    signed = any(columns.block_flags[row] & Flag.SIGNED for row in _calls(scene, scene.session.members))
    for record in _current_turn(scene) if signed else ():
        calls = [row for row in columns.rows(record) if columns.block_kinds[row] == BlockKind.CALL]
        if calls and not columns.block_flags[calls[0]] & Flag.SIGNED:
            tool = scene.tool_of_row[calls[0]]
            text = f"The call to {tool_name(scene, tool)} has no thought signature, though calls here have one."
            yield scene.hit(CODE, tool, text)


def _calls(scene: Scene, members: range) -> list[int]:
    return scene.columns.rows_of(BlockKind.CALL, members.start, members.stop) if members else []


def _current_turn(scene: Scene) -> list[int]:
    """The model's records behind the newest words of the user."""
    columns = scene.columns
    found = []
    for record in reversed(scene.thread.path):
        role = columns.roles[record]
        if role == Role.ASSISTANT:
            found.append(record)
        elif role == Role.USER and any(columns.block_kinds[row] != BlockKind.RESULT for row in columns.rows(record)):
            break
    return found[::-1]
