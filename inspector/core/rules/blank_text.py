"""A text block without text.

What it finds: a text block that is empty or holds white space only, beside other blocks. (A message with nothing else
is class M7.)
Why it hurts: Anthropic refuses it. Claude Code writes white-space fragments itself and drops them on load:
those are only noted.
Example: u | a""{A} | r(A=x)
Repairs: normalise (the blank block goes; nothing is lost).
"""

from functools import cache, partial

from inspector.core.index.columns import Role
from inspector.core.index.views import BlockKind
from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage
from inspector.core.scene.finding import Severity

CODE = "M6"
ROW = Row("blank-text", Stage.CONTENTS, ("normalise text", "leave"))


def find(scene: Scene) -> Hits:
    columns, pairing, has_space = scene.columns, scene.pairing, cache(partial(_has_space, scene))
    for row, position in scene.blank:
        record = pairing.path[position]
        if record in scene.empty_messages:
            continue
        severity = None
        if scene.format.folds and columns.roles[record] == Role.ASSISTANT and has_space(record):
            severity = Severity.INFO
        ordinal = row - columns.first[record]
        yield Hit(rule=CODE, message="A text block is blank.", record=record, ordinal=ordinal, severity=severity)


def _has_space(scene: Scene, record: int) -> bool:
    return all(view.text for view in scene.format.view(scene.raw(record)).blocks if view.kind == BlockKind.TEXT)
