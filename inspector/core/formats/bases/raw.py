"""A log that no format claims: its records are shown as they are and never judged."""

from array import array

from inspector.core.bytes.json_text import pretty, value_of
from inspector.core.formats.bases.head import Head
from inspector.core.formats.bases.json_lines import JsonLines
from inspector.core.index.columns import Columns, RawOf, Role
from inspector.core.index.session import Log, Session, Thread
from inspector.core.index.views import BlockKind, BlockView, RecordView


class RawRecords(JsonLines):
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
    why_read_only = "What the records of this log mean is not known, so it cannot be repaired."
    profile = "anthropic"

    def score(self, head: Head) -> float:
        return 0.0

    def sessions(self, log: Log, columns: Columns, raw: RawOf) -> list[Session]:
        return [Session(0, "", range(len(columns)), [Thread(array("I"))], self.profile)]

    def add(self, columns: Columns, raw: bytes, start: int = 0, end: int = 0) -> bool:
        self.add_sound(columns, raw, start, end)
        return True

    def add_sound(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        columns.add_record(start, end, Role.OPAQUE)

    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        return ""

    def view(self, raw: bytes) -> RecordView:
        try:
            value = value_of(raw)
        except ValueError:
            text = raw.decode("utf-8", "replace")
            return RecordView("", text[:200], (BlockView(BlockKind.TEXT, text, ""),))
        return RecordView("", raw[:200].decode("utf-8", "replace"), (BlockView(BlockKind.OTHER, pretty(value), ""),))
