"""Two messages of the assistant in a row.

What it finds: an assistant message right behind another one, in the messages of an API that does not read them as one:
Bedrock, and Gemini where the later one holds a call. Other APIs and agents write them, and read them as one.
Why it hurts: such an API wants the roles to alternate, or a call to follow the user.
Example: u | a"t" | a{A} | r(A=x)
Repairs: merge (one message; nothing is lost).
"""

from inspector.core.index.columns import Role
from inspector.core.index.views import BlockKind
from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage

CODE = "M2"
ROW = Row("consecutive-assistants", Stage.SPEAKERS, ("merge messages", "leave"))


def find(scene: Scene) -> Hits:
    if not scene.is_sent_as_it_stands or CODE not in scene.profile.refusals:
        return
    for record in scene.followers(Role.ASSISTANT):
        kinds = {scene.columns.block_kinds[row] for row in scene.columns.rows(record)}
        if scene.profile.alternates or BlockKind.CALL in kinds:
            yield Hit(rule=CODE, message="An assistant message follows another one.", record=record)
