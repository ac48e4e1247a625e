"""The shared model: a log, the sessions in it, and the threads of a session whose records the agent would load."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from enum import IntEnum

from msgspec import Struct

from inspector.core.errors import UnknownName
from inspector.core.model.columns import Columns
from inspector.core.storage.source import BOM, Source
from inspector.core.storage.splices import RecordSequence, Truncation


class LinkDamage(IntEnum):
    """How the record tree can be damaged on a thread's path, or the order in which a log counts its lines."""

    MISSING_PARENT = 1
    CYCLE = 2
    WRONG_ORDINAL = 3


class DamagedLink(Struct, frozen=True):
    """A damaged link: `record` names a parent that is not there, or that leads back to it.

    `text` says it where records hang off one another in another way than by a parent's id. `bridged`: the agent goes on
    with another record all the same, so that the path does not end there.
    """

    record: int
    kind: LinkDamage
    first: bool = False
    text: str = ""
    agent_continues: bool = False


class CutExchange(Struct):
    """A call, in record `call` and block `row`, whose exchange a compaction in record `boundary` cut.

    It was open then: `result` is what came for it afterwards, -1 for nothing; `kept` tells whether the call survived
    the compaction, `lost` counts the messages that waited behind it and did not. Or it was answered by then, and the
    summary took the call without its `result`: `at` is the number of the message that the cut would have to be before.
    """

    call: int
    row: int
    boundary: int
    result: int = -1
    call_kept: bool = False
    lost_messages: int = 0
    cut_before: int = -1


class Thread(Struct):
    """Records in the order in which the agent would load them. `side` threads are not what a resume continues.

    `recovered` are records that a naive walk of the parents would miss and the agent finds;
    `stranded` hold results that the agent's own walk misses although they belong to a call on the path. `unheard` are
    results on the path that the agent does not take, because it had closed their exchange before; `cut_off` are the
    exchanges that a compaction closed. `settled` are the block rows of calls that the agent answers, and of results
    that it takes out, whenever it sends the log: they are no concern of a repair. `changed` tells of a repaired path
    the first place, as (position, ordinal), that is not as it was; None for the path of a log as read.
    """

    path: array[int]
    is_side: bool = False
    damaged_links: list[DamagedLink] = []
    recovered_records: list[int] = []
    stranded_results: list[int] = []
    ignored_results: list[int] = []
    cut_exchanges: list[CutExchange] = []
    agent_handled_rows: frozenset[int] = frozenset()
    first_change: Callable[[], tuple[int, int] | None] | None = None


class AgentMemory(Struct, frozen=True):
    """What the agent's own reader would make of a log whose records it folds into messages.

    `messages` is how many it would hold in memory, `logged` how many the log holds; `notes` are (record, sentence) for
    each thing that it does otherwise than the log says; `disagreements` say which of its readers would see another
    history.
    """

    messages: int
    messages_in_log: int
    notes: tuple[tuple[int, str], ...] = ()
    disagreements: tuple[str, ...] = ()

    @property
    def matches_log(self) -> bool:
        """Whether the agent would have just what the log says, whichever reader it uses."""
        return self.messages == self.messages_in_log and not self.notes and not self.disagreements

    @property
    def sentence(self) -> str:
        return f"In memory the agent would have {self.messages} messages; the log holds {self.messages_in_log}."


class Subagent(Struct, frozen=True):
    """A log of its own that a call of a session started. `call_id` is "" where nothing tells which call it was."""

    path: str
    label: str
    call_id: str = ""


class Session(Struct):
    """The records of one conversation. `members` are all its records, on the path or not.

    `state` says how far it came, in the words of a format whose log tells ("waiting for 2 of 3 results"). `answering`:
    the log stops where the calls of the assistant's newest message were about to be run. `elsewhere`: why the other
    half of a call or result may lie outside of the log, "" where it cannot. `without_tools`: the log is a request that
    defines no tools. `assumed`: the log does not tell which provider its requests go to, so that `profile` is a guess.
    `model` is the one that a request asks, "" where the log is none, or names none.
    `uncounted` are lines whose number does not follow that of the line before them.
    `at_work`: records came while somebody watched the log, so that its agent goes on with it.
    `faults` are sentences on what its format failed to show of it.
    """

    number: int
    id: str
    records: range
    threads: list[Thread]
    profile: str
    title: str = ""
    agent: str = ""
    version: str = ""
    duplicate_records: list[tuple[int, int]] = []
    ordinal_breaks: list[DamagedLink] = []
    other_session_ids: list[str] = []
    state: str = ""
    stops_before_tool_calls: bool = False
    missing_part_reason: str = ""
    defines_no_tools: bool = False
    model: str = ""
    provider_assumed: bool = False
    agent_active: bool = False
    memory: AgentMemory | None = None
    faults: list[str] = []

    @property
    def main_thread(self) -> Thread:
        return self.threads[0]


class Log(Struct):
    """An open log: its bytes, its index, how the records are laid out, and what the format made of them.

    `faults` are sentences on formats that failed to look at it. `dense` is None until a line is asked for: see
    `LineNumbers`.
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
    faults: list[str] = []
    records_are_lines: bool | None = None

    @property
    def all_faults(self) -> list[str]:
        """What went wrong in formats while it was read, judged and shown, a sentence each."""
        return list(dict.fromkeys([*self.faults, *(each for session in self.sessions for each in session.faults)]))

    def raw(self, record: int) -> bytes:
        """The bytes of a record, without its line end. The two that were asked for last are not read again."""
        if self.last_read[0] != record:
            known = self.second_last_read
            if known[0] != record:
                known = (record, self.source.read(self.columns.starts[record], self.columns.ends[record]))
            self.last_read, self.second_last_read = known, self.last_read
        return self.last_read[1]


def session_index(name: str, sessions: list[Session]) -> int:
    """The place of the session that is named by its id, or by its number. Raises UnknownName."""
    ids = [each.id for each in sessions]
    number = ids.index(name) if name in ids else int(name) if name.isdecimal() else len(ids)
    if number >= len(ids):
        raise UnknownName.for_session(name, len(ids) - 1)
    return number


def _is_dense(log: Log) -> bool:
    """Whether records are numbered as lines are: no blank lines lie between them."""
    starts, ends = log.columns.starts, log.columns.ends
    if len(log.sequences) != 1 or log.sequences[0].array_start is not None or not starts:
        return False
    gaps = sum(starts) - sum(ends) + ends[-1] - starts[0]
    return gaps == len(starts) - 1 and not log.source.read(0, starts[0]).strip(BOM)


class LineNumbers:
    """Line numbers of records; the nearer two are that are asked for in turn, the less is counted."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.offset, self.line = 0, 1
        if log.records_are_lines is None:
            log.records_are_lines = _is_dense(log)
        self.records_are_lines = log.records_are_lines

    def line_of(self, record: int) -> int | None:
        if not self.log.source.has_lines:
            return None
        if self.records_are_lines or self.log.one_line:
            return record + 1 if self.records_are_lines else 1
        start, source = self.log.columns.starts[record], self.log.source
        if start > self.offset:
            self.line += source.count_line_ends(self.offset, start)
        else:
            self.line -= source.count_line_ends(start, self.offset)
        self.offset = start
        return self.line
