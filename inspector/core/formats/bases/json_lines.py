"""What the formats share of which a record is a line: reading the lines one by one."""

import re

from inspector.core.columns import Columns
from inspector.core.containers.lines import lines_of
from inspector.core.formats.bases.format import Format
from inspector.core.formats.bases.terms import Reading
from inspector.core.layout import Sequence
from inspector.core.session import Log
from inspector.core.source import Source


class JsonLines(Format):
    """A format of JSON Lines: `add` reads a line, and blank ones are no records."""

    container = "JSON Lines"

    def index(self, source: Source, reading: Reading) -> Log:
        columns = Columns()
        for offset, chunk in source.line_chunks(reading.limit, reading.progress, reading.cancelled):
            for start, end, line in lines_of(offset, bytes(chunk)):
                self.add(columns, line, start, end)
        log = Log(source, self.name, columns, [Sequence(0, len(columns))], deep=reading.deep)
        log.sessions = self.sessions(log, columns, log.raw)
        return log


def file_stem(path: str) -> str:
    """The name of a log's file up to its `.jsonl`: the id of its session, where a session is a file."""
    return re.sub(r"\.jsonl.*$", "", re.split(r"[\\/]", path)[-1])
