"""The base of dialogs that save a copy: options, a preview of the result, and a button to save.

It also has the box to choose a session of a log.
"""

from abc import abstractmethod
from typing import Any

from PySide6.QtCore import QSignalBlocker, QTimer, Slot
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QHBoxLayout, QVBoxLayout, QWidget

from inspector.core.translation import tr
from inspector.gui.common import theme
from inspector.gui.common.dialog_questions import DialogQuestions
from inspector.gui.common.safe_text import SafeLabel, set_safe_tooltip, set_window_title, to_one_line
from inspector.gui.state.document import Document
from inspector.gui.widgets.scroll_areas import IconLine, IconLineList
from inspector.gui.worker.child_client import ChildProcess, RequestFailure
from inspector.gui.worker.packed_answers import OpenedLog
from inspector.gui.worker.requests import AnyRequest

_TITLE_CHARS = 80
_PAUSE_MS = 250


class ExportDialogBase(QDialog):
    """A dialog that exports something of a log.

    The child process computes a preview after each change of the options. Only what has a preview can be saved.
    """

    PREVIEW_REQUEST: AnyRequest
    SAVE_REQUEST: AnyRequest

    def __init__(
        self,
        document: Document,
        prompts: DialogQuestions,
        title: str,
        parent: QWidget | None,
        process: ChildProcess | None = None,
    ) -> None:
        """Create the dialog; `process` is the child process to use, by default that of the document."""
        super().__init__(parent)
        self.process = process or document.process
        self.document, self.questions = document, prompts
        set_window_title(self, title)
        self.answer: Any = None
        self.failure = ""
        self._timer = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._timer.timeout.connect(self.request)
        self.said = IconLineList(self.status_lines, tr("Result"), self, limit=400)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.save = self.buttons.addButton(tr("&Save…"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.save.setDefault(True)
        self.save.clicked.connect(self._on_save_clicked)
        self.buttons.rejected.connect(self.reject)
        self.buttons.setContentsMargins(12, 4, 12, 12)
        self.process.answer_signal(self.PREVIEW_REQUEST).connect(self.set_answer)
        self.process.failed.connect(self._on_failed)
        document.log_changed.connect(self._on_log_changed)

    @abstractmethod
    def options(self) -> tuple[Any, ...]:
        """Return the arguments of `PREVIEW_REQUEST`; `SAVE_REQUEST` takes a path after them."""

    @abstractmethod
    def lines(self) -> list[IconLine]:
        """Return the lines that describe the preview."""

    @abstractmethod
    def why_not_savable(self) -> str:
        """Return why the result is not worth saving, "" if it is."""

    def finish_layout(self, column: QVBoxLayout, below: QWidget | None = None) -> None:
        """Add the preview and the buttons at the end, with the pane `below` between them if there is one."""
        column.addWidget(self.said)
        if below is not None:
            column.addWidget(below, 100)
        column.addStretch(1)
        column.addWidget(self.buttons)
        self.show_answer()
        self.request()

    @Slot()
    def request(self) -> None:
        """Request a preview for the current options."""
        self.process.ask(self.PREVIEW_REQUEST, *self.options())

    @Slot()
    def options_changed(self) -> None:
        """Drop the preview, and request a new one after a short pause."""
        self.answer, self.failure = None, ""
        self._timer.start()
        self.show_answer()

    @Slot(object)
    def set_answer(self, answer: Any) -> None:
        """Take an answer, unless the options have changed since it was requested."""
        if not self._timer.isActive():
            self.answer, self.failure = answer, ""
            self.show_answer()

    def show_answer(self) -> None:
        """Show the preview, or the progress towards it."""
        obstacle = self.why_not_savable() if self.answer is not None else tr("The preview is not ready yet.")
        self.save.setEnabled(not obstacle)
        set_safe_tooltip(self.save, obstacle)
        self.said.refresh()

    def status_lines(self) -> list[IconLine]:
        if self.failure:
            return [("error", theme.ERROR, self.failure)]
        if self.answer is None:
            return [("pending", theme.INFO, tr("Preparing the preview…"))]
        return self.lines()

    def _on_save_clicked(self) -> None:
        target = self.save_target()
        if target is not None:
            self.write(target)
            self.accept()

    def save_target(self) -> str | None:
        """Ask for the file to write, and return it; None if the person cancels."""
        return self.questions.target_of_copy(self.answer.name, self.document.path, self.windowTitle()) or None

    def write(self, target: str) -> None:
        """Save the result; the document shows how that ended."""
        self.document.write(self.SAVE_REQUEST, *self.options(), target)

    @Slot()
    def _on_log_changed(self) -> None:
        """Request the preview again: a request from before the log was read again gets no answer."""
        if self.answer is None:
            self.options_changed()

    @Slot(object)
    def _on_failed(self, failure: RequestFailure) -> None:
        if failure.request is self.PREVIEW_REQUEST or failure.died:
            self.failure = failure.sentence
            self.show_answer()


class SessionComboBox(QComboBox):
    """The box to choose a session by its title; the data of an entry is the session number as text."""

    def fill(self, log: OpenedLog | None, node: int, most: int | None = None) -> None:
        """Offer the sessions of a log, at most `most`, and select the session of a node without emitting a signal."""
        with QSignalBlocker(self):
            self.clear()
            for session in log.overview.sessions[:most] if log else ():
                title = to_one_line(session.title or session.id, _TITLE_CHARS) or str(session.number + 1)
                self.addItem(title, str(session.number))
            self.setCurrentIndex(min(max(log.session_of(node) if log else 0, 0), self.count() - 1))

    def make_row(self, title: str, parent: QWidget) -> QWidget:
        """Return a hidden row of a title and this box, to be shown if there are several sessions."""
        row = QWidget(parent)
        row.hide()
        self.setAccessibleName(title.replace("&", ""))
        label = SafeLabel(title, row)
        label.setBuddy(self)
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(label)
        layout.addWidget(self, 1)
        return row
