"""The index of a log as columns: one row for each record, and one row for each block of a record.

Nothing else of the log is kept in memory. With a few bytes for each record, a log of a gigabyte is checked in a
fraction of its size (measured in the benchmark, `tests/benchmarks`).
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from functools import reduce
from itertools import accumulate, chain, compress, repeat
from operator import or_
from typing import TypeAlias

# A function that returns the bytes of a record, given its number.
ReadRecord: TypeAlias = Callable[[int], bytes]
# A block as a row: kind, flags, call id, tool name.
BlockRow: TypeAlias = tuple[int, int, str | None, str | None]
_OF_RECORDS = ("starts", "ends", "roles", "marks", "blocks", "uuids", "parents", "groups")
_OF_BLOCKS = ("block_kinds", "block_flags", "call_ids", "names")


class Role(IntEnum):
    """Who speaks in a record.

    * LINK: part of the record tree, but not a message (an attachment, a system note).
    * OPAQUE: neither (a header, metadata, an unreadable record). It is on no path, unless a mark says that it is
      malformed.
    """

    OPAQUE = 0
    USER = 1
    ASSISTANT = 2
    TOOL = 3
    SYSTEM = 4
    LINK = 5


class RecordMark:
    """Further properties of a record, as bits. They are plain numbers, because the arithmetic of enum.Flag is slow.

    * WRONG_ID_PREFIX: an item whose own id has the prefix of another kind of item.
    * TURN_EVENT: it says where a turn begins or ends, or takes turns back.
    * NO_ENVELOPE: a message without the envelope of a line.
    * NOT_SENT: the agent does not send its message: a file next to the log says so, or the message was stopped.
    * GROUP_START, GROUP_END: a message of several records (or records that an agent would cut off) begins or ends here.
      An UNREADABLE record with GROUP_END is what follows the end of a document.
    * VARIANT_MASK: the bits that hold the number of the record's spelling, in formats that have several.
    * MAYBE_MALFORMED: no provider may accept the shape of its message; a closer look decides.
    * DAMAGED_PART: a damaged file or row that belongs to the message before it, and is a record of its own.
    * INSERTED_FIRST: a repair added it before the first record of a sequence; it belongs to the record after it.
    * LOG_START: a line with which a log begins.
    * INHERITED: a record of another log that the agent reads before this one. No repair may change it.
    """

    SIDE_THREAD = 1
    COMPACTION = 2
    WRONG_ID_PREFIX = 4
    API_ERROR = 8
    UNREADABLE = 16
    TRANSIENT = 32
    EMPTY_CALLS = 64
    LEAF_POINTER = 128
    DEFERRED = 256
    TURN_EVENT = 512
    NO_ENVELOPE = 1024
    NOT_SENT = 2048
    GROUP_START = 4096
    GROUP_END = 8192
    VARIANT_MASK = 0xC000
    VARIANT_SHIFT = 14
    MAYBE_MALFORMED = 0x10000
    DAMAGED_PART = 0x20000
    INSERTED_FIRST = 0x40000
    LOG_START = 0x80000
    INHERITED = 0x100000


class BlockFlag:
    """Properties of a block, as bits. The meaning of two bits depends on the kind of the block.

    * BLANK, of a text or a result: it says nothing. SIGNED, of reasoning or a call: it has the
      provider's signature. RESPONSE_START, of any other block: the model's next response begins here, in a record that
      holds several.
    * BAD_INPUT, of a call. MEDIA, of a result: it holds images or documents.
    * PLAIN_STRING: the content is this one string, not a list of blocks.
    * CALL_TYPE_MASK: the bits that hold the number of the type of a call or result, in formats that have several types
      which never answer each other (such as functions and custom tools). 0 is the common type.
    * OUR_PLACEHOLDER: a PLACEHOLDER that this program wrote.
    * BORROWED_ID, of a result: it names no call, and has the id of the call that it answers.
    * CONTENT_LIST, of an item of reasoning: its `content` is a list that may hold text.
    """

    BLANK = 1
    SIGNED = 1
    RESPONSE_START = 1
    ERROR = 2
    PLACEHOLDER = 4
    BAD_INPUT = 8
    MEDIA = 8
    PLAIN_STRING = 16
    CALL_TYPE_MASK = 0xE0
    CALL_TYPE_SHIFT = 5
    OUR_PLACEHOLDER = 256
    BORROWED_ID = 512
    CONTENT_LIST = 1024

    @staticmethod
    def call_type(flags: int) -> int:
        """Return the number of the type of a call or result."""
        return (flags & BlockFlag.CALL_TYPE_MASK) >> BlockFlag.CALL_TYPE_SHIFT


class Columns:
    """The records `0..n`, their blocks, and their ids in formats that link records in a tree.

    * `starts` and `ends` are byte offsets in the log, without the line end. They are equal for a record that a repair
      has added or written again.
    * `stable_numbers` identify a record across edits: its number in the log as read, or a number past the last one for
      a record that a repair added. Those of a log as read count from `first_number`, which is 0 unless the columns
      are a part of a log.
    * `uuids`, `parents` and `groups` are None if absent. A group is the id of the message that a record is a fragment
      of; for a TRANSIENT record, the id of the call that it reports on.
    """

    __slots__ = (
        "__weakref__",
        "_first",
        "_flags_present",
        "_kinds_found",
        "_marks_present",
        "_opaque_count",
        "_slots",
        "_time_ordered_spans",
        "block_flags",
        "block_kinds",
        "blocks",
        "call_ids",
        "ends",
        "first_number",
        "groups",
        "marks",
        "names",
        "parents",
        "roles",
        "starts",
        "uuids",
    )

    def __init__(self, first_number: int = 0) -> None:
        self.first_number = first_number
        self.starts = array("Q")
        self.ends = array("Q")
        self.roles = bytearray()
        self.marks = array("I")
        self.blocks = array("I")
        self.uuids: list[str | None] = []
        self.parents: list[str | None] = []
        self.groups: list[str | None] = []
        self.block_kinds = bytearray()
        self.block_flags = array("H")
        self.call_ids: list[str | None] = []
        self.names: list[str | None] = []
        self._time_ordered_spans: list[tuple[int, int]] = []  # of records `low..high`, as far as a reader noted them
        self._first: array[int] | None = None
        self._slots = array("I")
        self._marks_present = (0, 0)
        self._flags_present = (0, 0)
        self._kinds_found: dict[tuple[int, ...], tuple[int, bool]] = {}
        self._opaque_count = (0, 0)

    def __len__(self) -> int:
        return len(self.roles)

    def add_record(
        self,
        start: int,
        end: int,
        role: int,
        mark: int = 0,
        uuid: str | None = None,
        parent: str | None = None,
        group: str | None = None,
    ) -> None:
        """Append a record. Blocks that are added after it belong to it."""
        self.starts.append(start)
        self.ends.append(end)
        self.roles.append(role)
        self.marks.append(mark)
        self.blocks.append(0)
        self.uuids.append(uuid)
        self.parents.append(parent)
        self.groups.append(group)

    def add_records(
        self,
        spans: Iterable[tuple[int, int]],
        offset: int,
        roles: Iterable[int],
        marks: Iterable[int],
        blocks: list[list[BlockRow]],
    ) -> None:
        """Append many records with their blocks, column by column. A call for each record would take twice the time."""
        starts, ends = zip(*spans, strict=True) if blocks else ((), ())
        self.starts.extend([offset + start for start in starts])
        self.ends.extend([offset + end for end in ends])
        self.roles.extend(roles)
        self.marks.extend(marks)
        self.blocks.extend(map(len, blocks))
        for absent in (self.uuids, self.parents, self.groups):
            absent.extend(repeat(None, len(blocks)))
        for kind, flag, call_id, name in chain.from_iterable(blocks):
            self.block_kinds.append(kind)
            self.block_flags.append(flag)
            self.call_ids.append(call_id)
            self.names.append(name)

    def add_block(self, kind: int, flag: int = 0, call_id: str | None = None, name: str | None = None) -> None:
        """Append a block to the last record."""
        self.block_kinds.append(kind)
        self.block_flags.append(flag)
        self.call_ids.append(call_id)
        self.names.append(name)
        self.blocks[-1] += 1

    def add_marks(self, record: int, mark: int) -> None:
        """Add marks to an existing record."""
        self.marks[record] |= mark
        self._marks_present = (0, 0)

    @property
    def stable_numbers(self) -> array[int]:
        """The stable number of every record: its own number, unless an edit set another one."""
        if len(self._slots) < len(self.roles):
            self._slots.extend(range(self.first_number + len(self._slots), self.first_number + len(self.roles)))
        return self._slots

    @property
    def first_block(self) -> array[int]:
        """The number of the first block of every record: item `r + 1` is the number after the last block of `r`."""
        if self._first is None or len(self._first) != len(self.roles) + 1:
            self._first = array("I", accumulate(self.blocks, initial=0))
        return self._first

    def has_mark(self, mark: int) -> bool:
        """Return whether any record has this mark. Most logs lack most marks and need no search for them."""
        size, present = self._marks_present
        if size != len(self.marks):
            present = reduce(or_, set(self.marks), 0)
            self._marks_present = len(self.marks), present
        return bool(present & mark)

    def first_with_mark(self, mark: int) -> int:
        """Return the first record with this mark, the number of records if there is none."""
        if not self.has_mark(mark):
            return len(self)
        return next(record for record, marks in enumerate(self.marks) if marks & mark)

    def has_flag(self, flag: int) -> bool:
        """Return whether any block has this flag."""
        size, present = self._flags_present
        if size != len(self.block_flags):
            present = reduce(or_, set(self.block_flags), 0)
            self._flags_present = len(self.block_flags), present
        return bool(present & flag)

    def has_kind_sequence(self, *kinds: int) -> bool:
        """Return whether blocks of these kinds follow one another directly, across records too.

        Blocks are only ever appended, so the answer is cached until their number changes.
        """
        size, found = self._kinds_found.get(kinds, (0, False))
        if size != len(self.block_kinds):
            found = bytes(kinds) in self.block_kinds
            self._kinds_found[kinds] = len(self.block_kinds), found
        return found

    @property
    def opaque_count(self) -> int:
        """The number of records that are no part of a conversation."""
        if self._opaque_count[0] != len(self.roles):
            self._opaque_count = len(self.roles), self.roles.count(Role.OPAQUE)
        return self._opaque_count[1]

    def note_time_order(self, count: int) -> None:
        """Note that, of the next `count` records, no message is older than one before it."""
        self._time_ordered_spans.append((len(self), len(self) + count))

    def is_time_ordered(self, first: int, last: int) -> bool:
        """Return whether the reader noted that no message from one record to another is older than one before it."""
        at = bisect_right(self._time_ordered_spans, (first, len(self))) - 1
        return at >= 0 and last < self._time_ordered_spans[at][1]

    def equals_ignoring_offsets(self, other: Columns) -> bool:
        """Return whether the records of another log equal these, wherever they are in it."""
        return all(getattr(self, name) == getattr(other, name) for name in (*_OF_RECORDS[2:], *_OF_BLOCKS))

    def block_rows(self, record: int) -> range:
        """Return the block numbers of a record."""
        first = self.first_block
        return range(first[record], first[record + 1])

    def call_ids_of_kind(self, kind: int, low: int = 0, high: int | None = None) -> set[str | None]:
        """Return the distinct call ids of the blocks of one kind in the records `low..high`."""
        first = self.first_block
        start, stop = first[low], first[len(self) if high is None else high]
        is_kind = bytearray(256)
        is_kind[kind] = True
        return set(compress(self.call_ids[start:stop], self.block_kinds[start:stop].translate(is_kind)))

    def block_rows_of_kind(self, kind: int, low: int = 0, high: int | None = None) -> list[int]:
        """Return the block numbers of one kind in the records `low..high`. This is fast if there are few."""
        first = self.first_block
        start, stop = first[low], first[len(self) if high is None else high]
        rows, row = [], self.block_kinds.find(kind, start, stop)
        while row >= 0:
            rows.append(row)
            row = self.block_kinds.find(kind, row + 1, stop)
        return rows

    def block_rows_with_flag(self, flag: int, low: int, high: int) -> list[int]:
        """Return the block numbers with a flag in the records `low..high`. This is fast if no block has it."""
        if not self.has_flag(flag):
            return []
        start, stop = self.first_block[low], self.first_block[high]
        return [row for row, flags in enumerate(self.block_flags[start:stop], start) if flags & flag]

    def record_of_block(self, row: int) -> int:
        """Return the record that holds block `row`."""
        return bisect_right(self.first_block, row) - 1

    def with_changes(self, changes: Iterable[tuple[int, int, Columns]]) -> Columns:
        """Return a copy in which the records `low..high` of each change are replaced by the records of its columns.

        The changes are in order and do not overlap. The time is linear: the records between changes are copied in runs.
        """
        new = Columns()
        position = 0
        for low, high, part in changes:
            new._extend(self, position, low)
            new._extend(part, 0, len(part))
            position = high
        new._extend(self, position, len(self))
        return new

    def selection(self, spans: Iterable[tuple[int, int]]) -> Columns:
        """Return a copy of the records of each span `low..high`, in the order of the spans."""
        new = Columns()
        for low, high in spans:
            new._extend(self, low, high)
        return new

    def set_offsets(self, starts: array[int], ends: array[int], slots: array[int] | None = None) -> Columns:
        """Set the offsets and the stable numbers of the records, and return these columns.

        Without `slots` the records are numbered as in a log as read.
        """
        self.starts, self.ends, self._slots = starts, ends, array("I") if slots is None else slots
        return self

    def append(self, other: Columns) -> None:
        """Append the records of a log as read that follow these records."""
        size = len(self)
        self._time_ordered_spans += [(low + size, high + size) for low, high in other._time_ordered_spans]
        for name in (*_OF_RECORDS, *_OF_BLOCKS):
            getattr(self, name).extend(getattr(other, name))

    def _extend(self, other: Columns, low: int, high: int) -> None:
        if low == high:
            return
        first, last = other.first_block[low], other.first_block[high]
        self._slots.extend(other.stable_numbers[low:high])
        for name in _OF_RECORDS:
            getattr(self, name).extend(getattr(other, name)[low:high])
        for name in _OF_BLOCKS:
            getattr(self, name).extend(getattr(other, name)[first:last])


class PositionByNumber:
    """The position of each number in `numbers`.

    It takes four bytes for each number from the lowest to the highest. A dict of the records of a large log would be
    larger than its index, and an index of the whole log for each of many sessions larger than the log.
    """

    def __init__(self, numbers: Sequence[int]) -> None:
        self._first = min(numbers, default=0)
        self._places = array("i", [-1]) * (max(numbers, default=-1) - self._first + 1)
        for place, number in enumerate(numbers):
            self._places[number - self._first] = place

    def get(self, number: int, default: int = -1) -> int:
        at = number - self._first
        place = self._places[at] if 0 <= at < len(self._places) else -1
        return place if place >= 0 else default

    def absent_flags(self, stop: int) -> bytes:
        """Return a byte for each number below `stop`: 1 if it is not in the list, else 0."""
        flags = b"\1" * self._first + bytes(map((0).__gt__, self._places))
        return flags.ljust(stop, b"\1")

    def __getitem__(self, number: int) -> int:
        """Return the position of a number. Raises KeyError if it is not in the list."""
        if (place := self.get(number)) < 0:
            raise KeyError(number)
        return place

    def __contains__(self, number: int) -> bool:
        return self.get(number) >= 0
