"""After saving: what was written, and what to do next."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QScrollArea, QVBoxLayout, QWidget

from inspector.core.answers import Saved
from inspector.gui import assets, theme
from inspector.gui.document import Document
from inspector.gui.panels.plain_label import PlainLabel


class SavedPage(QScrollArea):
    """Numbered steps, the resume command with a button to copy it, and how to undo."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Saved"))

    def show_saved(self, saved: Saved) -> None:
        """Show what a save did."""
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(14, 14, 14, 14)
        column.setSpacing(8)
        title = PlainLabel(self.tr("The repaired log is saved."))
        font = title.font()
        font.setBold(True)
        font.setPointSizeF(font.pointSizeF() * 1.15)
        title.setFont(font)
        column.addWidget(title)
        column.addWidget(PlainLabel(saved.path))
        if saved.verdict:
            column.addWidget(PlainLabel(self.tr("Read again and judged: ") + saved.verdict, quiet=True))
        for number, step in enumerate(saved.steps, 1):
            column.addWidget(PlainLabel(f"{number}.  {step}"))
        if saved.command:
            column.addLayout(self._command_row(saved.command))
        column.addSpacing(6)
        column.addWidget(PlainLabel(self._how_to_undo(saved), quiet=True))
        if saved.quarantine:
            column.addWidget(PlainLabel(self.tr("What was set aside: ") + saved.quarantine, quiet=True))
        column.addLayout(self._buttons(saved))
        column.addStretch()
        self.setWidget(page)

    def _how_to_undo(self, saved: Saved) -> str:
        if saved.backup:
            return self.tr("To undo: put the backup back in its place: ") + saved.backup
        return self.tr("To undo: delete the saved log. The original is unchanged.")

    def _command_row(self, command: str) -> QHBoxLayout:
        field = QLineEdit(command)
        field.setReadOnly(True)
        field.setFont(theme.fixed_font())
        field.setCursorPosition(0)
        field.setAccessibleName(self.tr("Command that resumes the session"))
        copy = QPushButton(assets.icon("copy", self.palette()), self.tr("Copy"))
        copy.setObjectName("copy_command")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(command))
        row = QHBoxLayout()
        row.addWidget(field, 1)
        row.addWidget(copy)
        return row

    def _buttons(self, saved: Saved) -> QHBoxLayout:
        row = QHBoxLayout()
        if Path(saved.path).absolute() != Path(self._document.path):
            again = QPushButton(self.tr("Open the saved log"))
            again.setObjectName("open_saved")
            again.clicked.connect(lambda: self._document.open(saved.path))
            row.addWidget(again)
        back = QPushButton(self.tr("Back to the repair"))
        back.setObjectName("back")
        back.clicked.connect(self._document.dismiss_saved)
        row.addWidget(back)
        row.addStretch()
        return row
