"""The side panel: details, raw bytes, repair."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedWidget, QTabWidget, QWidget

from inspector.gui.basics import theme
from inspector.gui.basics.actions import Actions
from inspector.gui.basics.focus import focus_in
from inspector.gui.basics.settings import Settings
from inspector.gui.document.document import Document
from inspector.gui.panels.details_panel import DetailsPanel
from inspector.gui.panels.nothing_to_show import NothingToShow
from inspector.gui.panels.questions import Questions
from inspector.gui.panels.raw_panel import RawPanel
from inspector.gui.panels.repair_panel import RepairPanel
from inspector.gui.panels.saved_page import SavedPage


class SidePanel(QTabWidget):
    """Three tabs on the current message."""

    def __init__(
        self, document: Document, actions: Actions, settings: Settings, questions: Questions, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setDocumentMode(True)
        self.setAccessibleName(self.tr("Side panel"))
        self.details = DetailsPanel(document, self)
        self.raw = RawPanel(document, self)
        self.repair = RepairTab(document, actions, settings, questions, self)
        self.addTab(self.details, self.tr("Details"))
        self.addTab(self.raw, self.tr("Raw"))
        self.addTab(self.repair, self.tr("Repair"))
        self._document, self._saved = document, document.saved
        document.state_changed.connect(self._on_state_changed)

    def show_tab(self, tab: QWidget) -> None:
        self.setCurrentWidget(tab)
        focus_in(tab, Qt.FocusReason.ShortcutFocusReason)

    def _on_state_changed(self) -> None:
        """What was saved is shown wherever it was saved from."""
        saved, self._saved = self._saved, self._document.saved
        if self._saved is not None and self._saved is not saved:
            self.setCurrentWidget(self.repair)
            self.repair.saved.focus_next_step()


class RepairTab(QStackedWidget):
    """The repair, the page after a save, or a sentence when there is nothing to repair."""

    def __init__(
        self, document: Document, actions: Actions, settings: Settings, questions: Questions, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._nothing = NothingToShow(self)
        self.panel = RepairPanel(document, actions, settings, questions, self)
        self.saved = SavedPage(document, self)
        self._shown_saved: object = None
        for page in (self._nothing, self.panel, self.saved):
            self.addWidget(page)
        document.log_changed.connect(self.refresh)
        document.state_changed.connect(self.refresh)
        document.repair.plan_changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show the page that fits the state."""
        document, draft = self._document, self._document.repair
        if document.saved is not None:
            if document.saved is not self._shown_saved:
                self._shown_saved = document.saved
                self.saved.show_saved(document.saved)
            self.setCurrentWidget(self.saved)
            return
        self._shown_saved = None
        log = document.log
        if log is None or not log.complete:
            self._nothing.show_text("pending", theme.INFO, self.tr("The repair is planned when the log has been read."))
        elif not draft.judged:
            self._nothing.show_text(
                "question", theme.WARNING, self.tr("This log could not be judged, so no repair can be planned.")
            )
        else:
            self.setCurrentWidget(self.panel)
            return
        self.setCurrentWidget(self._nothing)
