"""The damaged lines that omp reads in part, and the session that it has in memory.

Facts: @oh-my-pi/pi-coding-agent 18.2.3 under Bun 1.4.4, whose parser of JSON Lines reads the value with which a line
begins, and passes by the rest of the line.
"""

from collections.abc import Callable
from typing import TypeAlias

from msgspec.structs import replace

from inspector.core.formats.base.agent_behavior import UNREAD_REST, UNREADABLE_LINE_LOSSES, SessionAsLoaded
from inspector.core.formats.base.pi_sessions.loader import header_of
from inspector.core.formats.omp.loader import loaded_thread
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.record_tree import RecordTree
from inspector.core.model.session import Session
from inspector.core.storage.json_spans import TruncatedJson, value_end
from inspector.core.storage.json_text import is_valid_json, replace_invalid_characters

_IndexRecord: TypeAlias = Callable[[Columns, bytes, int, int], None]
_UNREAD_LINE = UNREADABLE_LINE_LOSSES["F6"]


def session_as_loaded(
    session: Session, columns: Columns, raw: ReadRecord, index: _IndexRecord
) -> SessionAsLoaded | None:
    """Return the session as omp reads it, None where no line is damaged. `index` adds a record."""
    if not columns.has_mark(RecordMark.UNREADABLE):
        return None
    changes, losses = [], set[str]()
    texts: list[bytes | int] = []  # of each record as read: its text, or its number in the index
    for record, mark in enumerate(columns.marks):
        if not mark & RecordMark.UNREADABLE or columns.roles[record] != Role.OPAQUE:
            texts.append(record)
            continue
        line = replace_invalid_characters(raw(record))
        value = first_value(line)
        if line[len(value) :].strip(b"\0 \t\r\n"):
            losses.add(UNREAD_REST if value else _UNREAD_LINE)
        changes.append((record, record + 1, _indexed(columns, record, value, index)))
        texts += [value] if value else []
    read = columns.with_changes(changes)

    def raw_of(record: int) -> bytes:
        text = texts[record]
        return raw(text) if isinstance(text, int) else text

    tree = RecordTree(read)
    thread = loaded_thread(read, tree, read, header_of(read, raw_of), raw_of)
    loaded = replace(
        session, records=range(len(read)), threads=[thread], duplicate_records=tree.duplicate_ids, ordinal_breaks=[]
    )
    return SessionAsLoaded(loaded, read, raw_of, tuple(sorted(losses)))


def first_value(line: bytes) -> bytes:
    """Return the object with which a line begins, b"" for none."""
    try:
        value = line[: value_end(line, 0)] if line[:1] == b"{" else b""
    except TruncatedJson:
        return b""
    return value if is_valid_json(value) else b""


def _indexed(columns: Columns, record: int, value: bytes, index: _IndexRecord) -> Columns:
    part = Columns()
    if value:
        index(part, value, columns.starts[record], columns.ends[record])
    return part.set_offsets(part.starts, part.ends, columns.stable_numbers[record : record + len(part)])
