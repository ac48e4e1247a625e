"""Compactions on the path of a thread: where they stand, what they cut through, and what they name."""

from inspector.core.bytes.json_text import value_of
from inspector.core.index.columns import Columns, Mark, Role
from inspector.core.index.session import CutOff
from inspector.core.index.views import BlockKind
from inspector.core.scene.once import once
from inspector.core.scene.scene import Scene

_NEAR = 64  # a compaction names what was said last


@once
def last_boundary(scene: Scene) -> int:
    """The newest compaction boundary on the path, -1 when there is none."""
    if not scene.columns.any_marked(Mark.BOUNDARY):
        return -1
    marks = scene.columns.marks
    return max((record for record in scene.thread.path if marks[record] & Mark.BOUNDARY), default=-1)


def is_at_boundary(scene: Scene, tool: int, step: int) -> bool:
    """Whether a compaction boundary comes next to a call (`step` 1) or a result (-1): only results lie between."""
    columns, path = scene.columns, scene.thread.path
    if not columns.any_marked(Mark.BOUNDARY):
        return False
    at = scene.pairing.at[tool]
    while 0 <= (at := at + step) < len(path):
        record = path[at]
        if columns.marks[record] & Mark.BOUNDARY:
            return True
        kinds = {columns.block_kinds[row] for row in columns.rows(record)}
        if columns.roles[record] not in (Role.LINK, Role.OPAQUE) and kinds != {BlockKind.RESULT}:
            return False
    return False


@once
def cut_off(scene: Scene) -> dict[int, CutOff]:
    """Exchanges that a compaction closed, by the tool block that tells of them.

    That is the result that came for the call, else the call; -1 - n for one that is no longer on the path.
    """
    found: dict[int, CutOff] = {}
    if not scene.thread.cut_off:
        return found
    tools = {scene.pairing.record(tool): tool for tool in range(len(scene.pairing.rows))}
    for number, cut in enumerate(scene.thread.cut_off):
        named = cut.result if cut.result >= 0 else cut.call
        found[tools.get(named, -1 - number)] = cut
    return found


def dangling_stitches(scene: Scene) -> list[int]:
    """Compactions that name a record before them which the log does not hold."""
    columns, key = scene.columns, scene.format.links.stitch
    if not key or not columns.any_marked(Mark.BOUNDARY):
        return []
    found = []
    record = _next_boundary(columns, 0)
    while record >= 0:
        uuid = value_of(scene.raw(record)).get(key)
        near = columns.uuids[max(record - _NEAR, 0) : record]
        if isinstance(uuid, str) and uuid not in near and uuid not in columns.uuids:
            found.append(record)
        record = _next_boundary(columns, record + 1)
    return found


def _next_boundary(columns: Columns, start: int) -> int:
    try:
        return columns.marks.index(Mark.BOUNDARY, start)
    except ValueError:
        return -1


def stitch_of(scene: Scene, record: int) -> str | None:
    """The id that a compaction should name: that of the newest message before it."""
    columns = scene.columns
    for earlier in range(record - 1, -1, -1):
        spoken = columns.roles[earlier] in (Role.USER, Role.ASSISTANT, Role.TOOL)
        if spoken and not columns.marks[earlier] & (Mark.SIDE | Mark.TRANSIENT) and columns.uuids[earlier]:
            return columns.uuids[earlier]
    return None
