"""Draws pieces at the place of a cursor: each kind in its own way. Nothing else in the window draws one."""

from collections.abc import Callable

from PySide6.QtGui import QFontMetrics, QTextCharFormat, QTextCursor, QTextLength, QTextTableFormat

from inspector.core.showing.details.ansi import styled_runs
from inspector.core.showing.details.pieces import DetailPiece, PieceKind
from inspector.gui.basics import theme
from inspector.gui.basics.markdown import laid_out
from inspector.gui.basics.plain_text import one_line, visible, wrapped
from inspector.gui.basics.words import tr
from inspector.gui.details.looks import Looks
from inspector.gui.process.colours import ColouredText

_ABOVE = 4
_NAME, _VALUE = 40, 2000
_ROWS = 100
_CHANGES = {"+": theme.GOOD, "-": theme.ERROR}
_LANGUAGE = {PieceKind.JSON: "json", PieceKind.SHELL: "bash", PieceKind.DIFF: "diff"}


class Drawing:
    """Writes at the end of the document, or where `cursor` was put. `began` is where the text of the last piece begins.

    `coloured` hears of what has a language: a cursor in its first paragraph, and the text; `pictured` of a picture: a
    cursor at its place, and its data.
    """

    def __init__(
        self,
        cursor: QTextCursor,
        looks: Looks,
        coloured: Callable[[QTextCursor, ColouredText], None],
        pictured: Callable[[QTextCursor, str], None],
    ) -> None:
        self.cursor, self.looks = cursor, looks
        self.piece_start = 0
        self._fresh = True
        self._coloured, self._pictured = coloured, pictured
        self._ways = {
            PieceKind.PROSE: self._prose,
            PieceKind.CONTEXT: self._quiet,
            PieceKind.THINKING: self._quiet,
            PieceKind.MARKDOWN: self._markdown,
            PieceKind.TERMINAL: self._terminal,
            PieceKind.DIFF: self._diff,
            PieceKind.SHELL: self._code,
            PieceKind.CODE: self._code,
            PieceKind.JSON: self._code,
            PieceKind.TABLE: self._table,
            PieceKind.IMAGE: self._picture,
        }

    def continue_at(self, cursor: QTextCursor) -> None:
        """Go on in an empty paragraph."""
        self.cursor, self._fresh = cursor, True

    @property
    def next_block(self) -> int:
        """The number of the paragraph that is written next."""
        return self.cursor.blockNumber() + (not self._fresh)

    def paragraph(self, inset: bool = False, above: int = 0) -> None:
        """Begin a new paragraph; the document begins with one."""
        self._begin(inset, above=above)

    def write_words(self, text: str, look: QTextCharFormat) -> None:
        """A few words of ours, or a name from the log."""
        self.cursor.insertText(one_line(text, _VALUE), look)

    def write_gap(self, between: str = "  ") -> None:
        """What stands between words of different looks."""
        self.cursor.insertText(between, self.looks.text(theme.MUTED))

    def write_piece(self, piece: DetailPiece, text: str, inset: bool) -> None:
        """Draw `text`, which is a part of what the piece says."""
        self.piece_start = -1
        self._ways[piece.kind](piece, text, inset)

    def _table(self, piece: DetailPiece, text: str, inset: bool) -> None:
        """A short table of names and values, of a long one the beginning."""
        rows = piece.rows[:_ROWS]
        look = QTextTableFormat()
        look.setBorder(0)
        look.setCellPadding(2)
        look.setCellSpacing(0)
        look.setLeftMargin(24 if inset else 4)
        names = [one_line(name, _NAME) for name, _ in rows]
        widest = max(map(QFontMetrics(self.cursor.document().defaultFont()).horizontalAdvance, names)) + 12
        free = QTextLength(QTextLength.Type.VariableLength, 0)
        look.setColumnWidthConstraints([QTextLength(QTextLength.Type.FixedLength, widest), free])
        table = self.cursor.insertTable(len(rows), 2, look)
        for row, (_, value) in enumerate(rows):
            table.cellAt(row, 0).firstCursorPosition().insertText(names[row], self.looks.text(theme.MUTED))
            shown = visible(value[:_VALUE]) + ("…" if len(value) > _VALUE else "")
            table.cellAt(row, 1).firstCursorPosition().insertText(shown, self.looks.text(fixed=True))
        self.cursor.setPosition(table.lastPosition() + 1)
        self._fresh = True
        if more := len(piece.rows) - len(rows):
            self._begin(inset)
            self.write_words(f"{tr('and more of them, not shown:')} {more:,}", self.looks.text(theme.MUTED))

    def _picture(self, piece: DetailPiece, text: str, inset: bool) -> None:
        self.paragraph(inset)
        self.write_words(piece.title, self.looks.text(theme.MUTED))
        if text:
            self.paragraph(inset)
            self._pictured(QTextCursor(self.cursor), text)

    def _begin(self, inset: bool, tone: theme.Pair | None = None, grounded: bool = False, above: int = 0) -> None:
        look = self.looks.code_block(inset, tone) if grounded else self.looks.paragraph(inset, above)
        if self._fresh:
            self.cursor.setBlockFormat(look)
        else:
            self.cursor.insertBlock(look, QTextCharFormat())
        self._fresh = False
        if self.piece_start < 0:
            self.piece_start = self.cursor.position()

    def _prose(self, piece: DetailPiece, text: str, inset: bool) -> None:
        self._begin(inset, above=_ABOVE)
        self.cursor.insertText(wrapped(visible(text)), self.looks.text())

    def _quiet(self, piece: DetailPiece, text: str, inset: bool) -> None:
        self._begin(inset)
        self.cursor.insertText(wrapped(visible(text)), self.looks.text(theme.MUTED))

    def _markdown(self, piece: DetailPiece, text: str, inset: bool) -> None:
        self._begin(inset, above=_ABOVE)
        self.cursor.insertFragment(laid_out(wrapped(text)))

    def _terminal(self, piece: DetailPiece, text: str, inset: bool) -> None:
        self._begin(inset, grounded=True)
        for run, look in styled_runs(wrapped(text)):
            self.cursor.insertText(visible(run), self.looks.terminal(look))

    def _diff(self, piece: DetailPiece, text: str, inset: bool) -> None:
        look = self.looks.text(fixed=True)
        together: list[str] = []
        tone: theme.Pair | None = None
        for line in [*wrapped(visible(text)).split("\n"), None]:
            own = None if line is None or line.startswith(("+++", "---")) else _CHANGES.get(line[:1])
            if together and (line is None or own is not tone):
                self._begin(inset, tone, grounded=True)
                self.cursor.insertText("\n".join(together), look)
                together = []
            if line is not None:
                tone = own
                together.append(line)

    def _code(self, piece: DetailPiece, text: str, inset: bool) -> None:
        self._begin(inset, grounded=True)
        shown = wrapped(visible(text))
        language = _LANGUAGE.get(piece.kind, piece.title)
        if language:
            start = QTextCursor(self.cursor)
            start.setKeepPositionOnInsert(True)
            self._coloured(start, ColouredText(shown, language, piece.gutter))
        self.cursor.insertText(shown, self.looks.text(fixed=True))
