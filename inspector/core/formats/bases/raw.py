"""A log that no format claims: its records are shown as they are and never judged."""

from array import array

from inspector.core.bytes.json_text import parse_json, pretty_json
from inspector.core.formats.bases.head import Head
from inspector.core.formats.bases.json_lines import JsonLines
from inspector.core.index.columns import Columns, ReadRecord, Role
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
    read_only_reason = "What the records of this log mean is not known, so it cannot be repaired."
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
