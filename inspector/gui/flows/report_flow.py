"""A report to pass on, on the open log or on what is chosen in a list: into the clipboard, or by a dialog."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from inspector.core.showing.outward import RenderedReport, ShareOptions
from inspector.gui.basics.hiding import hiding
from inspector.gui.basics.words import tr
from inspector.gui.dialogs.report_dialog import Listed, ReportDialog
from inspector.gui.document.document import Document
from inspector.gui.document.state import Notice
from inspector.gui.panels.questions import Questions
from inspector.gui.process.child_process import Failure
from inspector.gui.process.requests import OUTWARD, OUTWARD_OF, SAVE_OUTWARD, SAVE_OUTWARD_OF

Say = Callable[[Notice], None]


class ReportFlow(QObject):
    """What is copied at once has nothing of the conversation in it."""

    def __init__(self, document: Document, listed: Listed, questions: Questions, parent: QWidget) -> None:
        super().__init__(parent)
        self._document, self._listed, self._questions, self._parent = document, listed, questions, parent
        self._copies = False
        here, there = partial(self._on_answer, document.show_notice), partial(self._on_answer, listed.say)
        document.process.answer_signal(OUTWARD).connect(here)
        listed.process.answer_signal(OUTWARD_OF).connect(there)
        document.process.answer_signal(SAVE_OUTWARD).connect(partial(self._on_saved, document.show_notice))
        listed.process.answer_signal(SAVE_OUTWARD_OF).connect(partial(self._on_saved, listed.say))
        document.process.failed.connect(partial(self._on_failed, document.show_notice))
        listed.process.failed.connect(partial(self._on_failed, listed.say))

    def why_unavailable(self, listing: bool) -> str:
        """Why there is no report now, "" when there is one; with `listing` of what is chosen in the list."""
        if not listing:
            return self._document.why_not_writable
        if self._listed.busy():
            return tr("The list is still being checked.")
        return "" if self._listed.logs() else tr("Select a log or a ticket first.")

    def copy(self, listing: bool) -> None:
        """Copy the report."""
        if not self.why_unavailable(listing):
            self._copies = True
            if listing:
                self._listed.process.ask(OUTWARD_OF, self._listed.logs(), ShareOptions())
            else:
                self._document.process.ask(OUTWARD, ShareOptions())

    def open_dialog(self, listing: bool) -> None:
        """Show it in a dialog."""
        if not self.why_unavailable(listing):
            self._copies = False
            dialog = ReportDialog(self._document, self._questions, self._parent, self._listed if listing else None)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.open()

    def _on_answer(self, say: Say, report: RenderedReport) -> None:
        if self._copies:
            self._copies = False
            QGuiApplication.clipboard().setText(report.text)
            say(Notice(self.tr("The report is in the clipboard. Nothing of the conversation is in it."), good=True))

    def _on_saved(self, say: Say, path: str) -> None:
        say(Notice(f"{self.tr('The report is saved:')} {hiding.display_path(path)}", good=True))

    def _on_failed(self, say: Say, failure: Failure) -> None:
        """What a dialog asks for to show it, it tells of itself; of a child's death its owner does."""
        copied = self._copies and failure.request in (OUTWARD, OUTWARD_OF)
        self._copies = self._copies and not (copied or failure.died)
        if not failure.died and (copied or failure.request in (SAVE_OUTWARD, SAVE_OUTWARD_OF)):
            say(Notice(failure.sentence))
