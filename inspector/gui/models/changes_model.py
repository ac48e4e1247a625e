"""The changes of a planned repair as a list, in pages when it is long."""

from enum import IntEnum

from PySide6.QtCore import QObject

from inspector.core.presentation.engine_results import PreviewRow
from inspector.core.translation import tr, tr_plural
from inspector.gui.common import theme, ui_text
from inspector.gui.common.safe_text import to_one_line
from inspector.gui.models.base import ColumnSpec, ItemRole, ModelIndex, PagedTreeModel, TableSpec
from inspector.gui.worker.packed_answers import PlannedRepair


class ChangeColumn(IntEnum):
    """The columns of the list of changes."""

    MARK = 0
    LINE = 1
    SUMMARY = 2


def _mark(change: PreviewRow) -> str:
    return tr(ui_text.CHANGE_WORDS.get(change.mark, change.mark))


def _line(change: PreviewRow) -> str:
    if change.mark == "skipped" or change.record is None:
        return ""
    return f"{change.line if change.line is not None else change.record + 1:,}"


def _summary(change: PreviewRow) -> str:
    if change.mark == "skipped":
        return tr_plural("{number:,} unchanged message", "{number:,} unchanged messages", change.count)
    return to_one_line(f"{change.role}: {change.summary}" if change.role else change.summary, 300)


CHANGES_TABLE = TableSpec[PreviewRow](
    (
        ColumnSpec(tr("Change"), _mark, ("unchanged",), padding=40, colours=theme.CHANGE_COLOURS),
        ColumnSpec(tr("Line"), _line, ("88,888",), align_right=True),
        ColumnSpec(tr("Message"), _summary),
    ),
    tip=lambda change: to_one_line(change.reason, 500),
    accessible_text=lambda change: f"{_mark(change)}: {to_one_line(change.summary, 300)}",
    accessible_column=ChangeColumn.MARK,
    roles={ItemRole.MARK: lambda change: change.mark},
)


class ChangesModel(PagedTreeModel):
    """The model of a PlannedRepair."""

    TABLE = CHANGES_TABLE

    def __init__(self, parent: QObject | None = None) -> None:
        self._plan: PlannedRepair | None = None
        super().__init__(parent)

    def show(self, plan: PlannedRepair | None) -> None:
        """Show another plan."""
        self.beginResetModel()
        self._plan = plan
        self.clear_groups()
        self.set_root_leaves(len(plan) if plan else 0)
        self.endResetModel()

    def row(self, index: ModelIndex) -> PreviewRow | None:
        """Return the change of a leaf, None for a page."""
        leaf = self.leaf(index)
        return self._plan[leaf] if self._plan is not None and leaf >= 0 else None
