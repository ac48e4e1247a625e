"""A read-only view of text from a log: plain, never interpreted."""

import difflib
import re

from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QFont, QPalette, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from inspector.gui.basics import theme
from inspector.gui.basics.found_places import found_places, mark_of
from inspector.gui.basics.plain_text import visible, wrapped

_DIFF_LINES = 600


class PlainTextView(QPlainTextEdit):
    """Shows text with some lines emphasised. The text is plain: headings are drawn over it, not written into it."""

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
        self._changed: list[int] = []
        self._ground = theme.GOOD
        if fixed:
            self.setFont(theme.fixed_font(1))

    def sizeHint(self) -> QSize:
        # The default asks for more height than a pane of a small window has.
        return QSize(200, 80)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, 40)

    def show_text(self, text: str, headings: list[int] | None = None) -> None:
        """Show a text; `headings` are the numbers of its lines that are headings of ours."""
        self._headings, self._changed = headings or [], []
        self.setPlainText(wrapped(visible(text)))
        self._emphasise()
        self._show_first()

    def mark(self, found: re.Pattern[str] | None) -> None:
        """Put a ground under what is looked for, the first hundreds of it, and show the first; None under nothing."""
        if found is not self._found:
            self._found = found
            self._emphasise()
            self._show_first()

    def show_difference(self, text: str, other: str, ground: theme.Pair) -> None:
        """Show a text, with a ground under the lines that the other text does not have."""
        shown = wrapped(visible(text))
        lines, others = shown.split("\n"), wrapped(visible(other)).split("\n")
        self._headings, self._changed, self._ground = [], [], ground
        if other and max(len(lines), len(others)) <= _DIFF_LINES:
            matcher = difflib.SequenceMatcher(None, lines, others, autojunk=False)
            for tag, start, stop, _, _ in matcher.get_opcodes():
                if tag != "equal":
                    self._changed.extend(range(start, stop))
        self.setPlainText(shown)
        self._emphasise()
        if self._changed:
            self.setTextCursor(QTextCursor(self.document().findBlockByNumber(self._changed[0])))
            self.centerCursor()

    def changeEvent(self, event: object) -> None:
        super().changeEvent(event)  # type: ignore[arg-type]
        if hasattr(self, "_changed"):
            self._emphasise()

    def _emphasise(self) -> None:
        accent, weight = theme.ACCENT.on(self.palette()), QFont.Weight.Bold
        marks = [self._selection(self._line(line), accent, None, weight) for line in self._headings]
        ground = theme.tint(self._ground.on(self.palette()), self.palette())
        text = self.palette().color(QPalette.ColorRole.Text)
        marks += [self._selection(self._line(line), text, ground, QFont.Weight.Normal) for line in self._changed]
        self._places = list(found_places(self, self._found))
        marks += [mark_of(place, self.palette()) for place in self._places]
        self.setExtraSelections(marks)

    def _show_first(self) -> None:
        """Scroll to the first of what is looked for."""
        if self._places:
            self.setTextCursor(QTextCursor(self._places[0].block()))
            self.ensureCursorVisible()

    def _line(self, line: int) -> QTextCursor:
        return QTextCursor(self.document().findBlockByNumber(line))

    def _selection(
        self, cursor: QTextCursor, colour: QColor, ground: QColor | None, weight: int
    ) -> QTextEdit.ExtraSelection:
        selection = QTextEdit.ExtraSelection()
        look = QTextCharFormat()
        look.setForeground(colour)
        look.setFontWeight(weight)
        if ground is not None:
            look.setBackground(ground)
            look.setProperty(QTextFormat.Property.FullWidthSelection, True)
        else:
            cursor.select(QTextCursor.SelectionType.LineUnderCursor)
        selection.format, selection.cursor = look, cursor
        return selection
