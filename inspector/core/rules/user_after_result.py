"""A user's words right behind a tool's result.

What it finds: words of the user behind a result with no answer of the assistant between them, under a provider that
wants one there (Mistral). It is how a history looks after an interruption; others take it.
Why it hurts: "Unexpected role 'user' after role 'tool'".
Example: u | a{A} | r(A=x) | u"stop"
Repairs: bridge (a short message of the assistant between them, which says that no answer was recorded).
"""

from inspector.core.formats.bases.writer import Writer
from inspector.core.index.columns import Role
from inspector.core.index.views import BlockKind
from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage

CODE = "M10"
ROW = Row("user-after-result", Stage.SPEAKERS, ("bridge", "leave"), by_profile=True)


def find(scene: Scene) -> Hits:
    if CODE not in scene.profile.refusals:
        return
    columns, behind_result = scene.columns, False
    for record in scene.pairing.path:
        role = columns.roles[record]
        if role == Role.ASSISTANT:
            behind_result = False
        if role not in (Role.USER, Role.TOOL):
            continue
        for ordinal, row in enumerate(columns.rows(record)):
            if columns.block_kinds[row] == BlockKind.RESULT:
                behind_result = True
            elif behind_result:
                behind_result = False
                own = ordinal == 0 and isinstance(scene.format, Writer) and bool(scene.format.assistant_record(""))
                text = "The user speaks right behind a result, with no answer of the assistant between them."
                strategies, default = (ROW.strategies, ROW.strategy) if own else (("leave",), "leave")
                yield Hit(rule=CODE, message=text, record=record, strategies=strategies, default=default)
                break
