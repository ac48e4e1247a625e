"""Restores a backup: asks which one, shows what it would put back, and reports the result."""

from collections.abc import Callable

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal, Slot

from inspector.core.presentation.engine_results import Backup, RestoreResult
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.dialog_questions import DialogQuestions
from inspector.gui.common.ui_text import tr
from inspector.gui.state.document import Document
from inspector.gui.state.load_status import Notice
from inspector.gui.worker.child_client import RequestFailure
from inspector.gui.worker.requests import BACKUP_INFO, RESTORE


class RestoreOperation(QObject):
    """The operation: it asks, and reports a refusal. The engine restores, and `open` shows the restored log.

    Signals: `restored`.
    """

    restored = Signal()

    def __init__(
        self, document: Document, questions: DialogQuestions, open: Callable[[str], None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._document, self._questions, self._open = document, questions, open
        self._process = document.process
        self._process.answer_signal(BACKUP_INFO).connect(self._on_backup_known)
        self._process.answer_signal(RESTORE).connect(self._on_restored)
        self._process.failed.connect(self._on_failed)

    def why_unavailable(self) -> str:
        """Return why nothing can be restored now, "" when it can."""
        return self._document.why_not_writable if self._document.saving else ""

    def choose(self, folder: str) -> None:
        """Ask for a backup, and restore it."""
        backup = self._questions.backup_to_restore(folder)
        if backup:
            self.restore(backup)

    def restore(self, backup: str) -> None:
        """Show what a backup would put back, ask for confirmation, and restore it."""
        if not self.why_unavailable():
            self._process.ask(BACKUP_INFO, backup)

    @Slot(object)
    def _on_backup_known(self, backup: Backup) -> None:
        if self._questions.confirm_restore(backup.path, backup.original):
            self._process.ask(RESTORE, backup.path)

    @Slot(object)
    def _on_restored(self, restored: RestoreResult) -> None:
        self._open(restored.path)
        shown = replace(restored, path=hiding.display_path(restored.path), kept=hiding.display_path(restored.kept))
        sentences = (*shown.sentences, *restored.warnings)
        self._document.show_notice(Notice(" ".join(sentences), good=not restored.warnings))
        self.restored.emit()

    @Slot(object)
    def _on_failed(self, failure: RequestFailure) -> None:
        if failure.request in (BACKUP_INFO, RESTORE):
            self._questions.show_message(tr("Nothing was restored"), failure.sentence)
