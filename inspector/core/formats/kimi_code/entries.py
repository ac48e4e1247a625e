"""The messages that a fold makes of records, and what their records say of them."""

from enum import IntEnum
from typing import Any

from msgspec import Struct

from inspector.core.bytes.json_text import object_at, objects_at, parse_json
from inspector.core.index.columns import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.index.views import BlockKind

_PAIRED = (BlockKind.CALL, BlockKind.RESULT)


class Kind(IntEnum):
    """MADE: the reader itself puts this message in. STRAY: recorded, and not taken. LINK: no message."""

    MESSAGE = 0
    MADE = 1
    STRAY = 2
    LINK = 3


class Entry(Struct, gc=False):
    """One message of the history, with the records that it is folded from; `call_id` is what a result answers."""

    kind: Kind
    role: Role
    records: list[int]
    call_id: str = ""

    @property
    def counts(self) -> bool:
        return self.kind in (Kind.MESSAGE, Kind.MADE)


class Entries:
    """Answers questions about entries from the bytes of their records."""

    def __init__(self, columns: Columns, raw: ReadRecord) -> None:
        self.columns, self.raw = columns, raw

    def origin(self, entry: Entry) -> str:
        """What kind of message this is, "" for one that is not said to be other than the person's or the model's."""
        if entry.kind == Kind.MADE:
            return "injection" if entry.role == Role.USER else ""
        if entry.kind != Kind.MESSAGE or self.columns.groups[entry.records[0]] is not None:
            return ""
        if self.columns.marks[entry.records[0]] & RecordMark.COMPACTION:
            return "compaction_summary"
        message = self.value(entry.records[0], "message")
        return "" if is_typed(message.get("origin")) else str(message["origin"].get("kind"))

    def is_prompt(self, entry: Entry) -> bool:
        """Whether this is what the person said: undo goes back to it, and a compaction keeps it."""
        return entry.kind == Kind.MESSAGE and entry.role == Role.USER and not self.origin(entry)

    def calls(self, entry: Entry) -> list[tuple[str, int]]:
        """The calls of a message: id and block row."""
        columns = self.columns
        rows = [row for record in entry.records for row in columns.block_rows(record)]
        return [(columns.call_ids[row] or "", row) for row in rows if columns.block_kinds[row] == BlockKind.CALL]

    def is_vacuous(self, record: int) -> bool:
        """Whether a part of a step says nothing."""
        columns = self.columns
        kinds, flags = columns.block_kinds, columns.block_flags
        return all(kinds[row] not in _PAIRED and flags[row] & BlockFlag.BLANK for row in columns.block_rows(record))

    def text(self, entry: Entry) -> str:
        """What a message says."""
        return text_in(self.value(entry.records[0], "message").get("content"))

    def value(self, record: int, member: str = "") -> dict[str, Any]:
        """The object in a record, or in one of its members; empty where there is none."""
        return object_at(parse_json(self.raw(record)), f"/{member}" if member else "")


def is_typed(origin: Any) -> bool:
    """Whether a message of this origin is what the person typed, or the model's."""
    if not isinstance(origin, dict):
        return True
    kind = origin.get("kind")
    command = kind in ("skill_activation", "plugin_command")
    return kind in (None, "user") or (command and origin.get("trigger") == "user-slash")


def text_in(content: Any) -> str:
    """The text parts of a message's content."""
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text")) for part in objects_at(content, "") if part.get("type") == "text")
