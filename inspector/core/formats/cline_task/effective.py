"""Which messages the agent would send: what its condensing and truncating left.

Facts: RooCodeInc/Roo-Code `src/core/condense/index.ts` (`getEffectiveApiHistory`: from the last summary on; before
version 3.43, where the summary was the assistant's, `getMessagesSinceLastSummary` put the first message before it);
cline/cline `ContextManager.getTruncatedMessages` and `apps/vscode/src/sdk/legacy-task-handling.ts`
(`applyLegacyDeletedRange`: the first two messages, then those behind the end of the range, of which the first loses
its results; both answer a call that the gap leaves open).
"""

from __future__ import annotations

from array import array

from inspector.core.formats.cline_task.rows import tags_of
from inspector.core.index.columns import Columns, ReadRecord, RecordMark, Role
from inspector.core.index.views import BlockKind

KEPT = 2  # the messages that Cline keeps before the range


def path_of(columns: Columns, raw: ReadRecord) -> array[int]:
    """The records that are sent, in order; damaged ones among them stay, for the agent cannot load them either."""
    path = array("I", range(len(columns)))
    if columns.has_mark(RecordMark.NOT_SENT):
        return array("I", (record for record in path if not columns.marks[record] & RecordMark.NOT_SENT))
    if not columns.has_mark(RecordMark.COMPACTION):
        return path
    boundaries = {record: tags_of(raw(record)) for record in path if columns.marks[record] & RecordMark.COMPACTION}
    last = max((record for record, tags in boundaries.items() if tags.isSummary), default=-1)
    if last >= 0:
        lead = [0] if columns.roles[last] != Role.USER and last and columns.roles[0] == Role.USER else []
        path = array("I", [*lead, *path[last:]])
    markers = {tags.truncationId for record, tags in boundaries.items() if record >= last and tags.isTruncationMarker}
    if not markers:
        return path
    return array("I", (record for record in path if tags_of(raw(record)).truncationParent not in markers))


def leave_out(columns: Columns, originals: int, end: int) -> frozenset[int]:
    """Mark the messages that Cline leaves out: those behind the first two, as far as message `end` of the log as read.

    The rows of what it then settles itself are given back: the results that now come first, and calls before the gap.
    """
    if not KEPT <= end < originals - 1:
        return frozenset()
    last = max((record for record, slot in enumerate(columns.stable_numbers) if slot <= end), default=-1)
    for record, mark in enumerate(columns.marks):
        columns.marks[record] = mark | RecordMark.NOT_SENT if KEPT <= record <= last else mark & ~RecordMark.NOT_SENT
    if not KEPT <= last < len(columns) - 1:
        return frozenset()
    columns.marks[last + 1] |= RecordMark.COMPACTION
    before, behind = columns.block_rows(KEPT - 1), columns.block_rows(last + 1)
    calls = {row for row in before if columns.block_kinds[row] == BlockKind.CALL}
    return frozenset(calls | {row for row in behind if columns.block_kinds[row] == BlockKind.RESULT})
