"""The traces of one call, as a list."""

from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.core.formats.bases.traces import Trace
from inspector.gui.basics import words
from inspector.gui.basics.gate import tip
from inspector.gui.basics.plain_text import one_line

Index = QModelIndex | QPersistentModelIndex

_NO_INDEX = QModelIndex()
_CHARS = 400


class TraceColumn(IntEnum):
    """The columns of the traces."""

    PLACE = 0
    WHAT = 1


class TracesModel(QAbstractTableModel):
    """Shows the traces of an Evidence, the strongest first."""

    def __init__(self, parent: QObject | None = None) -> None:
        self._traces: tuple[Trace, ...] = ()
        super().__init__(parent)

    def show(self, traces: tuple[Trace, ...]) -> None:
        self.beginResetModel()
        self._traces = traces
        self.endResetModel()

    def trace(self, index: Index) -> Trace | None:
        return self._traces[index.row()] if index.isValid() else None

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._traces)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(TraceColumn)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        trace = self.trace(index)
        if trace is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return _where(trace) if index.column() == TraceColumn.PLACE else one_line(trace.sentence, _CHARS)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(one_line(trace.sentence, 2 * _CHARS))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{_where(trace)}: {one_line(trace.sentence, _CHARS)}"
        return None


def _where(trace: Trace) -> str:
    if trace.record is None:
        return words.tr("beside the log")
    return words.place(trace.place) if trace.place else words.numbered(trace.record, trace.line)
