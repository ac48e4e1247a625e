"""The shared model: a log, the sessions in it, and the threads of a session whose records the agent would load."""

from __future__ import annotations

from array import array
from enum import IntEnum

from msgspec import Struct

from inspector.core.columns import Columns
from inspector.core.layout import Cut, Sequence
from inspector.core.source import BOM, Source


class Break(IntEnum):
    """How the record tree can be damaged on a thread's path."""

    MISSING_PARENT = 1
    CYCLE = 2


class Link(Struct, frozen=True):
    """A damaged link: `record` names a parent that is not there, or that leads back to it."""

    record: int
    kind: Break
    first: bool = False


class Thread(Struct):
    """Records in the order in which the agent would load them. `side` threads are not what a resume continues.

    `recovered` are records that a naive walk of the parents would miss and the agent finds;
    `stranded` hold results that the agent's own walk misses although they belong to a call on the path.
    """

    path: array[int]
    side: bool = False
    links: list[Link] = []
    recovered: list[int] = []
    stranded: list[int] = []


class Memory(Struct, frozen=True):
    """What the agent's own reader would make of a log whose records it folds into messages.

    `messages` is how many it would hold in memory, `logged` how many the log holds; `notes` are (record, sentence) for
    each thing that it does otherwise than the log says; `disagreements` say which of its readers would see another
    history.
    """

    messages: int
    logged: int
    notes: tuple[tuple[int, str], ...] = ()
    disagreements: tuple[str, ...] = ()


class Session(Struct):
    """The records of one conversation. `members` are all its records, on the path or not.

    `state` says how far it came, in the words of a format whose log tells ("waiting for 2 of 3 results").
    """

    number: int
    id: str
    members: range
    threads: list[Thread]
    profile: str
    title: str = ""
    agent: str = ""
    version: str = ""
    duplicates: list[tuple[int, int]] = []
    other_ids: list[str] = []
    state: str = ""
    memory: Memory | None = None

    @property
    def main(self) -> Thread:
        return self.threads[0]


class Log(Struct):
    """An open log: its bytes, its index, how the records are laid out, and what the format made of them."""

    source: Source
    format: str
    columns: Columns
    sequences: list[Sequence]
    sessions: list[Session] = []
    cut: Cut | None = None
    deep: bool = False

    def raw(self, record: int) -> bytes:
        """The bytes of a record, without its line end."""
        return self.source.read(self.columns.starts[record], self.columns.ends[record])


class LineNumbers:
    """Line numbers of records that are asked for in order."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.offset, self.line = 0, 1
        starts, ends = log.columns.starts, log.columns.ends
        lines = len(log.sequences) == 1 and log.sequences[0].array is None
        # Without blank lines between them, records are numbered as lines are.
        gaps = sum(starts[1:]) - sum(ends[:-1])
        leads = log.source.read(0, starts[0]).strip(BOM) if starts else b""
        self.dense = lines and gaps == len(starts) - 1 and not leads

    def of(self, record: int) -> int:
        if self.dense:
            return record + 1
        start = self.log.columns.starts[record]
        while self.offset < start:
            piece = self.log.source.read(self.offset, min(start, self.offset + (1 << 20)))
            if not piece:
                break
            self.line += piece.count(b"\n")
            self.offset += len(piece)
        return self.line
