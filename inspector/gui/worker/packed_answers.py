"""The answers of the engine as the window stores them. No Qt.

Numbers are in columns, and values are packed and decoded when shown. They are the opened log with its findings, the new
records of a log, the planned repair, the resume request, and the evidence on open calls.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Generic, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from inspector.core.analysis.evidence_search import Evidence, EvidenceOfOpenCalls
from inspector.core.analysis.finding import Finding
from inspector.core.model.views import one_based
from inspector.core.presentation.engine_results import (
    AttachedLog,
    OpenedLogFacts,
    OpenedLogView,
    PreviewRow,
    RepairPreview,
    RequestPreview,
    RequestPreviewBlock,
)
from inspector.core.presentation.outline import ByteColumn, NodeKind, Numbers, Outline, PairMark
from inspector.core.translation import encode_sentence_as_is, tr
from inspector.gui.worker.protocol import EncodedValue, decode_value, encode_value

_CACHE_SIZE = 4096
T = TypeVar("T")


class PackedSequence(msgspec.Struct, Generic[T]):
    """Many values of one type in one buffer, decoded when they are read.

    `offsets` delimit the values in `blob`. A subclass names their type in `ITEM_TYPE`.
    """

    ITEM_TYPE: ClassVar[Any]

    offsets: Numbers = msgspec.field(default_factory=lambda: array("q", [0]))
    blob: ByteColumn = msgspec.field(default_factory=ByteColumn)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, position: int) -> T:
        value: T = _decode(bytes(self.blob[self.offsets[position] : self.offsets[position + 1]]), self.ITEM_TYPE)
        return value


def pack_values(values: Iterable[Any]) -> tuple[Numbers, ByteColumn]:
    """Return the `offsets` and the `blob` of values."""
    offsets, blob, encoder = array("q", [0]), bytearray(), msgspec.msgpack.Encoder(enc_hook=encode_sentence_as_is)
    for value in values:
        try:
            encoder.encode_into(value, blob, offsets[-1])
        except UnicodeEncodeError:
            blob[offsets[-1] :] = bytes(encode_value(value).body)
        offsets.append(len(blob))
    return offsets, ByteColumn(blob)


@lru_cache(_CACHE_SIZE)
def _decode(value: bytes, as_type: Any) -> Any:
    return decode_value(EncodedValue(msgspec.Raw(value), []), as_type)


_READ_BYTES = 4 << 20


class FindingGroup(msgspec.Struct, frozen=True):
    """The findings of one rule: positions `start` to `stop`.

    `strategies` are those that all of them allow. `log` names the log of a subagent that contains them, "" for the log
    itself.
    """

    severity: int
    rule: str
    slug: str
    start: int
    stop: int
    strategies: tuple[str, ...]
    default: str
    log: str = ""


class PackedFindings(PackedSequence[Finding], kw_only=True):
    """All findings, worst first and grouped by rule. A position is a finding's index in that order.

    `nodes` has the node of each finding. `log_order` lists the positions in the order of the log, and `by_node` in the
    order of their nodes.
    """

    ITEM_TYPE = Finding

    groups: tuple[FindingGroup, ...] = ()
    nodes: Numbers = msgspec.field(default_factory=lambda: array("q"))
    log_order: Numbers = msgspec.field(default_factory=lambda: array("q"))
    by_node: Numbers = msgspec.field(default_factory=lambda: array("q"))

    def group_of(self, position: int) -> int:
        return bisect_right(self.groups, position, key=lambda group: group.start) - 1

    def positions_at_node(self, node: int) -> Numbers:
        """Return the positions of the findings on a node, worst first."""
        low = bisect_left(self.by_node, node, key=self.nodes.__getitem__)
        high = bisect_right(self.by_node, node, key=self.nodes.__getitem__)
        return self.by_node[low:high]

    def positions_in_record(self, record: int) -> Numbers:
        """Return the positions of the findings in a record."""
        low = bisect_left(self.log_order, record, key=self._record_of)
        return self.log_order[low : bisect_right(self.log_order, record, lo=low, key=self._record_of)]

    def next_position(self, position: int, forward: bool, record: int = -1) -> int:
        """Return the next or previous finding in the order of the log, wrapping around the ends.

        Without a position (-1) it is the first finding from `record` on, or the last one before it. Returns -1 when
        there are no findings.
        """
        if not len(self):
            return -1
        if position >= 0:
            place = self.log_order.index(position) + (1 if forward else -1)
        else:
            place = bisect_left(self.log_order, max(record, 0), key=self._record_of) - (not forward)
        return self.log_order[place % len(self)]

    def _record_of(self, position: int) -> int:
        return self[position].place.record


_OPEN_MARKS = (PairMark.UNANSWERED, PairMark.RECOVERABLE, PairMark.PENDING, PairMark.RUNNING)


class OpenedLog(msgspec.Struct):
    """An opened log in the window.

    `complete` is False while only its first bytes were read. `lines` are the line numbers of the records, and may be
    empty.
    """

    overview: OpenedLogFacts
    outline: Outline
    starts: Numbers
    ends: Numbers
    lines: Numbers
    findings: PackedFindings
    complete: bool = True

    @property
    def has_open_calls(self) -> bool:
        """Whether findings are about calls without a result."""
        return bool(len(self.findings)) and any(mark in self.outline.mark for mark in _OPEN_MARKS)

    def record_of(self, node: int) -> int:
        return self.outline.record[node] if 0 <= node < len(self.outline) else -1

    def number_of(self, node: int) -> int:
        """Return the number shown for a node, -1 when it has no record.

        It is the line if the log has lines, else the record counted from 1.
        """
        record = self.record_of(node)
        if record < 0:
            return -1
        attached = self.attached_log_of(record)
        return record_display_number(self.lines, record) if attached is None else one_based(record - attached.record)

    def is_numbered_by_line(self, record: int) -> bool:
        """Return whether the number of a record is its line."""
        return record < len(self.lines) or self.attached_log_of(record) is not None

    def place_of(self, node: int) -> str:
        """Return the line or record of a node in words."""
        place = tr("line {number:,}") if self.is_numbered_by_line(self.record_of(node)) else tr("record {number:,}")
        return tr(place, number=self.number_of(node))

    def attached_log_of(self, record: int) -> AttachedLog | None:
        """Return the attached log that contains a record, None for a record of the log itself."""
        at = bisect_right(self.overview.attached, record, key=lambda attached: attached.record)
        return self.overview.attached[at - 1] if at else None

    @property
    def inactive_branch_nodes(self) -> list[int]:
        """The nodes of inactive branches, which a resume does not load."""
        kinds = self.outline.kind
        return (
            [node for node in range(len(kinds)) if kinds[node] == NodeKind.INACTIVE_BRANCH]
            if NodeKind.INACTIVE_BRANCH in kinds
            else []
        )

    def subagent_of(self, node: int) -> str:
        """Return the path of the log that a row opens, "" for none.

        That is the log of the subagent that the row shows or started.
        """
        outline, section = self.outline, node
        for child in range(outline.first[node], outline.first[node] + outline.count[node]):
            if outline.kind[child] == NodeKind.SECTION:
                section = child
        if outline.kind[section] != NodeKind.SECTION or self.attached_log_of(self.record_of(node)) is not None:
            return ""
        while outline.count[section] and outline.record[section] < 0:
            section = outline.first[section]
        attached = self.attached_log_of(self.record_of(section))
        return attached.path if attached else ""

    def session_of(self, node: int) -> int:
        """Return the index (in the overview) of the session that a node belongs to, -1 for none."""
        outline = self.outline
        while node > 0 and outline.kind[node] != NodeKind.SESSION:
            node = outline.parent[node]
        return outline.kind.count(NodeKind.SESSION, 0, node) if node > 0 else -1

    def node_of_session(self, session: int) -> int:
        """Return the node of a session, -1 when the tree has none."""
        node = -1
        for _ in range(session + 1):
            node = self.outline.kind.find(NodeKind.SESSION, node + 1)
            if node < 0:
                return -1
        return node


def record_display_number(lines: Numbers, record: int) -> int:
    """Return the number shown for a record: its line if there are `lines`, else its number from 1."""
    return lines[record] if record < len(lines) else one_based(record)


def pack_first_records(opened: OpenedLogView, head: bytes) -> OpenedLog:
    """Pack the first records of a log, without findings, while the rest is still being read."""
    starts, ends = as_number_array(opened.starts), as_number_array(opened.ends)
    lines = line_numbers_at_offsets(BytesIO(head), starts) if opened.overview.has_lines else array("q")
    return OpenedLog(opened.overview, opened.outline, starts, ends, lines, PackedFindings(), complete=False)


def severity_order(findings: tuple[Finding, ...]) -> list[int]:
    """Return the order of the findings list: by severity, then by rule, then by position in the log."""
    return sorted(
        range(len(findings)),
        key=lambda number: (-findings[number].severity, findings[number].rule, findings[number].place.record, number),
    )


def pack_opened_log(opened: OpenedLogView, order: list[int]) -> OpenedLog:
    """Pack a log that was read whole, with its findings in `order`."""
    findings = [opened.findings[number] for number in order]
    nodes = array("q", (opened.nodes_of_findings[number] for number in order))
    places = [(finding.place.record, node) for finding, node in zip(findings, nodes, strict=True)]
    book = PackedFindings(
        *pack_values(findings),
        groups=_group_by_rule(findings),
        nodes=nodes,
        log_order=array("q", sorted(range(len(nodes)), key=places.__getitem__)),
        by_node=array("q", sorted(range(len(nodes)), key=nodes.__getitem__)),
    )
    starts, ends = as_number_array(opened.starts), as_number_array(opened.ends)
    return OpenedLog(opened.overview, opened.outline, starts, ends, _line_numbers(opened.overview, starts), book)


def as_number_array(numbers: Iterable[int]) -> Numbers:
    return numbers if isinstance(numbers, array) else array("q", numbers)


def _line_numbers(overview: OpenedLogFacts, starts: Numbers) -> Numbers:
    """Return the line of each record, empty when the format has no lines. Reads the log once."""
    path = Path(overview.bytes_at or overview.path)
    if not overview.has_lines or not path.is_file():
        return array("q")
    with path.open("rb") as file:
        return line_numbers_at_offsets(file, starts)


def line_numbers_at_offsets(file: BinaryIO, starts: Numbers) -> Numbers:
    """Return the line, from 1, of each offset in `starts` (ascending). Reads the file in pieces."""
    lines = array("q")
    line, before, base, piece = 1, 0, 0, b""
    for start in starts:
        while start > base + len(piece):
            line += piece.count(b"\n", before - base)
            base += len(piece)
            before = base
            piece = file.read(_READ_BYTES)
            if not piece:
                return lines
        line += piece.count(b"\n", before - base, start - base)
        before = start
        lines.append(line)
    return lines


def _group_by_rule(findings: list[Finding]) -> tuple[FindingGroup, ...]:
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


class NewRecords(NamedTuple):
    """How many records are new, and where the first run of them is now."""

    total: int
    first_run: range


def find_new_records(before: OpenedLog, now: OpenedLog) -> NewRecords:
    """Return the new records. A log grows at the end of a session, or of an attached subagent's log."""
    known = {name: len(records) for name, records in _record_ranges(before)}
    new = [records[known.get(name, 0) :] for name, records in _record_ranges(now)]
    return NewRecords(sum(map(len, new)), next(filter(None, new), range(0)))


def _record_ranges(log: OpenedLog) -> Iterator[tuple[str, range]]:
    """Yield the records of each session, then of each attached log.

    When the sessions do not cover all records of the log, they are yielded as one range.
    """
    attached = log.overview.attached
    ends = [*(log_part.record for log_part in attached), len(log.starts)]
    own, at = ends[0], 0
    sessions = log.overview.sessions
    if sum(session.records for session in sessions) == own:
        for session in sessions:
            yield str(session.number), range(at, at + session.records)
            at += session.records
    else:
        yield "", range(own)
    for log_part, end in zip(attached, ends[1:], strict=True):
        yield log_part.path, range(log_part.record, end)


_NO_STRATEGY = 255
_UNCHANGED_MARKS = ("kept", "skipped")
_DISPLACED_MARKS = ("added", "moved")  # rows that are not at the place of their record


class PlannedRepair(PackedSequence[PreviewRow], kw_only=True):
    """The planned history, one row per change.

    `summary` is the preview without its packed parts. `chosen` has, for each finding by position, an index into
    `strategies`, and `changes` the row that repairs it, -1 for none. For each row, `records` has the first record that
    it is about, and `findings` the first position of a finding that it repairs, -1 for none. `in_place` lists the rows
    that are at the place of their record, and `edited` those that are changes, not unchanged records.
    """

    ITEM_TYPE = PreviewRow

    summary: RepairPreview
    strategies: tuple[str, ...]
    chosen: ByteColumn
    changes: Numbers
    records: Numbers
    findings: Numbers
    in_place: Numbers
    edited: Numbers

    def strategy_of(self, position: int) -> str:
        """Return the strategy that the plan uses for a finding, "" when the plan has none."""
        number = self.chosen[position] if position < len(self.chosen) else _NO_STRATEGY
        return self.strategies[number] if number < len(self.strategies) else ""

    def strategy_of_all(self, start: int, stop: int) -> str | None:
        """Return the strategy that the plan uses for a range of findings.

        Returns "" when they differ, None when the plan has none for any of them.
        """
        used = set(self.chosen[start:stop]) - {_NO_STRATEGY}
        return None if not used else self.strategy_of(start) if len(used) == 1 else ""

    def row_repairing(self, position: int) -> int:
        """Return the row that repairs a finding, -1 for none."""
        return self.changes[position] if position < len(self.changes) else -1

    def row_at_record(self, record: int) -> int:
        """Return the row about a record, or the run of unchanged records that contains it. -1 for none."""
        if (own := _index_of(self.records, record)) >= 0:
            return own
        at = bisect_right(self.in_place, record, key=self.records.__getitem__)
        return self.in_place[at - 1] if at else -1

    def row_key(self, row: int) -> tuple[int, int]:
        """Return the key of a row, which names it in another plan for the same log."""
        return (self.records[row], self.findings[row]) if row >= 0 else (-1, -1)

    def find_row(self, record: int, finding: int) -> int:
        """Return the row that a key names, -1 for none."""
        numbers, wanted = (self.findings, finding) if finding >= 0 else (self.records, record)
        row = -1 if wanted < 0 else _index_of(numbers, wanted)
        while row >= 0 and self.row_key(row) != (record, finding):
            row = _index_of(numbers, wanted, row + 1)
        return row


def _index_of(numbers: Numbers, wanted: int, start: int = 0) -> int:
    try:
        return numbers.index(wanted, start)
    except ValueError:
        return -1


def pack_planned_repair(preview: RepairPreview, ids: list[str]) -> PlannedRepair:
    """Pack a preview. `ids` are the findings' ids in the order of the findings list."""
    strategies = tuple(dict.fromkeys(preview.chosen.values()))
    number = {strategy: index for index, strategy in enumerate(strategies)}
    position_of = {finding_id: position for position, finding_id in enumerate(ids)}
    changes, findings, in_place = array("q", [-1] * len(ids)), array("q"), array("q")
    for row, change in enumerate(preview.changes):
        repaired = _positions_of(change.finding_ids, position_of)
        findings.append(min(repaired, default=-1))
        for position in repaired:
            changes[position] = row if changes[position] < 0 else changes[position]
        if change.record is not None and change.mark not in _DISPLACED_MARKS:
            in_place.append(row)
    return PlannedRepair(
        *pack_values(preview.changes),
        summary=replace(preview, changes=(), chosen={}),
        strategies=strategies,
        chosen=ByteColumn(number.get(preview.chosen.get(finding_id, ""), _NO_STRATEGY) for finding_id in ids),
        changes=changes,
        records=array("q", (-1 if change.record is None else change.record for change in preview.changes)),
        findings=findings,
        in_place=in_place,
        edited=array("q", (row for row, change in enumerate(preview.changes) if change.mark not in _UNCHANGED_MARKS)),
    )


def _positions_of(ids: Iterable[str], position_of: dict[str, int]) -> list[int]:
    return [position_of[each] for each in ids if each in position_of]


class PackedResumeRequest(PackedSequence[RequestPreviewBlock], kw_only=True):
    """The blocks of a resume request, in their order.

    `summary` is the rest of the answer, and `counts` the number of blocks with each mark. `changed_positions` are the
    blocks that are not sent as they are in the log.
    """

    ITEM_TYPE = RequestPreviewBlock

    summary: RequestPreview
    counts: dict[str, int]
    changed_positions: Numbers


def pack_resume_request(preview: RequestPreview) -> PackedResumeRequest:
    """Pack the preview of a resume request."""
    return PackedResumeRequest(
        *pack_values(preview.blocks),
        summary=replace(preview, blocks=()),
        counts=dict(Counter(block.mark for block in preview.blocks)),
        changed_positions=array("q", (number for number, block in enumerate(preview.blocks) if block.mark != "kept")),
    )


class PackedEvidence(PackedSequence[Evidence], kw_only=True):
    """The evidence on open calls.

    `positions` are the findings that have evidence, ascending. `side_effect_positions` are findings on calls that may
    have changed something, one for each call.
    """

    ITEM_TYPE = Evidence

    positions: Numbers
    side_effect_positions: Numbers

    def of_finding(self, position: int) -> Evidence | None:
        """Return the evidence of a finding, None when it is not about an unanswered call."""
        number = bisect_left(self.positions, position)
        if number == len(self.positions) or self.positions[number] != position:
            return None
        return self[number]


def pack_evidence(calls: EvidenceOfOpenCalls, ids: list[str]) -> PackedEvidence:
    """Pack the evidence on open calls. `ids` are the findings' ids in the order of the findings list."""
    position_of = {finding_id: position for position, finding_id in enumerate(ids)}
    known = [finding_id for finding_id in ids if finding_id in calls.evidence]
    return PackedEvidence(
        *pack_values(calls.evidence[finding_id] for finding_id in known),
        positions=array("q", (position_of[finding_id] for finding_id in known)),
        side_effect_positions=array("q", (position_of[finding_id] for finding_id in calls.changing)),
    )
