"""What the dialogs have in common that write something new: a wish, what it comes to, and a button to save.

Merged; to be rewritten:
`session_box`: Which of a log's sessions is meant.
"""

from abc import abstractmethod
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSignalBlocker, QTimer, Slot
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QHBoxLayout, QVBoxLayout, QWidget

from inspector.gui.common import theme
from inspector.gui.common.prompts import Prompts
from inspector.gui.common.safe_text import SafeLabel, set_safe_tooltip, set_window_title, to_one_line
from inspector.gui.state.document import Document
from inspector.gui.widgets.scroll_areas import IconLine, IconLineList
from inspector.gui.worker.answers import OpenedLog
from inspector.gui.worker.child_process import ChildProcess, RequestFailure
from inspector.gui.worker.requests import AnyRequest

# Which of a log's sessions is meant.

_TITLE_CHARS = 80


class SessionComboBox(QComboBox):
    """The titles of the sessions; an entry's data is the number of its session, as a text."""

    def fill(self, log: OpenedLog | None, node: int, most: int | None = None) -> None:
        """Offer the sessions of a log, `most` of them; that of a node of the tree is chosen, and nobody is told."""
        with QSignalBlocker(self):
            self.clear()
            for session in log.overview.sessions[:most] if log else ():
                title = to_one_line(session.title or session.id, _TITLE_CHARS) or str(session.number + 1)
                self.addItem(title, str(session.number))
            self.setCurrentIndex(min(max(log.session_of(node) if log else 0, 0), self.count() - 1))

    def make_row(self, title: str, parent: QWidget) -> QWidget:
        """The box behind its title, to be shown where there are several sessions."""
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


_PAUSE_MS = 250


class ExportDialog(QDialog):
    """Every change of the wish is worked out anew in the child, and only what was worked out can be saved."""

    PREVIEW_REQUEST: AnyRequest
    SAVE_REQUEST: AnyRequest

    def __init__(
        self,
        document: Document,
        questions: Prompts,
        title: str,
        parent: QWidget | None,
        process: ChildProcess | None = None,
    ) -> None:
        """`process` is the child that is asked, by default the document's."""
        super().__init__(parent)
        self.process = process or document.process
        self.document, self.questions = document, questions
        set_window_title(self, title)
        self.answer: Any = None
        self.failure = ""
        self._timer = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._timer.timeout.connect(self.request)
        self.said = IconLineList(self.status_lines, self.tr("What it comes to"), self, limit=400)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.save = self.buttons.addButton(self.tr("&Save…"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.save.setDefault(True)
        self.save.clicked.connect(self._on_save_clicked)
        self.buttons.rejected.connect(self.reject)
        self.buttons.setContentsMargins(12, 4, 12, 12)
        self.process.answer_signal(self.PREVIEW_REQUEST).connect(self.set_answer)
        self.process.failed.connect(self._on_failed)
        document.log_changed.connect(self._on_log_changed)

    @abstractmethod
    def options(self) -> tuple[Any, ...]:
        """What is wished for: the question of `PLAN`, and with a path that of `WRITE`."""

    @abstractmethod
    def lines(self) -> list[IconLine]:
        """What the answer says."""

    @abstractmethod
    def why_not_savable(self) -> str:
        """Why what was worked out is not worth saving, "" when it is."""

    def finish_layout(self, column: QVBoxLayout, below: QWidget | None = None) -> None:
        """The answer and the buttons come last, with another pane between them if there is one."""
        column.addWidget(self.said)
        if below is not None:
            column.addWidget(below, 100)
        column.addStretch(1)
        column.addWidget(self.buttons)
        self.show_answer()
        self.request()

    @Slot()
    def request(self) -> None:
        """Ask the child what the wish comes to."""
        self.process.ask(self.PREVIEW_REQUEST, *self.options())

    @Slot()
    def options_changed(self) -> None:
        """The wish is another one."""
        self.answer, self.failure = None, ""
        self._timer.start()
        self.show_answer()

    @Slot(object)
    def set_answer(self, answer: Any) -> None:
        """An answer came; one to an older wish is not taken."""
        if not self._timer.isActive():
            self.answer, self.failure = answer, ""
            self.show_answer()

    def show_answer(self) -> None:
        """Say how far it is."""
        obstacle = self.why_not_savable() if self.answer is not None else self.tr("It is not worked out yet.")
        self.save.setEnabled(not obstacle)
        set_safe_tooltip(self.save, obstacle)
        self.said.refresh()

    def status_lines(self) -> list[IconLine]:
        if self.failure:
            return [("error", theme.ERROR, self.failure)]
        if self.answer is None:
            return [("pending", theme.INFO, self.tr("Working it out…"))]
        return self.lines()

    def suggest_path(self, name: str) -> str:
        """A place in the person's folder: never beside the original, where an agent would list it."""
        return str(Path.home() / name)

    def _on_save_clicked(self) -> None:
        target = self.questions.target_of_copy(self.suggest_path(self.answer.name), self.windowTitle())
        if target:
            self.write(target)
            self.accept()

    def write(self, target: str) -> None:
        """Write what was worked out; the document shows what came of it."""
        self.document.write(self.SAVE_REQUEST, *self.options(), target)

    @Slot()
    def _on_log_changed(self) -> None:
        """Nobody answers what was asked about the log before it was read anew."""
        if self.answer is None:
            self.options_changed()

    @Slot(object)
    def _on_failed(self, failure: RequestFailure) -> None:
        if failure.request is self.PREVIEW_REQUEST or failure.died:
            self.failure = failure.sentence
            self.show_answer()
