"""Where the steps of a log begin, end, and take results: read off the columns in one pass, for all calls together.

A step may hold any number of calls. Its records carry its id as their group; those of a message of its own have none.
"""

from array import array
from weakref import WeakKeyDictionary

from inspector.core.index.columns import Columns, RecordMark, Role
from inspector.core.index.views import BlockKind


class Steps:
    """By record: `begins` is the begin of its step, `ends` what closes it, each -1 where there is none.

    `followed` is the last record behind which a result of the record's calls may come. `parted` is the begin of another
    step that came between the record and the begin of its own, which is still open; -1 where none did.
    """

    def __init__(self, columns: Columns) -> None:
        self.columns, size = columns, len(columns)
        self.begins = array("q", [-1]) * size
        self.ends = array("q", [-1]) * size
        self.followed = array("q", range(size))
        self.parted = array("q", [-1]) * size
        self._between: dict[int, _Between] = {}
        self._look_forward()
        self._look_back()

    def _look_forward(self) -> None:
        begun: dict[str | None, int] = {}
        parted: dict[str | None, int] = {}
        newest: str | None = None  # the step that was begun last, unless it is closed
        for record, group in enumerate(self.columns.groups):
            mark = self.columns.marks[record]
            if mark & RecordMark.GROUP_START:
                parted.setdefault(newest, record)
                parted.pop(group, None)
                begun[group], newest = record, group
            elif mark & RecordMark.GROUP_END:
                parted.pop(group, None)
                newest = None if group == newest else newest
            self.begins[record] = begun.get(group, -1)
            self.parted[record] = parted.get(group, -1) if group else -1

    def _look_back(self) -> None:
        columns = self.columns
        closing: dict[str | None, int] = {}
        latest: dict[str | None, int] = {}
        result = -1  # the last of the results that are messages of their own, right behind
        for record in range(len(columns) - 1, -1, -1):
            group, mark, role = columns.groups[record], columns.marks[record], columns.roles[record]
            if group:
                self.ends[record] = closing.get(group, -1)
            after = result if group is None else max(latest.get(group, -1), latest.get("", -1))
            self.followed[record] = max(after, record)
            if mark & RecordMark.GROUP_START:
                closing.clear()
            elif mark & RecordMark.GROUP_END:
                closing[group] = record
            if role == Role.LINK or mark & RecordMark.COMPACTION:
                latest.clear()
                result = -1
            else:
                latest.setdefault(group, record)
                result = -1 if group is not None or role != Role.TOOL else max(result, record)

    def in_between(self, call: int) -> list[int]:
        """Messages in a call's step that wait for none of its calls: the step's answer stands before them."""
        begin = self.begins[call]
        if begin < 0 or self.columns.groups[call] is None:
            return []
        if begin not in self._between:
            self._between[begin] = _Between(self.columns, begin)
        return self._between[begin].before(call)


class _Between:
    """The messages between the parts of one step, found as far as it was asked for."""

    def __init__(self, columns: Columns, begin: int) -> None:
        self.columns, self.begin = columns, begin
        self._found: list[int] = []
        self._counts = [0]  # how many were found before each record from the begin on
        self._waiting: list[int] = []
        self._open_calls: set[str | None] = set()

    def before(self, call: int) -> list[int]:
        while len(self._counts) <= call - self.begin:
            self._pass(self.begin + len(self._counts) - 1)
            self._counts.append(len(self._found))
        return self._found[: self._counts[call - self.begin]]

    def _pass(self, record: int) -> None:
        columns, rows = self.columns, self.columns.block_rows(record)
        if columns.groups[record] is None:
            if rows:
                (self._waiting if self._open_calls else self._found).append(record)
        elif rows and columns.block_kinds[rows[0]] == BlockKind.CALL:
            self._open_calls.add(columns.call_ids[rows[0]])
        elif columns.roles[record] == Role.TOOL:
            self._open_calls.discard(columns.call_ids[rows[0]])
            if not self._open_calls:
                self._found += self._waiting
                self._waiting.clear()


_KNOWN: WeakKeyDictionary[Columns, Steps] = WeakKeyDictionary()


def steps_of(columns: Columns) -> Steps:
    """The steps of columns that are read to their end: worked out when they are asked for first."""
    known = _KNOWN.get(columns)
    if known is None or len(known.followed) != len(columns):
        _KNOWN[columns] = known = Steps(columns)
    return known
