"""The preview of a repair as a list of changes, in pages when it is long; what was rejected stands at its end."""

from enum import IntEnum

from PySide6.QtCore import QModelIndex, QObject

from inspector.core.showing.answers import Change
from inspector.gui.answers.planned_repair import PlannedRepair
from inspector.gui.basics import theme, words
from inspector.gui.basics.plain_text import one_line
from inspector.gui.models.columns import Column, Index, Table
from inspector.gui.models.paged_tree import PagedTreeModel
from inspector.gui.models.roles import Role


class ChangeColumn(IntEnum):
    """The columns of the list of changes."""

    MARK = 0
    LINE = 1
    SUMMARY = 2


def _mark(change: Change) -> str:
    return words.tr(words.CHANGE.get(change.mark, change.mark))


def _line(change: Change) -> str:
    if change.mark == "skipped" or change.record is None:
        return ""
    return f"{change.line if change.line is not None else change.record + 1:,}"


def _summary(change: Change) -> str:
    if change.mark == "skipped":
        return words.counted(change.count, "message", "messages") + words.tr(" stay as they are")
    return one_line(f"{change.role}: {change.summary}" if change.role else change.summary, 300)


CHANGES = Table[Change](
    (
        Column("Change", _mark, ("unchanged",), room=40, colours=theme.CHANGE),
        Column("Line", _line, ("88,888",), right=True),
        Column("Message", _summary),
    ),
    tip=lambda change: one_line(change.reason, 500),
    spoken=lambda change: f"{_mark(change)}: {one_line(change.summary, 300)}",
    speaker=ChangeColumn.MARK,
    roles={Role.MARK: lambda change: change.mark},
)


class ChangesModel(PagedTreeModel):
    """Shows a PlannedRepair; `rejected` are (finding id, words) that the person chose to leave as they are."""

    TABLE = CHANGES

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

    def row(self, index: Index) -> Change | None:
        """The change of a leaf, None for a page; a rejected one has the mark "rejected"."""
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
