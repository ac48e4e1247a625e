"""A report to pass on: at once into the clipboard, or by a dialog that shows all of it first."""

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from inspector.core.showing.outward import OutwardReport, OutwardWish
from inspector.gui.basics.hiding import hiding
from inspector.gui.dialogs.report_dialog import ReportDialog
from inspector.gui.document.document import Document
from inspector.gui.document.state import Notice
from inspector.gui.panels.questions import Questions
from inspector.gui.process.requests import OUTWARD, SAVE_OUTWARD


class ReportFlow(QObject):
    """What is copied at once has nothing of the conversation in it."""

    def __init__(self, document: Document, questions: Questions, parent: QWidget) -> None:
        super().__init__(parent)
        self._document, self._questions, self._parent = document, questions, parent
        self._copies = False
        document.process.answered(OUTWARD).connect(self._on_answer)
        document.process.answered(SAVE_OUTWARD).connect(self._on_saved)

    def copy(self) -> None:
        """Copy the report."""
        if not self._document.obstacle:
            self._copies = True
            self._document.process.ask(OUTWARD, OutwardWish())

    def ask(self) -> None:
        """Show it in a dialog."""
        if not self._document.obstacle:
            self._copies = False
            dialog = ReportDialog(self._document, self._questions, self._parent)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.open()

    @Slot(object)
    def _on_answer(self, report: OutwardReport) -> None:
        if self._copies:
            self._copies = False
            QGuiApplication.clipboard().setText(report.text)
            sentence = self.tr("The report is in the clipboard. Nothing of the conversation is in it.")
            self._document.say(Notice(sentence, good=True))

    @Slot(object)
    def _on_saved(self, path: str) -> None:
        self._document.say(Notice(f"{self.tr('The report is saved:')} {hiding.place(path)}", good=True))
