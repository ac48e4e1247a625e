"""The lines that one version of Claude Code reads and another does not, and the session that a version has in memory.

Facts: 2.1.112 parses each line without what is blank around it, a byte order mark included. The parser of 2.1.330 reads
one value from the beginning of a line, over line ends that are outside of strings, and passes by the rest of the line.
Both were run on twenty logs with one such line each.
"""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from inspector.core.formats.base.agent_behavior import UNREAD_REST, SessionAsLoaded
from inspector.core.formats.claude_code.loader import are_threads_as_in_newer, load_threads, version_of_newest_message
from inspector.core.formats.claude_code.reader import is_newer_generation
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.record_tree import RecordTree
from inspector.core.model.session import Session
from inspector.core.storage.json_spans import TruncatedJson, value_end
from inspector.core.storage.json_text import is_valid_json, replace_invalid_characters
from inspector.core.storage.source import BOM

_IndexRecord: TypeAlias = Callable[[Columns, bytes, int, int], None]
_LONGEST_RECORD = 200  # lines


class _ReadLine(Struct, frozen=True):
    """The records `low..high` of the index, of which a version reads `text` as one record."""

    low: int
    high: int
    text: bytes
    has_rest: bool = False


def session_as_loaded(
    session: Session, columns: Columns, raw: ReadRecord, index: _IndexRecord
) -> SessionAsLoaded | None:
    """Return the session as its version reads it, None where that is how it is indexed. `index` adds a record."""
    newer = is_newer_generation(session.version)
    lines = []
    if columns.has_mark(RecordMark.UNREADABLE):
        lines = list(_whole_beginnings(columns, raw) if newer else _records_after_mark(columns, raw))
    if not lines and newer == is_newer_generation(
        version_of_newest_message(columns, raw, reversed(range(len(columns))))
    ):
        return None
    if not lines and newer and are_threads_as_in_newer(columns, session.threads):
        return None
    read = columns.with_changes((line.low, line.high, _indexed(columns, line, index)) for line in lines)
    texts = {line.low: line.text for line in lines}
    inside = {record for line in lines for record in range(line.low + 1, line.high)}
    origins = [record for record in range(len(columns)) if record not in inside]

    def raw_of(record: int) -> bytes:
        origin = origins[record]
        return texts[origin] if origin in texts else raw(origin)

    threads = load_threads(read, RecordTree(read), raw_of, session.version)
    if threads == session.threads and not columns.has_mark(RecordMark.UNREADABLE):
        return None  # this version takes the same path through the records
    losses = (UNREAD_REST,) if any(line.has_rest for line in lines) else ()
    return SessionAsLoaded(replace(session, records=range(len(read)), threads=threads), read, raw_of, losses)


def _indexed(columns: Columns, line: _ReadLine, index: _IndexRecord) -> Columns:
    part = Columns()
    index(part, line.text, columns.starts[line.low], columns.ends[line.high - 1])
    return part.set_offsets(part.starts, part.ends, columns.stable_numbers[line.low : line.low + 1])


def _unread(columns: Columns) -> Iterator[int]:
    marks, roles = columns.marks, columns.roles
    return (
        record for record, mark in enumerate(marks) if mark & RecordMark.UNREADABLE and roles[record] == Role.OPAQUE
    )


def _whole_beginnings(columns: Columns, raw: ReadRecord) -> Iterator[_ReadLine]:
    """Yield the records that lines begin with, which may reach over further lines."""
    unread = set(_unread(columns))
    done = -1
    for record in sorted(unread):
        if record <= done:
            continue
        text, high = b"", record
        while high in unread and high - record < _LONGEST_RECORD:
            text = (text + b"\n" if text else b"") + replace_invalid_characters(raw(high)).lstrip(b" \t\r")
            high += 1
            if text[:1] != b"{":
                break
            try:
                end = value_end(text, 0)
            except TruncatedJson:
                continue
            if is_valid_json(text[:end]):
                yield _ReadLine(record, high, text[:end], bool(text[end:].strip(b"\0 \t\r\n")))
                done = high - 1
            break


def _records_after_mark(columns: Columns, raw: ReadRecord) -> Iterator[_ReadLine]:
    """Yield the records that follow a byte order mark."""
    for record in _unread(columns):
        text = replace_invalid_characters(raw(record))
        if text.startswith(BOM) and is_valid_json(text.removeprefix(BOM)):
            yield _ReadLine(record, record + 1, text.removeprefix(BOM))
