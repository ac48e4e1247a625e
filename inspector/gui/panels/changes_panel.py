"""The planned repair, change by change: the list, accepting and rejecting, and both sides of the selected one."""

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QTreeView, QWidget

from inspector.gui.basics.action_table import Action
from inspector.gui.basics.actions import Actions
from inspector.gui.basics.layouts import in_a_column
from inspector.gui.delegates.row_painter import RowPainter
from inspector.gui.document.document import Document
from inspector.gui.models.changes_model import ChangesModel
from inspector.gui.panels.compare_view import CompareView
from inspector.gui.panels.list_view import set_up_columns, set_up_list

_MIN_HEIGHT = 54


class ChangesPanel(QSplitter):
    """Follows the selection, and selects."""

    def __init__(self, document: Document, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._document = document
        self.model = ChangesModel(self)
        self.view = QTreeView(self)
        self.compare = CompareView(document, self)
        set_up_list(self.view, self.model, self.tr("Changes"), _MIN_HEIGHT)
        set_up_columns(self.view, self.model.TABLE.columns, RowPainter(self.font()))
        self.view.selectionModel().currentChanged.connect(self._on_current_changed)
        # Above the list: nothing there grows, so that the next click on a button hits the same one.
        decide = QHBoxLayout()
        decide.setContentsMargins(12, 4, 12, 4)
        for action in (Action.REJECT_CHANGE, Action.ACCEPT_CHANGE):
            decide.addWidget(actions.make_button(action, self))
        decide.addStretch()
        top = QWidget(self)
        in_a_column(top, decide, self.view, grows=self.view)
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)
        self.addWidget(top)
        self.addWidget(self.compare)
        self.setSizes([160, 400])
        document.repair.plan_changed.connect(self._on_plan_changed)
        document.place_changed.connect(self._follow)

    def resizeEvent(self, event: QResizeEvent) -> None:
        # A pane that grows must not push the change in view out of its list.
        super().resizeEvent(event)
        self.view.scrollTo(self.view.currentIndex())

    def _on_plan_changed(self) -> None:
        draft = self._document.repair
        if draft.planning and draft.plan is not None:
            return  # What was planned before stays until the new plan is there.
        self.model.show(draft.plan)
        self.view.setRootIsDecorated(self.model.hasChildren(self.model.index(0, 0)))
        self._follow()

    def _follow(self) -> None:
        """Show the change that is selected."""
        change, current = self._document.selection.change, self.view.currentIndex()
        pages = self.model.positions(current)
        if not pages or pages.start != change:
            index = self.model.index_of_leaf(change)
            self.view.setCurrentIndex(index)
            self.view.scrollTo(index)

    def _on_current_changed(self, current: QModelIndex) -> None:
        if positions := self.model.positions(current):
            self._document.selection.select_change(positions.start)
