"""The tree of a log as a Qt model: an index carries a node's number, and no node is an object."""

from bisect import bisect_left
from collections.abc import Callable
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt

from inspector.core.showing.outline import NodeKind, Numbers
from inspector.gui.answers.opened_log import OpenedLog
from inspector.gui.basics.words import tr
from inspector.gui.document.node_keys import path_to
from inspector.gui.document.record_reader import RecordReader
from inspector.gui.models.columns import NO_INDEX, Column, Index, Table, header
from inspector.gui.models.outline_rows import OutlineRows, Row
from inspector.gui.models.roles import Role


class OutlineColumn(IntEnum):
    """The columns of the tree, from the left."""

    SUMMARY = 0
    PAIR = 1
    TIME = 2
    TOKENS = 3
    LINE = 4


_ROOM = 18
_LOOKED_AT = 12  # rows, and as many in between
_HINTS = (
    "Who said what, and what is wrong with it",
    "A call's result or a result's call: click to go there",
    "As the log wrote it",
    "↑ read by the model, ↓ written by it",
    "The line of the log, or the number of the record",
)
TREE = Table[Row](
    (
        Column("Conversation", lambda row: f"{row.name} {row.text}".strip(), hint=_HINTS[0]),
        Column("Pair", lambda row: row.pair, ("answered → #8888",), _ROOM, _HINTS[1]),
        Column("Time", lambda row: row.time, ("88:88:88 +88 min",), _ROOM, _HINTS[2], tip=lambda row: row.full_time),
        Column("Tokens", lambda row: row.tokens, ("↑8.8k ↓8.8k",), _ROOM, _HINTS[3], align_right=True),
        Column("Line", lambda row: row.line, ("88,888",), _ROOM, _HINTS[4], align_right=True, tip=lambda row: row.file),
    ),
    accessible_text=lambda row: row.spoken,
    accessible_column=OutlineColumn.SUMMARY,
    roles={Role.ROW: lambda row: row},
)


def _nothing(_: int) -> None:
    return None


class OutlineModel(QAbstractItemModel):
    """Node 0 is the invisible root; see `inspector.core.showing.outline`."""

    def __init__(
        self,
        parent: QObject | None = None,
        found: Callable[[int], Any] = _nothing,
        noted: Callable[[int], str | None] = _nothing,
    ) -> None:
        """Of a record: `found` is what is looked for and found there, `noted` what a person noted; None for nothing."""
        super().__init__(parent)
        self._found, self._noted = found, noted
        self._log: OpenedLog | None = None
        self._rows: OutlineRows | None = None
        self._kept: Numbers | None = None

    def show(self, log: OpenedLog | None, reader: RecordReader | None) -> None:
        """Show another log, or another state of the same."""
        self.beginResetModel()
        self._log, self._kept = log, None
        self._rows = OutlineRows(log, reader) if log is not None and reader is not None else None
        self.endResetModel()

    def empty_columns(self) -> set[OutlineColumn]:
        """The columns that, as far as a look at some rows tells, say nothing of this conversation."""
        if self._log is None or self._rows is None:
            return set()
        count = len(self._log.outline)
        some = {*range(1, min(count, _LOOKED_AT)), *range(1, count, max(count // _LOOKED_AT, 1))}
        outline = self._log.outline
        said = [node for node in some if all(outline.kind[each] != NodeKind.SECTION for each in path_to(outline, node))]
        rows = [self._rows.row(node) for node in said or some]
        pairs = {OutlineColumn.PAIR} if not any(self._log.outline.mark) else set()
        quiet = (OutlineColumn.TIME, OutlineColumn.TOKENS)
        return pairs | {column for column in quiet if not any(TREE.columns[column].text(row) for row in rows)}

    def set_shown_nodes(self, kept: Numbers | None) -> None:
        """Show only these nodes, which are ascending, and with each what is above it; None shows all."""
        self.beginResetModel()
        self._kept = kept
        self.endResetModel()

    def index_of(self, node: int, column: int = 0) -> QModelIndex:
        """The index of a node; invalid for the root, for one that is not shown, and for numbers that are no node."""
        if self._log is None or not 0 < node < len(self._log.outline):
            return QModelIndex()
        first, kept = self._log.outline.first[self._log.outline.parent[node]], self._kept
        if kept is None:
            return self.createIndex(node - first, column, node)
        at = bisect_left(kept, node)
        if at == len(kept) or kept[at] != node:
            return QModelIndex()
        return self.createIndex(at - bisect_left(kept, first), column, node)

    def node(self, index: Index) -> int:
        return index.internalId() if index.isValid() else 0

    # Qt's questions

    def index(self, row: int, column: int, parent: Index = NO_INDEX) -> QModelIndex:
        if self._log is None or parent.column() > 0:
            return QModelIndex()
        node, outline = self.node(parent), self._log.outline
        if 0 <= row < self.rowCount(parent) and 0 <= column < len(OutlineColumn):
            first, kept = outline.first[node], self._kept
            child = first + row if kept is None else kept[bisect_left(kept, first) + row]
            return self.createIndex(row, column, child)
        return QModelIndex()

    def parent(self, index: Index | None = None) -> Any:
        if index is None:
            return QObject.parent(self)
        if not index.isValid() or self._log is None:
            return QModelIndex()
        return self.index_of(self._log.outline.parent[index.internalId()])

    def sibling(self, row: int, column: int, index: Index) -> QModelIndex:
        if row == index.row() and index.isValid() and 0 <= column < len(OutlineColumn):
            return self.createIndex(row, column, index.internalId())
        return self.index(row, column, self.parent(index))

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        if self._log is None or parent.column() > 0:
            return 0
        node, outline, kept = self.node(parent), self._log.outline, self._kept
        if kept is None:
            return int(outline.count[node])
        first = outline.first[node]
        return bisect_left(kept, first + outline.count[node]) - bisect_left(kept, first)

    def columnCount(self, parent: Index = NO_INDEX) -> int:
        return len(OutlineColumn)

    def hasChildren(self, parent: Index = NO_INDEX) -> bool:
        return self.rowCount(parent) > 0

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self._rows is None or self._log is None:
            return None
        node = index.internalId()
        match role:
            case Role.NODE:
                return node
            case Role.PEER:
                return self._log.outline.peer[node]
            case Role.MARK:
                return self._log.outline.mark[node]
            case Role.RECORD:
                return self._log.outline.record[node]
            case Role.NOTE:
                return self._note(node)
            case Role.FOUND:
                return self._found(self._log.outline.record[node])
            case Qt.ItemDataRole.AccessibleTextRole if (
                index.column() == TREE.accessible_column and self._note(node) is not None
            ):
                return f"{self._rows.row(node).spoken}, {tr('bookmark')} {self._note(node)}".strip()
        return TREE.cell_data(self._rows.row(node), index.column(), role)

    def _note(self, node: int) -> str | None:
        outline = self._log.outline if self._log else None
        record = outline.record[node] if outline else -1
        return self._noted(record) if outline and record >= 0 and outline.node_of_record[record] == node else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        return header(TREE.columns, section, orientation, role)
