"""A tree whose leaves are the numbers from 0 on: groups over ranges of them, long groups split into pages."""

from array import array
from bisect import bisect_right
from typing import Any, ClassVar

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt

from inspector.core.showing.outline import PAGE_SIZE
from inspector.gui.models.columns import NO_INDEX, Index, Table, header


class PagedTreeModel(QAbstractItemModel):
    """Base of the lists below and beside the tree.

    A group is a number in columns (parent, row, first leaf, end); its children are groups or leaves, never both.
    An index carries `group * 2` or `leaf * 2 + 1`. `TABLE` says what is told of a leaf, which is a `row`; a page tells
    its numbers in the column `PAGES`.
    """

    TABLE: ClassVar[Table[Any]]
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
        """Leaves right under the root, or pages of them."""
        self._stops[0] = count
        if count > PAGE_SIZE:
            self._add_pages(0, 0, count)
        elif count:
            self._leaf_groups.append(0)
            self._leaf_starts.append(0)

    def _add_pages(self, group: int, start: int, stop: int) -> None:
        for page in range(start, stop, PAGE_SIZE):
            self._pages.add(self.add_group(group, page, min(page + PAGE_SIZE, stop)))

    def leaf(self, index: Index) -> int:
        """The leaf behind an index, -1 for a group."""
        number = index.internalId() if index.isValid() else 0
        return number >> 1 if number & 1 else -1

    def group(self, index: Index) -> int:
        """The group behind an index, 0 (the root) for none, -1 for a leaf."""
        number = index.internalId() if index.isValid() else 0
        return -1 if number & 1 else number >> 1

    def range_of(self, group: int) -> tuple[int, int]:
        return self._starts[group], self._stops[group]

    def positions(self, index: Index) -> range:
        """The leaves that an index stands for: itself, or all of a group; none for no index."""
        leaf = self.leaf(index)
        if leaf >= 0:
            return range(leaf, leaf + 1)
        return range(*self.range_of(self.group(index))) if index.isValid() else range(0)

    def is_page(self, group: int) -> bool:
        """Whether a group is only a part of a longer one."""
        return group in self._pages

    def index_of_leaf(self, leaf: int, column: int = 0) -> QModelIndex:
        place = bisect_right(self._leaf_starts, leaf) - 1
        if leaf < 0 or place < 0 or leaf >= self._stops[self._leaf_groups[place]]:
            return QModelIndex()
        return self.createIndex(leaf - self._leaf_starts[place], column, leaf << 1 | 1)

    def index_of_group(self, group: int, column: int = 0) -> QModelIndex:
        return self.createIndex(self._rows[group], column, group << 1) if group > 0 else QModelIndex()

    # Qt's questions

    def index(self, row: int, column: int, parent: Index = NO_INDEX) -> QModelIndex:
        if not 0 <= column < self.columnCount() or not 0 <= row < self.rowCount(parent):
            return QModelIndex()
        group = self.group(parent)
        if self._children[group]:
            return self.createIndex(row, column, self._children[group][row] << 1)
        return self.createIndex(row, column, (self._starts[group] + row) << 1 | 1)

    def parent(self, index: Index | None = None) -> Any:
        if index is None:
            return QObject.parent(self)
        leaf = self.leaf(index)
        if leaf >= 0:
            return self.index_of_group(self._leaf_groups[bisect_right(self._leaf_starts, leaf) - 1])
        return self.index_of_group(self._parents[self.group(index)]) if index.isValid() else QModelIndex()

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        group = self.group(parent)
        if parent.column() > 0 or group < 0:
            return 0
        return len(self._children[group]) or self._stops[group] - self._starts[group]

    def columnCount(self, parent: Index = NO_INDEX) -> int:
        return len(self.TABLE.columns)

    def row(self, index: Index) -> Any:
        """What `TABLE` shows of a leaf, None for a group."""
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
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
        return header(self.TABLE.columns, section, orientation, role)
