"""Forgets everything that is stored about logs outside of them. Shows what is removed before, and what stays after."""

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from inspector.core.presentation.engine_results import StoredDataRemoval
from inspector.core.translation import tr_plural
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.dialog_questions import DialogQuestions
from inspector.gui.common.settings import Settings
from inspector.gui.common.ui_text import tr
from inspector.gui.state.document import Document
from inspector.gui.worker.child_client import RequestFailure
from inspector.gui.worker.requests import FORGET_STORED_DATA

_MAX_NAMED_FILES = 20


class ForgetOperation(QObject):
    """The operation: it asks, has the core remove its files, and clears the settings of the window.

    Signals: `forgotten`.
    """

    forgotten = Signal()

    def __init__(self, document: Document, settings: Settings, questions: DialogQuestions, parent: QWidget) -> None:
        super().__init__(parent)
        self._document, self._settings, self._questions = document, settings, questions
        document.process.answer_signal(FORGET_STORED_DATA).connect(self._on_forgotten)
        document.process.failed.connect(self._on_failed)

    def why_unavailable(self) -> str:
        """Return why nothing can be forgotten now, "" when it can."""
        return self._document.why_busy

    def ask(self) -> None:
        """Ask for confirmation, then forget."""
        if not self.why_unavailable() and self._questions.confirm_forget():
            self._document.process.ask(FORGET_STORED_DATA, ())

    @Slot(object)
    def _on_forgotten(self, forgotten: StoredDataRemoval) -> None:
        self._settings.forget_all()
        self.forgotten.emit()
        sentences = [
            tr(
                "The list of recent logs, the bookmarks, the notes, the saved repair choices and the window layout "
                "were removed."
            )
        ]
        if forgotten.unfinished:
            sentences.append(
                tr(
                    "Files left over from a save were removed: {files}.",
                    files=tr_plural("{number:,} file", "{number:,} files", len(forgotten.unfinished)),
                )
            )
        remaining = [hiding.display_path(path) for path in forgotten.beside[:_MAX_NAMED_FILES]]
        heading = tr("These files contain log content and are kept until you delete them:")
        details = (
            f"{heading}\n" + "\n".join(remaining)
            if remaining
            else tr("No backups or damaged bytes were found next to any logs.")
        )
        self._questions.show_message(" ".join(sentences), details)

    @Slot(object)
    def _on_failed(self, failure: RequestFailure) -> None:
        if failure.request is FORGET_STORED_DATA:
            self._questions.show_message(tr("Not everything was removed"), failure.sentence)
