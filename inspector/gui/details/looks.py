"""How letters and paragraphs of a page look, on a light and on a dark ground."""

from dataclasses import dataclass

from PySide6.QtGui import QColor, QFont, QPalette, QTextBlockFormat, QTextCharFormat

from inspector.core.showing.details.ansi import AnsiStyle
from inspector.gui.basics import theme
from inspector.gui.basics.theme import Pair

# The colours of a terminal, from black to white, then the bright ones; each can be read on our grounds.
_TERMINAL = (
    Pair("#1c2128", "#6b7480"), Pair("#b4232c", "#ff8a87"), Pair("#1a7040", "#6fd08f"), Pair("#8f5300", "#f0b45a"),
    Pair("#2f5f9e", "#8fbdf5"), Pair("#6b3fa0", "#c5a3f5"), Pair("#0f6a78", "#62c8d6"), Pair("#5b6472", "#c3c9d2"),
    Pair("#5b6472", "#9aa4b2"), Pair("#c9303a", "#ffa5a2"), Pair("#1f8a4d", "#8ce0a8"), Pair("#a86400", "#ffcb7d"),
    Pair("#0b5fce", "#a9cfff"), Pair("#7d4bbd", "#d8bfff"), Pair("#128091", "#85dce8"), Pair("#1c2128", "#e4e7eb"),
)  # fmt: skip
# By the numbers that `process.colours` gives: comment, string, number, keyword, name, put in, taken out.
_INKS = (
    theme.TEXT, theme.MUTED, Pair("#1a7040", "#8fd3a5"), Pair("#8f5300", "#f0b45a"), Pair("#6b3fa0", "#c5a3f5"),
    Pair("#0b5fce", "#8fbdf5"), theme.GOOD, theme.ERROR,
)  # fmt: skip
_GROUND = Pair("#f3f5f8", "#20242a")
MARGIN = 10


@dataclass(frozen=True)
class Looks:
    """All looks on one palette; `bare` ones have no ground of their own, for what stands on one."""

    palette: QPalette
    without_background: bool = False

    def text(self, tone: Pair | None = None, bold: bool = False, fixed: bool = False) -> QTextCharFormat:
        look = QTextCharFormat()
        look.setForeground((tone or theme.TEXT).for_palette(self.palette))
        if bold:
            look.setFontWeight(QFont.Weight.DemiBold)
        if fixed:
            font = theme.fixed_font(1)
            look.setFontFamilies(font.families())
            look.setFontPointSize(font.pointSizeF())
        return look

    def link(self, number: int, tone: Pair = theme.ACCENT) -> QTextCharFormat:
        """A place of ours to click on: it names a number, and never an address."""
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

    def code_block(self, inset: bool, tone: Pair | None = None) -> QTextBlockFormat:
        """The paragraph of code and of output; with a `tone`, of what a diff changes."""
        look = self.paragraph(inset)
        look.setLeftMargin(look.leftMargin() + 4)
        if tone is not None:
            look.setBackground(theme.tint(tone.for_palette(self.palette), self.palette))
        elif not self.without_background:
            look.setBackground(_GROUND.for_palette(self.palette))
        return look

    def terminal(self, run: AnsiStyle) -> QTextCharFormat:
        """How a run of a tool's output looks."""
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
        """The colour of a token."""
        return _INKS[number if number < len(_INKS) else 0].for_palette(self.palette)

    def _colour(self, told: int | str) -> QColor:
        return QColor(told) if isinstance(told, str) else _TERMINAL[told].for_palette(self.palette)
