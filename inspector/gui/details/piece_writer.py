"""The writer of pieces: it draws each kind of piece at a cursor, and defines the text formats.

All pieces in the window are drawn here.
"""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QPalette,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextLength,
    QTextTableFormat,
)

from inspector.core.presentation.detail_pieces import AnsiStyle, DetailPiece, PieceKind, styled_runs
from inspector.gui.common import theme
from inspector.gui.common.markdown import parse_markdown
from inspector.gui.common.safe_text import break_long_lines, escape_invisible, to_one_line
from inspector.gui.common.theme import ColourPair
from inspector.gui.common.ui_text import tr
from inspector.gui.worker.syntax_colours import CodeText

# The colours of a terminal, from black to white, then the bright ones; all are legible on both themes.
_ANSI_COLOURS = (
    ColourPair("#1c2128", "#6b7480"), ColourPair("#b4232c", "#ff8a87"),
    ColourPair("#1a7040", "#6fd08f"), ColourPair("#8f5300", "#f0b45a"),
    ColourPair("#2f5f9e", "#8fbdf5"), ColourPair("#6b3fa0", "#c5a3f5"),
    ColourPair("#0f6a78", "#62c8d6"), ColourPair("#5b6472", "#c3c9d2"),
    ColourPair("#5b6472", "#9aa4b2"), ColourPair("#c9303a", "#ffa5a2"),
    ColourPair("#1f8a4d", "#8ce0a8"), ColourPair("#a86400", "#ffcb7d"),
    ColourPair("#0b5fce", "#a9cfff"), ColourPair("#7d4bbd", "#d8bfff"),
    ColourPair("#128091", "#85dce8"), ColourPair("#1c2128", "#e4e7eb"),
)  # fmt: skip
# By the numbers of the syntax colours: text, comment, string, number, keyword, name, added, removed.
_CODE_COLOURS = (
    theme.TEXT, theme.MUTED, ColourPair("#1a7040", "#8fd3a5"), ColourPair("#8f5300", "#f0b45a"),
    ColourPair("#6b3fa0", "#c5a3f5"), ColourPair("#0b5fce", "#8fbdf5"), theme.SUCCESS, theme.ERROR,
)  # fmt: skip
_CODE_BACKGROUND = ColourPair("#f3f5f8", "#20242a")
MARGIN = 10
_ABOVE = 4
_MAX_NAME_CHARS, _MAX_VALUE_CHARS = 40, 2000
_MAX_TABLE_ROWS = 100
_DIFF_COLOURS = {"+": theme.SUCCESS, "-": theme.ERROR}
_LANGUAGE = {PieceKind.JSON: "json", PieceKind.SHELL: "bash", PieceKind.DIFF: "diff"}


@dataclass(frozen=True)
class TextFormats:
    """The text formats for a palette. With `without_background`, code has no background of its own."""

    palette: QPalette
    without_background: bool = False

    def text(self, tone: ColourPair | None = None, bold: bool = False, fixed: bool = False) -> QTextCharFormat:
        look = QTextCharFormat()
        look.setForeground((tone or theme.TEXT).for_palette(self.palette))
        if bold:
            look.setFontWeight(QFont.Weight.DemiBold)
        if fixed:
            font = theme.fixed_font(1)
            look.setFontFamilies(font.families())
            look.setFontPointSize(font.pointSizeF())
        return look

    def link(self, number: int, tone: ColourPair = theme.ACCENT) -> QTextCharFormat:
        """Return the format of a link. The link names a number, never an address."""
        look = self.text(tone)
        look.setAnchor(True)
        look.setAnchorHref(str(number))
        look.setFontUnderline(True)
        return look

    def paragraph(self, inset: bool = False, above: int = 0) -> QTextBlockFormat:
        look = QTextBlockFormat()
        look.setLeftMargin(2 * MARGIN if inset else 0)
        look.setTopMargin(above)
        return look

    def code_block(self, inset: bool, tone: ColourPair | None = None) -> QTextBlockFormat:
        """Return the paragraph format of code and output; with a `tone`, of a changed line in a diff."""
        look = self.paragraph(inset)
        look.setLeftMargin(look.leftMargin() + 4)
        if tone is not None:
            look.setBackground(theme.tint(tone.for_palette(self.palette), self.palette))
        elif not self.without_background:
            look.setBackground(_CODE_BACKGROUND.for_palette(self.palette))
        return look

    def terminal(self, run: AnsiStyle) -> QTextCharFormat:
        """Return the format of a run of terminal output."""
        look = self.text(fixed=True, bold=run.bold)
        if run.ink is not None:
            look.setForeground(self._colour(run.ink))
        elif run.faint:
            look.setForeground(theme.MUTED.for_palette(self.palette))
        if run.ground is not None:
            ground = self._colour(run.ground)
            look.setBackground(ground)
            look.setForeground(QColor("#17191d" if ground.lightness() > 128 else "#ffffff"))
        look.setFontItalic(run.italic)
        look.setFontUnderline(run.underlined)
        look.setFontStrikeOut(run.struck)
        return look

    def token_colour(self, number: int) -> QColor:
        """Return the colour of a token by its number."""
        return _CODE_COLOURS[number if number < len(_CODE_COLOURS) else 0].for_palette(self.palette)

    def _colour(self, colour: int | str) -> QColor:
        return QColor(colour) if isinstance(colour, str) else _ANSI_COLOURS[colour].for_palette(self.palette)


class PieceWriter:
    """A writer at a cursor. `piece_start` is where the text of the last piece begins.

    `coloured` is called for text in a known language, with a cursor in its first paragraph and the text; `pictured` is
    called for a picture, with a cursor at its place and its data.
    """

    def __init__(
        self,
        cursor: QTextCursor,
        looks: TextFormats,
        coloured: Callable[[QTextCursor, CodeText], None],
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
        """Continue in an empty paragraph."""
        self.cursor, self._fresh = cursor, True

    @property
    def next_block(self) -> int:
        """The number of the next paragraph."""
        return self.cursor.blockNumber() + (not self._fresh)

    def paragraph(self, inset: bool = False, above: int = 0) -> None:
        """Begin a new paragraph, unless the current one is still empty."""
        self._begin(inset, above=above)

    def write_words(self, text: str, look: QTextCharFormat) -> None:
        """Write a few words on one line: a text of the program, or a name from the log."""
        self.cursor.insertText(to_one_line(text, _MAX_VALUE_CHARS), look)

    def write_gap(self, between: str = "  ") -> None:
        """Write a gap between words of different formats."""
        self.cursor.insertText(between, self.looks.text(theme.MUTED))

    def write_piece(self, piece: DetailPiece, text: str, inset: bool) -> None:
        """Write `text`, which is all or a part of the text of a piece."""
        self.piece_start = -1
        self._ways[piece.kind](piece, text, inset)

    def _table(self, piece: DetailPiece, text: str, inset: bool) -> None:
        """Write a table of names and values; only the first rows of a long one."""
        rows = piece.rows[:_MAX_TABLE_ROWS]
        look = QTextTableFormat()
        look.setBorder(0)
        look.setCellPadding(2)
        look.setCellSpacing(0)
        look.setLeftMargin(24 if inset else 4)
        names = [to_one_line(name, _MAX_NAME_CHARS) for name, _ in rows]
        widest = max(map(QFontMetrics(self.cursor.document().defaultFont()).horizontalAdvance, names)) + 12
        rest_of_width = QTextLength(QTextLength.Type.VariableLength, 0)
        look.setColumnWidthConstraints([QTextLength(QTextLength.Type.FixedLength, widest), rest_of_width])
        table = self.cursor.insertTable(len(rows), 2, look)
        for row, (_, value) in enumerate(rows):
            table.cellAt(row, 0).firstCursorPosition().insertText(names[row], self.looks.text(theme.MUTED))
            shown = escape_invisible(value[:_MAX_VALUE_CHARS]) + ("…" if len(value) > _MAX_VALUE_CHARS else "")
            table.cellAt(row, 1).firstCursorPosition().insertText(shown, self.looks.text(fixed=True))
        self.cursor.setPosition(table.lastPosition() + 1)
        self._fresh = True
        if omitted := len(piece.rows) - len(rows):
            self._begin(inset)
            self.write_words(tr("and {omitted:,} more", omitted=omitted), self.looks.text(theme.MUTED))

    def _picture(self, piece: DetailPiece, text: str, inset: bool) -> None:
        self.paragraph(inset)
        self.write_words(piece.title, self.looks.text(theme.MUTED))
        if text:
            self.paragraph(inset)
            self._pictured(QTextCursor(self.cursor), text)

    def _begin(self, inset: bool, tone: theme.ColourPair | None = None, grounded: bool = False, above: int = 0) -> None:
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
        self.cursor.insertText(break_long_lines(escape_invisible(text)), self.looks.text())

    def _quiet(self, piece: DetailPiece, text: str, inset: bool) -> None:
        self._begin(inset)
        self.cursor.insertText(break_long_lines(escape_invisible(text)), self.looks.text(theme.MUTED))

    def _markdown(self, piece: DetailPiece, text: str, inset: bool) -> None:
        self._begin(inset, above=_ABOVE)
        self.cursor.insertFragment(parse_markdown(break_long_lines(text)))

    def _terminal(self, piece: DetailPiece, text: str, inset: bool) -> None:
        self._begin(inset, grounded=True)
        for run, look in styled_runs(break_long_lines(text)):
            self.cursor.insertText(escape_invisible(run), self.looks.terminal(look))

    def _diff(self, piece: DetailPiece, text: str, inset: bool) -> None:
        look = self.looks.text(fixed=True)
        lines: list[str] = []
        tone: theme.ColourPair | None = None
        for line in [*break_long_lines(escape_invisible(text)).split("\n"), None]:
            line_tone = None if line is None or line.startswith(("+++", "---")) else _DIFF_COLOURS.get(line[:1])
            if lines and (line is None or line_tone is not tone):
                self._begin(inset, tone, grounded=True)
                self.cursor.insertText("\n".join(lines), look)
                lines = []
            if line is not None:
                tone = line_tone
                lines.append(line)

    def _code(self, piece: DetailPiece, text: str, inset: bool) -> None:
        self._begin(inset, grounded=True)
        shown = break_long_lines(escape_invisible(text))
        language = _LANGUAGE.get(piece.kind, piece.title)
        if language:
            start = QTextCursor(self.cursor)
            start.setKeepPositionOnInsert(True)
            self._coloured(start, CodeText(shown, language, piece.gutter))
        self.cursor.insertText(shown, self.looks.text(fixed=True))
