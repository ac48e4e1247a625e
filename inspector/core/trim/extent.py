"""What goes when a history is cut: the messages before the cut, and what belongs to them beside the active path."""

import re
from collections.abc import Iterable

from inspector.core.index.columns import Columns, RecordMark, Role
from inspector.core.repair.draft import Draft
from inspector.core.scene import ThreadContext

_NAME = re.compile(rb'"([^"\\]{8,64})"')


def records_to_remove(scene: ThreadContext, head: int, at: int) -> set[int]:
    """The records that go when a history is cut before path position `at`, its first `head` records kept.

    Beside the path: what stands in the log before all that stays behind the cut (branches that were left, what a
    compaction stands for, the thread of a subagent), and what calls that go reported while they ran. Older versions of
    what stays are kept. A boundary that holds no words stays: what it hides would come back.
    """
    columns, path = scene.columns, scene.thread.path
    hidden = RecordMark.COMPACTION
    gone = {
        record
        for record in path[head:at]
        if not (columns.roles[record] in (Role.LINK, Role.OPAQUE) and columns.marks[record] & hidden)
    }
    on_path = set(path)
    first = min(path[at:])
    stays = {columns.groups[record] for record in (*path[:head], *path[at:])} - {None}
    calls = {columns.call_ids[row] for record in gone for row in columns.block_rows(record)} - {None}
    for record in scene.session.records:
        role, mark, group = columns.roles[record], columns.marks[record], columns.groups[record]
        if role == Role.OPAQUE or record in on_path:
            continue
        left_behind = record < first and not (group in stays and not mark & RecordMark.TRANSIENT)
        if (left_behind and not (role == Role.LINK and mark & hidden)) or (
            mark & RecordMark.TRANSIENT and group in calls
        ):
            gone.add(record)
    return gone


def clean_up_metadata(draft: Draft, before: Columns, gone: Iterable[int]) -> None:
    """Let metadata that tells of nothing but removed records go; what names one of them beside others stays.

    `before` are the columns in which `gone` are numbers; the draft has carried their removal out.
    """
    ids = {uuid.encode() for record in gone if (uuid := before.uuids[record]) is not None}
    if not ids:
        return
    columns = draft.columns
    known = {uuid.encode() for uuid in columns.uuids if uuid is not None}
    named: set[bytes] = set()
    for record, role in enumerate(columns.roles):
        if role not in (Role.OPAQUE, Role.LINK):
            continue
        names = set(_NAME.findall(draft.raw(record)))
        lost = names & ids
        if lost and role == Role.OPAQUE and not names & known:
            draft.delete(record)
            draft.add_reason(record, "", "tells of messages that were removed")
        else:
            named |= lost
    # Every other id that went is named by nothing, and need not be looked for.
    draft.dropped_uuids = {
        uuid: _survivor(draft.dropped_uuids, uuid) for uuid in draft.dropped_uuids if uuid.encode() in named
    }
    if draft.has_pending:
        draft.commit()


def _survivor(gone: dict[str, str | None], uuid: str) -> str | None:
    """The record that a removed one hung off in the end."""
    parent = gone[uuid]
    while parent in gone:
        parent = gone[parent]
    return parent
