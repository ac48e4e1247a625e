"""The interface of a format: its data, and how its logs and records are read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from msgspec import Struct

from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.stores import SessionMetadata, StorePattern, title_line
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import Log, Session, SubagentLogReference
from inspector.core.model.views import BlockKind, RecordView
from inspector.core.providers.block_schema import BlockSchema
from inspector.core.providers.message_fields import truncation_reason_in_json
from inspector.core.providers.message_misfits import Misfit, ObjectSchema, find_misfits
from inspector.core.storage.json_spans import raw_json_at
from inspector.core.storage.json_text import is_valid_json
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.storage.source import Source

if TYPE_CHECKING:
    from pathlib import Path

    from inspector.core.storage.temporary_files import AssembledSource

Progress = Callable[[int, int], None]
IsCancelled = Callable[[], bool]
T = TypeVar("T")


class ReadLogInParts(Protocol):
    """Reads a log in parts of whole lines, and yields what `read` makes of each part, in order.

    Close the generator, or take all its parts.
    """

    def __call__(
        self, read: Callable[[Source, ReadOptions], T], source: Source, reading: ReadOptions
    ) -> Generator[T, None, None]: ...


def read_as_one_part(
    read: Callable[[Source, ReadOptions], T], source: Source, reading: ReadOptions
) -> Generator[T, None, None]:
    """Read a log as one part."""
    yield read(source, reading)


class ReadOptions(Struct, frozen=True):
    """How a log is to be read: how much of it, how closely, and where progress is reported.

    `deep` checks every byte, `limit` stops after so many bytes. All lines before the byte `valid_up_to` are known to be
    JSON. `in_parts` reads a large log.
    """

    deep: bool = False
    limit: int | None = None
    progress: Progress | None = None
    cancelled: IsCancelled | None = None
    valid_up_to: int = 0
    in_parts: ReadLogInParts = read_as_one_part

    def checked_from(self, offset: int) -> int | None:
        """Return the place in the chunk at `offset` from which every byte is checked.

        None where a fast look is enough.
        """
        return self.valid_up_to - offset if self.deep else None


class LinkKeys(Struct, frozen=True):
    """The members by which the records of a log name one another.

    `record` holds the id of a record, `parent` the id of its parent, and `before_compaction` the id of the record
    before a compaction; "" where the format has none. `leaf` are the two members in which a record names the leaf and
    says that this counts ("" where there are none, or where it always counts). `ordinal` holds the number of a record,
    where records are numbered.
    """

    record: str = "uuid"
    parent: str = ""
    before_compaction: str = ""
    leaf: tuple[str, str] = ("", "")
    ordinal: str = "ordinal"


class FormatInfo:
    """A row of the table of formats."""

    name: str
    """The name that selects the format on the command line."""
    label: str
    """The name of the format for people."""
    container: str
    detection: str
    read: str
    write_back: str
    resume: str
    unsupported: str
    source: str
    lost_result_places: str = ""
    """The cells of its page: the container, how it is detected, what is read, written back, respected and not
    supported, where the facts come from, and where a result that the conversation lacks may still be."""
    profile: str
    """The profile of the provider that its records go to, where a log names none."""
    read_only_reason: str = ""
    """Why it is never written back, in a sentence for the person. Only for a format that is no `Writer`."""

    keys: str = ""
    """Keys at the top of a line, or of the document, that make a log likely to be of this format, separated by spaces.
    A format without any is tried when no other is sure."""
    stores: tuple[StorePattern, ...] = ()
    """The places where its agent keeps its logs."""
    session_store = ""
    """The `SessionStore` that knows how its agent finds its sessions ("module:Class"), "" where that is not known.
    It is imported only when the stores of a machine are examined."""

    is_provider_api = False
    """The records are a provider's own messages."""
    marker_patterns: tuple[str, ...] = ()
    """Patterns of the beginnings of texts that the format is read by. A bundle keeps such texts, except for the groups,
    which hold the person's own data."""
    message_schema: ObjectSchema | None = None
    """What its API accepts as a message, where the records are messages of the API."""
    block_schema = BlockSchema()
    """The names of the members of its blocks: the table of its wire."""
    merges_fragments = False
    """Fragments and neighbouring user records are one message to the provider."""
    drops_blank_records = False
    """The agent sends white space next to other blocks of a record, and drops a record that is nothing else."""
    keeps_answers_separate = False
    """The agent sends neighbouring messages of the assistant one by one, even if the provider joins them."""
    results_share_record = True
    """The results of a turn share a record."""
    requires_shared_results = False
    """The agent finds the results of a turn only in the record right after it, and answers the other calls itself."""

    @property
    def needs_results_together(self) -> bool:
        """Whether the results of a turn have to share a record: split ones are sent as they are, or are not found."""
        return self.results_share_record and (self.is_provider_api or self.requires_shared_results)

    one_item_per_record = False
    """Every part of a message, reasoning too, is a record of its own."""
    sends_reasoning_ids = False
    """The agent sends reasoning items under their ids, so that OpenAI looks for what each one led to."""
    sends_blocks_unchanged = False
    """The blocks of its messages go to the provider as they are, whatever they hold."""
    stops_at_reasoning_of_user = False
    """The agent sends nothing if a message of the user holds reasoning."""
    stops_at_repeated_speakers = False
    """The agent sends nothing if two messages in a row have the same role. The next prompt counts as a message."""
    sends_blank_texts = False
    """The agent sends blank texts of the person along with other texts, so that only an all blank turn is refused."""
    requires_result_names = False
    """The agent stops at a result that does not name its tool."""
    inline_results = False
    """A call holds its own result, so that a repair writes it into the call."""
    prompt_outside_log = False
    """The first prompt is given to the program separately, so that the log begins after it."""
    pairs_server_tools = False
    """The result of a call of the provider's own tool is a block of its own."""
    link_keys = LinkKeys()
    """The members by which its records name one another."""
    own_model_names: tuple[str, ...] = ()
    """What stands for the name of the model in messages of the assistant that the agent wrote itself."""

    def sends_reasoning_part(self, part: Any) -> bool:
        """Return whether a part of the `content` of a reasoning item is sent."""
        return True

    def misfits(self, message: Any) -> list[Misfit]:
        """Return the parts of a parsed record that no provider accepts.

        Called only for records that the index marks as MAYBE_MALFORMED.
        """
        return find_misfits(message, self.message_schema) if self.message_schema else []


class Reader(ABC):
    """The interface for checking and showing a log. A format that is never written back implements nothing else.

    `side_files` are the files and folders that are read with a log, relative to its folder; a change in them is a
    change of the log. `{name}` is the log's own name up to the first dot.
    """

    side_files: tuple[str, ...] = ()

    # the log as a whole

    @abstractmethod
    def score(self, head: Head) -> float:
        """Return how sure it is that the log is of this format.

        From 0.9 on no other format is asked; below 0.4 the log is not claimed.
        """

    @abstractmethod
    def index(self, source: Source, reading: ReadOptions) -> Log:
        """Read the whole log into columns, and divide it into sessions."""

    def index_in_parts(self, source: Source, reading: ReadOptions) -> Iterator[Log]:
        """Yield a log of very many conversations as logs of some conversations each, nothing if it has to be whole.

        A part is no longer needed once the next one is asked for. Raises NotDivisible, also after some parts.
        """
        return iter(())

    @abstractmethod
    def sessions(self, log: Log, columns: Columns, raw: ReadRecord) -> list[Session]:
        """Return what the agent would load of `columns`, which may be planned ones. `raw` returns a record's bytes."""

    def describe(self, log: Log, session: Session) -> None:
        """Fill in title, agent, version, state and memory of a session for showing it."""

    def system_prompt(self, log: Log, session: Session) -> str:
        """Return the system prompt of a session, where the log keeps it apart from the messages, else ""."""
        return ""

    def stored_folder(self, log: Log, session: int) -> str:
        """Return the project's folder of a session (by number) as its store names it, "" where it does not.

        This is for agents that keep the folder apart from the messages.
        """
        return ""

    def metadata(self, head: Head) -> SessionMetadata:
        """Return project and title from the head of a log, for a list of sessions."""
        return SessionMetadata()

    def project_name(self, folder: str) -> str:
        """Return the project that `metadata` names for a log of the project in `folder`: its path, or another name."""
        return folder

    def subagents(self, log: Log) -> list[SubagentLogReference]:
        """Return the logs of subagents next to this log. Only names and first lines are read, never whole logs."""
        return []

    # its records

    def index_record(self, columns: Columns, raw: bytes, start: int = 0, end: int = 0) -> bool:
        """Index one record. Return False, and add an UNREADABLE record, when it is not JSON."""
        if not is_valid_json(raw):
            columns.add_record(start, end, Role.OPAQUE, RecordMark.UNREADABLE)
            return False
        self.index_valid_record(columns, raw, start, end)
        return True

    def index_records(self, columns: Columns, raws: list[bytes]) -> None:
        """Index records one after another, as `index_record` does. The caller sets where each begins and ends."""
        for raw in raws:
            self.index_record(columns, raw)

    def can_be_salvaged(self, columns: Columns, record: int, part: bytes) -> bool:
        """Return whether the agent would read a part of a damaged record, which is whole, as a record in its place."""
        found = Columns()
        self.index_records(found, [part])
        return not found.has_mark(RecordMark.UNREADABLE)

    @abstractmethod
    def index_valid_record(self, columns: Columns, raw: bytes, start: int, end: int) -> None:
        """Index one record that is JSON."""

    @abstractmethod
    def pointer(self, columns: Columns, record: int, ordinal: int) -> str:
        """Return the pointer of a block in its record. Called for every block, so it must take constant time."""

    def item_pointer(self, raw: bytes) -> str:
        """Return the pointer of the item in a record, where every part of a message is a record of its own."""
        return ""

    @abstractmethod
    def view(self, raw: bytes) -> RecordView:
        """Return a record for showing. Raises ValueError when it is not JSON."""

    def first_words(self, raw: bytes) -> str:
        """Return the first line of the texts of a record."""
        texts = (view.text for view in self.view(raw).blocks if view.kind == BlockKind.TEXT)
        return next(filter(None, map(title_line, texts)), "")

    results_are_records = False
    """A result is a record of its own."""

    def block_bytes(self, columns: Columns, record: int, raw: bytes, ordinal: int) -> bytes:
        """Return the JSON of a block, or of the whole message where a result is a message of its own."""
        whole = self.results_are_records and columns.roles[record] == Role.TOOL
        return raw if whole else raw_json_at(raw, self.pointer(columns, record, ordinal))

    # what the log says about a record or a call

    def messages_behind_first(self, session: Session) -> int:
        """Return how many messages that are not in the log the agent sends behind the first message of the history."""
        return 0

    def pending_calls(self, session: Session, columns: Columns, path: array[int], raw: ReadRecord) -> set[str]:
        """Return the ids of the calls that the log itself marks as waiting."""
        return set()

    stop_reason_pointers: tuple[str, ...] = ()
    """The pointers to the reason why a message ended."""

    def truncation_reason(self, columns: Columns, record: int, raw: ReadRecord, pointer: str) -> str:
        """Return why the message of a call broke off, in the log's own word, "" where the log does not say that it did.

        The call is at `pointer` of `record`. Called only for calls without a result.
        """
        return truncation_reason_in_json(raw(record), self.stop_reason_pointers) if self.stop_reason_pointers else ""

    def is_unlisted_call(self, columns: Columns, row: int) -> bool:
        """Return whether the call in block `row` is only where the provider finds it, not where the agent reads it."""
        return False

    def can_answer(self, columns: Columns, row: int) -> bool:
        """Return whether a placeholder can replace the missing result of the call in block `row`."""
        return True

    def is_automatic_continuation(self, raw: bytes) -> bool:
        """Return whether the program wrote this message to go on by itself, so that it belongs after the newest one."""
        return False

    def missing_text(self, raw: bytes) -> str:
        """Return what a message without a block holds where its API requires a text.

        That is "null", or "list" for an empty one. Return "" where the API accepts it, as it does an empty text.
        """
        return ""

    def missing_member(self, block: bytes) -> str:
        """Return the member without which the API does not recognize a call, "" where it lacks none."""
        return ""

    def error_text(self, raw: bytes) -> str:
        """Return the provider's error in this record, "" when it holds none."""
        return ""

    def error_name(self, raw: bytes) -> str:
        """Return the agent's own name for the error in this record, "" where it has none."""
        return ""


class Format(FormatInfo, Reader):
    """A format: its data, and the reading of its records.

    Further base classes are added by formats that support them: `Writer` (writing a repair), `Agent` (what the program
    does with the log), `CallEvidenceSource` (evidence for calls without a result), `MultiFileFormat` (logs of many
    files).
    """


class MultiFileFormat(Format):
    """A format whose logs can lie in many files or database rows, which are put together as one text."""

    is_database = False
    """`claims` is called only for SQLite databases."""
    members_are_records = False
    """Each file or row is a record. Otherwise one that is not JSON was a part of the record before it."""
    members_are_numbered = False
    """The records are files that are named by a number that they hold, so that files can be added: see
    `member_name`."""

    @abstractmethod
    def claims(self, path: Path) -> bool:
        """Return whether a log of the format lies at `path` in many files or rows, judged by names and tables alone."""

    @abstractmethod
    def assemble(self, path: Path) -> Source:
        """Return the log at a claimed path as one text, of which each file or row is a span. Raises UnreadableLog."""

    def may_be_archived(self, name: str, data: bytes) -> bool:
        """Return whether a member of an archive can be part of such a log, judged by its name and first bytes."""
        return False

    def assemble_archived(self, archive: str, members: dict[str, bytes]) -> Iterator[tuple[list[str], Source]]:
        """Yield the logs among these members, each with the names of its parts. Raises UnreadableLog."""
        return iter(())

    def member_name(self, beside: str, text: bytes) -> str:
        """Return the name of the file that holds the record `text`, in the folder of the file `beside`.

        Called for a format whose `members_are_numbered`.
        """
        return beside

    @abstractmethod
    def part_spans(self, raw: bytes) -> list[tuple[int, int]]:
        """Return the spans of the files or rows that a record is assembled from, in order."""

    def index_assembled(self, source: AssembledSource, reading: ReadOptions) -> Log:
        """Read a log that was put together, as `index` does."""
        columns = Columns()
        log = Log(source, self.name, columns, [], deeply_checked=True)
        for array_start, spans, enclosing_object in source.arrays:
            low = len(columns)
            for start, end in spans:
                is_sound = self.index_record(columns, source.read(start, end), start, end)
                if not (is_sound or self.members_are_records) and source.is_whole_member(start, end):
                    columns.add_marks(len(columns) - 1, RecordMark.DAMAGED_PART)
            log.sequences.append(RecordSequence(low, len(columns), array_start, enclosing_object))
            if reading.progress is not None:
                reading.progress(enclosing_object[1], source.size)
        log.sessions = self.sessions(log, columns, log.raw)
        return log
