"""After saving: what was written, and what to do next."""

from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication, QTextOption
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QPlainTextEdit, QPushButton, QScrollArea, QVBoxLayout, QWidget

from inspector.core.showing.answers import SaveResult
from inspector.gui.basics import assets, theme, words
from inspector.gui.basics.hiding import hiding
from inspector.gui.basics.layouts import in_a_column
from inspector.gui.document.document import Document
from inspector.gui.panels.capped import CappedPage
from inspector.gui.panels.plain_label import PlainLabel

_MOST_LINES = 12
_LINE_CHARS = 30  # of the narrowest pane


class SavedPage(QWidget):
    """What went wrong on the way, numbered steps, how to undo among them, and the resume command to copy.

    Signals: `restore_wanted` (path of the backup).
    """

    restore_wanted = Signal(object)

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._told = QScrollArea(self)
        self._told.setWidgetResizable(True)
        self._told.setFrameShape(QScrollArea.Shape.NoFrame)
        self._told.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._told.setAccessibleName(self.tr("Saved"))
        self._button_area = QWidget(self)
        self._column = in_a_column(self, self._told, self._button_area, grows=self._told)

    def show_saved(self, saved: SaveResult) -> None:
        """Show what a save did."""
        page = CappedPage()
        column = QVBoxLayout(page)
        column.setContentsMargins(14, 14, 14, 8)
        column.setSpacing(8)
        title = PlainLabel(words.tr(words.MADE[saved.made]))
        font = title.font()
        font.setBold(True)
        font.setPointSizeF(font.pointSizeF() * 1.15)
        title.setFont(font)
        column.addWidget(title)
        column.addWidget(PlainLabel(hiding.display_path(saved.path)))
        if saved.verdict:
            verdict = words.tr(words.VERDICT.get(saved.verdict, saved.verdict)).lower()
            column.addWidget(PlainLabel(self.tr("Read again and judged: ") + verdict, quiet=True))
        for warning in saved.warnings:
            column.addWidget(PlainLabel(f"{self.tr('Note:')} {warning}"))
        for number, step in enumerate(saved.steps, 1):
            column.addWidget(PlainLabel(f"{number}.  {step}"))
        if saved.command:
            column.addLayout(self._command_row(saved.command))
        if saved.quarantine:
            aside = self.tr("Damaged bytes were set aside, as they were: ")
            column.addWidget(PlainLabel(aside + hiding.display_path(saved.quarantine), quiet=True))
        column.addStretch()
        self._told.setWidget(page)
        # Below what is told, however long that is: they are always seen.
        self._button_area.setParent(None)
        self._button_area = QWidget(self)
        self._button_area.setLayout(self._buttons(saved))
        self._column.addWidget(self._button_area)

    def focus_next_step(self) -> None:
        """Let a key press what is wanted next: to copy the command if there is one."""
        self.findChildren(QPushButton)[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def _command_row(self, command: str) -> QHBoxLayout:
        field = QPlainTextEdit(command)
        field.setReadOnly(True)
        field.setTabChangesFocus(True)
        field.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
        field.setFont(theme.fixed_font())
        # As high as the command is long: two lines for most, a snippet of Python for some.
        around = field.height() - field.viewport().height() + 2 * int(field.document().documentMargin())
        lines = min(sum(1 + len(line) // _LINE_CHARS for line in command.split("\n")), _MOST_LINES)
        field.setFixedHeight(lines * field.fontMetrics().lineSpacing() + max(around, 10))
        field.setAccessibleName(self.tr("Command that resumes the session"))
        copy = QPushButton(assets.icon("copy", self.palette()), self.tr("Copy"))
        copy.setObjectName("copy_command")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(command))
        row = QHBoxLayout()
        row.addWidget(field, 1)
        row.addWidget(copy, 0, Qt.AlignmentFlag.AlignTop)
        return row

    def _buttons(self, saved: SaveResult) -> QGridLayout:
        """Two a row, for which the narrowest pane has room."""
        made: list[QPushButton] = []
        if saved.is_log and Path(saved.path).absolute() != Path(self._document.path):
            again = QPushButton(self.tr("Open the saved log"))
            again.setObjectName("open_saved")
            again.clicked.connect(lambda: self._document.open(saved.path))
            made.append(again)
        shown = QPushButton(self.tr("Show in folder"))
        shown.setObjectName("show_in_folder")
        folder = QUrl.fromLocalFile(str(Path(saved.path).absolute().parent))
        shown.clicked.connect(lambda: QDesktopServices.openUrl(folder))
        made.append(shown)
        if saved.backup:
            undo = QPushButton(self.tr("Restore the backup…"))
            undo.setObjectName("restore")
            undo.clicked.connect(lambda: self.restore_wanted.emit(saved.backup))
            made.append(undo)
        back = QPushButton(self.tr("Back to the repair") if saved.made == "repaired" else self.tr("Back"))
        back.setObjectName("back")
        back.clicked.connect(self._document.dismiss_saved)
        grid = QGridLayout()
        grid.setContentsMargins(14, 0, 14, 8)
        for number, button in enumerate([*made, back]):
            grid.addWidget(button, *divmod(number, 2))
        grid.setColumnStretch(2, 1)
        return grid
