"""A report to pass on: how it is written, all that would leave, and what was replaced in it."""

from collections.abc import Callable
from typing import Any, NamedTuple

from PySide6.QtCore import QSize, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from inspector.core.showing.outward import RenderedReport, ShareOptions
from inspector.gui.basics import theme, words
from inspector.gui.basics.gate import set_tip
from inspector.gui.basics.hiding import hiding
from inspector.gui.basics.plain_text import one_line
from inspector.gui.basics.screen import fit
from inspector.gui.basics.words import counted, tr
from inspector.gui.dialogs.copy_dialog import CopyDialog
from inspector.gui.document.document import Document
from inspector.gui.document.state import Notice
from inspector.gui.panels.icon_lines import Line
from inspector.gui.panels.plain_text_view import PlainTextView
from inspector.gui.panels.questions import Questions
from inspector.gui.process.child_process import ChildProcess
from inspector.gui.process.requests import OUTWARD, OUTWARD_OF, SAVE_OUTWARD, SAVE_OUTWARD_OF, AnyRequest

_FORMS = {
    "markdown": "Markdown",
    "html": "HTML",
    "text": "Text",
    "json": "JSON",
    "sarif": "SARIF 2.1.0",
    "junit": "JUnit",
    "github": "GitHub",
}
LANGUAGES = {"en": "English", "zh": "中文"}
_REPLACED = 200
_CHARS = 80
_SHOWN = 200_000  # characters: a hundred thousand findings make tens of megabytes


class Listed(NamedTuple):
    """A list of logs: the child that knows of it and whether it is busy, what is chosen there, and who says something.

    A log is given by its path and the name of its format.
    """

    process: ChildProcess
    busy: Callable[[], bool]
    logs: Callable[[], list[tuple[str, str]]]
    say: Callable[[Notice], None]


class ReportDialog(CopyDialog):
    """Nothing of the conversation is in it unless that is asked for; then names and secrets are replaced."""

    PREVIEW_REQUEST: AnyRequest = OUTWARD
    SAVE_REQUEST: AnyRequest = SAVE_OUTWARD

    def __init__(
        self, document: Document, questions: Questions, parent: QWidget | None = None, listed: Listed | None = None
    ) -> None:
        """On the open log or, of a list, on those that are chosen there."""
        self._logs = [] if listed is None else [listed.logs()]
        if listed is not None:
            self.PREVIEW_REQUEST, self.SAVE_REQUEST = OUTWARD_OF, SAVE_OUTWARD_OF
        process = None if listed is None else listed.process
        super().__init__(document, questions, self.tr("A report to pass on"), parent, process)
        self._say = document.show_notice if listed is None else listed.say
        if listed is not None:
            self._listed = listed
            self.rejected.connect(self._on_rejected)
        self.form = choice(self, _FORMS)
        self.language = choice(self, LANGUAGES)
        self.content = QCheckBox(self.tr("With e&xcerpts of what was said; names and secrets are replaced"), self)
        if hiding.salt("" if listed else document.path):
            self.content.setEnabled(False)
            set_tip(self.content, self.tr("Content is hidden: show the content of this log first."))
        self.hidden = QLineEdit(self)
        self.hidden.setPlaceholderText(self.tr("names of customers, projects, people; a comma between them"))
        self.hidden.setEnabled(False)
        self.preview = PlainTextView(self.tr("All that would leave"), fixed=True, parent=self)
        self.copy: QPushButton = self.buttons.addButton(self.tr("&Copy"), QDialogButtonBox.ButtonRole.ActionRole)
        self._lay_out()
        self.content.toggled.connect(self.hidden.setEnabled)
        self.content.toggled.connect(self.options_changed)
        self.hidden.textChanged.connect(self.options_changed)
        for box in (self.form, self.language):
            box.currentIndexChanged.connect(self.options_changed)
        self.copy.clicked.connect(self._on_copy_clicked)
        fit(self, QSize(760, 600))

    def options(self) -> tuple[Any, ...]:
        words = tuple(filter(None, map(str.strip, self.hidden.text().split(","))))
        content = self.content.isChecked()
        wish = ShareOptions(self.form.currentData(), self.language.currentData(), content, words if content else ())
        return (*self._logs, wish)

    def why_not_savable(self) -> str:
        return ""

    def lines(self) -> list[Line]:
        report: RenderedReport = self.answer
        if not self.content.isChecked():
            return [("ok", theme.GOOD, words.tr(words.CONTENT_FREE))]
        told = counted(len(report.replaced), self.tr("value was replaced"), self.tr("values were replaced"))
        look = self.tr("Read it before you pass it on: no program knows every name.")
        named = [f"{name}  {one_line(value, _CHARS)}" for name, value in report.replaced.items()]
        return [
            ("warning", theme.WARNING, f"{told}. {look}"),
            *(("info", theme.INFO, each) for each in named[:_REPLACED]),
        ]

    def show_answer(self) -> None:
        self.copy.setEnabled(self.answer is not None)
        if self.answer is not None:
            self.preview.show_text(_beginning(self.answer.text))
        super().show_answer()

    def write(self, target: str) -> None:
        self.process.ask(self.SAVE_REQUEST, *self.options(), target)

    @Slot()
    def _on_copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText(self.answer.text)
        self._say(Notice(self.tr("The report is in the clipboard."), good=True))
        self.accept()

    @Slot()
    def _on_rejected(self) -> None:
        """The child that made the report ends with the dialog, unless the list waits for it, too."""
        if not self._listed.busy():
            self._listed.process.cancel()

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setContentsMargins(14, 12, 14, 6)
        form.addRow(self.tr("&Written as"), self.form)
        form.addRow(self.tr("&Language"), self.language)
        form.addRow("", self.content)
        form.addRow(self.tr("Words to &hide"), self.hidden)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(form)
        self.finish_layout(column, self.preview)


def _beginning(text: str) -> str:
    """As much as can be laid out at once; of what is longer, how much it is."""
    if len(text) <= _SHOWN:
        return text
    more = f"{tr('and so on; the whole report has')} {len(text):,} {tr('characters. Save it to read all of it.')}"
    return f"{text[:_SHOWN]}\n\n… {more}"


def choice(parent: QWidget, entries: dict[str, str]) -> QComboBox:
    """A box of what can be chosen: names, and what they are called."""
    box = QComboBox(parent)
    for name, title in entries.items():
        box.addItem(tr(title), name)
    return box
