"""A read-only view of text from a log: plain, never interpreted."""

from PySide6.QtCore import QSize
from PySide6.QtGui import QFont, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from inspector.gui.basics import theme
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

    def changeEvent(self, event: object) -> None:
        super().changeEvent(event)  # type: ignore[arg-type]
        if hasattr(self, "_headings"):
            self._emphasise()

    def _emphasise(self) -> None:
        look = QTextCharFormat()
        look.setForeground(theme.ACCENT.for_palette(self.palette()))
        look.setFontWeight(QFont.Weight.Bold)
        marks = []
        for line in self._headings:
            mark = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.document().findBlockByNumber(line))
            cursor.select(QTextCursor.SelectionType.LineUnderCursor)
            mark.format, mark.cursor = look, cursor
            marks.append(mark)
        self.setExtraSelections(marks)
