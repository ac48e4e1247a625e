"""How the records of a format are read: what who judges and shows a log asks of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array

from inspector.core.bytes.json_text import is_valid_json
from inspector.core.bytes.source import Source
from inspector.core.bytes.spans import json_at
from inspector.core.formats.bases.head import Head
from inspector.core.formats.bases.reading import Reading
from inspector.core.formats.bases.store import Headline, first_line
from inspector.core.index.columns import Columns, ReadRecord, RecordMark, Role
from inspector.core.index.session import Log, Session, Subagent
from inspector.core.index.views import BlockKind, RecordView
from inspector.core.wire.fields import truncation_reason_in_json


class Reader(ABC):
    """Who judges or shows a log asks this; a format that is never written back implements nothing else.

    `side_files` are the files and folders that are read with a log, named from its folder on: what comes there is news
    of it. `{name}` stands for its own name up to the first dot.
    """

    side_files: tuple[str, ...] = ()

    # the log as a whole

    @abstractmethod
    def score(self, head: Head) -> float:
        """How sure it is that the log is its own: from 0.9 on no other is asked, below 0.4 the log is not claimed."""

    @abstractmethod
    def index(self, source: Source, reading: Reading) -> Log:
        """Read the whole log into columns, and divide it into sessions."""

    @abstractmethod
    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        """What the agent would load of `columns`, which may be planned ones; `raw` gives a record's bytes."""

    def describe(self, log: Log, session: Session) -> None:
        """Fill in title, agent, version, state and memory of a session, for those who show it."""

    def system_prompt(self, log: Log, session: Session) -> str:
        """What the provider is told before the messages of a session, where the log keeps it apart from them."""
        return ""

    def metadata(self, head: Head) -> Headline:
        """Project and title as the first quarter megabyte tells them, for a list of sessions."""
        return Headline()

    def subagents(self, log: Log) -> list[Subagent]:
        """The logs of subagents that lie beside this one. Names and first lines are read, never whole logs."""
        return []

    # its records

    def index_record(self, columns: Columns, raw: bytes, start: int = 0, end: int = 0) -> bool:
        """Index one record. False, and a BAD record, when it is no JSON."""
        if not is_valid_json(raw):
            columns.add_record(start, end, Role.OPAQUE, RecordMark.UNREADABLE)
            return False
        self.index_valid_record(columns, raw, start, end)
        return True

    def index_records(self, columns: Columns, raws: list[bytes]) -> None:
        """Index records one after another, as `add` does; where each begins and ends is left to the caller."""
        for raw in raws:
            self.index_record(columns, raw)

    @abstractmethod
    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        """Index one record that is JSON."""

    @abstractmethod
    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        """The pointer of a block in its record. Asked of every block, so in constant time."""

    def item_pointer(self, raw: bytes) -> str:
        """The pointer of the item that a record holds, where every part of a message is a record of its own."""
        return ""

    @abstractmethod
    def view(self, raw: bytes) -> RecordView:
        """A record for showing. Raises ValueError when it is no JSON."""

    def first_words(self, raw: bytes) -> str:
        """The first line that a record says."""
        texts = (view.text for view in self.view(raw).blocks if view.kind == BlockKind.TEXT)
        return next(filter(None, map(first_line, texts)), "")

    results_are_records = False
    """A result is a record of its own."""

    def block_bytes(self, columns: Columns, record: int, raw: bytes, ordinal: int) -> bytes:
        """The JSON of one block (of the whole message, where a result is a message of its own)."""
        whole = self.results_are_records and columns.roles[record] == Role.TOOL
        return raw if whole else json_at(raw, self.pointer(columns, record, ordinal))

    # what the log itself says of a record or a call

    def pending_calls(self, session: Session, columns: Columns, path: array[int], raw: ReadRecord) -> set[str]:
        """The ids of calls that the log itself marks as waiting."""
        return set()

    stop_reason_pointers: tuple[str, ...] = ()
    """Where a record says why its message ended, as pointers."""

    def truncation_reason(self, columns: Columns, record: int, raw: ReadRecord, pointer: str) -> str:
        """Why the message of a call broke off, in the log's own word, "" where the log does not say that it did.

        The call stands at `pointer` of `record`. Asked only of calls without a result.
        """
        return truncation_reason_in_json(raw(record), self.stop_reason_pointers) if self.stop_reason_pointers else ""

    def is_unlisted_call(self, columns: Columns, row: int) -> bool:
        """Whether the call in block `row` stands only where the provider finds it, and not where the agent reads it."""
        return False

    def can_answer(self, columns: Columns, row: int) -> bool:
        """Whether a placeholder can stand in for the result of the call in block `row`."""
        return True

    def is_automatic_continuation(self, raw: bytes) -> bool:
        """Whether the program wrote this message to go on by itself, so that it belongs behind the newest one."""
        return False

    def missing_text(self, raw: bytes) -> str:
        """What a message without a block holds that its API takes in no place of a text: "null", "list" of nothing.

        "" where it takes it, as it does an empty text.
        """
        return ""

    def missing_member(self, block: bytes) -> str:
        """The member without which the API takes a call for none, "" where it lacks none."""
        return ""

    def error_text(self, raw: bytes) -> str:
        """The provider's error that this record holds, "" when it holds none."""
        return ""

    def error_name(self, raw: bytes) -> str:
        """What the agent calls the error of this record in a field of its own, "" where it does not."""
        return ""
