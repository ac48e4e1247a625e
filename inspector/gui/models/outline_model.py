"""The tree of a log as a Qt model. An index carries a node's number, and no node is an object."""

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt

from inspector.core.model.views import CALL_KINDS, BlockKind
from inspector.core.presentation import formatting
from inspector.core.presentation.outline import NodeKind, Numbers, Outline, PairMark
from inspector.core.translation import tr_plural
from inspector.gui.common import ui_text
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.safe_text import to_one_line
from inspector.gui.common.ui_text import tr
from inspector.gui.models.base import NO_INDEX, ColumnSpec, ItemRole, ModelIndex, TableSpec, header_data
from inspector.gui.state.navigation import ancestors_of
from inspector.gui.state.record_reader import BlockSummary, RecordReader
from inspector.gui.worker.packed_answers import OpenedLog

_CACHE_SIZE = 4096
_MAX_SUMMARY_BLOCKS = 6
_RESULT_KINDS = (BlockKind.RESULT, BlockKind.SERVER_RESULT, BlockKind.TOLD_RESULT)


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """A row of the tree. It is not a tuple, which Qt would convert to a list.

    `chip` is the role or kind, `badge` the worst finding here (severity, words), and `counts` the findings below.
    `inactive`: a resume does not load the row. `file` names the log of the subagent that contains it.
    """

    chip: str = ""
    name: str = ""
    text: str = ""
    time: str = ""
    full_time: str = ""
    tokens: str = ""
    line: str = ""
    file: str = ""
    pair: str = ""
    badge: tuple[int, str] | None = None
    counts: tuple[int, int, int] = (0, 0, 0)
    bold: bool = False
    inactive: bool = False

    @property
    def spoken(self) -> str:
        """The row in words, for a screen reader."""
        errors, warnings, infos = self.counts
        parts = [self.chip, self.name, self.text, self.pair]
        if self.badge:
            parts.append(f"{ui_text.SEVERITY_WORDS[self.badge[0]]}: {self.badge[1]}")  # type: ignore[index]
        elif any(self.counts):
            parts.append(
                tr(
                    "{errors}, {warnings} and {notes} in the rows below",
                    errors=tr_plural("{number:,} error", "{number:,} errors", errors),
                    warnings=tr_plural("{number:,} warning", "{number:,} warnings", warnings),
                    notes=tr_plural("{number:,} note", "{number:,} notes", infos),
                )
            )
        return ", ".join(part for part in parts if part)


def pair_text(mark: PairMark, number: int | None) -> str:
    """Return a call or a result in words, with the number of its counterpart if it has one."""
    text = tr(ui_text.PAIR_MARK_WORDS[mark])
    return text.replace(" → #{number}", "") if number is None else text.format(number=number)


class OutlineRowCache:
    """A cache of the rows by node, limited to the latest few thousand."""

    def __init__(self, log: OpenedLog, reader: RecordReader) -> None:
        self._log = log
        self._reader = reader
        self._rows: OrderedDict[int, OutlineRow] = OrderedDict()

    def row(self, node: int) -> OutlineRow:
        row = self._rows.get(node)
        if row is None:
            row = self._make(node)
            self._rows[node] = row
            if len(self._rows) > _CACHE_SIZE:
                self._rows.popitem(last=False)
        return row

    def pair(self, node: int) -> str:
        """Return the text of the pair column: where the counterpart is, or what is missing."""
        peer = self._log.outline.peer[node]
        return pair_text(PairMark(self._log.outline.mark[node]), self._log.number_of(peer) if peer >= 0 else None)

    def _make(self, node: int) -> OutlineRow:
        outline = self._log.outline
        counts = (outline.errors[node], outline.warnings[node], outline.infos[node])
        aside = any(outline.kind[each] == NodeKind.INACTIVE_BRANCH for each in (*ancestors_of(outline, node), node))
        attached = self._log.attached_log_of(outline.record[node])
        file = hiding.display_name(attached.path) if attached else ""
        return replace(
            self._described(node),
            file=file,
            pair=self.pair(node),
            badge=self._badge(node),
            counts=counts,
            inactive=aside,
        )

    def _described(self, node: int) -> OutlineRow:
        outline = self._log.outline
        kind, record = NodeKind(outline.kind[node]), outline.record[node]
        if node in outline.label or record < 0:
            label = to_one_line(outline.label.get(node, ""), 300)
            return OutlineRow(text=label or tr(kind.name.capitalize()), bold=kind != NodeKind.INACTIVE_BRANCH)
        line, brief = f"{self._log.number_of(node):,}", self._reader.summary(record)
        if kind == NodeKind.BLOCK:
            block = outline.block[node]
            if not 0 <= block < len(brief.blocks):
                return OutlineRow(chip="block", text=brief.summary, line=line)
            shown = brief.blocks[block]
            return _with_block(OutlineRow(tr(ui_text.BLOCK_KIND_WORDS[shown.kind]), line=line), shown)
        head = OutlineRow(brief.role, time=self._time(record), full_time=brief.time, tokens=brief.tokens, line=line)
        block, is_turn = outline.block[node], kind == NodeKind.TURN
        if 0 <= block < len(brief.blocks):
            return _with_block(head, brief.blocks[block], is_turn)
        blocks = self._blocks_below(node) or brief.blocks
        text = _summary_without_role(brief.summary, brief.role) if brief.summary else _summarize_blocks(blocks)
        kinds = {each.kind for each in blocks if not each.injected}
        results = kinds and kinds.issubset(_RESULT_KINDS)
        return replace(head, chip=tr("results") if results else brief.role, text=text, bold=is_turn)

    def _time(self, record: int) -> str:
        """Return the time of day, and the length of the wait before it if that was long."""
        time = self._reader.summary(record).time
        before = self._reader.summary(record - 1).time if record and time else ""
        gap = formatting.seconds_between(before, time) or 0
        return (
            f"{formatting.time_of_day(time)} +{formatting.format_duration(gap, 1)}"
            if gap >= formatting.LONG_WAIT_SECONDS
            else formatting.time_of_day(time)
        )

    def _blocks_below(self, node: int) -> list[BlockSummary]:
        """Return the first blocks of a message, which may consist of several records."""
        outline, blocks = self._log.outline, []
        for child in range(outline.first[node], outline.first[node] + min(outline.count[node], _MAX_SUMMARY_BLOCKS)):
            of = self._reader.summary(outline.record[child]).blocks if outline.record[child] >= 0 else ()
            if 0 <= outline.block[child] < len(of):
                blocks.append(of[outline.block[child]])
        return blocks

    def _badge(self, node: int) -> tuple[int, str] | None:
        """Return the worst finding on the node itself."""
        positions = self._log.findings.positions_at_node(node)
        if not positions:
            return None
        finding = self._log.findings[min(positions)]
        text = ui_text.rule_title(finding.slug, finding.rule).lower()
        return int(finding.severity), f"{text} +{len(positions) - 1}" if len(positions) > 1 else text


def _summary_without_role(summary: str, role: str) -> str:
    """Return a summary without the role that it begins with, which the row shows separately."""
    first, _, rest = summary.partition(" ")
    return rest if first.removesuffix(":") == role else summary


def _with_block(row: OutlineRow, block: BlockSummary, strong: bool = False) -> OutlineRow:
    """Return a row for one block. A text is labelled by its role, any other block by its kind."""
    text = tr("failed: {text}", text=block.text) if block.is_error else block.text
    chip = row.chip if block.kind == BlockKind.TEXT else tr(ui_text.BLOCK_KIND_WORDS[block.kind])
    if block.injected:
        return replace(row, chip=tr("context"), text=text)
    return replace(row, chip=chip, name=block.name, text=text, bold=strong or block.kind in CALL_KINDS)


def _summarize_blocks(blocks: Sequence[BlockSummary]) -> str:
    """Return a message in one line: what was said, then what was called.

    Results, thinking and text added by a program are shown only when there is nothing else.
    """
    texts: dict[str, list[str]] = {}
    for block in blocks:
        called = block.kind in CALL_KINDS
        texts.setdefault(_block_category(block), []).append(f"{block.name} {block.text}" if called else block.text)
    told = [" · ".join(filter(None, texts.get(sort, ()))) for sort in ("said", "called", "result", "thought", "other")]
    return to_one_line(" · ".join(filter(None, told[:2])) or next(filter(None, told), ""), 300)


def _block_category(block: BlockSummary) -> str:
    if block.kind in CALL_KINDS:
        return "called"
    if block.kind in _RESULT_KINDS:
        return "result"
    if block.kind == BlockKind.THINKING:
        return "thought"
    return "other" if block.injected or block.kind == BlockKind.OTHER else "said"


class OutlineColumn(IntEnum):
    """The columns of the tree, from the left."""

    SUMMARY = 0
    PAIR = 1
    TIME = 2
    TOKENS = 3
    LINE = 4


_ROOM = 18
_SAMPLED_ROWS = 12  # rows, and as many in between
_HINTS = (
    tr("Role, content and findings"),
    tr("The matching result or call. Click to go there"),
    tr("As recorded in the log"),
    tr("↑ tokens read by the model, ↓ tokens written by the model"),
    tr("Line in the log, or record number"),
)
OUTLINE_TABLE = TableSpec[OutlineRow](
    (
        ColumnSpec(tr("Conversation"), lambda row: f"{row.name} {row.text}".strip(), hint=_HINTS[0]),
        ColumnSpec(tr("Call or result"), lambda row: row.pair, ("answered → #8888",), _ROOM, _HINTS[1]),
        ColumnSpec(
            tr("Time"), lambda row: row.time, ("88:88:88 +88 min",), _ROOM, _HINTS[2], tip=lambda row: row.full_time
        ),
        ColumnSpec(tr("Tokens"), lambda row: row.tokens, ("↑8.8k ↓8.8k",), _ROOM, _HINTS[3], align_right=True),
        ColumnSpec(
            tr("Line"), lambda row: row.line, ("88,888",), _ROOM, _HINTS[4], align_right=True, tip=lambda row: row.file
        ),
    ),
    accessible_text=lambda row: row.spoken,
    accessible_column=OutlineColumn.SUMMARY,
    roles={ItemRole.ROW: lambda row: row},
)

# The widest texts of columns in a narrow pane. What is longer is elided, and in the tooltip.
NARROW_TEXTS = {
    OutlineColumn.PAIR: "answered → #888",
    OutlineColumn.TIME: "88:88:88",
    OutlineColumn.TOKENS: "↑88k ↓888",
    OutlineColumn.LINE: "88,888",
}
NARROW_ROOM = 12


def _return_none(_: int) -> None:
    return None


class OutlineModel(QAbstractItemModel):
    """The tree model. Node 0 is the invisible root. See `inspector.core.presentation.outline`."""

    def __init__(
        self,
        parent: QObject | None = None,
        found: Callable[[int], Any] = _return_none,
        noted: Callable[[int], str | None] = _return_none,
    ) -> None:
        """Create an empty model.

        For a record, `found` returns the search pattern found there, and `noted` the person's note. None for nothing.
        """
        super().__init__(parent)
        self._found, self._noted = found, noted
        self._log: OpenedLog | None = None
        self._rows: OutlineRowCache | None = None
        self._kept: Numbers | None = None

    def show(self, log: OpenedLog | None, reader: RecordReader | None) -> None:
        """Show another log, or another state of the same log."""
        self.beginResetModel()
        self._log, self._kept = log, None
        self._rows = OutlineRowCache(log, reader) if log is not None and reader is not None else None
        self.endResetModel()

    def empty_columns(self) -> set[OutlineColumn]:
        """Return the columns that are empty for this conversation, judged by a sample of rows."""
        if self._log is None or self._rows is None:
            return set()
        count = len(self._log.outline)
        some = {*range(1, min(count, _SAMPLED_ROWS)), *range(1, count, max(count // _SAMPLED_ROWS, 1))}
        outline = self._log.outline
        said = [
            node for node in some if all(outline.kind[each] != NodeKind.SECTION for each in ancestors_of(outline, node))
        ]
        rows = [self._rows.row(node) for node in said or some]
        pairs = {OutlineColumn.PAIR} if not any(self._log.outline.mark) else set()
        quiet = (OutlineColumn.TIME, OutlineColumn.TOKENS)
        return pairs | {column for column in quiet if not any(OUTLINE_TABLE.columns[column].text(row) for row in rows)}

    def set_shown_nodes(self, kept: Numbers | None) -> None:
        """Show only these nodes (ascending, with their ancestors). None shows all."""
        self.beginResetModel()
        self._kept = kept
        self.endResetModel()

    def index_of(self, node: int, column: int = 0) -> QModelIndex:
        """Return the index of a node. Invalid for the root, hidden nodes and unknown numbers."""
        if self._log is None or not 0 < node < len(self._log.outline):
            return QModelIndex()
        first, kept = self._log.outline.first[self._log.outline.parent[node]], self._kept
        if kept is None:
            return self.createIndex(node - first, column, node)
        at = bisect_left(kept, node)
        if at == len(kept) or kept[at] != node:
            return QModelIndex()
        return self.createIndex(at - bisect_left(kept, first), column, node)

    def node(self, index: ModelIndex) -> int:
        return index.internalId() if index.isValid() else 0

    # Qt's questions

    def index(self, row: int, column: int, parent: ModelIndex = NO_INDEX) -> QModelIndex:
        if self._log is None or parent.column() > 0:
            return QModelIndex()
        node, outline = self.node(parent), self._log.outline
        if 0 <= row < self.rowCount(parent) and 0 <= column < len(OutlineColumn):
            first, kept = outline.first[node], self._kept
            child = first + row if kept is None else kept[bisect_left(kept, first) + row]
            return self.createIndex(row, column, child)
        return QModelIndex()

    def parent(self, index: ModelIndex | None = None) -> Any:
        if index is None:
            return QObject.parent(self)
        if not index.isValid() or self._log is None:
            return QModelIndex()
        return self.index_of(self._log.outline.parent[index.internalId()])

    def sibling(self, row: int, column: int, index: ModelIndex) -> QModelIndex:
        if row == index.row() and index.isValid() and 0 <= column < len(OutlineColumn):
            return self.createIndex(row, column, index.internalId())
        return self.index(row, column, self.parent(index))

    def rowCount(self, parent: ModelIndex = NO_INDEX) -> int:
        if self._log is None or parent.column() > 0:
            return 0
        node, outline, kept = self.node(parent), self._log.outline, self._kept
        if kept is None:
            return int(outline.count[node])
        first = outline.first[node]
        return bisect_left(kept, first + outline.count[node]) - bisect_left(kept, first)

    def columnCount(self, parent: ModelIndex = NO_INDEX) -> int:
        return len(OutlineColumn)

    def hasChildren(self, parent: ModelIndex = NO_INDEX) -> bool:
        return self.rowCount(parent) > 0

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self._rows is None or self._log is None:
            return None
        node = index.internalId()
        match role:
            case ItemRole.NODE:
                return node
            case ItemRole.PEER:
                return self._log.outline.peer[node]
            case ItemRole.MARK:
                return self._log.outline.mark[node]
            case ItemRole.RECORD:
                return self._log.outline.record[node]
            case ItemRole.NOTE:
                return self._note(node)
            case ItemRole.FOUND:
                return self._found(self._log.outline.record[node])
            case Qt.ItemDataRole.AccessibleTextRole if index.column() == OUTLINE_TABLE.accessible_column:
                return self._spoken(node, self._rows.row(node), self._log.outline)
        return OUTLINE_TABLE.cell_data(self._rows.row(node), index.column(), role)

    def _spoken(self, node: int, row: OutlineRow, outline: Outline) -> str:
        """Return a row in words with its note and its level, from 1, which an indentation shows."""
        spoken, note = row.spoken, self._note(node)
        if note is not None:
            spoken = tr("{spoken}, bookmark {note}", spoken=spoken, note=note).strip()
        level = 1 + len([*ancestors_of(outline, node)])
        return tr("{spoken}, level {level}", spoken=spoken, level=level)

    def _note(self, node: int) -> str | None:
        outline = self._log.outline if self._log else None
        record = outline.record[node] if outline else -1
        return self._noted(record) if outline and record >= 0 and outline.node_of_record[record] == node else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        return header_data(OUTLINE_TABLE.columns, section, orientation, role)
