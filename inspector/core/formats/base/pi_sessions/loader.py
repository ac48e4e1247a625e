"""The entries that pi loads: the path from the last entry up its parents, from the newest compaction on.

Facts: pi-coding-agent 0.73.1 and 0.87.1, `core/session-manager.ts` (`_buildIndex`, `buildSessionContext`,
`migrateV1ToV2`). The last entry of any type is the leaf. A missing parent ends the walk, and nothing bridges the gap.
Of two entries with one id, the later counts. After a compaction come the entries from the one that it names as the
first kept. Files of version 1 have no ids: all entries are the path, and a compaction counts them.
"""

from __future__ import annotations

from array import array
from typing import Any

from inspector.core.formats.base.pi_sessions.reader import HEADER_TYPE, TITLE_TYPE
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.record_tree import RecordTree
from inspector.core.model.session import DamagedLink, LinkDamage, Thread
from inspector.core.storage.json_text import parse_json
from inspector.core.translation import tr

_IDS_SINCE_VERSION = 2
_NO_HEADER = tr("The first line is not a session header. Without this header, pi does not open the file.")


def header_of(columns: Columns, raw: ReadRecord) -> dict[str, Any]:
    """Return the header, which must be the first readable line; an empty object if that is another record."""
    first = _first_readable(columns)
    value = parse_json(raw(first)) if first >= 0 and columns.roles[first] == Role.OPAQUE else None
    if isinstance(value, dict) and value.get("type") == TITLE_TYPE and len(columns) > first + 1:
        is_opaque = columns.roles[first + 1] == Role.OPAQUE and not columns.marks[first + 1] & RecordMark.UNREADABLE
        value = parse_json(raw(first + 1)) if is_opaque else None
    if not isinstance(value, dict) or value.get("type") != HEADER_TYPE or not isinstance(value.get("id"), str):
        return {}
    return value


def _first_readable(columns: Columns) -> int:
    return next((record for record, mark in enumerate(columns.marks) if not mark & RecordMark.UNREADABLE), -1)


def active_thread(
    columns: Columns,
    tree: RecordTree,
    read: Columns,
    header: dict[str, Any],
    raw: ReadRecord,
    leaf: int | None = None,
    needs_header: bool = True,
) -> Thread:
    """Return the entries of a resume in order. `read` are the columns as read; `columns` may be planned ones.

    `leaf` is the entry with which the path ends, None for the last one.
    """
    tree.intern_ids()
    entries = [record for record, role in enumerate(columns.roles) if role]
    if not entries:
        return Thread(array("I"))
    version = header.get("version", 1) if header else 1 + tree.has_ids
    in_a_row = has_no_ids(version)
    if in_a_row:
        path, links = array("I", entries), list[DamagedLink]()
    else:
        path, damaged = tree.path_to(entries[-1] if leaf is None else leaf, first=entries[0])
        # Some programs name the header as the first entry's parent. It is no entry, but nothing is missing either.
        known = header.get("id")
        links = [link for link in damaged if link.kind == LinkDamage.CYCLE or columns.parents[link.record] != known]
    at = next((at for at in range(len(path) - 1, -1, -1) if columns.marks[path[at]] & RecordMark.COMPACTION), -1)
    if at >= 0:
        counts = columns.uuids[path[at]] is None
        start = (
            _first_kept_by_count(columns, path, at, raw)
            if counts
            else first_kept_position(read, columns, path, at, in_a_row)
        )
        kept = (record for record in path[start:at] if not columns.marks[record] & RecordMark.COMPACTION)
        # Nothing older is sent, even if the chain holds it.
        links = links if start == at and columns.groups[path[at]] is not None else []
        path = array("I", [path[at], *kept, *path[at + 1 :]])
    if left_out := _omitted_ids(columns, path):
        path = array("I", (record for record in path if columns.uuids[record] not in left_out))
    if not header and needs_header:
        links.append(DamagedLink(_first_readable(columns), LinkDamage.MISSING_PARENT, text=_NO_HEADER))
    return Thread(path, damaged_links=links)


def hide_before_boundary(thread: Thread, columns: Columns, raw: ReadRecord, kind: str) -> Thread:
    """Leave out what is before the last entry of a type, after the newest compaction.

    That entry can name the first one before it that is kept.
    """
    path = thread.path
    for at in range(len(path) - 1, -1, -1):
        if columns.marks[path[at]] & RecordMark.COMPACTION:
            break
        if columns.roles[path[at]] != Role.LINK or kind.encode() not in (entry := raw(path[at])):
            continue
        value = parse_json(entry)
        if value.get("type") == kind:
            first = value.get("firstKeptEntryId")
            thread.path = path[next((one for one in range(at) if first and columns.uuids[path[one]] == first), at) :]
            break
    return thread


def has_no_ids(version: Any) -> bool:
    """Return whether pi links all entries of this version again.

    The program's test is `(header?.version ?? 1) < 2`, which JavaScript answers for any value.
    """
    if version is None or isinstance(version, dict):
        return version is None
    try:  # A whole number may be too large for a float.
        return (version if isinstance(version, int) else float(version or 0)) < _IDS_SINCE_VERSION
    except (TypeError, ValueError):  # JavaScript finds nothing below 2 that is not a number
        return False


def _omitted_ids(columns: Columns, path: array[int]) -> set[str | None]:
    """Return the ids of entries that are not sent because their newest `context_edit` (since 0.87) omits them."""
    edits = [record for record in path if columns.roles[record] == Role.LINK and columns.groups[record] is not None]
    newest = {columns.groups[edit]: columns.marks[edit] & RecordMark.TURN_EVENT for edit in edits}
    return {target for target, omits in newest.items() if omits}


def first_kept_position(read: Columns, columns: Columns, path: array[int], at: int, in_a_row: bool = False) -> int:
    """Return the position of the first entry that the compaction at position `at` keeps; its own if it keeps none.

    `in_a_row` says that entries follow each other as in the file, whatever parents they name. In planned columns a
    compaction keeps what it kept as read, and the entries that the plan puts right before those: `update_derived` lets
    it name the first of them. One that kept nothing still names its entry, and keeps what a new link puts from there
    on before it.
    """
    slots, originals = columns.stable_numbers, len(read)
    kept = set[int]()
    if columns is not read and slots[path[at]] < originals:
        last = slots[path[at]]
        older = (record for record in range(last + 1) if read.roles[record])
        path_as_read = array("I", older) if in_a_row else RecordTree(read).path_to(last)[0]
        kept = set(path_as_read[first_kept_position(read, read, path_as_read, len(path_as_read) - 1) : -1])
    if not kept:
        first_id = columns.groups[path[at]]
        return next((earlier for earlier in range(at) if first_id and columns.uuids[path[earlier]] == first_id), at)
    first = next((earlier for earlier in range(at) if slots[path[earlier]] in kept), at)
    while 0 < first < at and slots[path[first - 1]] >= originals:
        first -= 1
    return first


def _first_kept_by_count(columns: Columns, path: array[int], at: int, raw: ReadRecord) -> int:
    """Return the position of the first kept entry in a file of version 1, where a compaction counts the lines."""
    number = parse_json(raw(path[at])).get("firstKeptEntryIndex")
    lines = [record for record, mark in enumerate(columns.marks) if not mark & RecordMark.UNREADABLE]
    if not isinstance(number, int) or not 0 < number < len(lines):
        return at
    return next((earlier for earlier in range(at) if path[earlier] >= lines[number]), at)
