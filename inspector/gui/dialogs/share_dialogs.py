"""The dialogs to share something of a log: a report, a bundle without content, or a repair to send back.

A report shows all that would leave the machine, and what was replaced in it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from PySide6.QtCore import QSize, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from inspector.core.presentation.engine_results import (
    RenderedShareableReport,
    RepairInstructionsPackage,
    SendBackRecipient,
    ShareableReportOptions,
)
from inspector.core.translation import tr_plural
from inspector.gui.common import theme, ui_text
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.dialog_questions import DialogQuestions
from inspector.gui.common.qt_helpers import fit_to_screen
from inspector.gui.common.safe_text import set_safe_tooltip, set_window_title, to_one_line
from inspector.gui.common.ui_text import tr
from inspector.gui.dialogs.export_dialog_base import ExportDialogBase
from inspector.gui.state.document import Document
from inspector.gui.state.load_status import Notice
from inspector.gui.widgets.scroll_areas import IconLine, IconLineList
from inspector.gui.widgets.text_views import PlainTextView
from inspector.gui.worker.child_client import ChildProcess
from inspector.gui.worker.requests import (
    LOGS_REPORT,
    PREVIEW_SEND_BACK_REPAIR,
    REPORT,
    SAVE_LOGS_REPORT,
    SAVE_REPORT,
    SAVE_SEND_BACK_REPAIR,
    AnyRequest,
)

_FORMAT_LABELS = {
    "markdown": tr("Markdown"),
    "html": tr("HTML"),
    "text": tr("Text"),
    "json": tr("JSON"),
    "sarif": tr("SARIF 2.1.0"),
    "junit": tr("JUnit"),
    "github": tr("GitHub"),
}
REPORT_LANGUAGE_NAMES = {"en": "English", "zh": "中文"}
_MAX_REPLACEMENTS = 200
_CHARS = 80
_MAX_PREVIEW_CHARS = 200_000  # the report of a hundred thousand findings has tens of megabytes
_PLAN_SENTENCE = tr("The plan contains no log content. Records are identified by number and hash.")
_SYSTEMS = {"": tr("from the log"), "linux": "Linux", "macos": "macOS", "windows": "Windows"}


class SelectedLogs(NamedTuple):
    """The selected logs of a list.

    `process` is the child process of the list, and `busy` says whether the list uses it; `logs` returns the path, the
    format name and the name of the ticket of each selected log, and `places` its path and that of what was listed;
    `say` shows a notice, and `show_lines` a text below the list.
    """

    process: ChildProcess
    busy: Callable[[], bool]
    logs: Callable[[], list[tuple[str, str, str]]]
    places: Callable[[], list[tuple[str, str]]]
    say: Callable[[Notice], None]
    show_lines: Callable[[list[str]], None]

    def why_none(self) -> str:
        """Return why nothing can be done with the selection now, "" when something can."""
        if self.busy():
            return tr("The logs in the list are still being checked.")
        return "" if self.logs() else tr("Select a log or a ticket first.")


class ReportDialog(ExportDialogBase):
    """The dialog of a report. It contains excerpts of the conversation only on request, without names and secrets."""

    PREVIEW_REQUEST: AnyRequest = REPORT
    SAVE_REQUEST: AnyRequest = SAVE_REPORT

    def __init__(
        self,
        document: Document,
        prompts: DialogQuestions,
        parent: QWidget | None = None,
        listed: SelectedLogs | None = None,
    ) -> None:
        """Create the dialog for the open log or, with `listed`, for the selected logs of a list."""
        self._logs = [] if listed is None else [listed.logs()]
        if listed is not None:
            self.PREVIEW_REQUEST, self.SAVE_REQUEST = LOGS_REPORT, SAVE_LOGS_REPORT
        process = None if listed is None else listed.process
        super().__init__(document, prompts, tr("A report to share"), parent, process)
        self._say = document.show_notice if listed is None else listed.say
        if listed is not None:
            self._listed = listed
            self.rejected.connect(self._on_rejected)
        self.form = make_combo_box(self, _FORMAT_LABELS)
        self.language = make_combo_box(self, REPORT_LANGUAGE_NAMES)
        self.content = QCheckBox(tr("Include e&xcerpts from the log, with names and secrets replaced"), self)
        if hiding.salt("" if listed else document.path):
            self.content.setEnabled(False)
            set_safe_tooltip(self.content, tr("Content is hidden. Show the content of this log first."))
        self.hidden = QLineEdit(self)
        self.hidden.setPlaceholderText(tr("names of customers, projects or people, separated by commas"))
        self.hidden.setEnabled(False)
        self.preview = PlainTextView(tr("Everything that would be shared"), fixed=True, parent=self)
        self.copy: QPushButton = self.buttons.addButton(tr("&Copy"), QDialogButtonBox.ButtonRole.ActionRole)
        self._lay_out()
        self.content.toggled.connect(self.hidden.setEnabled)
        self.content.toggled.connect(self.options_changed)
        self.hidden.textChanged.connect(self.options_changed)
        for box in (self.form, self.language):
            box.currentIndexChanged.connect(self.options_changed)
        self.copy.clicked.connect(self._on_copy_clicked)
        fit_to_screen(self, QSize(760, 600))

    def options(self) -> tuple[Any, ...]:
        words = tuple(filter(None, map(str.strip, self.hidden.text().split(","))))
        content = self.content.isChecked()
        share_options = ShareableReportOptions(
            self.form.currentData(), self.language.currentData(), content, words if content else ()
        )
        return (*self._logs, share_options)

    def why_not_savable(self) -> str:
        return ""

    def lines(self) -> list[IconLine]:
        report: RenderedShareableReport = self.answer
        if not self.content.isChecked():
            lines: list[IconLine] = [("ok", theme.SUCCESS, tr(ui_text.CONTENT_FREE_SENTENCE))]
            if any(ticket for log in self._logs for _, _, ticket in log):
                lines.append(("info", theme.INFO, tr("The report contains the names of the tickets.")))
            return lines
        replaced = tr_plural("{number:,} value was replaced", "{number:,} values were replaced", len(report.replaced))
        advice = tr("Read the report before you share it, because no program can recognize every name.")
        names = [f"{name}  {to_one_line(value, _CHARS)}" for name, value in report.replaced.items()]
        return [
            ("warning", theme.WARNING, f"{replaced}. {advice}"),
            *(("info", theme.INFO, text) for text in names[:_MAX_REPLACEMENTS]),
        ]

    def show_answer(self) -> None:
        self.copy.setEnabled(self.answer is not None)
        if self.answer is not None:
            self.preview.show_text(_truncate_preview(self.answer.text))
        super().show_answer()

    def write(self, target: str) -> None:
        self.process.ask(self.SAVE_REQUEST, *self.options(), target)

    @Slot()
    def _on_copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText(self.answer.text)
        self._say(Notice(tr("The report was copied."), good=True))
        self.accept()

    @Slot()
    def _on_rejected(self) -> None:
        """End the child process that made the report, unless the list is waiting for it, too."""
        if not self._listed.busy():
            self._listed.process.cancel()

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setContentsMargins(14, 12, 14, 6)
        form.addRow(tr("&Format"), self.form)
        form.addRow(tr("&Language"), self.language)
        form.addRow("", self.content)
        form.addRow(tr("&Hide these words"), self.hidden)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(form)
        self.finish_layout(column, self.preview)


class SaveExplanationDialog(QDialog):
    """The dialog that explains what is to be saved, and asks for the language of its pages.

    It is accepted when the files are to be made.
    """

    def __init__(self, title: str, lines: list[IconLine], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_window_title(self, title)
        self.language = make_combo_box(self, REPORT_LANGUAGE_NAMES)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.save = self.buttons.addButton(tr("&Save…"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.save.setDefault(True)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        explanation = IconLineList(lambda: lines, tr("Description"), self, limit=400)
        form = QFormLayout()
        form.setContentsMargins(14, 12, 14, 6)
        form.addRow(tr("&Language"), self.language)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(form)
        column.addWidget(explanation)
        column.addStretch(1)
        self.buttons.setContentsMargins(12, 4, 12, 12)
        column.addWidget(self.buttons)
        explanation.refresh()
        fit_to_screen(self, QSize(560, 210))


def bundle_lines() -> list[IconLine]:
    """Return what a bundle is."""
    return [
        (
            "info",
            theme.INFO,
            tr(
                "The bundle is a zip file with reports and a scrambled copy of the log. All text in the copy is "
                "replaced."
            ),
        ),
        (
            "ok",
            theme.SUCCESS,
            tr("Before the bundle is saved, the program checks that the copy has the same findings as the log."),
        ),
        ("ok", theme.SUCCESS, tr(ui_text.CONTENT_FREE_SENTENCE)),
    ]


def send_back_lines() -> list[IconLine]:
    """Return what a repair to send back is."""
    return [
        (
            "info",
            theme.INFO,
            tr("The zip file contains the planned repair and instructions for the owner of each log."),
        ),
        ("ok", theme.SUCCESS, tr(_PLAN_SENTENCE)),
    ]


class SendBackRepairDialog(ExportDialogBase):
    """The dialog of a planned repair to run where the log is. It contains nothing of the conversation."""

    PREVIEW_REQUEST, SAVE_REQUEST = PREVIEW_SEND_BACK_REPAIR, SAVE_SEND_BACK_REPAIR

    def __init__(self, document: Document, prompts: DialogQuestions, parent: QWidget | None = None) -> None:
        super().__init__(document, prompts, tr("Save a repair for the owner of the log"), parent)
        self.system = make_combo_box(self, _SYSTEMS)
        self.language = make_combo_box(self, REPORT_LANGUAGE_NAMES)
        self.preview = PlainTextView(tr("Instructions for the owner of the log"), fixed=False, parent=self)
        for box in (self.system, self.language):
            box.currentIndexChanged.connect(self.options_changed)
        form = QFormLayout()
        form.setContentsMargins(14, 12, 14, 6)
        form.addRow(tr("Owner's operating s&ystem"), self.system)
        form.addRow(tr("&Language"), self.language)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(form)
        self.finish_layout(column, self.preview)
        fit_to_screen(self, QSize(760, 600))

    def options(self) -> tuple[Any, ...]:
        send_back_options = SendBackRecipient(self.system.currentData(), self.language.currentData())
        return (self.document.repair.choices, send_back_options)

    def why_not_savable(self) -> str:
        return ""

    def lines(self) -> list[IconLine]:
        back: RepairInstructionsPackage = self.answer
        system = _SYSTEMS.get(back.system, back.system)
        return [
            (
                "ok",
                theme.SUCCESS,
                tr(_PLAN_SENTENCE),
            ),
            (
                "info",
                theme.INFO,
                tr("The zip file contains the plan and this page of instructions for {system}.", system=system),
            ),
        ]

    def show_answer(self) -> None:
        if self.answer is not None:
            self.preview.show_text(self.answer.page)
        super().show_answer()

    def write(self, target: str) -> None:
        self.process.ask(SAVE_SEND_BACK_REPAIR, *self.options(), target)


def _truncate_preview(text: str) -> str:
    """Return as much of a text as can be laid out at once, with a note on the length of a longer one."""
    if len(text) <= _MAX_PREVIEW_CHARS:
        return text
    note = tr("… The whole report has {number:,} characters. Save the report to read all of it.", number=len(text))
    return f"{text[:_MAX_PREVIEW_CHARS]}\n\n… {note}"


def make_combo_box(parent: QWidget, entries: dict[str, str]) -> QComboBox:
    """Create a combo box; `entries` maps names to titles."""
    box = QComboBox(parent)
    for name, title in entries.items():
        box.addItem(tr(title), name)
    return box
