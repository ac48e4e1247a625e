"""The bases of all item models: roles, columns as data, a flat table model, and a tree model with groups and pages."""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import IntEnum
from typing import Any, ClassVar, Generic, NamedTuple, TypeAlias, TypeVar, overload

from PySide6.QtCore import QAbstractItemModel, QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.core.presentation.outline import PAGE_SIZE
from inspector.core.translation import tr
from inspector.gui.common import theme
from inspector.gui.common.safe_text import safe_tooltip


class ItemRole(IntEnum):
    """The data roles that delegates and panels use, common to all models."""

    NODE = Qt.ItemDataRole.UserRole + 1
    ROW = NODE + 1
    PEER = NODE + 2
    MARK = NODE + 3
    POSITION = NODE + 4
    STRATEGY = NODE + 5
    STRATEGIES = NODE + 6
    ICON = NODE + 7
    COUNT = NODE + 8
    RULE = NODE + 9
    FOUND = NODE + 10
    NOTE = NODE + 11
    RECORD = NODE + 12


ModelIndex: TypeAlias = QModelIndex | QPersistentModelIndex
NO_INDEX = QModelIndex()

R = TypeVar("R")
_ALIGNMENT = {False: Qt.AlignmentFlag.AlignLeft, True: Qt.AlignmentFlag.AlignRight}


def _no_text(_: Any) -> str:
    return ""


class ColumnSpec(NamedTuple, Generic[R]):
    """A column of a list. `text` returns the text of a cell, "" when the model itself provides it.

    `hint` explains the title. The column is as wide as the longest of `widest_texts`, with `padding` pixels around it.
    Without any it takes the remaining room. `muted` and `align_right` apply to the cells. With `colours` a cell begins
    with an icon, whose key `icon_key` returns. `tip` is the tooltip of a cell where it differs from that of the row.
    Rows are sorted by `key`, with `descending_first` the largest first.
    """

    title: str
    text: Callable[[R], str] = _no_text
    widest_texts: Collection[str] = ()
    padding: int = 14
    hint: str = ""
    muted: bool = False
    align_right: bool = False
    icon_key: Callable[[R], str | None] | None = None
    colours: Mapping[str, theme.ColourPair] | None = None
    tip: Callable[[R], str] | None = None
    key: Callable[[R], Any] = _no_text
    descending_first: bool = False


class TableSpec(NamedTuple, Generic[R]):
    """The columns of a list, and what applies to a whole row.

    `tip` is the tooltip of a row, and `roles` are further roles. `accessible_text` is what a screen reader reads, by
    default all cells. It applies to every cell, or to those of `accessible_column` only.
    """

    columns: tuple[ColumnSpec[R], ...]
    tip: Callable[[R], str] = _no_text
    accessible_text: Callable[[R], str] | None = None
    accessible_column: int | None = None
    roles: Mapping[int, Callable[[R], Any]] = {}

    def cell_data(self, row: R, number: int, role: int) -> Any:
        """Return the data of a cell for a role."""
        column = self.columns[number]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return column.text(row)
            case Qt.ItemDataRole.ToolTipRole:
                return safe_tooltip((column.tip or self.tip)(row))
            case Qt.ItemDataRole.AccessibleTextRole if self.accessible_column in (None, number):
                return self.accessible_text(row) if self.accessible_text else self.row_text(row)
            case Qt.ItemDataRole.TextAlignmentRole:
                return _ALIGNMENT[True] | Qt.AlignmentFlag.AlignVCenter if column.align_right else None
            case ItemRole.MARK if column.icon_key:
                return column.icon_key(row)
        known = self.roles.get(role)
        return known(row) if known else None

    def row_text(self, row: R) -> str:
        return ", ".join(filter(None, (column.text(row) for column in self.columns)))


def header_data(columns: Sequence[ColumnSpec[Any]], section: int, orientation: Qt.Orientation, role: int) -> Any:
    """Return the data of a column header for a role."""
    if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(columns):
        return None
    column = columns[section]
    match role:
        case Qt.ItemDataRole.DisplayRole:
            return tr(column.title)
        case Qt.ItemDataRole.ToolTipRole:
            return safe_tooltip(tr(column.hint))
        case Qt.ItemDataRole.TextAlignmentRole:
            return _ALIGNMENT[column.align_right] | Qt.AlignmentFlag.AlignVCenter
        case Qt.ItemDataRole.InitialSortOrderRole:
            return Qt.SortOrder.DescendingOrder if column.descending_first else Qt.SortOrder.AscendingOrder
    return None


class TableModel(QAbstractTableModel, Generic[R]):
    """The table model of short lists. It shows rows in the given order until it is sorted."""

    def __init__(self, table: TableSpec[R], parent: QObject | None = None) -> None:
        self.table = table
        self._rows: Sequence[R] = ()
        super().__init__(parent)

    def show(self, rows: Sequence[R]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def row(self, index: ModelIndex) -> R | None:
        return self._rows[index.row()] if index.isValid() and index.row() < len(self._rows) else None

    def find(self, wanted: Callable[[R], bool]) -> QModelIndex:
        """Return the first row that matches, invalid when there is none."""
        return self.index(next((number for number, row in enumerate(self._rows) if wanted(row)), -1), 0)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort the rows by the key of a column. Equal rows keep their order."""
        key, before = self.table.columns[max(column, 0)].key, self._rows
        turned = order == Qt.SortOrder.DescendingOrder
        numbers = sorted(range(len(before)), key=lambda number: key(before[number]), reverse=turned)
        self.layoutAboutToBeChanged.emit()
        kept = self.persistentIndexList()
        place = {number: row for row, number in enumerate(numbers)} if kept else {}
        self._rows = [before[number] for number in numbers]
        self.changePersistentIndexList(kept, [self.index(place[each.row()], each.column()) for each in kept])
        self.layoutChanged.emit()

    def rowCount(self, parent: ModelIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: ModelIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.table.columns)

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row(index)
        return None if row is None else self.table.cell_data(row, index.column(), role)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        return header_data(self.table.columns, section, orientation, role)


class LazySequence(Sequence[R]):
    """Rows that are made from numbers when they are read."""

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
            return LazySequence(self._numbers[row], self._make)
        return self._make(self._numbers[row])


class PagedTreeModel(QAbstractItemModel):
    """The base of lists with groups and pages.

    A group is a number in columns (parent, row, first leaf, end). Its children are groups or leaves, never both. An
    index carries `group * 2` or `leaf * 2 + 1`. `TABLE` defines the cells of a leaf, whose data is returned by `row`. A
    page shows its range of numbers in the column `PAGES`.
    """

    TABLE: ClassVar[TableSpec[Any]]
    PAGES: ClassVar[int] = 0

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.clear_groups()

    def clear_groups(self) -> None:
        """Forget all groups; call between begin and end of a reset."""
        self._parents = array("q", [-1])
        self._rows = array("q", [0])
        self._starts = array("q", [0])
        self._stops = array("q", [0])
        self._children: list[list[int]] = [[]]
        self._leaf_groups: list[int] = []
        self._leaf_starts: list[int] = []
        self._pages: set[int] = set()

    def add_group(self, parent: int, start: int, stop: int, leaves: bool = True) -> int:
        """Add a group under another (0 is the root); groups with leaves must come in their order."""
        group = len(self._parents)
        self._parents.append(parent)
        self._rows.append(len(self._children[parent]))
        self._starts.append(start)
        self._stops.append(stop)
        self._children.append([])
        self._children[parent].append(group)
        if leaves and stop - start > PAGE_SIZE:
            self._add_pages(group, start, stop)
        elif leaves:
            self._leaf_groups.append(group)
            self._leaf_starts.append(start)
        return group

    def set_root_leaves(self, count: int) -> None:
        """Add leaves under the root, or pages of them."""
        self._stops[0] = count
        if count > PAGE_SIZE:
            self._add_pages(0, 0, count)
        elif count:
            self._leaf_groups.append(0)
            self._leaf_starts.append(0)

    def _add_pages(self, group: int, start: int, stop: int) -> None:
        for page in range(start, stop, PAGE_SIZE):
            self._pages.add(self.add_group(group, page, min(page + PAGE_SIZE, stop)))

    def leaf(self, index: ModelIndex) -> int:
        """Return the leaf of an index, -1 for a group."""
        number = index.internalId() if index.isValid() else 0
        return number >> 1 if number & 1 else -1

    def group(self, index: ModelIndex) -> int:
        """Return the group of an index, 0 (the root) for no index, -1 for a leaf."""
        number = index.internalId() if index.isValid() else 0
        return -1 if number & 1 else number >> 1

    def range_of(self, group: int) -> tuple[int, int]:
        return self._starts[group], self._stops[group]

    def positions(self, index: ModelIndex) -> range:
        """Return the leaves of an index: itself, or all of a group. Empty for no index."""
        leaf = self.leaf(index)
        if leaf >= 0:
            return range(leaf, leaf + 1)
        return range(*self.range_of(self.group(index))) if index.isValid() else range(0)

    def is_page(self, group: int) -> bool:
        """Return whether a group is a page of a longer group."""
        return group in self._pages

    def index_of_leaf(self, leaf: int, column: int = 0) -> QModelIndex:
        place = bisect_right(self._leaf_starts, leaf) - 1
        if leaf < 0 or place < 0 or leaf >= self._stops[self._leaf_groups[place]]:
            return QModelIndex()
        return self.createIndex(leaf - self._leaf_starts[place], column, leaf << 1 | 1)

    def index_of_group(self, group: int, column: int = 0) -> QModelIndex:
        return self.createIndex(self._rows[group], column, group << 1) if group > 0 else QModelIndex()

    # Qt's questions

    def index(self, row: int, column: int, parent: ModelIndex = NO_INDEX) -> QModelIndex:
        if not 0 <= column < self.columnCount() or not 0 <= row < self.rowCount(parent):
            return QModelIndex()
        group = self.group(parent)
        if self._children[group]:
            return self.createIndex(row, column, self._children[group][row] << 1)
        return self.createIndex(row, column, (self._starts[group] + row) << 1 | 1)

    def parent(self, index: ModelIndex | None = None) -> Any:
        if index is None:
            return QObject.parent(self)
        leaf = self.leaf(index)
        if leaf >= 0:
            return self.index_of_group(self._leaf_groups[bisect_right(self._leaf_starts, leaf) - 1])
        return self.index_of_group(self._parents[self.group(index)]) if index.isValid() else QModelIndex()

    def rowCount(self, parent: ModelIndex = NO_INDEX) -> int:
        group = self.group(parent)
        if parent.column() > 0 or group < 0:
            return 0
        return len(self._children[group]) or self._stops[group] - self._starts[group]

    def columnCount(self, parent: ModelIndex = NO_INDEX) -> int:
        return len(self.TABLE.columns)

    def row(self, index: ModelIndex) -> Any:
        """Return what `TABLE` shows of a leaf, None for a group."""
        return None

    def data(self, index: ModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = self.row(index), index.column()
        if row is not None:
            return self.TABLE.cell_data(row, column, role)
        if role == Qt.ItemDataRole.DisplayRole:
            start, stop = self.range_of(self.group(index))
            return f"{start + 1:,} – {stop:,}" if column == self.PAGES else ""
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        return header_data(self.TABLE.columns, section, orientation, role)
