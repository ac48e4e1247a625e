"""Logs, the sessions in a log, and the threads of a session, whose records the agent would load."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Sequence
from enum import IntEnum

from msgspec import Struct

from inspector.core.errors import UnknownName
from inspector.core.model.columnar_index import Columns
from inspector.core.storage.log_layout import RecordSequence, Truncation
from inspector.core.storage.source import BOM, PrecedingFile, Source
from inspector.core.translation import tr


class LinkDamage(IntEnum):
    """The kinds of damage to the links on a thread's path, or to the numbers of a log's lines."""

    MISSING_PARENT = 1
    CYCLE = 2
    WRONG_ORDINAL = 3


class DamagedLink(Struct, frozen=True):
    """A damaged link: `record` names a parent that does not exist, or that leads back to it.

    `text` describes the damage in formats that link records by something else than a parent's id. `agent_continues`:
    the agent continues with another record, so that the path does not end there. `is_repairable`: an edit of this log
    can repair it.
    """

    record: int
    kind: LinkDamage
    first: bool = False
    text: str = ""
    agent_continues: bool = False
    is_repairable: bool = True


class ExchangeCutByCompaction(Struct):
    """A call, in record `call` and block `row`, whose exchange was cut by a compaction in record `boundary`.

    If the call was open then, `result` is the record of the result that came later, -1 for none. `call_kept` says
    whether the call survived the compaction, and `lost_messages` counts the messages that waited after it and did not.

    If the call had its result, the summary took the call without its `result`. `cut_before` is the number of the
    message before which the cut should have been.
    """

    call: int
    row: int
    boundary: int
    result: int = -1
    call_kept: bool = False
    lost_messages: int = 0
    cut_before: int = -1


class Thread(Struct):
    """Records in the order in which the agent would load them: the `path`. A resume does not continue a side thread.

    * `recovered_records` are those that a simple walk along the parents misses and the agent finds.
    * `stranded_results` are records with results that the agent's own walk misses, although they belong to a call on
      the path.
    * `ignored_results` are results on the path that the agent does not take, because it had closed their exchange.
    * `cut_exchanges` are the exchanges that a compaction closed.
    * `agent_handled_rows` are the block rows of calls that the agent answers, and of results that it removes, whenever
      it sends the log. A repair leaves them alone.
    * `first_change` returns the first change of a repaired path as (position, ordinal). It is None for the path of a
      log as read.
    """

    path: array[int]
    is_side: bool = False
    damaged_links: Sequence[DamagedLink] = ()
    recovered_records: list[int] = []
    stranded_results: Sequence[int] = ()
    ignored_results: Sequence[int] = ()
    cut_exchanges: Sequence[ExchangeCutByCompaction] = ()
    agent_handled_rows: frozenset[int] = frozenset()
    first_change: Callable[[], tuple[int, int] | None] | None = None


class HistoryInMemory(Struct, frozen=True):
    """The history that the agent's own reader would build from a log whose records it merges into messages.

    * `messages` is the number of messages that the agent would have in memory, `messages_in_log` that of the log.
    * `notes` are (record, sentence) pairs for everything that the agent reads differently from the log.
    * `disagreements` say which of its readers would see another history.
    """

    messages: int
    messages_in_log: int
    notes: tuple[tuple[int, str], ...] = ()
    disagreements: tuple[str, ...] = ()

    @property
    def matches_log(self) -> bool:
        """Whether the agent would have exactly the history of the log, with each of its readers."""
        return self.messages == self.messages_in_log and not self.notes and not self.disagreements

    @property
    def sentence(self) -> str:
        return tr(
            "The agent would load {messages} messages, but the log contains {messages_in_log}.",
            messages=self.messages,
            messages_in_log=self.messages_in_log,
        )


class SubagentLogReference(Struct, frozen=True):
    """A separate log of a subagent that a call of a session started. `call_id` is "" if the call is not known."""

    path: str
    label: str
    call_id: str = ""


class UnreadableForkBase(Struct, frozen=True):
    """Why the log that a fork continues could not be read, as a sentence about the fork.

    `agent_error` is what the agent says, for it cannot read the other log either. It is "" where that is not known.
    """

    text: str
    agent_error: str


class Session(Struct):
    """The records of one conversation. `records` are all of them, on a path or not.

    * `ordinal_breaks` are lines whose number does not follow the number of the line before them.
    * `state` is how far the session came, in the words of formats that record it ("waiting for 2 of 3 results").
    * `stops_before_tool_calls`: the log ends where the calls of the assistant's newest message were about to be run.
    * `missing_part_reason` is why the other half of a call or result may be outside of the log, "" if it cannot be.
    * `unread_base` is set for a fork whose beginning is in another log that could not be read.
    * `defines_no_tools`: the log is a request that defines no tools.
    * `model` is the model of a request, "" if the log is not a request or names none.
    * `sends_item_ids`: its agent sends every item under the id of its own that the log holds.
    * `is_sent_elsewhere`: the log names a server or a model that is not of the provider whose rules `profile` holds.
    * `provider_assumed`: the log does not show which provider its requests go to, so that `profile` is a guess.
    * `agent_active`: records were added while the log was watched, so its agent is still working.
    * `pasted_error` is an error that a person says a request with this session got, "" for none.
    * `faults` are sentences on what the format failed to show.
    """

    number: int
    id: str
    records: range
    threads: list[Thread]
    profile: str
    title: str = ""
    agent: str = ""
    version: str = ""
    duplicate_records: Sequence[tuple[int, int]] = ()
    ordinal_breaks: Sequence[DamagedLink] = ()
    other_session_ids: Sequence[str] = ()
    state: str = ""
    stops_before_tool_calls: bool = False
    missing_part_reason: str = ""
    unread_base: UnreadableForkBase | None = None
    defines_no_tools: bool = False
    model: str = ""
    sends_item_ids: bool = False
    is_sent_elsewhere: bool = False
    provider_assumed: bool = False
    agent_active: bool = False
    memory: HistoryInMemory | None = None
    pasted_error: str = ""
    faults: list[str] = []

    @property
    def main_thread(self) -> Thread:
        return self.threads[0]


class Log(Struct):
    """An open log: its bytes, its index, the layout of its records, and the sessions that the format found.

    The records of attached files follow its own. `unread_base` says why the log that it continues could not be read.
    `faults` are sentences on formats that failed to examine it. `records_are_lines` is None until a line number is
    needed, and `last_counted_line` is the offset and the number of the line that was counted last: see `LineNumbers`.
    `is_part`: it is a part of a log of very many conversations, and its sessions count from `first_session`.
    """

    source: Source
    format: str
    columns: Columns
    sequences: list[RecordSequence]
    sessions: list[Session] = []
    truncation: Truncation | None = None
    deeply_checked: bool = False
    one_line: bool = False
    last_read: tuple[int, bytes] = (-1, b"")
    second_last_read: tuple[int, bytes] = (-1, b"")
    unread_base: UnreadableForkBase | None = None
    faults: list[str] = []
    records_are_lines: bool | None = None
    last_counted_line: tuple[int, int] = (0, 1)
    is_part: bool = False
    first_session: int = 0

    @property
    def all_faults(self) -> list[str]:
        """One sentence for each failure of a format while the log was read, checked and shown."""
        return list(dict.fromkeys([*self.faults, *(fault for session in self.sessions for fault in session.faults)]))

    @property
    def own_records(self) -> int:
        """The number of records of the log itself; those of attached files follow them."""
        return bisect_left(self.columns.starts, self.source.size) if self.source.attached else len(self.columns)

    def raw(self, record: int) -> bytes:
        """Return the bytes of a record, without its line end. The last two records that were read are cached."""
        if self.last_read[0] != record:
            cached = self.second_last_read
            if cached[0] != record:
                cached = (record, self.source.read(self.columns.starts[record], self.columns.ends[record]))
            self.last_read, self.second_last_read = cached, self.last_read
        return self.last_read[1]


def index_of_session(name: str, sessions: list[Session]) -> int:
    """Return the index of the session with this id or number. Raises UnknownName."""
    ids = [session.id for session in sessions]
    number = ids.index(name) if name in ids else int(name) if name.isdecimal() else len(ids)
    if number >= len(ids):
        raise UnknownName.for_session(name, len(ids) - 1)
    return number


def _is_dense(log: Log) -> bool:
    """Return whether records are numbered as lines are, because there are no blank lines between them."""
    starts, ends = log.columns.starts, log.columns.ends
    if log.source.attached:
        starts, ends = starts[: log.own_records], ends[: log.own_records]
    if len(log.sequences) != 1 or log.sequences[0].array_start is not None or not starts:
        return False
    gaps = sum(starts) - sum(ends) + ends[-1] - starts[0]
    return gaps == len(starts) - 1 and not log.source.read(0, starts[0]).strip(BOM)


class LineNumbers:
    """The line numbers of records. A lookup counts the lines between its record and the previous lookup's record.

    The log remembers that record: each of many sessions has lookups of its own.
    """

    def __init__(self, log: Log) -> None:
        self.log = log
        self._attached: dict[int, tuple[int, int]] = {}
        if log.records_are_lines is None:
            log.records_are_lines = _is_dense(log)
        self.records_are_lines = log.records_are_lines

    def line_of(self, record: int) -> int | None:
        if not self.log.source.has_lines:
            return None
        if attached := self.log.source.attached and self.log.source.attached_at(self.log.columns.starts[record]):
            return self._line_of_attached(attached, self.log.columns.starts[record] - attached.start)
        if self.records_are_lines or self.log.one_line:
            return record + 1 if self.records_are_lines else 1
        start = self.log.columns.starts[record]
        self.log.last_counted_line = _count_lines(self.log.source, self.log.last_counted_line, start)
        return self.log.last_counted_line[1]

    def _line_of_attached(self, attached: PrecedingFile, start: int) -> int:
        known = self._attached.get(attached.start, (0, 1))
        self._attached[attached.start] = counted = _count_lines(attached.source, known, start)
        return counted[1]


def _count_lines(source: Source, known: tuple[int, int], offset: int) -> tuple[int, int]:
    """Return an offset and the number of its line. `known` is another offset with its line, to count from."""
    start, line = known
    if offset > start:
        return offset, line + source.count_line_ends(start, offset)
    return offset, line - source.count_line_ends(offset, start)
