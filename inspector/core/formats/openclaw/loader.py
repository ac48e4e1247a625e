"""The entries that OpenClaw loads: pi's path, from where the last leaf record points.

Facts: openclaw 2026.6.11, src/agents/sessions/session-manager.ts (`partitionSessionFileEntries`, `buildIndex`) and
src/config/sessions/transcript-tree.ts. An entry without an id is not loaded. An entry of an unknown type only links the
entries around it, and one with `appendMode: "side"` is not the leaf. A record of type `leaf` names the leaf, and an
entry that hangs off that record hangs off the leaf. In a database (2026.9.6) a `reset` hides what is before it. A file
whose first record is not a header gets the header that follows later, or a new one of the current version
(`recoverCorruptSessionEntries`).
"""

from __future__ import annotations

from array import array
from typing import Any

from inspector.core.formats.base.pi_sessions.loader import active_thread, has_no_ids, hide_before_boundary
from inspector.core.formats.base.pi_sessions.reader import HEADER_TYPE
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.record_tree import MISSING_PARENT, RecordTree
from inspector.core.model.session import Thread
from inspector.core.storage.json_text import parse_json

_LEAF_TYPE = "leaf"
_VERSION = 3  # of a header that OpenClaw 2026.6.11 writes
_TYPES_OF_ENTRIES = frozenset(
    "message thinking_level_change model_change compaction branch_summary custom custom_message label "
    "session_info".split()
)


def loaded_thread(columns: Columns, tree: RecordTree, read: Columns, header: dict[str, Any], raw: ReadRecord) -> Thread:
    """Return the entries of a resume in order, see `active_thread`."""
    header = header or _recovered_header(columns, raw)
    if has_no_ids(header.get("version", 1)):
        return active_thread(columns, tree, read, header, raw, needs_header=False)
    leaf = _leaf(columns, tree, raw)
    if leaf < 0:
        return Thread(array("I"))
    thread = active_thread(columns, tree, read, header, raw, leaf, needs_header=False)
    return hide_before_boundary(thread, columns, raw, "reset")


def _recovered_header(columns: Columns, raw: ReadRecord) -> dict[str, Any]:
    """Return the header that OpenClaw puts before the entries where the first record is none."""
    for record, role in enumerate(columns.roles):
        if role == Role.OPAQUE and not columns.marks[record] & RecordMark.UNREADABLE:
            value = parse_json(raw(record))
            if isinstance(value, dict) and value.get("type") == HEADER_TYPE and isinstance(value.get("id"), str):
                return value
    return {"version": _VERSION}


def _leaf(columns: Columns, tree: RecordTree, raw: ReadRecord) -> int:
    """Return the entry with which a session goes on, -1 for none."""
    for record in range(len(columns) - 1, -1, -1):
        if not columns.roles[record] or not columns.uuids[record]:
            continue
        entry = parse_json(raw(record))
        if entry.get("type") == _LEAF_TYPE:
            if tree.parents[record] != MISSING_PARENT:
                return tree.parents[record]
        elif str(entry.get("type")) in _TYPES_OF_ENTRIES and entry.get("appendMode") != "side":
            return record
    return -1
