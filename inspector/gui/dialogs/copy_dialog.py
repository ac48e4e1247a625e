"""What the dialogs have in common that write something new: a wish, what it comes to, and a button to save."""

from abc import abstractmethod
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from inspector.gui.basics import theme
from inspector.gui.basics.gate import set_tip, set_title
from inspector.gui.document.document import Document
from inspector.gui.panels.icon_lines import IconLines, Line
from inspector.gui.panels.questions import Questions
from inspector.gui.process.child_process import ChildProcess, Failure
from inspector.gui.process.requests import AnyRequest

_PAUSE_MS = 250


class CopyDialog(QDialog):
    """Every change of the wish is worked out anew in the child, and only what was worked out can be saved."""

    PREVIEW_REQUEST: AnyRequest
    SAVE_REQUEST: AnyRequest

    def __init__(
        self,
        document: Document,
        questions: Questions,
        title: str,
        parent: QWidget | None,
        process: ChildProcess | None = None,
    ) -> None:
        """`process` is the child that is asked, by default the document's."""
        super().__init__(parent)
        self.process = process or document.process
        self.document, self.questions = document, questions
        set_title(self, title)
        self.answer: Any = None
        self.failure = ""
        self._timer = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._timer.timeout.connect(self.request)
        self.said = IconLines(self.status_lines, self.tr("What it comes to"), self, limit=400)
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
    def lines(self) -> list[Line]:
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
        set_tip(self.save, obstacle)
        self.said.refresh()

    def status_lines(self) -> list[Line]:
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
    def _on_failed(self, failure: Failure) -> None:
        if failure.request is self.PREVIEW_REQUEST or failure.died:
            self.failure = failure.sentence
            self.show_answer()
