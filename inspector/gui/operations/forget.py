"""Forgetting everything that is kept of logs outside of them: what goes is named before, what stays afterwards."""

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from inspector.core.presentation.results import CleanupResult
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.prompts import Prompts
from inspector.gui.common.settings import Settings
from inspector.gui.common.ui_text import pluralize, tr
from inspector.gui.state.document import Document
from inspector.gui.worker.child_process import RequestFailure
from inspector.gui.worker.requests import FORGET

_MAX_NAMED_FILES = 20


class ForgetOperation(QObject):
    """Asks, has the core remove what is its own, and clears the settings of the window."""

    def __init__(self, document: Document, settings: Settings, questions: Prompts, parent: QWidget) -> None:
        super().__init__(parent)
        self._document, self._settings, self._questions = document, settings, questions
        document.process.answer_signal(FORGET).connect(self._on_forgotten)
        document.process.failed.connect(self._on_failed)

    def why_unavailable(self) -> str:
        """Why nothing can be forgotten now, "" when it can."""
        return self._document.why_busy

    def ask(self) -> None:
        """Ask, then forget."""
        if not self.why_unavailable() and self._questions.confirm_forget():
            self._document.process.ask(FORGET, ())

    @Slot(object)
    def _on_forgotten(self, forgotten: CleanupResult) -> None:
        self._settings.forget_all()
        told = [tr("Recent logs, bookmarks, notes, choices and the layout of the window are forgotten.")]
        if forgotten.unfinished:
            told.append(
                f"{pluralize(len(forgotten.unfinished), 'file', 'files')} {tr('left over of a save: removed.')}"
            )
        beside = [hiding.display_path(path) for path in forgotten.beside[:_MAX_NAMED_FILES]]
        stays = tr("These hold what logs say, and stay until you remove them:")
        more = (
            f"{stays}\n" + "\n".join(beside) if beside else tr("No backup or set-aside bytes were found beside logs.")
        )
        self._questions.show_message(" ".join(told), more)

    @Slot(object)
    def _on_failed(self, failure: RequestFailure) -> None:
        if failure.request is FORGET:
            self._questions.show_message(tr("Not everything was forgotten"), failure.sentence)
