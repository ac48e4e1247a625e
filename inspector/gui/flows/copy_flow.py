"""Trimming and converting: whether each is possible and why not, and its dialog."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from inspector.gui.basics.words import tr
from inspector.gui.dialogs.convert_dialog import ConvertDialog
from inspector.gui.dialogs.copy_dialog import CopyDialog
from inspector.gui.dialogs.trim_dialog import TrimDialog
from inspector.gui.document.document import Document
from inspector.gui.flows.save_flow import UNAVAILABLE
from inspector.gui.panels.questions import Questions


class CopyFlow:
    """Opens the dialogs over `parent`; the document writes, and `show_saved` shows what came of it."""

    def __init__(
        self, document: Document, questions: Questions, parent: QWidget, show_saved: Callable[[], object]
    ) -> None:
        self._document, self._questions, self._parent = document, questions, parent
        self._show_saved = show_saved

    def why_no_trim(self) -> str:
        """Why the log cannot be trimmed now, "" when it can."""
        log = self._document.log
        if obstacle := self.why_no_convert():
            return obstacle
        if log is not None and "copy" not in log.overview.save_modes:
            return log.overview.why_read_only or tr(UNAVAILABLE["copy"])
        return ""

    def why_no_convert(self) -> str:
        """Why the log cannot be converted now, "" when it can."""
        return self._document.why_not_writable or self._document.repair.why_not_plannable

    def trim(self) -> None:
        if not self.why_no_trim():
            self._open(TrimDialog(self._document, self._questions, self._parent))

    def convert(self) -> None:
        if not self.why_no_convert():
            self._open(ConvertDialog(self._document, self._questions, self._parent))

    def _open(self, dialog: CopyDialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.accepted.connect(self._show_saved)
        dialog.open()
