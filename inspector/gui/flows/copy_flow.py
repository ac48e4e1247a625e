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

    def no_trimming(self) -> str:
        """Why the log cannot be trimmed now, "" when it can."""
        log = self._document.log
        if obstacle := self.no_converting():
            return obstacle
        if log is not None and "copy" not in log.overview.save_modes:
            return log.overview.why_read_only or tr(UNAVAILABLE["copy"])
        return ""

    def no_converting(self) -> str:
        """Why the log cannot be converted now, "" when it can."""
        return self._document.obstacle or self._document.repair.unjudged

    def trim(self) -> None:
        if not self.no_trimming():
            self._open(TrimDialog(self._document, self._questions, self._parent))

    def convert(self) -> None:
        if not self.no_converting():
            self._open(ConvertDialog(self._document, self._questions, self._parent))

    def _open(self, dialog: CopyDialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.accepted.connect(self._show_saved)
        dialog.open()
