"""An opened log as the window holds it: columns and packed findings, decoded one by one when shown. No Qt here."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import BinaryIO

import msgspec

from inspector.core.index.place import one_based as as_counted
from inspector.core.scene.finding import Finding
from inspector.core.showing.answers import AttachedLog, LogOverview, OpenedLogView
from inspector.core.showing.outline import NodeKind, Numbers, Outline
from inspector.gui.answers.packed import Packed, packed

_PIECE = 4 << 20


class FindingGroup(msgspec.Struct, frozen=True):
    """The findings of one rule: positions `start` to `stop`; `strategies` are those that all of them allow.

    `log` names the log of a subagent that they are in, "" for the log itself.
    """

    severity: int
    rule: str
    slug: str
    start: int
    stop: int
    strategies: tuple[str, ...]
    default: str
    log: str = ""


class FindingBook(Packed[Finding], kw_only=True):
    """All findings, worst first and grouped by rule. A position is a finding's number in that order.

    `nodes` is each one's node; `in_log` lists the positions in the order of the log; `by_node` lists them in the order
    of their nodes.
    """

    ITEM_TYPE = Finding

    groups: tuple[FindingGroup, ...] = ()
    nodes: Numbers = msgspec.field(default_factory=lambda: array("q"))
    log_order: Numbers = msgspec.field(default_factory=lambda: array("q"))
    by_node: Numbers = msgspec.field(default_factory=lambda: array("q"))

    def group_of(self, position: int) -> int:
        return bisect_right(self.groups, position, key=lambda group: group.start) - 1

    def positions_at_node(self, node: int) -> Numbers:
        """The positions of the findings on a node, worst first."""
        low = bisect_left(self.by_node, node, key=self.nodes.__getitem__)
        high = bisect_right(self.by_node, node, key=self.nodes.__getitem__)
        return self.by_node[low:high]

    def positions_in_record(self, record: int) -> Numbers:
        """The positions of the findings in a record."""

        low = bisect_left(self.log_order, record, key=self._record_of)
        return self.log_order[low : bisect_right(self.log_order, record, lo=low, key=self._record_of)]

    def next_position(self, position: int, forward: bool, record: int = -1) -> int:
        """The next or previous finding in the order of the log, around the ends; without one, that beside a record."""
        if not len(self):
            return -1
        if position >= 0:
            place = self.log_order.index(position) + (1 if forward else -1)
        else:
            place = bisect_left(self.log_order, max(record, 0), key=self._record_of) - (not forward)
        return self.log_order[place % len(self)]

    def _record_of(self, position: int) -> int:
        return self[position].place.record


class OpenedLog(msgspec.Struct):
    """One log in the window. `complete` is False while only its first bytes are known; `lines` may be empty."""

    overview: LogOverview
    outline: Outline
    starts: Numbers
    ends: Numbers
    lines: Numbers
    findings: FindingBook
    complete: bool = True

    def record_of(self, node: int) -> int:
        return self.outline.record[node] if 0 <= node < len(self.outline) else -1

    def number_of(self, node: int) -> int:
        """The number that names a node to the person: its line where the log has lines, else its record from 1."""
        record = self.record_of(node)
        if record < 0:
            return -1
        attached = self.attached_log_of(record)
        return number_in(self.lines, record) if attached is None else as_counted(record - attached.record)

    def is_numbered_by_line(self, record: int) -> bool:
        """Whether the number of a record is that of its line."""
        return record < len(self.lines) or self.attached_log_of(record) is not None

    def attached_log_of(self, record: int) -> AttachedLog | None:
        """The other log that a record lies in, None for one of the log itself."""
        at = bisect_right(self.overview.attached, record, key=lambda attached: attached.record)
        return self.overview.attached[at - 1] if at else None

    @property
    def inactive_branch_nodes(self) -> list[int]:
        """The nodes that hold what a resume does not load."""
        kinds = self.outline.kind
        return (
            [node for node in range(len(kinds)) if kinds[node] == NodeKind.INACTIVE_BRANCH]
            if NodeKind.INACTIVE_BRANCH in kinds
            else []
        )

    def subagent_of(self, node: int) -> str:
        """The path of the log that a row opens: that of the subagent which it shows, or started; "" for any other."""
        outline, below = self.outline, node
        for child in range(outline.first[node], outline.first[node] + outline.count[node]):
            if outline.kind[child] == NodeKind.SECTION:
                below = child
        if outline.kind[below] != NodeKind.SECTION or self.attached_log_of(self.record_of(node)) is not None:
            return ""
        while outline.count[below] and outline.record[below] < 0:
            below = outline.first[below]
        attached = self.attached_log_of(self.record_of(below))
        return attached.path if attached else ""

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


def number_in(lines: Numbers, record: int) -> int:
    """The number that names a record to the person: its line where there are `lines`, else its number from 1."""
    return lines[record] if record < len(lines) else as_counted(record)


def first_rows(opened: OpenedLogView, head: bytes) -> OpenedLog:
    """The first records of a log, without findings, while the rest is still being read."""
    starts, ends = as_numbers(opened.starts), as_numbers(opened.ends)
    lines = count_lines(BytesIO(head), starts) if opened.overview.has_lines else array("q")
    return OpenedLog(opened.overview, opened.outline, starts, ends, lines, FindingBook(), complete=False)


def worst_first(findings: tuple[Finding, ...]) -> list[int]:
    """The order of the findings list: by severity, then by rule, then as they stand in the log."""
    return sorted(
        range(len(findings)),
        key=lambda number: (-findings[number].severity, findings[number].rule, findings[number].place.record, number),
    )


def opened_log(opened: OpenedLogView, order: list[int]) -> OpenedLog:
    """A log that was read whole, with its findings in `order`."""
    findings = [opened.findings[number] for number in order]
    nodes = array("q", (opened.nodes_of_findings[number] for number in order))
    places = [(finding.place.record, node) for finding, node in zip(findings, nodes, strict=True)]
    book = FindingBook(
        *packed(findings),
        groups=_groups(findings),
        nodes=nodes,
        log_order=array("q", sorted(range(len(nodes)), key=places.__getitem__)),
        by_node=array("q", sorted(range(len(nodes)), key=nodes.__getitem__)),
    )
    starts, ends = as_numbers(opened.starts), as_numbers(opened.ends)
    return OpenedLog(opened.overview, opened.outline, starts, ends, _lines_of(opened.overview, starts), book)


def as_numbers(numbers: Iterable[int]) -> Numbers:
    return numbers if isinstance(numbers, array) else array("q", numbers)


def _lines_of(overview: LogOverview, starts: Numbers) -> Numbers:
    """The line of each record, or nothing where lines are no places in the log. Reads the log once."""
    path = Path(overview.bytes_at or overview.path)
    if not overview.has_lines or not path.is_file():
        return array("q")
    with path.open("rb") as file:
        return count_lines(file, starts)


def count_lines(file: BinaryIO, starts: Numbers) -> Numbers:
    """The line, from 1, of each offset in `starts` (ascending) within a file, which is read in pieces."""
    lines = array("q")
    line, before, base, piece = 1, 0, 0, b""
    for start in starts:
        while start > base + len(piece):
            line += piece.count(b"\n", before - base)
            base += len(piece)
            before = base
            piece = file.read(_PIECE)
            if not piece:
                return lines
        line += piece.count(b"\n", before - base, start - base)
        before = start
        lines.append(line)
    return lines


def _groups(findings: list[Finding]) -> tuple[FindingGroup, ...]:
    groups, start = [], 0
    for _, members in groupby(findings, key=lambda finding: (finding.severity, finding.rule, finding.log)):
        group = list(members)
        first, stop = group[0], start + len(group)
        allowed = set(first.strategies).intersection(*(member.strategies for member in group))
        strategies = tuple(strategy for strategy in first.strategies if strategy in allowed)
        default = first.default if len({member.default for member in group}) == 1 else ""
        head = int(first.severity), first.rule, first.slug
        groups.append(FindingGroup(*head, start, stop, strategies, default, first.log))
        start = stop
    return tuple(groups)
