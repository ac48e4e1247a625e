"""Passing on what holds nothing of the conversation: a bundle for who mends the agent, a repair for who has the log."""

from pathlib import Path

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QWidget

from inspector.gui.basics.hiding import hiding
from inspector.gui.basics.words import counted
from inspector.gui.dialogs.bundle_dialog import BundleDialog
from inspector.gui.dialogs.send_back_dialog import SendBackDialog
from inspector.gui.document.document import Document
from inspector.gui.document.state import Notice
from inspector.gui.flows.save_flow import SaveFlow
from inspector.gui.panels.questions import Questions
from inspector.gui.process.child_process import Failure
from inspector.gui.process.requests import SAVE_BUNDLE, SAVE_SEND_BACK


class PassOnFlow(QObject):
    """Opens the dialogs, and tells what came of them."""

    def __init__(self, document: Document, questions: Questions, saves: SaveFlow, parent: QWidget) -> None:
        super().__init__(parent)
        self._document, self._questions, self._saves, self._parent = document, questions, saves, parent
        self._target = ""
        document.process.answer_signal(SAVE_BUNDLE).connect(self._on_bundled)
        document.process.answer_signal(SAVE_SEND_BACK).connect(self._on_sent_back)
        document.process.failed.connect(self._on_failed)

    def why_no_bundle(self) -> str:
        """Why no bundle can be made now, "" when one can."""
        return self._document.why_not_writable or self._document.repair.why_not_plannable

    def why_no_send_back(self) -> str:
        """Why no repair can be sent back now, "" when one can."""
        return self._saves.why_unavailable("copy")

    def make_bundle(self) -> None:
        """Ask for the language of its reports and for a place, and have it written."""
        if self.why_no_bundle():
            return
        dialog = BundleDialog(self._parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.accepted.connect(lambda: self._make_bundle(dialog.language.currentData(), dialog.windowTitle()))
        dialog.open()

    def send_back(self) -> None:
        """Show what would leave, and let it be saved."""
        if not self.why_no_send_back():
            dialog = SendBackDialog(self._document, self._questions, self._parent)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.open()

    def _make_bundle(self, language: str, title: str) -> None:
        if target := self._questions.target_of_copy(str(Path.home() / "bundle.zip"), title):
            self._target = target
            self._document.show_notice(Notice(self.tr("The bundle is being made, and checked before it is written.")))
            self._document.process.ask(SAVE_BUNDLE, language, self._target)

    @Slot(object)
    def _on_bundled(self, findings: int) -> None:
        told = counted(findings, self.tr("finding, as the log has"), self.tr("findings, as the log has"))
        place = hiding.display_path(self._target)
        self._document.show_notice(Notice(f"{self.tr('The bundle is saved:')} {place}. {told}.", good=True))

    @Slot(object)
    def _on_sent_back(self, path: str) -> None:
        told = self.tr("What is to be sent back is saved, without a word of the conversation:")
        self._document.show_notice(Notice(f"{told} {hiding.display_path(path)}", good=True))

    @Slot(object)
    def _on_failed(self, failure: Failure) -> None:
        if failure.request in (SAVE_BUNDLE, SAVE_SEND_BACK) and not failure.died:
            self._document.show_notice(Notice(failure.sentence))
