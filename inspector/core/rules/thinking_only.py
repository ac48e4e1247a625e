"""A message that ends in reasoning.

What it finds: a last message of the assistant whose last block is thinking: the answer broke off before it said
anything. Earlier messages of nothing but thinking are only noted, and so is the last one in the logs of agents that
drop it themselves (of those earlier ones are not told).
Why it hurts: "The final block in an assistant message cannot be `thinking`." Before a message of the user the same
block is taken.
Example: u | a[th], and nothing behind it
Repairs: drop (the reasoning at the end goes, and with it the message when it holds nothing else), leave.
"""

from inspector.core.index.columns import Role
from inspector.core.index.views import BlockKind
from inspector.core.rules.rule import Hit, Hits, Row, Scene, Stage
from inspector.core.scene.finding import Severity

CODE = "M8"
ROW = Row("thinking-only", Stage.CONTENTS, ("drop reasoning", "leave"))
_THINKING = int(BlockKind.THINKING)


def find(scene: Scene) -> Hits:
    columns = scene.columns
    if scene.format.items or _THINKING not in columns.block_kinds or scene.thread.side:
        return
    last = scene.last_spoken
    if last >= 0 and _ends_in_thinking(scene, last):
        refused = CODE in scene.profile.refusals and not scene.format.folds
        severity = None if refused else Severity.INFO
        ordinal = columns.blocks[last] - 1
        text = "The last message ends in reasoning: nothing was said after it."
        yield Hit(rule=CODE, message=text, record=last, ordinal=ordinal, severity=severity)
    for record in _nothing_else(scene):
        if record != last:
            text = "This message holds nothing but reasoning."
            yield Hit(rule=CODE, message=text, record=record, severity=Severity.INFO)


def _ends_in_thinking(scene: Scene, record: int) -> bool:
    columns = scene.columns
    rows = columns.rows(record)
    return columns.roles[record] == Role.ASSISTANT and bool(rows) and columns.block_kinds[rows[-1]] == _THINKING


def _nothing_else(scene: Scene) -> list[int]:
    """Messages of the path that are nothing but thinking; agents that write fragments drop such ones themselves."""
    columns, kinds, members = scene.columns, scene.columns.block_kinds, scene.session.members
    if scene.format.folds:
        return []
    records = dict.fromkeys(map(columns.record_of, columns.rows_of(_THINKING, members.start, members.stop)))
    found = [record for record in records if all(kinds[row] == _THINKING for row in columns.rows(record))]
    return [record for record in found if record in scene.positions]
