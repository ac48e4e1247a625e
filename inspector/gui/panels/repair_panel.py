"""The side tab that shows the repaired history before anything is written."""

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from inspector.gui.basics import theme
from inspector.gui.basics.actions import Action, Actions
from inspector.gui.basics.gate import Label
from inspector.gui.basics.settings import Settings
from inspector.gui.delegates.row_painter import RowPainter
from inspector.gui.document.document import Document
from inspector.gui.models.changes_model import ChangesModel
from inspector.gui.panels.compare_view import CompareView
from inspector.gui.panels.icon_lines import IconLines
from inspector.gui.panels.list_view import set_up_columns, set_up_list
from inspector.gui.panels.nothing_to_show import NothingToShow
from inspector.gui.panels.open_calls_strip import OpenCallsStrip
from inspector.gui.panels.outcome_lines import outcome_lines
from inspector.gui.panels.questions import Questions
from inspector.gui.panels.repair_options import RepairOptions

_MIN_HEIGHT = 60


class RepairPanel(QWidget):
    """Options, changes, both sides of the selected change, outcome, and the saves."""

    def __init__(
        self,
        document: Document,
        actions: Actions,
        settings: Settings,
        questions: Questions,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self.options = RepairOptions(document, actions, settings, questions, self)
        self.model = ChangesModel(self)
        self.view = QTreeView(self)
        self.decide = QPushButton(self.tr("Reject this change"), self)
        self.decide.clicked.connect(self._on_decide_clicked)
        self.compare = CompareView(self)
        self.outcome = IconLines(lambda: outcome_lines(document), self.tr("What the repair comes to"), self)
        self.open_calls = OpenCallsStrip(document, self)
        self._set_up_view()
        self._lay_out(actions)
        document.repair.plan_changed.connect(self._on_plan_changed)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._document.open_calls.want()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.outcome.set_limit(self.height() // 5)

    def _on_plan_changed(self) -> None:
        draft = self._document.repair
        if self.isVisible():
            self._document.open_calls.want()
        self.outcome.refresh()
        self._show_whether_needed()
        self.view.setEnabled(not draft.planning)
        if draft.planning and draft.plan is not None:
            return
        row = self.model.leaf(self.view.currentIndex())
        self.model.show(draft.plan, draft.rejected())
        self.view.setRootIsDecorated(self.model.hasChildren(self.model.index(0, 0)))
        index = self.model.index_of_leaf(row)
        self.view.setCurrentIndex(index if index.isValid() else self.model.first_mending())
        self._show_change()

    def _show_whether_needed(self) -> None:
        log, plan = self._document.log, self._document.repair.plan
        idle = log is not None and not len(log.findings) and (plan is None or not len(plan))
        if idle:
            self._nothing.say("ok", theme.GOOD, self.tr("There is nothing to repair: the log is healthy."))
        self._middle.setCurrentWidget(self._nothing if idle else self._halves)

    def _on_current_changed(self, current: QModelIndex) -> None:
        self._show_change()

    def _on_clicked(self, index: QModelIndex) -> None:
        change, log = self.model.row(index), self._document.log
        if change and change.record is not None and log and change.record < len(log.outline.node_of_record):
            self._document.select_node(log.outline.node_of_record[change.record])

    def _on_decide_clicked(self) -> None:
        change = self.model.row(self.view.currentIndex())
        if change is None:
            return
        if change.mark == "rejected":
            self._document.repair.accept(change.finding_ids)
        else:
            self._document.repair.reject(change.finding_ids, change.summary)

    def _show_change(self) -> None:
        change = self.model.row(self.view.currentIndex())
        self.compare.show_change(change)
        rejected = change is not None and change.mark == "rejected"
        self.decide.setText(self.tr("Accept it again") if rejected else self.tr("Reject this change"))
        self.decide.setEnabled(change is not None and bool(change.finding_ids))

    def _set_up_view(self) -> None:
        view = self.view
        set_up_list(view, self.model, self.tr("Changes"), _MIN_HEIGHT)
        set_up_columns(view, self.model.TABLE.columns, RowPainter(self.font()))
        view.selectionModel().currentChanged.connect(self._on_current_changed)
        view.clicked.connect(self._on_clicked)

    def _lay_out(self, actions: Actions) -> None:
        decide = QHBoxLayout()
        decide.setContentsMargins(12, 4, 12, 4)
        decide.addStretch()
        decide.addWidget(self.decide)
        top = QWidget(self)
        column = QVBoxLayout(top)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.view, 1)
        column.addLayout(decide)
        self._halves = halves = QSplitter(Qt.Orientation.Vertical, self)
        halves.setHandleWidth(1)
        halves.setChildrenCollapsible(False)
        halves.addWidget(top)
        halves.addWidget(self.compare)
        halves.setSizes([300, 260])
        self._nothing = NothingToShow(self)
        self._middle = QStackedWidget(self)
        self._middle.addWidget(halves)
        self._middle.addWidget(self._nothing)
        saves = QHBoxLayout()
        saves.setContentsMargins(12, 8, 12, 10)
        saves.setSpacing(6)
        saves.addWidget(Label(self.tr("Save"), self))
        for action in (Action.SAVE_NEW_SESSION, Action.SAVE_COPY, Action.SAVE_IN_PLACE):
            saves.addWidget(actions.button(action, self))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.options)
        layout.addWidget(self._middle, 1)
        layout.addWidget(self.outcome)
        layout.addWidget(self.open_calls)
        layout.addLayout(saves)
