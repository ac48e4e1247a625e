"""Saves of the repair, trimmed copies and converted copies: whether each is possible, and what is asked."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from inspector.gui.common.actions import Action
from inspector.gui.common.dialog_questions import DialogQuestions
from inspector.gui.common.ui_text import tr
from inspector.gui.dialogs.export_dialog_base import ExportDialogBase
from inspector.gui.dialogs.trim_and_convert_dialogs import ConvertDialog, TrimDialog
from inspector.gui.state.document import Document
from inspector.gui.worker.requests import SAVE_REPAIR

SAVE_MODES = {
    Action.SAVE_NEW_SESSION: "new-session",
    Action.SAVE_COPY: "copy",
    Action.SAVE_IN_PLACE: "in-place",
}

UNAVAILABLE_REASONS = {
    "new-session": tr("This log cannot be saved as a new session because the agent would not find it."),
    "copy": tr("This log cannot be saved as a copy."),
    "in-place": tr("This log cannot be saved in place."),
}


class SaveOperation:
    """The saves of the repair. This class decides and asks, and the document writes."""

    def __init__(self, document: Document, questions: DialogQuestions) -> None:
        self._document = document
        self._questions = questions

    def why_unavailable(self, mode: str) -> str:
        """Return why a save is not possible now, "" when it is."""
        document, draft = self._document, self._document.repair
        log = document.whole_log
        if log is not None and mode not in log.overview.save_modes:
            return log.overview.why_read_only or tr(UNAVAILABLE_REASONS[mode])
        if document.why_not_writable:
            return document.why_not_writable
        if not draft.judged:
            return tr("The log was not checked, so there is no repair to save.")
        if draft.failure:
            return draft.failure
        if draft.planning or draft.plan is None:
            return tr("The repair is still being planned.")
        return "" if mode == "copy" and draft.is_partial else draft.why_not_worth_writing

    def save(self, mode: str) -> None:
        """Ask what is needed, then write."""
        if self.why_unavailable(mode):
            return
        target = ""
        if mode == "copy":
            partial = self._document.repair.is_partial
            title = tr("Save a partly repaired copy (still broken)") if partial else ""
            target = self._questions.target_of_copy(self.name_of_copy, self._document.path, title)
            if not target:
                return
            mode = "partial-copy" if partial else mode
        elif mode == "in-place" and not self._questions.confirm_agent_closed(self._document.path):
            return
        self._document.write(SAVE_REPAIR, self._document.repair.choices, mode, target)

    @property
    def name_of_copy(self) -> str:
        """The name that is suggested for a copy."""
        log = self._document.log
        return log.overview.copy_name if log else ""


class TrimAndConvertOperations:
    """Trimming and converting. This class opens the dialogs over `parent`, and the document writes.

    `show_saved` shows the result.
    """

    def __init__(
        self, document: Document, questions: DialogQuestions, parent: QWidget, show_saved: Callable[[], object]
    ) -> None:
        self._document, self._questions, self._parent = document, questions, parent
        self._show_saved = show_saved

    def why_no_trim(self) -> str:
        """Return why the log cannot be trimmed now, "" when it can."""
        log = self._document.log
        if obstacle := self.why_no_convert():
            return obstacle
        if log is not None and "copy" not in log.overview.save_modes:
            return log.overview.why_read_only or tr(UNAVAILABLE_REASONS["copy"])
        return ""

    def why_no_convert(self) -> str:
        """Return why the log cannot be converted now, "" when it can."""
        return self._document.why_not_writable or self._document.repair.why_not_plannable

    def trim(self) -> None:
        if not self.why_no_trim():
            self._open(TrimDialog(self._document, self._questions, self._parent))

    def continue_from_here(self) -> None:
        """Ask for a session that ends before the selected message."""
        if not self.why_no_trim():
            self._open(TrimDialog(self._document, self._questions, self._parent, before=self._document.node))

    def convert(self) -> None:
        if not self.why_no_convert():
            self._open(ConvertDialog(self._document, self._questions, self._parent))

    def _open(self, dialog: ExportDialogBase) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.accepted.connect(self._show_saved)
        dialog.open()
