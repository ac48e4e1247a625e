"""The selected change of a repair: the log as it is and as it is planned, side by side, with its context.

The records are one text of two columns, or of one column where there is no room for two, so that both scroll together.
"""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Slot
from PySide6.QtGui import (
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextLength,
    QTextTable,
    QTextTableCell,
    QTextTableFormat,
)
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from inspector.core.presentation.detail_pieces import DetailPiece, PieceKind
from inspector.core.presentation.diff_result import DiffRequest, DiffRun, DiffSide, DiffViewOptions
from inspector.core.presentation.engine_results import PreviewRow
from inspector.core.text import utf16_length
from inspector.core.translation import tr, tr_plural
from inspector.gui.common import theme, ui_text
from inspector.gui.common.qt_helpers import stack_vertically
from inspector.gui.common.safe_text import (
    SafeLabel,
    break_long_lines,
    escape_invisible,
    set_safe_tooltip,
    to_one_line,
)
from inspector.gui.details.code_highlighting import CodeHighlighter
from inspector.gui.details.images import ImageLoader
from inspector.gui.details.piece_writer import PieceWriter, TextFormats
from inspector.gui.state.document import Document
from inspector.gui.widgets.text_views import LinkTextEdit
from inspector.gui.worker.child_client import RequestFailure
from inspector.gui.worker.packed_answers import PlannedRepair
from inspector.gui.worker.requests import DIFF_CHANGES, SYNTAX_COLOURS

_TWO_COLUMN_CHARS = 80  # average characters of the font
_MARGIN = 4
_SIGN = 3  # per cent of the width, for the column of a sign
_BESIDE = 40  # pixels of its column that a picture leaves free
_REASON_CHARS = 200
# The text for folded lines, by their style.
_FOLDED_TEXT: dict[str, Callable[[int], str]] = {
    "": lambda count: tr_plural("⋯ {number:,} unchanged line", "⋯ {number:,} unchanged lines", count),
    "heading": lambda count: tr_plural("⋯ {number:,} unchanged line", "⋯ {number:,} unchanged lines", count),
    "field": lambda count: tr_plural(
        "⋯ {number:,} more field in the record", "⋯ {number:,} more fields in the record", count
    ),
    "rest": lambda count: tr_plural("⋯ {number:,} more line", "⋯ {number:,} more lines", count),
}
# Kinds whose markup is laid out. Their source text is shown where words of it are marked as changed.
_LAID_OUT = (PieceKind.MARKDOWN, PieceKind.TABLE)
_CONTEXT_CHANGES = 2
_PATIENCE_MS = 200


class DiffView(QWidget):
    """The view of the selected change. The records may be large, so the child process compares them."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._asked: tuple[PlannedRepair | None, int, DiffViewOptions] = (None, -1, DiffViewOptions())
        self._rows: list[PreviewRow] = []
        self.text = SideBySideText(tr("Original and repaired"), self)
        self.as_json = self._button(tr("JSON"), tr("Show the records as JSON"))
        self.unfolded = self._button(tr("Show more lines"), tr("Also show unchanged lines"))
        # The previous text stays while a small record is compared, so that nothing flickers.
        self._patience = QTimer(self, singleShot=True, interval=_PATIENCE_MS)
        self._patience.timeout.connect(lambda: self.text.show_sentence(tr("Comparing…")))
        # The headings stay while the text below them scrolls.
        self.headings = [SafeLabel(parent=self) for _ in range(2)]
        right = QHBoxLayout()
        right.addWidget(self.headings[1])
        right.addStretch()
        right.addWidget(self.as_json)
        right.addWidget(self.unfolded)
        head = QHBoxLayout()
        head.setContentsMargins(10, 2, 10, 2)
        head.addWidget(self.headings[0], 1)
        head.addLayout(right, 1)
        stack_vertically(self, head, self.text, grows=self.text)
        self._name_sides()
        self.text.painting.wanted.connect(lambda *wanted: document.process.ask(SYNTAX_COLOURS, *wanted))
        document.process.answer_signal(SYNTAX_COLOURS).connect(lambda answer: self.text.painting.apply(*answer))
        document.process.answer_signal(DIFF_CHANGES).connect(self._on_compared)
        document.process.failed.connect(self._on_failed)
        document.place_changed.connect(self.refresh)
        document.repair.plan_changed.connect(self.refresh)

    def refresh(self) -> None:
        """Request the selected change, unless the view is hidden or shows it already."""
        draft, change = self._document.repair, self._document.selection.change
        options = DiffViewOptions(self.as_json.isChecked(), self.unfolded.isChecked())
        request = (draft.plan, change, options)
        # While a new plan is on its way, the rows of the old one cannot be requested.
        same = request[0] is self._asked[0] and request[1:] == self._asked[1:]
        if draft.plan is None and not same:
            # Also while the view is hidden: text of an earlier plan may be content that is hidden by now.
            self._patience.stop()
            self._asked, self._rows = request, []
            self.text.show_sentence("")
            return
        if not self.isVisible() or draft.planning or not self._document.process.alive or same:
            return
        self._asked = request
        if change < 0 or draft.plan is None:
            self._patience.stop()
            self.text.show_sentence("")
            return
        rows = range(max(change - _CONTEXT_CHANGES, 0), min(change + _CONTEXT_CHANGES + 1, len(draft.plan)))
        self._rows = [draft.plan[row] for row in rows]
        requests = tuple(DiffRequest(row.slot, row.mark) for row in self._rows if row.slot >= 0)
        self._patience.start()
        self._document.process.ask(DIFF_CHANGES, draft.choices, requests, options)

    def showEvent(self, event: object) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._name_sides()
        self.text.adjust_columns()

    def _name_sides(self) -> None:
        both = self.text.has_two_columns
        self.headings[0].setText(tr("Original") if both else tr("Original −, repaired +"))
        self.headings[1].setText(tr("Repaired"))
        self.headings[1].setVisible(both)

    @Slot(object)
    def _on_compared(self, compared: tuple[tuple[DiffRun, ...], ...]) -> None:
        self._patience.stop()
        plan, change, _ = self._asked
        if plan is not None:
            answers = iter(compared)
            rows = [(row, next(answers, ()) if row.slot >= 0 else ()) for row in self._rows]
            self.text.show_rows(rows, change - max(change - _CONTEXT_CHANGES, 0))

    @Slot(object)
    def _on_failed(self, failure: RequestFailure) -> None:
        if failure.request is DIFF_CHANGES:
            self._patience.stop()
            self.text.show_sentence(failure.sentence)

    def _button(self, text: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setCheckable(True)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        set_safe_tooltip(button, tip)
        button.toggled.connect(self.refresh)
        return button


class SideBySideText(LinkTextEdit):
    """The text of both sides. Each side has a column for its sign and one for its contents, drawn as in the details."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        # The table takes the whole width; Qt counts its edges twice.
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.painting = CodeHighlighter(self, at_once=True)
        self._pictures = ImageLoader(self, lambda: self.viewport().width() // self._sides - _BESIDE)
        self._rows: list[tuple[PreviewRow, tuple[DiffRun, ...]]] = []
        self._current = -1
        self._sides = 1

    def sizeHint(self) -> QSize:
        return QSize(200, 120)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, 60)

    def show_sentence(self, sentence: str) -> None:
        """Show a sentence instead of changes."""
        self._begin([], -1)
        self.setPlainText(escape_invisible(sentence))

    def show_rows(self, rows: list[tuple[PreviewRow, tuple[DiffRun, ...]]], current: int) -> None:
        """Show consecutive changes, scrolled to the current one."""
        self._begin(rows, current)
        self.clear()
        self._pen = PieceWriter(self.textCursor(), TextFormats(self.palette()), self.painting.add, self._pictures.load)
        cursor = self.textCursor()
        cursor.beginEditBlock()
        anchor = self._fill(cursor.insertTable(1, 2 * self._sides, self._frame()))
        cursor.endEditBlock()
        self.painting.request()
        self.setTextCursor(anchor)
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + self.cursorRect().top() - _MARGIN)

    @property
    def has_two_columns(self) -> bool:
        """Whether there is room for both sides next to each other."""
        return self.width() >= _TWO_COLUMN_CHARS * self.fontMetrics().averageCharWidth()

    def adjust_columns(self) -> None:
        """Use one column or two, depending on the width."""
        if self._rows and self._sides != (2 if self.has_two_columns else 1):
            self.show_rows(self._rows, self._current)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._rows:
            self.show_rows(self._rows, self._current)

    def _begin(self, rows: list[tuple[PreviewRow, tuple[DiffRun, ...]]], current: int) -> None:
        self._rows, self._current = rows, current
        self._sides = 2 if self.has_two_columns else 1
        self.painting.reset()
        self._pictures.cancel_all()

    def _frame(self) -> QTextTableFormat:
        frame = QTextTableFormat()
        frame.setBorder(0)
        frame.setCellPadding(3)
        frame.setCellSpacing(0)
        frame.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
        widths = (_SIGN, 100 / self._sides - _SIGN) * self._sides
        frame.setColumnWidthConstraints([QTextLength(QTextLength.Type.PercentageLength, width) for width in widths])
        return frame

    def _fill(self, table: QTextTable) -> QTextCursor:
        """Write all rows; return the start of the current one."""
        anchor = table.firstCursorPosition()
        for number, (change, runs) in enumerate(self._rows):
            if number:  # the table is made with one row
                table.appendRows(1)
            cell = self._fill_last_row(table, *self._title(change, number == self._current))
            anchor = cell.firstCursorPosition() if number == self._current else anchor
            for run in runs:
                self._add(table, run)
        return anchor

    @property
    def _looks(self) -> TextFormats:
        return TextFormats(self.palette())

    def _title(self, change: PreviewRow, current: bool) -> tuple[str, QTextCharFormat]:
        colour = theme.CHANGE_COLOURS.get(change.mark, theme.MUTED)
        if change.mark == "skipped":
            text = tr_plural("⋯ {number:,} unchanged message", "⋯ {number:,} unchanged messages", change.count)
            return text, self._looks.text(theme.MUTED)
        words = [tr(ui_text.CHANGE_WORDS.get(change.mark, change.mark)), change.role]
        if change.record is not None:
            words.insert(1, ui_text.record_label(change.record, change.line))
        reason = f" – {to_one_line(change.reason, _REASON_CHARS)}" if change.reason and current else ""
        look = self._looks.text(colour, bold=current)
        return ("▸ " if current else "") + to_one_line(" · ".join(filter(None, words)), 120) + reason, look

    def _add(self, table: QTextTable, run: DiffRun) -> None:
        if run.kind == "folded":
            table.appendRows(1)
            self._fill_last_row(table, _FOLDED_TEXT[run.style](run.count), self._looks.text(theme.MUTED))
            return
        sides = [(run.before, "−", theme.ERROR), (run.after, "+", theme.SUCCESS)]
        if self._sides == 1:
            sides = [side for side in sides[run.kind == "same" :] if side[0].words]
        for number, (side, sign, tone) in enumerate(sides):
            if not number or self._sides == 1:
                table.appendRows(1)
            column = 2 * (number % self._sides)
            cells = [table.cellAt(table.rows() - 1, column + place) for place in (0, 1)]
            if side.words and run.kind == "changed":
                self._set_apart(cells, sign, tone)
            if side.words:
                self._write(cells[1], side, tone, run)

    def _set_apart(self, cells: list[QTextTableCell], sign: str, tone: theme.ColourPair) -> None:
        """Give the cells of a changed side its sign and background."""
        for cell in cells:
            ground = cell.format().toTableCellFormat()
            ground.setBackground(theme.tint(tone.for_palette(self.palette()), self.palette()))
            cell.setFormat(ground)
        cells[0].firstCursorPosition().insertText(sign, self._looks.text(tone, bold=True, fixed=True))

    def _write(self, cell: QTextTableCell, side: DiffSide, tone: theme.ColourPair, run: DiffRun) -> None:
        """Write one side of a run as a piece of its kind, and underline the words that the other side lacks."""
        text = "".join(text for text, _ in side.words)
        marked = any(changed for _, changed in side.words)
        self._pen.looks = TextFormats(self.palette(), without_background=run.kind == "changed")
        self._pen.continue_at(cell.firstCursorPosition())
        if run.style == "heading":
            self._pen.paragraph()
            self._pen.write_words(text, self._pen.looks.text(theme.ACCENT, bold=True))
            return
        kind = PieceKind.PROSE if marked and side.kind in _LAID_OUT else side.kind
        rows = tuple((name, value) for name, _, value in (row.partition("\t") for row in text.split("\n")))
        piece = DetailPiece(kind, text, side.title, rows if kind == PieceKind.TABLE else (), side.gutter)
        self._pen.write_piece(piece, side.picture if kind == PieceKind.IMAGE else text, inset=False)
        if marked:
            self._mark(side, tone)

    def _mark(self, side: DiffSide, tone: theme.ColourPair) -> None:
        look = QTextCharFormat()
        look.setFontUnderline(True)
        strong = tone.for_palette(self.palette())
        strong.setAlpha(70)
        look.setBackground(strong)
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._pen.piece_start)
        for text, changed in side.words:
            length = utf16_length(break_long_lines(escape_invisible(text)))
            mode = QTextCursor.MoveMode.KeepAnchor if changed else QTextCursor.MoveMode.MoveAnchor
            cursor.setPosition(cursor.position() + length, mode)
            if changed:
                cursor.mergeCharFormat(look)
                cursor.setPosition(cursor.position())

    def _fill_last_row(self, table: QTextTable, text: str, look: QTextCharFormat) -> QTextTableCell:
        """Make the last row one cell across all columns, with a text."""
        row = table.rows() - 1
        table.mergeCells(row, 0, 1, 2 * self._sides)
        cell = table.cellAt(row, 0)
        cell.firstCursorPosition().insertText(escape_invisible(text), look)
        return cell
