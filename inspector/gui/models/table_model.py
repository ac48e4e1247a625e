"""The one model of all short lists: rows of any kind, shown as a table of columns says."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, overload

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt

from inspector.gui.models.columns import NO_INDEX, Index, R, Table, header


class TableModel(QAbstractTableModel, Generic[R]):
    """Shows rows in the order in which they come."""

    def __init__(self, table: Table[R], parent: QObject | None = None) -> None:
        self.table = table
        self._rows: Sequence[R] = ()
        super().__init__(parent)

    def show(self, rows: Sequence[R]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def row(self, index: Index) -> R | None:
        return self._rows[index.row()] if index.isValid() and index.row() < len(self._rows) else None

    def find(self, wanted: Callable[[R], bool]) -> QModelIndex:
        """The first row that is wanted, invalid where there is none."""
        return self.index(next((number for number, row in enumerate(self._rows) if wanted(row)), -1), 0)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort the rows by what their column says; among equals the order stays."""
        key, before = self.table.columns[max(column, 0)].key, self._rows
        turned = order == Qt.SortOrder.DescendingOrder
        numbers = sorted(range(len(before)), key=lambda number: key(before[number]), reverse=turned)
        self.layoutAboutToBeChanged.emit()
        kept = self.persistentIndexList()
        place = {number: row for row, number in enumerate(numbers)} if kept else {}
        self._rows = [before[number] for number in numbers]
        self.changePersistentIndexList(kept, [self.index(place[each.row()], each.column()) for each in kept])
        self.layoutChanged.emit()

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.table.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row(index)
        return None if row is None else self.table.cell_data(row, index.column(), role)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        return header(self.table.columns, section, orientation, role)


class Made(Sequence[R]):
    """Rows that are made of numbers when they are looked at."""

    def __init__(self, numbers: Sequence[int], make: Callable[[int], R]) -> None:
        self._numbers, self._make = numbers, make

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, row: int) -> R: ...
    @overload
    def __getitem__(self, row: slice) -> Sequence[R]: ...
    def __getitem__(self, row: int | slice) -> R | Sequence[R]:
        if isinstance(row, slice):
            return Made(self._numbers[row], self._make)
        return self._make(self._numbers[row])
