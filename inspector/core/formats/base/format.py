"""How the records of a format are read: what who judges and shows a log asks of it.

Merged; to be rewritten:
`reading`: How a log is to be read: how much of it, how closely, and who hears how far it is.
`row`: What a format says of itself as data: its names, where its logs lie, and how its records are to be taken.
`format`: What a format is: a row of data, and how its records are read. Four more modules say what else may be asked of
it.
`gathering`: What a format says whose log can lie in many files or rows, which are put together as one text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from msgspec import Struct

from inspector.core.formats.base.detection import Head
from inspector.core.formats.base.stores import SessionMetadata, Store, title_line
from inspector.core.model.columns import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session, Subagent
from inspector.core.model.views import BlockKind, RecordView
from inspector.core.providers.block_schema import BlockSchema
from inspector.core.providers.message_fields import truncation_reason_in_json
from inspector.core.providers.message_schema import Misfit, ObjectSchema, find_misfits
from inspector.core.storage.json_spans import json_at
from inspector.core.storage.json_text import is_valid_json
from inspector.core.storage.source import Source

if TYPE_CHECKING:
    from pathlib import Path


# How a log is to be read: how much of it, how closely, and who hears how far it is.

Progress = Callable[[int, int], None]
IsCancelled = Callable[[], bool]
T = TypeVar("T")


class ReadInParts(Protocol):
    """Reads a log in parts of whole lines: what `read` makes of each, in order. Close it, or take them all."""

    def __call__(
        self, read: Callable[[Source, ReadOptions], T], source: Source, reading: ReadOptions
    ) -> Generator[T, None, None]: ...


def read_as_one_part(
    read: Callable[[Source, ReadOptions], T], source: Source, reading: ReadOptions
) -> Generator[T, None, None]:
    """A log as one part."""
    yield read(source, reading)


class ReadOptions(Struct, frozen=True):
    """How a log is to be read: `deep` judges every byte, `limit` stops after so many bytes.

    `sound` is where what is known to be JSON ends: all lines before that byte are. `in_parts` reads a large log.
    """

    deep: bool = False
    limit: int | None = None
    progress: Progress | None = None
    cancelled: IsCancelled | None = None
    valid_up_to: int = 0
    in_parts: ReadInParts = read_as_one_part

    def checked_from(self, offset: int) -> int | None:
        """From where on every byte of the chunk at `offset` is judged, None where a fast look is enough."""
        return self.valid_up_to - offset if self.deep else None


# What a format says of itself as data: its names, where its logs lie, and how its records are to be taken.


class LinkKeys(Struct, frozen=True):
    """The members by which the records of a log name one another.

    `record` holds the id of a record, `parent` that of the one it hangs off ("" where none is named), `stitch` that of
    the record before a compaction ("" where none is named). `leaf` are the members in which a record names the leaf
    and says that it counts ("" where none does).
    """

    record: str = "uuid"
    parent: str = ""
    before_compaction: str = ""
    leaf: tuple[str, str] = ("", "")


class FormatInfo:
    """A row of the table of formats."""

    name: str
    """By which it is chosen on the command line."""
    label: str
    """What a person calls it."""
    container: str
    detection: str
    read: str
    write_back: str
    resume: str
    unsupported: str
    source: str
    """The cells of its page: what its container is, what it is told by, what is read, written back, honoured, not
    supported, and where the facts come from."""
    profile: str
    """The provider that its records go to, where a log names none."""
    read_only_reason: str = ""
    """Why it is never written back, in a sentence for the person; said of a format that is no `Writer`."""

    keys: str = ""
    """Keys at the top of a line, or of the document, that make a log likely to be its own, with spaces between.
    Without any the format is asked when no other is sure."""
    stores: tuple[Store, ...] = ()
    """Where its agent keeps its logs."""

    is_provider_api = False
    """The records are a provider's own messages."""
    marker_patterns: tuple[str, ...] = ()
    """Patterns of how the texts begin that it is read by; what their groups hold is somebody's. A bundle keeps them."""
    message_schema: ObjectSchema | None = None
    """What its API takes of a message, where its records are such messages as they are."""
    block_schema = BlockSchema()
    """How its blocks name their members: the table of its wire."""
    merges_fragments = False
    """Fragments and neighbouring user records are one message to the provider."""
    drops_blank_records = False
    """White space beside other blocks of one record goes out; as a record of its own it is dropped."""
    keeps_answers_separate = False
    """The agent sends neighbouring messages of the assistant one by one, whatever the provider joins."""
    results_share_record = True
    """The results of a turn share a record."""
    one_item_per_record = False
    """Every part of a message, reasoning too, is a record of its own."""
    sends_blank_texts = False
    """Blank texts of the person go out with what stands beside them, so that only a turn of nothing else is refused."""
    requires_result_names = False
    """The agent stops at a result that does not name its tool."""
    inline_results = False
    """A call holds its own result, so that a repair writes it into the call."""
    prompt_outside_log = False
    """The first prompt is given to the program apart, so that the log begins behind it."""
    pairs_server_tools = False
    """A call of the provider's own tool has its result in a block of its own."""
    link_keys = LinkKeys()
    """How its records name one another."""

    def misfits(self, message: Any) -> list[Misfit]:
        """What of a parsed record no provider takes; asked of those alone that the index marks as odd."""
        return find_misfits(message, self.message_schema) if self.message_schema else []


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
    def index(self, source: Source, reading: ReadOptions) -> Log:
        """Read the whole log into columns, and divide it into sessions."""

    @abstractmethod
    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        """What the agent would load of `columns`, which may be planned ones; `raw` gives a record's bytes."""

    def describe(self, log: Log, session: Session) -> None:
        """Fill in title, agent, version, state and memory of a session, for those who show it."""

    def system_prompt(self, log: Log, session: Session) -> str:
        """What the provider is told before the messages of a session, where the log keeps it apart from them."""
        return ""

    def metadata(self, head: Head) -> SessionMetadata:
        """Project and title as the first quarter megabyte tells them, for a list of sessions."""
        return SessionMetadata()

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
        return next(filter(None, map(title_line, texts)), "")

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


# What a format is: a row of data, and how its records are read. Four more modules say what else may be asked of it.
#
# `writer` how a repair is spelled, `agent` what its program does with the log, `tracer` what the log shows of calls
# that
# nothing answers, `gathering` how a log of many files is put together. A format takes the ones that it has an answer
# to.


class Format(FormatInfo, Reader):
    """Who judges and shows a log takes this; who changes it, a `Writer`."""


# What a format says whose log can lie in many files or rows, which are put together as one text.


class MultiFileFormat(Format):
    """A format whose logs are told in a folder or a database, put together, and taken apart again."""

    @abstractmethod
    def claims(self, path: Path) -> bool:
        """Whether a log of the format lies at `path` in many files or rows, told by names and tables alone."""

    @abstractmethod
    def assemble(self, path: Path) -> Source:
        """The log at a path that is claimed, as one text: each file or row is a span. Raises UnreadableLog."""

    def may_be_archived(self, name: str, data: bytes) -> bool:
        """Whether a member of an archive can be a part of such a log, told by its name and first bytes."""
        return False

    def assemble_archived(self, archive: str, members: dict[str, bytes]) -> Iterator[tuple[list[str], Source]]:
        """The logs among these members, each with the names of those that are part of it. Raises UnreadableLog."""
        return iter(())

    @abstractmethod
    def part_spans(self, raw: bytes) -> list[tuple[int, int]]:
        """The spans in a record of the files or rows that it is assembled of, in order."""
