"""Compactions on the path of a thread: where they stand, what they cut through, and what they name."""

from inspector.core.analysis.thread import ThreadContext, cached_on_thread
from inspector.core.model.columns import Columns, RecordMark, Role
from inspector.core.model.session import CutExchange
from inspector.core.model.views import BlockKind
from inspector.core.storage.json_text import parse_json

_NEAR = 64  # a compaction names what was said last


@cached_on_thread
def last_compaction(scene: ThreadContext) -> int:
    """The newest compaction boundary on the path, -1 when there is none."""
    if not scene.columns.has_mark(RecordMark.COMPACTION):
        return -1
    marks = scene.columns.marks
    return max((record for record in scene.thread.path if marks[record] & RecordMark.COMPACTION), default=-1)


def is_next_to_compaction(scene: ThreadContext, tool: int, step: int) -> bool:
    """Whether a compaction boundary comes next to a call (`step` 1) or a result (-1): only results lie between."""
    columns, path = scene.columns, scene.thread.path
    if not columns.has_mark(RecordMark.COMPACTION):
        return False
    at = scene.pairing.path_positions[tool]
    while 0 <= (at := at + step) < len(path):
        record = path[at]
        if columns.marks[record] & RecordMark.COMPACTION:
            return True
        kinds = {columns.block_kinds[row] for row in columns.block_rows(record)}
        if columns.roles[record] not in (Role.LINK, Role.OPAQUE) and kinds != {BlockKind.RESULT}:
            return False
    return False


@cached_on_thread
def cut_exchanges_by_tool(scene: ThreadContext) -> dict[int, CutExchange]:
    """Exchanges that a compaction closed, by the tool block that tells of them.

    That is the result that came for the call, else the call; -1 - n for one that is no longer on the path.
    """
    found: dict[int, CutExchange] = {}
    if not scene.thread.cut_exchanges:
        return found
    tools = {scene.pairing.record_of(tool): tool for tool in range(len(scene.pairing.block_rows))}
    for number, cut in enumerate(scene.thread.cut_exchanges):
        named = cut.result if cut.result >= 0 else cut.call
        found[tools.get(named, -1 - number)] = cut
    return found


def dangling_compaction_links(scene: ThreadContext) -> list[int]:
    """Compactions that name a record before them which the log does not hold."""
    columns, key = scene.columns, scene.format.link_keys.before_compaction
    if not key or not columns.has_mark(RecordMark.COMPACTION):
        return []
    found = []
    record = _next_boundary(columns, 0)
    while record >= 0:
        uuid = parse_json(scene.raw(record)).get(key)
        near = columns.uuids[max(record - _NEAR, 0) : record]
        if isinstance(uuid, str) and uuid not in near and uuid not in columns.uuids:
            found.append(record)
        record = _next_boundary(columns, record + 1)
    return found


def _next_boundary(columns: Columns, start: int) -> int:
    try:
        return columns.marks.index(RecordMark.COMPACTION, start)
    except ValueError:
        return -1


def expected_compaction_link(scene: ThreadContext, record: int) -> str | None:
    """The id that a compaction should name: that of the newest message before it."""
    columns = scene.columns
    for earlier in range(record - 1, -1, -1):
        spoken = columns.roles[earlier] in (Role.USER, Role.ASSISTANT, Role.TOOL)
        if (
            spoken
            and not columns.marks[earlier] & (RecordMark.SIDE_THREAD | RecordMark.TRANSIENT)
            and columns.uuids[earlier]
        ):
            return columns.uuids[earlier]
    return None
