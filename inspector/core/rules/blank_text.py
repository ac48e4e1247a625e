"""A text block without text.

What it finds: a text block that is empty or holds white space only, beside other blocks. (A message with nothing else
is class M7.)
Why it hurts: Anthropic refuses it. Claude Code writes white-space fragments itself and drops them on load:
those are only noted. One in a record with other blocks, and no fragment beside it, goes out (2.1.112, 2.1.330).
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
    columns, pairing, is_dropped = scene.columns, scene.pairing, cache(partial(_is_dropped, scene))
    for row, position in scene.blank:
        record = pairing.path[position]
        if record in scene.empty_messages:
            continue
        severity = None
        if scene.format.folds and columns.roles[record] == Role.ASSISTANT and is_dropped(record):
            severity = Severity.INFO
        ordinal = row - columns.first[record]
        yield Hit(rule=CODE, message="A text block is blank.", record=record, ordinal=ordinal, severity=severity)


def _is_dropped(scene: Scene, record: int) -> bool:
    """Whether the agent leaves out the blank texts of an answer, which are white space."""
    texts = [view.text for view in scene.format.view(scene.raw(record)).blocks if view.kind == BlockKind.TEXT]
    beside = scene.format.drops_space_apart and scene.columns.blocks[record] > len(texts)
    return all(texts) and (not beside or _is_fragment(scene, record))


def _is_fragment(scene: Scene, record: int) -> bool:
    """Whether another record of the path is of the same message."""
    groups, path = scene.columns.groups, scene.pairing.path
    return groups[record] is not None and sum(groups[each] == groups[record] for each in path) > 1
