"""The preview of a repair as a list of changes, in pages when it is long; what was rejected stands at its end."""

from enum import IntEnum
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, Qt

from inspector.core.showing.answers import Change
from inspector.gui.answers.planned_repair import PlannedRepair
from inspector.gui.basics import words
from inspector.gui.basics.gate import tip
from inspector.gui.basics.plain_text import one_line
from inspector.gui.models.paged_tree import Index, PagedTreeModel
from inspector.gui.models.roles import Role

_NO_INDEX = QModelIndex()


class ChangeColumn(IntEnum):
    """The columns of the list of changes."""

    MARK = 0
    LINE = 1
    SUMMARY = 2


_TITLES = ("Change", "Line", "Message")


class ChangesModel(PagedTreeModel):
    """Shows a PlannedRepair; `rejected` are (finding id, words) that the person chose to leave as they are."""

    def __init__(self, parent: QObject | None = None) -> None:
        self._plan: PlannedRepair | None = None
        self._rejected: tuple[tuple[str, str], ...] = ()
        super().__init__(parent)

    def show(self, plan: PlannedRepair | None, rejected: tuple[tuple[str, str], ...] = ()) -> None:
        """Show another plan."""
        self.beginResetModel()
        self._plan, self._rejected = plan, rejected
        self.clear_groups()
        self.set_root_leaves((len(plan) if plan else 0) + len(rejected))
        self.endResetModel()

    def change(self, index: Index) -> Change | None:
        """The change of a row, None for a page; a rejected one has the mark "rejected"."""
        leaf = self.leaf(index)
        return self.change_at(leaf) if leaf >= 0 else None

    def change_at(self, leaf: int) -> Change:
        planned = len(self._plan) if self._plan else 0
        if self._plan is not None and leaf < planned:
            return self._plan[leaf]
        finding_id, summary = self._rejected[leaf - planned]
        return Change(mark="rejected", record=None, line=None, role="", summary=summary, finding_ids=(finding_id,))

    def first_mending(self) -> QModelIndex:
        """The first row that changes something, invalid when there is none."""
        for leaf in range(min(len(self._plan) if self._plan else 0, 2000)):
            if self.change_at(leaf).mark not in ("kept", "skipped"):
                return self.index_of_leaf(leaf)
        return QModelIndex()

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return len(ChangeColumn)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        change = self.change(index)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(index, change)
            case Role.MARK:
                return change.mark if change else ""
            case Role.POSITION:
                return self.leaf(index)
            case Qt.ItemDataRole.AccessibleTextRole if change and index.column() == ChangeColumn.MARK:
                return f"{words.tr(words.CHANGE.get(change.mark, change.mark))}: {one_line(change.summary, 300)}"
            case Qt.ItemDataRole.ToolTipRole if change:
                return tip(one_line(change.reason, 500))
            case Qt.ItemDataRole.TextAlignmentRole if index.column() == ChangeColumn.LINE:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return words.tr(_TITLES[section])
        if role == Qt.ItemDataRole.TextAlignmentRole and section == ChangeColumn.LINE:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def _text(self, index: Index, change: Change | None) -> str:
        column = index.column()
        if change is None:
            start, stop = self.range_of(self.group(index))
            return f"{start + 1:,} – {stop:,}" if column == ChangeColumn.MARK else ""
        if column == ChangeColumn.MARK:
            return words.tr(words.CHANGE.get(change.mark, change.mark))
        if column == ChangeColumn.LINE:
            if change.mark == "skipped" or change.record is None:
                return ""
            return f"{change.line if change.line is not None else change.record + 1:,}"
        if change.mark == "skipped":
            return words.counted(change.count, "message", "messages") + words.tr(" stay as they are")
        return one_line(f"{change.role}: {change.summary}" if change.role else change.summary, 300)
