"""A log that no format claims: its records are shown as they are and never judged."""

from array import array
from collections.abc import Callable

from inspector.core.columns import Columns, Role
from inspector.core.containers.lines import lines_of
from inspector.core.formats.format import Reading
from inspector.core.formats.read_only import ReadOnlyRecords
from inspector.core.head import Head
from inspector.core.json_text import value_of
from inspector.core.layout import Sequence
from inspector.core.session import Log, Session, Thread
from inspector.core.source import Source
from inspector.core.views import BlockKind, BlockView, RecordView
from inspector.core.wire.anthropic import pretty


class RawRecords(ReadOnlyRecords):
    """Lines, or one whole document, of unknown meaning."""

    name = "unknown"
    label = "Unknown"
    container = "any"
    detection = "nothing else is certain"
    read = "the records as they are; nothing is judged"
    write_back = "no: what the records mean is not known"
    resume = ""
    unsupported = ""
    source = ""
    reason = "What the records of this log mean is not known, so it cannot be repaired."
    profile = "anthropic"

    def score(self, head: Head) -> float:
        return 0.0

    def index(self, source: Source, reading: Reading) -> Log:
        columns = Columns()
        for offset, chunk in source.line_chunks(reading.limit, reading.progress, reading.cancelled):
            for start, end, line in lines_of(offset, bytes(chunk)):
                self.add(columns, line, start, end)
        log = Log(source, self.name, columns, [Sequence(0, len(columns))])
        log.sessions = self.sessions(log, columns, log.raw)
        return log

    def sessions(self, log: Log, columns: Columns, raw: Callable[[int], bytes]) -> list[Session]:
        return [Session(0, "", range(len(columns)), [Thread(array("I"))], self.profile)]

    def add(self, columns: Columns, raw: bytes, start: int = 0, end: int = 0) -> bool:
        columns.add_record(start, end, Role.OPAQUE)
        return True

    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        return ""

    def view(self, raw: bytes) -> RecordView:
        try:
            value = value_of(raw)
        except ValueError:
            text = raw.decode("utf-8", "replace")
            return RecordView("", text[:200], (BlockView(BlockKind.TEXT, text, ""),))
        return RecordView("", raw[:200].decode("utf-8", "replace"), (BlockView(BlockKind.OTHER, pretty(value), ""),))
