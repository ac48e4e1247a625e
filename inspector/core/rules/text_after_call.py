"""Text behind a call in one message.

What it finds: a call of the client's own tools with a text of the assistant behind it in the same message. Calls of the
provider's own tools are answered there, so that text behind those is what is usual.
Why it hurts: Anthropic's models disagree, and so do the gateways before them: some read the results as not standing
right behind the call then, and answer "`tool_use` ids were found without `tool_result` blocks immediately after";
others take it. So it is only noted, and found when such an error is pasted.
Example: u | a{A}"Meanwhile." | r(A=x)
Repairs: reorder (the texts of the message before its calls; nothing is lost; not where an agent keeps it in fragments).

Sources: BerriAI/litellm#22947, can1357/oh-my-pi#544, vercel/ai#13013.
"""

from inspector.core.formats.bases.writer import Writer
from inspector.core.index.columns import Columns, Flag, Role
from inspector.core.index.views import BlockKind
from inspector.core.rules.rule import Hits, Row, Scene, Stage
from inspector.core.scene.finding import Severity
from inspector.core.scene.tool_names import tool_name

CODE = "M11"
ROW = Row("text-after-call", Stage.SPEAKERS, ("reorder", "leave"), default="leave")
_CALL, _TEXT = int(BlockKind.CALL), int(BlockKind.TEXT)
_BEHIND = bytes((_CALL, _TEXT))


def find(scene: Scene) -> Hits:
    if CODE not in scene.profile.contested or not (isinstance(scene.format, Writer) and scene.format.reorders):
        return
    columns, told = scene.columns, -1
    row = columns.block_kinds.find(_BEHIND)
    while row >= 0:
        record = columns.record_of(row)
        records = _message(columns, record)
        if record > told and columns.record_of(row + 1) in records:
            yield from _in_message(scene, records)
            told = records[-1]
        row = columns.block_kinds.find(_BEHIND, row + 1)


def _message(columns: Columns, record: int) -> range:
    """The records that hold a message: the fragments of one id that stand together."""
    low, high, group = record, record + 1, columns.groups[record]
    while group is not None and low and columns.groups[low - 1] == group:
        low -= 1
    while group is not None and high < len(columns) and columns.groups[high] == group:
        high += 1
    return range(low, high)


def _in_message(scene: Scene, records: range) -> Hits:
    columns = scene.columns
    kinds, flags = columns.block_kinds, columns.block_flags
    sent = [each for each in records if scene.positions.get(each) >= 0 and columns.roles[each] == Role.ASSISTANT]
    rows = [row for record in sent for row in columns.rows(record)]
    texts = [row for row in rows if kinds[row] == _TEXT and not flags[row] & Flag.BLANK]
    strategies = ROW.strategies if len(sent) == 1 else ("leave",)  # fragments stay in the order in which they came
    for row in rows:
        if kinds[row] == _CALL and texts and row < texts[-1]:
            tool = scene.tool_of_row[row]
            text = f"Text stands behind the call to {tool_name(scene, tool)} in its message: some refuse that."
            yield scene.hit(CODE, tool, text, severity=Severity.INFO, strategies=strategies)
