"""Records side by side as one text of two columns, of one where there is no room for two: nothing scrolls apart."""

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import (
    QFont,
    QPalette,
    QTextCharFormat,
    QTextCursor,
    QTextLength,
    QTextTable,
    QTextTableCell,
    QTextTableFormat,
)
from PySide6.QtWidgets import QTextEdit, QWidget

from inspector.core.showing.answers import Change
from inspector.core.showing.comparison import Run, Words
from inspector.gui.basics import theme, words
from inspector.gui.basics.plain_text import one_line, visible, wrapped

_WIDE = 560
_MARGIN = 4
_REASON_CHARS = 200
# By the style of what is folded, the words for one and for many.
_FOLDED = {
    "": ("line is the same", "lines are the same"),
    "heading": ("line is the same", "lines are the same"),
    "field": ("other member of the record", "other members of the record"),
    "rest": ("more line", "more lines"),
}


class ComparedText(QTextEdit):
    """Plain text only: what a log says is inserted letter by letter, never read as rich text."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setAcceptRichText(False)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setAccessibleName(name)
        self.setFrameShape(QTextEdit.Shape.NoFrame)
        self._rows: list[tuple[Change, tuple[Run, ...]]] = []
        self._current = -1
        self._columns = 0

    def sizeHint(self) -> QSize:
        return QSize(200, 120)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, 60)

    def say(self, sentence: str) -> None:
        """Show a sentence instead."""
        self._rows = []
        self.setPlainText(visible(sentence))

    def show_rows(self, rows: list[tuple[Change, tuple[Run, ...]]], current: int) -> None:
        """Show some changes in a row, scrolled to the one that is current."""
        self._rows, self._current = rows, current
        self._columns = 2 if self.width() >= _WIDE else 1
        self.clear()
        frame = QTextTableFormat()
        frame.setBorder(0)
        frame.setCellPadding(3)
        frame.setCellSpacing(0)
        frame.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
        frame.setColumnWidthConstraints(
            [QTextLength(QTextLength.Type.PercentageLength, 100 / self._columns)] * self._columns
        )
        cursor = self.textCursor()
        cursor.beginEditBlock()
        table = cursor.insertTable(1, self._columns, frame)
        anchor = self._fill(table)
        cursor.endEditBlock()
        self.setTextCursor(anchor)
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + self.cursorRect().top() - _MARGIN)

    def fit(self) -> None:
        """Take one column or two, as there is room."""
        if self._rows and self._columns != (2 if self.width() >= _WIDE else 1):
            self.show_rows(self._rows, self._current)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ApplicationPaletteChange and self._rows:
            self.show_rows(self._rows, self._current)

    def _fill(self, table: QTextTable) -> QTextCursor:
        """Write all rows; where the current one begins."""
        anchor = table.firstCursorPosition()
        for side, title in enumerate((self.tr("Original"), self.tr("Planned"))[: self._columns]):
            text = title if self._columns == 2 else self.tr("Original (−) and planned (+)")
            table.cellAt(0, side).firstCursorPosition().insertText(text, self._look(quiet=True))
        for number, (change, runs) in enumerate(self._rows):
            cell = self._line(table, *self._title(change, number == self._current))
            anchor = cell.firstCursorPosition() if number == self._current else anchor
            for run in runs:
                self._add(table, run)
        return anchor

    def _title(self, change: Change, current: bool) -> tuple[str, QTextCharFormat]:
        colour = theme.CHANGE.get(change.mark, theme.MUTED)
        if change.mark == "skipped":
            return f"⋯ {words.counted(change.count, 'message stays', 'messages stay')} as they are", self._look(
                quiet=True
            )
        said = [words.tr(words.CHANGE.get(change.mark, change.mark)), change.role]
        if change.record is not None:
            said.insert(1, words.numbered(change.record, change.line))
        reason = f" – {one_line(change.reason, _REASON_CHARS)}" if change.reason and current else ""
        look = self._look(colour, bold=current)
        return ("▸ " if current else "") + one_line(" · ".join(filter(None, said)), 120) + reason, look

    def _add(self, table: QTextTable, run: Run) -> None:
        if run.kind == "folded":
            one, many = _FOLDED[run.style]
            self._line(table, f"⋯ {words.counted(run.count, words.tr(one), words.tr(many))}", self._look(quiet=True))
            return
        sides = [(run.before, "−", theme.ERROR), (run.after, "+", theme.GOOD)]
        if self._columns == 1:
            sides = [side for side in sides[run.kind == "same" :] if side[0]]
        for column, (said, sign, colour) in enumerate(sides):
            if not column or self._columns == 1:
                table.appendRows(1)
            cell = table.cellAt(table.rows() - 1, column % self._columns)
            self._write(cell, said, sign if run.kind == "changed" else "", colour, run.style)

    def _write(self, cell: QTextTableCell, said: Words, sign: str, colour: theme.Pair, style: str) -> None:
        """One side of a run; its words that the other side does not have are underlined."""
        if not said:
            return
        ground = cell.format().toTableCellFormat()
        if sign:
            ground.setBackground(theme.tint(colour.on(self.palette()), self.palette()))
            cell.setFormat(ground)
        cursor = cell.firstCursorPosition()
        plain = self._look(
            theme.ACCENT if style == "heading" else None, bold=style == "heading", fixed=style != "heading"
        )
        marked = QTextCharFormat(plain)
        marked.setFontUnderline(True)
        strong = colour.on(self.palette())
        strong.setAlpha(70)
        marked.setBackground(strong)
        if sign:
            cursor.insertText(f"{sign} ", self._look(colour, bold=True, fixed=True))
        for text, changed in said:
            cursor.insertText(wrapped(visible(text)), marked if changed else plain)

    def _line(self, table: QTextTable, text: str, look: QTextCharFormat) -> QTextTableCell:
        """A row of one cell across both columns."""
        row = table.rows()
        table.appendRows(1)
        if self._columns == 2:
            table.mergeCells(row, 0, 1, 2)
        cell = table.cellAt(row, 0)
        cell.firstCursorPosition().insertText(visible(text), look)
        return cell

    def _look(
        self, colour: theme.Pair | None = None, bold: bool = False, fixed: bool = False, quiet: bool = False
    ) -> QTextCharFormat:
        look = QTextCharFormat()
        look.setFont(theme.fixed_font(1) if fixed else self.font())
        pair = theme.MUTED if quiet else colour
        look.setForeground(pair.on(self.palette()) if pair else self.palette().color(QPalette.ColorRole.Text))
        look.setFontWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
        return look
