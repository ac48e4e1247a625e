"""The base class of formats of JSON Lines, which reads whole chunks of lines or one by one, and the unknown format.

Several processes read the parts of a large log, where the read options say so. A record depends on its own line alone,
so that the columns of the parts, joined, are those of the whole log.
"""

from __future__ import annotations

import re
from array import array
from contextlib import closing

from msgspec import Struct, field
from msgspec.structs import replace

from inspector.core.formats.base.format import Format, ReadOptions
from inspector.core.formats.base.log_head import Head
from inspector.core.model.columnar_index import Columns, ReadRecord, Role
from inspector.core.model.session import Log, Session, Thread
from inspector.core.model.views import BlockKind, BlockView, RecordView
from inspector.core.storage.json_lines import nonblank_lines
from inspector.core.storage.json_text import parse_json, pretty_json
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.storage.source import Source
from inspector.core.translation import tr


class IndexedLines(Struct):
    """The index of the lines of a log, or of a part of them.

    `session_starts` are the sessions that the lines name, each with its first record. Records nested in a line are a
    sequence, and end the sequence of lines before them. The lines after the last sequence are in none until the log is
    read to its end.
    """

    columns: Columns = field(default_factory=Columns)
    sequences: list[RecordSequence] = []
    session_starts: dict[str, int] = {}

    @property
    def unassigned_from(self) -> int:
        """The first record that is in no sequence."""
        return self.sequences[-1].high if self.sequences else 0

    def append(self, part: IndexedLines) -> None:
        """Put the part that follows behind this one."""
        before, low = len(self.columns), self.unassigned_from
        self.columns.append(part.columns)
        for name, record in part.session_starts.items():
            self.session_starts.setdefault(name, before + record)
        for each in part.sequences:
            each.low, each.high = before + each.low, before + each.high
        if part.sequences:
            part.sequences[0].low = low
        self.sequences += part.sequences


class JsonLines(Format):
    """A format of JSON Lines: `index_record` reads a line, and blank lines are no records.

    The record of a line does not depend on the lines before it: they may be read elsewhere.
    """

    container = tr("JSON Lines")
    accepts_bom = True
    """Its agent passes by a byte order mark before the first line; to others that line is no JSON."""

    def index(self, source: Source, reading: ReadOptions) -> Log:
        if source.start and not self.accepts_bom:
            source.limit_to(0, source.size)
            reading = replace(reading, valid_up_to=0)
        with closing(reading.in_parts(self.read_lines, source, reading)) as parts:
            lines = next(parts)
            for part in parts:
                lines.append(part)
        if lines.unassigned_from < len(lines.columns) or not lines.sequences:
            lines.sequences.append(RecordSequence(lines.unassigned_from, len(lines.columns)))
        log = Log(source, self.name, lines.columns, lines.sequences, deeply_checked=reading.deep)
        log.sessions = self.sessions(log, log.columns, log.raw)
        if lines.session_starts:
            log.sessions[0].other_session_ids = list(lines.session_starts)[1:]
        return log

    def read_lines(self, source: Source, reading: ReadOptions) -> IndexedLines:
        """Read the lines of a log, or of a part of one."""
        lines = IndexedLines()
        for offset, chunk in source.line_chunks(reading.limit, reading.progress, reading.cancelled):
            self.add_chunk(lines, chunk, offset, reading)
        return lines

    def add_chunk(self, found: IndexedLines, chunk: memoryview, offset: int, reading: ReadOptions) -> None:
        """Read the whole lines of a chunk that begins at `offset`."""
        columns = found.columns
        for start, end, line in nonblank_lines(offset, bytes(chunk)):
            self.index_record(columns, line, start, end)
            array_start, pointer, spans = self.nested(line)
            if array_start < 0:
                continue
            low, inner = found.unassigned_from, len(columns)
            for first, last in spans:
                self.index_record(columns, line[first:last], start + first, start + last)
            nested = RecordSequence(inner, len(columns), start + array_start, pointer=pointer)
            found.sequences += [RecordSequence(low, inner), nested]

    def nested(self, line: bytes) -> tuple[int, str, list[tuple[int, int]]]:
        """Return where an array in a line begins whose elements are records of their own, its pointer, and their spans.

        -1 where there is none.
        """
        return -1, "", []


def file_stem(path: str) -> str:
    """Return the name of a log's file up to its `.jsonl`. It is the session's id where a session is a file."""
    return re.sub(r"\.jsonl.*$", "", re.split(r"[\\/]", path)[-1])


# A log that no format claims: its records are shown as they are and never judged.


class UnknownFormat(JsonLines):
    """A log that no format claims: lines or one document, whose records are shown as they are and never judged."""

    name = "unknown"
    label = "Unknown"
    container = tr("any")
    detection = tr("when no other format matches")
    read = tr("the records, but their meaning is unknown, so nothing is checked")
    write_back = tr("no, because the meaning of the records is unknown")
    resume = ""
    unsupported = ""
    source = ""
    read_only_reason = tr("The meaning of this log's records is unknown, so the log cannot be repaired.")
    profile = "anthropic"

    def score(self, head: Head) -> float:
        return 0.0

    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        return [Session(0, "", range(len(columns)), [Thread(array("I"))], self.profile)]

    def index_record(self, columns: Columns, raw: bytes, start: int = 0, end: int = 0) -> bool:
        self.index_valid_record(columns, raw, start, end)
        return True

    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        columns.add_record(start, end, Role.OPAQUE)

    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        return ""

    def view(self, raw: bytes) -> RecordView:
        try:
            value = parse_json(raw)
        except ValueError:
            text = raw.decode("utf-8", "replace")
            return RecordView("", text[:200], (BlockView(BlockKind.TEXT, text, ""),))
        return RecordView(
            "", raw[:200].decode("utf-8", "replace"), (BlockView(BlockKind.OTHER, pretty_json(value), ""),)
        )
