"""What the formats share that are read, judged and shown, and never written back."""

from inspector.core.formats.bases.format import Format
from inspector.core.formats.bases.terms import BlockEdits, Call
from inspector.core.index.columns import Columns
from inspector.core.index.session import Log


class ReadOnlyRecords(Format):
    """A format whose row in the table argues why nothing is written; `reason` says it to the person."""

    reason: str

    def refuses(self, log: Log, mode: str) -> str:
        return self.reason

    def rewrite(self, columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
        return raw

    def block_bytes(self, columns: Columns, record: int, raw: bytes, ordinal: int) -> bytes:
        return raw

    def placeholder(self, call: Call, text: str) -> bytes:
        return b""

    def result_record(self, like: bytes, blocks: list[bytes], seed: str) -> bytes:
        return like

    def note(self, columns: Columns, record: int, raw: bytes, ordinal: int, text: str) -> bytes:
        return raw

    def user_record(self, like: bytes, text: str, seed: str) -> bytes:
        return like
