"""The compactions on the path of a thread: their positions, the exchanges they cut, and the records they name."""

from inspector.core.analysis.thread_context import ThreadContext, cached_on_thread
from inspector.core.model.columnar_index import Columns, RecordMark, Role
from inspector.core.model.session import ExchangeCutByCompaction
from inspector.core.model.views import BlockKind
from inspector.core.storage.json_text import parse_json

_NEAR = 64  # A compaction names one of the last messages before it, so these records are searched first.


@cached_on_thread
def last_compaction(context: ThreadContext) -> int:
    """Return the record of the newest compaction boundary on the path, -1 when there is none."""
    if not context.columns.has_mark(RecordMark.COMPACTION):
        return -1
    marks = context.columns.marks
    return max((record for record in context.thread.path if marks[record] & RecordMark.COMPACTION), default=-1)


def is_next_to_compaction(context: ThreadContext, tool: int, step: int) -> bool:
    """Return whether only results lie between a tool block and a compaction boundary.

    `step` is 1 for a call, to look after it, and -1 for a result, to look before it.
    """
    columns, path = context.columns, context.thread.path
    if not columns.has_mark(RecordMark.COMPACTION):
        return False
    position = context.pairing.path_positions[tool]
    while 0 <= (position := position + step) < len(path):
        record = path[position]
        if columns.marks[record] & RecordMark.COMPACTION:
            return True
        kinds = {columns.block_kinds[row] for row in columns.block_rows(record)}
        if columns.roles[record] not in (Role.LINK, Role.OPAQUE) and kinds != {BlockKind.RESULT}:
            return False
    return False


@cached_on_thread
def cut_exchanges_by_tool_block(context: ThreadContext) -> dict[int, ExchangeCutByCompaction]:
    """Map tool blocks to the exchanges that a compaction closed.

    The key is the result that came for the call, else the call. It is -1 - n for exchange n when that block is no
    longer on the path.
    """
    cuts_by_tool: dict[int, ExchangeCutByCompaction] = {}
    if not context.thread.cut_exchanges:
        return cuts_by_tool
    tools = {context.pairing.record_of(tool): tool for tool in range(len(context.pairing.block_rows))}
    for number, cut in enumerate(context.thread.cut_exchanges):
        record = cut.result if cut.result >= 0 else cut.call
        cuts_by_tool[tools.get(record, -1 - number)] = cut
    return cuts_by_tool


def dangling_compaction_links(context: ThreadContext) -> list[int]:
    """Return the compactions that name an earlier record which the log does not contain."""
    columns, key = context.columns, context.format.link_keys.before_compaction
    if not key or not columns.has_mark(RecordMark.COMPACTION):
        return []
    compactions = []
    record = _next_boundary(columns, 0)
    while record >= 0:
        uuid = parse_json(context.raw(record)).get(key)
        nearby = columns.uuids[max(record - _NEAR, 0) : record]
        if isinstance(uuid, str) and uuid not in nearby and uuid not in columns.uuids:
            compactions.append(record)
        record = _next_boundary(columns, record + 1)
    return compactions


def _next_boundary(columns: Columns, start: int) -> int:
    try:
        return columns.marks.index(RecordMark.COMPACTION, start)
    except ValueError:
        return -1


def expected_compaction_link(context: ThreadContext, record: int) -> str | None:
    """Return the id that a compaction should name, which is that of the newest message before it.

    Return None when no message comes before it.
    """
    columns = context.columns
    for earlier in range(record - 1, -1, -1):
        is_message = columns.roles[earlier] in (Role.USER, Role.ASSISTANT, Role.TOOL)
        if (
            is_message
            and not columns.marks[earlier] & (RecordMark.SIDE_THREAD | RecordMark.TRANSIENT)
            and columns.uuids[earlier]
        ):
            return columns.uuids[earlier]
    return None
