"""A read-only view of text from a log: plain, never interpreted."""

import re

from PySide6.QtCore import QSize
from PySide6.QtGui import QFont, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from inspector.gui.basics import theme
from inspector.gui.basics.found_places import found_places, mark_of
from inspector.gui.basics.plain_text import visible, wrapped


class PlainTextView(QPlainTextEdit):
    """Shows plain text, some lines of which are headings: drawn over it, not written into it."""

    def __init__(self, name: str, fixed: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setAccessibleName(name)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(8)
        self._headings: list[int] = []
        self._found: re.Pattern[str] | None = None
        self._places: list[QTextCursor] = []
        if fixed:
            self.setFont(theme.fixed_font(1))

    def sizeHint(self) -> QSize:
        # The default asks for more height than a pane of a small window has.
        return QSize(200, 80)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, 40)

    def show_text(self, text: str, headings: list[int] | None = None) -> None:
        """Show a text; `headings` are the numbers of its lines that are headings of ours."""
        self._headings = headings or []
        self.setPlainText(wrapped(visible(text)))
        self._emphasise()
        self._show_first()

    def mark(self, found: re.Pattern[str] | None) -> None:
        """Put a ground under what is looked for, the first hundreds of it, and show the first; None under nothing."""
        if found is not self._found:
            self._found = found
            self._emphasise()
            self._show_first()

    def changeEvent(self, event: object) -> None:
        super().changeEvent(event)  # type: ignore[arg-type]
        if hasattr(self, "_places"):
            self._emphasise()

    def _emphasise(self) -> None:
        marks = [self._heading(line) for line in self._headings]
        self._places = list(found_places(self, self._found))
        marks += [mark_of(place, self.palette()) for place in self._places]
        self.setExtraSelections(marks)

    def _show_first(self) -> None:
        """Scroll to the first of what is looked for."""
        if self._places:
            self.setTextCursor(QTextCursor(self._places[0].block()))
            self.ensureCursorVisible()

    def _heading(self, line: int) -> QTextEdit.ExtraSelection:
        heading = QTextEdit.ExtraSelection()
        look, cursor = QTextCharFormat(), QTextCursor(self.document().findBlockByNumber(line))
        look.setForeground(theme.ACCENT.on(self.palette()))
        look.setFontWeight(QFont.Weight.Bold)
        cursor.select(QTextCursor.SelectionType.LineUnderCursor)
        heading.format, heading.cursor = look, cursor
        return heading
