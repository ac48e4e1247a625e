"""An opened log as the window holds it: columns and packed findings, decoded one by one when shown. No Qt here."""

from array import array
from bisect import bisect_left, bisect_right
from functools import lru_cache

import msgspec

from inspector.core.scene.finding import Finding
from inspector.core.showing.answers import Attached, Opened, Overview
from inspector.core.showing.outline import NodeKind, Outline
from inspector.gui.answers.big_answers import unpack


class FindingGroup(msgspec.Struct, frozen=True):
    """The findings of one rule: positions `start` to `stop`; `strategies` are those that all of them allow."""

    severity: int
    rule: str
    slug: str
    start: int
    stop: int
    strategies: tuple[str, ...]
    default: str


class FindingBook(msgspec.Struct):
    """All findings, worst first and grouped by rule. A position is a finding's number in that order.

    `offsets` delimit the packed findings in `blob`; `nodes` is each one's node; `in_log` lists the positions in the
    order of the log; `by_node` lists them in the order of their nodes.
    """

    groups: tuple[FindingGroup, ...] = ()
    offsets: "array[int]" = msgspec.field(default_factory=lambda: array("q", [0]))
    blob: bytes = b""
    nodes: "array[int]" = msgspec.field(default_factory=lambda: array("q"))
    in_log: "array[int]" = msgspec.field(default_factory=lambda: array("q"))
    by_node: "array[int]" = msgspec.field(default_factory=lambda: array("q"))

    def __len__(self) -> int:
        return len(self.nodes)

    def __getitem__(self, position: int) -> Finding:
        return _finding(self.blob[self.offsets[position] : self.offsets[position + 1]])

    def group_of(self, position: int) -> int:
        return bisect_right(self.groups, position, key=lambda group: group.start) - 1

    def at_node(self, node: int) -> "array[int]":
        """The positions of the findings on a node, worst first."""
        low = bisect_left(self.by_node, node, key=self.nodes.__getitem__)
        high = bisect_right(self.by_node, node, key=self.nodes.__getitem__)
        return self.by_node[low:high]

    def in_record(self, record: int) -> "array[int]":
        """The positions of the findings in a record."""

        def record_of(position: int) -> int:
            return self[position].place.record

        low = bisect_left(self.in_log, record, key=record_of)
        return self.in_log[low : bisect_right(self.in_log, record, lo=low, key=record_of)]

    def step(self, position: int, forward: bool) -> int:
        """The next or previous finding in the order of the log, around the ends; without one, the first or last."""
        if not len(self):
            return -1
        if position < 0:
            return self.in_log[0 if forward else -1]
        place = self.in_log.index(position) + (1 if forward else -1)
        return self.in_log[place % len(self)]


@lru_cache(2048)
def _finding(packed: bytes) -> Finding:
    finding: Finding = unpack(packed, Finding)
    return finding


class OpenedLog(msgspec.Struct):
    """One log in the window. `complete` is False while only its first bytes are known; `lines` may be empty."""

    overview: Overview
    outline: Outline
    starts: "array[int]"
    ends: "array[int]"
    lines: "array[int]"
    findings: FindingBook
    complete: bool = True

    def record_of(self, node: int) -> int:
        return self.outline.record[node] if 0 <= node < len(self.outline) else -1

    def number_of(self, node: int) -> int:
        """The number that names a node to the person: its line where the log has lines, else its record from 1."""
        record = self.record_of(node)
        if record < 0:
            return -1
        attached = self.attached_of(record)
        if attached is not None:
            return record - attached.record + 1
        return self.lines[record] if record < len(self.lines) else record + 1

    def has_line(self, record: int) -> bool:
        """Whether the number of a record is that of its line."""
        return record < len(self.lines) or self.attached_of(record) is not None

    def attached_of(self, record: int) -> Attached | None:
        """The other log that a record lies in, None for one of the log itself."""
        at = bisect_right(self.overview.attached, record, key=lambda attached: attached.record)
        return self.overview.attached[at - 1] if at else None

    def session_of(self, node: int) -> int:
        """The index of the session (in the overview) that a node belongs to, -1 for none."""
        outline = self.outline
        while node > 0 and outline.kind[node] != NodeKind.SESSION:
            node = outline.parent[node]
        return outline.kind.count(NodeKind.SESSION, 0, node) if node > 0 else -1

    def node_of_session(self, session: int) -> int:
        """The node of a session, -1 when the tree has none."""
        node = -1
        for _ in range(session + 1):
            node = self.outline.kind.find(NodeKind.SESSION, node + 1)
            if node < 0:
                return -1
        return node


def count_lines(data: bytes, starts: "array[int]") -> "array[int]":
    """The line, from 1, of each offset in `starts` (ascending) within `data`."""
    lines, line, before = array("q"), 1, 0
    for start in starts:
        line += data.count(b"\n", before, start)
        before = start
        lines.append(line)
    return lines


def first_rows(opened: Opened, head: bytes) -> OpenedLog:
    """The first records of a log, without findings, while the rest is still being read."""
    starts, ends = as_array(opened.starts), as_array(opened.ends)
    lines = count_lines(head, starts) if opened.overview.has_lines else array("q")
    return OpenedLog(opened.overview, opened.outline, starts, ends, lines, FindingBook(), complete=False)


def as_array(numbers: object) -> "array[int]":
    return numbers if isinstance(numbers, array) else array("q", numbers)  # type: ignore[call-overload]
