"""What the formats share of which a record is a line: reading the lines one by one."""

import re

from inspector.core.bytes.sequences import Sequence
from inspector.core.bytes.source import Source
from inspector.core.containers.lines import lines_of
from inspector.core.formats.bases.format import Format
from inspector.core.formats.bases.terms import Reading
from inspector.core.index.columns import Columns
from inspector.core.index.session import Log


class JsonLines(Format):
    """A format of JSON Lines: `add` reads a line, and blank ones are no records."""

    container = "JSON Lines"

    def index(self, source: Source, reading: Reading) -> Log:
        columns, sequences = Columns(), list[Sequence]()
        low = 0
        for offset, chunk in source.line_chunks(reading.limit, reading.progress, reading.cancelled):
            for start, end, line in lines_of(offset, bytes(chunk)):
                self.add(columns, line, start, end)
                at, pointer, spans = self.nested(line)
                if at < 0:
                    continue
                inner = len(columns)
                for first, last in spans:
                    self.add(columns, line[first:last], start + first, start + last)
                sequences += [Sequence(low, inner), Sequence(inner, len(columns), start + at, pointer=pointer)]
                low = len(columns)
        log = Log(source, self.name, columns, [*sequences, Sequence(low, len(columns))], deep=reading.deep)
        log.sessions = self.sessions(log, columns, log.raw)
        return log

    def nested(self, line: bytes) -> tuple[int, str, list[tuple[int, int]]]:
        """Where an array in a line begins whose elements are records of their own, its pointer, and their spans.

        -1 where there is none.
        """
        return -1, "", []


def file_stem(path: str) -> str:
    """The name of a log's file up to its `.jsonl`: the id of its session, where a session is a file."""
    return re.sub(r"\.jsonl.*$", "", re.split(r"[\\/]", path)[-1])
