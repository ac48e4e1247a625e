"""Repair operations that need more than a choice: undo placeholders, compare logs, take results from other logs."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from inspector.core.analysis.finding import PLACEHOLDER_RULE
from inspector.gui.common.dialog_questions import DialogQuestions
from inspector.gui.common.ui_text import tr
from inspector.gui.dialogs.other_log_dialogs import CompareLogsDialog, ResultOffersDialog
from inspector.gui.state.document import Document


class UndoAndCompareOperations:
    """The operations. They ask the person, and the repair draft takes the choices.

    `show_plan` shows the resulting plan.
    """

    def __init__(
        self, document: Document, questions: DialogQuestions, parent: QWidget, show_plan: Callable[[], object]
    ) -> None:
        self._document, self._questions, self._parent = document, questions, parent
        self._show_plan = show_plan

    def why_no_undo(self) -> str:
        """Return why there are no placeholders to undo, "" when there are."""
        log, draft = self._document.log, self._document.repair
        if log is None or not any(group.rule == PLACEHOLDER_RULE for group in log.findings.groups):
            return tr("This log contains no known placeholders.")
        undone = draft.choices.rules.get(PLACEHOLDER_RULE) == "undo-placeholder"
        return tr("The planned repair already removes these placeholders.") if undone else ""

    def undo_placeholders(self) -> None:
        if not self.why_no_undo():
            self._document.repair.choose_for_rule(PLACEHOLDER_RULE, "undo-placeholder")
            self._show_plan()

    def why_no_results(self) -> str:
        """Return why no result can be taken, "" when one can."""
        log = self._document.log
        if log is None or self._document.repair.why_not_plannable:
            return self._document.repair.why_not_plannable
        return "" if log.has_open_calls else tr("Every call has a result.")

    def compare(self) -> None:
        """Ask for another log of the conversation, and show the differences."""
        path = self._questions.log_to_compare(str(Path(self._document.path).parent))
        if path:
            dialog = CompareLogsDialog(self._document, path, self._parent)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.accepted.connect(self._show_plan)
            dialog.show()

    def take_results(self) -> None:
        """Ask for other logs, and show the results that they offer."""
        folder = str(Path(self._document.path).parent)
        paths = self._questions.logs_with_results(folder) if not self.why_no_results() else []
        if paths:
            dialog = ResultOffersDialog(self._document, tuple(paths), self._parent)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.accepted.connect(self._show_plan)
            dialog.open()
