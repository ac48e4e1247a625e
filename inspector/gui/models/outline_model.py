"""The tree of a log as a Qt model: an index carries a node's number, and no node is an object."""

from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.gui.answers.opened_log import OpenedLog
from inspector.gui.basics import words
from inspector.gui.basics.gate import tip
from inspector.gui.document.record_reader import RecordReader
from inspector.gui.models.columns import COLUMNS, Column
from inspector.gui.models.outline_rows import OutlineRows, Row
from inspector.gui.models.roles import Role

_NO_INDEX = QModelIndex()
Index = QModelIndex | QPersistentModelIndex


class OutlineModel(QAbstractItemModel):
    """Node 0 is the invisible root; see `inspector.core.showing.outline`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._log: OpenedLog | None = None
        self._rows: OutlineRows | None = None

    def show(self, log: OpenedLog | None, reader: RecordReader | None) -> None:
        """Show another log, or another state of the same."""
        self.beginResetModel()
        self._log = log
        self._rows = OutlineRows(log, reader) if log is not None and reader is not None else None
        self.endResetModel()

    def index_of(self, node: int, column: int = 0) -> QModelIndex:
        """The index of a node; invalid for the root and for numbers that are no node."""
        if self._log is None or not 0 < node < len(self._log.outline):
            return QModelIndex()
        outline = self._log.outline
        return self.createIndex(node - outline.first[outline.parent[node]], column, node)

    def node(self, index: Index) -> int:
        return index.internalId() if index.isValid() else 0

    # Qt's questions

    def index(self, row: int, column: int, parent: Index = _NO_INDEX) -> QModelIndex:
        if self._log is None or parent.column() > 0:
            return QModelIndex()
        node, outline = self.node(parent), self._log.outline
        if 0 <= row < outline.count[node] and 0 <= column < len(Column):
            return self.createIndex(row, column, outline.first[node] + row)
        return QModelIndex()

    def parent(self, index: Index | None = None) -> Any:
        if index is None:
            return QObject.parent(self)
        if not index.isValid() or self._log is None:
            return QModelIndex()
        return self.index_of(self._log.outline.parent[index.internalId()])

    def sibling(self, row: int, column: int, index: Index) -> QModelIndex:
        if row == index.row() and index.isValid() and 0 <= column < len(Column):
            return self.createIndex(row, column, index.internalId())
        return self.index(row, column, self.parent(index))

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        if self._log is None or parent.column() > 0:
            return 0
        return int(self._log.outline.count[self.node(parent)])

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return len(Column)

    def hasChildren(self, parent: Index = _NO_INDEX) -> bool:
        return self.rowCount(parent) > 0

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self._rows is None or self._log is None:
            return None
        node, column = index.internalId(), index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _text(self._rows.row(node), column)
            case Role.ROW:
                return self._rows.row(node)
            case Role.NODE:
                return node
            case Role.PEER:
                return self._log.outline.peer[node]
            case Role.MARK:
                return self._log.outline.mark[node]
            case Qt.ItemDataRole.TextAlignmentRole if COLUMNS[Column(column)].right_aligned:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            case Qt.ItemDataRole.AccessibleTextRole if column == Column.SUMMARY:
                return self._rows.row(node).spoken
            case Qt.ItemDataRole.ToolTipRole if column == Column.TIME:
                return tip(self._rows.row(node).full_time)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(Column):
            return None
        info = COLUMNS[Column(section)]
        if role == Qt.ItemDataRole.DisplayRole:
            return words.tr(info.title)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(words.tr(info.tooltip))
        if role == Qt.ItemDataRole.TextAlignmentRole and info.right_aligned:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None


def _text(row: Row, column: int) -> str:
    if column == Column.SUMMARY:
        return f"{row.name} {row.text}".strip()
    return (row.pair, row.time, row.tokens, row.line)[column - 1]
