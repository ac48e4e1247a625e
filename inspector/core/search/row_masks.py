"""The search index of an open log: its records, those of the subagents' logs shown in it, and masks of tree rows.

A mask says for each node of the tree whether something holds: one byte per node, 1 where it does. Whole columns become
masks, which takes milliseconds; a loop over the rows of a large log would take seconds.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from itertools import accumulate, compress
from operator import lt

from inspector.core.analysis.finding import Severity
from inspector.core.check.check import Report
from inspector.core.errors import UnreadableLog
from inspector.core.formats import format_of_log
from inspector.core.formats.base.registry import safe_view
from inspector.core.model.columnar_index import BlockFlag, Columns, RecordMark, Role
from inspector.core.model.views import BlockKind, RecordView
from inspector.core.presentation.engine_results import OpenedLogView
from inspector.core.presentation.outline import NodeKind, PairMark
from inspector.core.presentation.outline_builder import SubagentLog
from inspector.core.storage.source import Source

_RESULTS = frozenset({BlockKind.RESULT, BlockKind.TOLD_RESULT})
_KINDS = {
    "call": {BlockKind.CALL, BlockKind.SERVER_CALL},
    "result": {*_RESULTS, BlockKind.SERVER_RESULT},
    "text": {BlockKind.TEXT},
    "thinking": {BlockKind.THINKING},
    "media": {BlockKind.MEDIA},
}
_MARKS = {
    "unanswered": {PairMark.UNANSWERED, PairMark.RECOVERABLE},
    "orphan": {PairMark.ORPHAN},
    "pending": {PairMark.PENDING},
    "duplicate": {PairMark.DUPLICATE},
    "answered": {PairMark.ANSWERED, PairMark.ANSWERS},
}
_SEVERITIES = {
    "error": {Severity.ERROR},
    "warning": {Severity.WARNING},
    "note": {Severity.INFO},
    "finding": {Severity.ERROR, Severity.WARNING, Severity.INFO},
}


class FilterMasks:
    """Masks of the nodes of a tree.

    Each mask is one large number with a byte per node, so that `&`, `|` and `~` combine masks.
    """

    def __init__(self, parts: list[Columns], bases: list[int], opened: OpenedLogView) -> None:
        """Take `parts`, the columns of the logs in the tree, and `bases`, the number of the first record of each."""
        self._parts, self._bases, self._opened, self._outline = parts, bases, opened, opened.outline
        self._size = len(opened.outline)
        self._states: dict[str, int] = {}

    @cached_property
    def all_rows(self) -> int:
        """The rows that a filter applies to: everything said or noted, once each, and no headings."""
        outline = self._outline
        kinds = outline.kind.translate(_table({NodeKind.TURN, NodeKind.MESSAGE, NodeKind.BLOCK, NodeKind.RECORD}))
        said = bytearray(kinds)
        for node in _set_positions(outline.kind.translate(_table({NodeKind.BLOCK}))):
            said[outline.parent[node]] &= kinds[node] == 0 or outline.kind[outline.parent[node]] == NodeKind.BLOCK
        for node in _set_positions(outline.kind.translate(_table({NodeKind.TURN}))):
            record = outline.record[node]
            said[node] &= 0 <= record < len(outline.node_of_record) and outline.node_of_record[record] == node
        return _mask_number(said)

    def rows_in_state(self, state: str) -> int:
        """Return the rows in a state: see `filter.FILTER_STATES`."""
        if state not in self._states:
            self._states[state] = self._state(state)
        return self._states[state]

    def _state(self, state: str) -> int:
        if state in _KINDS:
            return self._of_blocks(b"".join(part.block_kinds for part in self._parts), _table(_KINDS[state]))
        if state in _MARKS:
            return _mask_number(self._outline.mark.translate(_table(_MARKS[state])))
        if state in _SEVERITIES:
            return self._found(lambda rule, severity: severity in _SEVERITIES[state])
        if state == "aside":
            return self._below(NodeKind.INACTIVE_BRANCH)
        if state == "failed":
            flags = b"".join(bytes(map(BlockFlag.ERROR.__and__, part.block_flags)) for part in self._parts)
            return self._with_peers(self._of_blocks(flags, _table({BlockFlag.ERROR})))
        return self._of_records(bool(mark & RecordMark.COMPACTION) for part in self._parts for mark in part.marks)

    def rows_of_rule(self, name: str) -> int:
        """Return the rows with findings of a rule, by code or slug."""
        return self._found(lambda rule, severity: name.lower() in rule)

    def rows_of_tool(self, name: str) -> int:
        """Return the calls of tools and their results, by name in any case, with `*` as a wildcard."""
        if (known := f"tool:{name}") in self._states:
            return self._states[known]
        wanted = {tool for tool in self.tool_names if fnmatchcase(tool.lower(), name.lower())}
        called = self._on_blocks([bytes(map(wanted.__contains__, part.names)) for part in self._parts])
        self._states[known] = self._with_peers(called)
        return self._states[known]

    def rows_of_role(self, role: str) -> int:
        """Return the rows of a speaker; a record of results belongs to the tool, whatever role the log gives it."""
        speaks = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL, "system": Role.SYSTEM}[role]
        said = _mask_number(b"".join(part.roles.translate(_table({speaks})) for part in self._parts))
        results = self._results if role in ("user", "tool") else 0
        said = said & ~results if role == "user" else said | results if role == "tool" else said
        return self._of_records(_mask_bytes(said, len(self._outline.node_of_record)))

    def rows_of_records(self, records: Iterable[int]) -> int:
        """Return the rows of some records."""
        mask = bytearray(len(self._outline.node_of_record))
        for record in records:
            mask[record] = 1
        return self._of_records(mask)

    def rows_of_blocks(self, blocks: Iterable[tuple[int, int]]) -> int:
        """Return the rows of some blocks, given as record and ordinal."""
        mask = bytearray(self._size)
        for record, ordinal in blocks:
            mask[self._outline.node_of_block(record, ordinal)] = 1
        return _mask_number(mask)

    @cached_property
    def tool_names(self) -> set[str]:
        """The names of all tools that are called."""
        return {name for part in self._parts for name in set(part.names) if name}

    def nodes_in(self, mask: int) -> list[int]:
        """Return the nodes of a mask, ascending."""
        return _set_positions(_mask_bytes(mask, self._size))

    def with_ancestors(self, mask: int) -> array[int]:
        """Return the nodes of a mask and all nodes above them, ascending."""
        kept = bytearray(_mask_bytes(mask, self._size))
        nodes: Iterable[int] = _set_positions(kept)
        # Level by level, since many nodes have the same parent.
        while nodes := set(map(self._outline.parent.__getitem__, nodes)) - {0, -1}:
            for node in nodes:
                kept[node] = 1
        return array("i", _set_positions(kept))

    def uppermost(self, mask: int, kept: array[int]) -> int:
        """Return the node of a mask that the tree shows first, 0 if it has none. `kept` has all nodes above them."""
        octets, node = _mask_bytes(mask, self._size), 0
        while kept and not octets[node]:
            # Nodes are numbered level by level: the uppermost row below a node is not the next number.
            node = kept[bisect_left(kept, self._outline.first[node])]
        return node

    @cached_property
    def _results(self) -> int:
        """A mask of the records that hold results."""
        held: list[bool] = []
        for part in self._parts:
            before = list(accumulate(part.block_kinds.translate(_table(_RESULTS)), initial=0))
            counts = list(map(before.__getitem__, part.first_block))
            held += map(lt, counts, counts[1:])
        return _mask_number(bytes(held))

    @cached_property
    def _blocks(self) -> array[int]:
        """The index of each node's block among the blocks of all logs; -1 for a node without a block."""
        first, shift = array("q"), 0
        for part in self._parts:
            first.extend(map(shift.__add__, part.first_block[:-1]))
            shift += len(part.names)
        outline = self._outline
        both = zip(outline.record, outline.block, strict=True)
        return array("q", [first[record] + block if block >= 0 <= record else -1 for record, block in both])

    def _of_blocks(self, column: bytes, table: bytes) -> int:
        """Return the nodes of blocks, by a column of all blocks and a table that marks the wanted values."""
        return self._on_blocks([column.translate(table)])

    def _on_blocks(self, masks: list[bytes]) -> int:
        """Return the nodes of blocks, by a mask of the blocks of each log."""
        # The index -1 of a node without a block selects the last byte.
        return _mask_number(bytes(map(b"".join([*masks, b"\0"]).__getitem__, self._blocks)))

    def _of_records(self, mask: Iterable[int]) -> int:
        """Return the nodes of records, by a mask of the records of all logs."""
        return _mask_number(bytes(map((bytes(mask) + b"\0").__getitem__, self._outline.record)))

    def _with_peers(self, mask: int) -> int:
        """Return a mask with the results of its calls and the calls of its results added."""
        octets = _mask_bytes(mask, self._size) + b"\0"
        return mask | _mask_number(bytes(map(octets.__getitem__, self._outline.peer)))

    def _below(self, kind: NodeKind) -> int:
        """Return the nodes of a kind and all nodes below them.

        One pass is enough, because a parent's number is lower than its children's.
        """
        outline, mask = self._outline, bytearray(self._outline.kind.translate(_table({kind})))
        if any(mask):
            for node in range(1, self._size):
                mask[node] |= mask[outline.parent[node]]
        return _mask_number(mask)

    def _found(self, wanted: Callable[[tuple[str, str], Severity], bool]) -> int:
        """Return the rows with findings of the wanted rules (code and slug) and severities.

        The blocks of a message with such a finding are included.
        """
        mask, outline, opened = bytearray(self._size), self._outline, self._opened
        kinds = {(finding.rule, finding.slug, finding.severity) for finding in opened.findings}
        kinds = {kind for kind in kinds if wanted((kind[0].lower(), kind[1].lower()), kind[2])}
        for finding, node in zip(opened.findings, opened.nodes_of_findings, strict=True):
            if node > 0 and (finding.rule, finding.slug, finding.severity) in kinds:
                mask[node] = 1
                for child in range(outline.first[node], outline.first[node] + outline.count[node]):
                    mask[child] |= outline.kind[child] == NodeKind.BLOCK
        return _mask_number(mask)

    def findings_outside(self, nodes: array[int]) -> int:
        """Return how many findings that have a node are on none of these nodes."""
        absent = bytearray(b"\1") * self._size
        absent[0] = 0
        for node in nodes:
            absent[node] = 0
        return sum(map(absent.__getitem__, self._opened.nodes_of_findings))


def _table(wanted: Iterable[int]) -> bytes:
    """Return a table for `bytes.translate` that maps these values to 1 and all others to 0."""
    return bytes(number in set(wanted) for number in range(256))


def _mask_number(mask: bytes | bytearray) -> int:
    """Convert a mask of bytes to a number; `_mask_bytes` is the reverse."""
    return int.from_bytes(mask, "little")


def _mask_bytes(mask: int, size: int) -> bytes:
    return mask.to_bytes(size, "little")


def _set_positions(mask: bytes | bytearray) -> list[int]:
    """Return the positions at which a mask is 1."""
    return list(compress(range(len(mask)), mask))


class SearchableLog:
    """An open log, with those that it continues, and the logs of subagents that are shown in it.

    `report` and `opened` are those of the log itself. `log_columns` are its columns and those of the other logs.
    Records are numbered through all of them; `first_records` are the numbers of the first record of each log.
    """

    def __init__(self, report: Report, opened: OpenedLogView, beside: list[SubagentLog]) -> None:
        self.report, self.opened, self.outline = report, opened, opened.outline
        self._logs = [report.log, *(each.log for each in beside)]
        self.log_columns = [log.columns for log in self._logs]
        self.first_records = [*accumulate(map(len, self.log_columns[:-1]), initial=0)]
        self._times: dict[int, str] = {}
        # Looking up the blocks of a record one by one requests its view each time.
        self.view_record = lru_cache(4)(self._view)

    @cached_property
    def rows(self) -> FilterMasks:
        """The rows of the tree as masks."""
        return FilterMasks(self.log_columns, self.first_records, self.opened)

    def _view(self, record: int) -> RecordView:
        """Return a record as it is shown; empty for one of another log that can no longer be read."""
        part = bisect_right(self.first_records, record) - 1
        log, record = self._logs[part], record - self.first_records[part]
        try:
            # Only the log itself is still open.
            raw = log.raw(record) if not part else _read(log.source.path, log.columns, record)
        except UnreadableLog:
            return RecordView("", "")
        return safe_view(format_of_log(log), raw, [])

    def record_time(self, record: int) -> str:
        """Return when a record was written, as the log has it; "" where it has no time."""
        if record not in self._times:
            self._times[record] = self.view_record(record).time
        return self._times[record]


def _read(path: str, columns: Columns, record: int) -> bytes:
    with Source.open(path) as source:
        return source.read(columns.starts[record], columns.ends[record])
