"""The side tab that shows the repaired history before anything is written."""

from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QWidget

from inspector.gui.basics import theme
from inspector.gui.basics.action_table import Action
from inspector.gui.basics.actions import Actions
from inspector.gui.basics.gate import Label
from inspector.gui.basics.layouts import in_a_column
from inspector.gui.basics.settings import Settings
from inspector.gui.document.document import Document
from inspector.gui.panels.changes_panel import ChangesPanel
from inspector.gui.panels.icon_lines import IconLines
from inspector.gui.panels.nothing_to_show import NothingToShow
from inspector.gui.panels.open_calls_strip import OpenCallsStrip
from inspector.gui.panels.outcome_lines import outcome_lines
from inspector.gui.panels.questions import Questions
from inspector.gui.panels.repair_options import RepairOptions


class RepairPanel(QWidget):
    """Options, changes, outcome, and the saves."""

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
        self.changes = ChangesPanel(document, actions, self)
        self.outcome = IconLines(lambda: outcome_lines(document), self.tr("What the repair comes to"), self)
        self.open_calls = OpenCallsStrip(document, self)
        self._lay_out(actions)
        document.repair.plan_changed.connect(self._on_plan_changed)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._document.open_calls.request()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.outcome.set_limit(self.height() // 5)

    def _on_plan_changed(self) -> None:
        if self.isVisible():
            self._document.open_calls.request()
        self.outcome.refresh()
        self._show_whether_needed()

    def _show_whether_needed(self) -> None:
        log, plan = self._document.log, self._document.repair.plan
        idle = log is not None and not len(log.findings) and (plan is None or not len(plan))
        if idle:
            self._nothing.show_text("ok", theme.GOOD, self.tr("There is nothing to repair: the log is healthy."))
        self._middle.setCurrentWidget(self._nothing if idle else self.changes)

    def _lay_out(self, actions: Actions) -> None:
        self._nothing = NothingToShow(self)
        self._middle = QStackedWidget(self)
        self._middle.addWidget(self.changes)
        self._middle.addWidget(self._nothing)
        saves = QHBoxLayout()
        saves.setContentsMargins(12, 5, 12, 6)
        saves.setSpacing(6)
        saves.addWidget(Label(self.tr("Save"), self))
        for action in (Action.SAVE_NEW_SESSION, Action.SAVE_COPY, Action.SAVE_IN_PLACE):
            saves.addWidget(actions.make_button(action, self))
        in_a_column(self, self.options, self._middle, self.outcome, self.open_calls, saves, grows=self._middle)
