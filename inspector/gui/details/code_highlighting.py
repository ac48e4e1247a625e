"""Syntax colours, which the child process computes.

They are applied as layout formats over the text, so they never change the text itself.
"""

from collections.abc import Iterator
from itertools import chain, count

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QTextCharFormat, QTextCursor, QTextLayout
from PySide6.QtWidgets import QTextEdit

from inspector.core.presentation.outline import Numbers
from inspector.gui.details.piece_writer import TextFormats
from inspector.gui.worker.syntax_colours import CodeText, ColourRun

_LINES_PER_TICK = 25
# Every page receives every answer, and recognises its own by the serial number.
_SERIALS = count(1)


class CodeHighlighter(QObject):
    """The syntax colours of a page.

    Signals: `wanted` (a serial number, and the texts to colour).
    """

    wanted = Signal(object, object)

    def __init__(self, page: QTextEdit, at_once: bool = False) -> None:
        """Create the highlighter of a page.

        Some lines are coloured at a time. With `at_once` all are: a table is laid out as a whole after each change.
        """
        super().__init__(page)
        self._page, self._at_once = page, at_once
        self._serial = next(_SERIALS)
        self._waiting: list[tuple[QTextCursor, CodeText]] = []
        self._work: Iterator[None] = iter(())
        self._ticks = QTimer(self, interval=0)
        self._ticks.timeout.connect(self._on_tick)

    def reset(self) -> None:
        """Drop all requests: the page has changed."""
        self._serial = next(_SERIALS)
        self._waiting.clear()
        self._ticks.stop()

    def add(self, at: QTextCursor, text: CodeText) -> None:
        """Add a text to colour, which begins in the paragraph of a cursor."""
        self._waiting.append((at, text))

    def request(self) -> None:
        """Request the colours of all added texts."""
        if self._waiting:
            self._serial = next(_SERIALS)
            self.wanted.emit(self._serial, [text for _, text in self._waiting])

    def apply(self, serial: int, colours: list[Numbers]) -> None:
        """Apply colours; those of another page are dropped."""
        if serial == self._serial and len(colours) == len(self._waiting):
            self._work = self._painted(list(zip(self._waiting, colours, strict=True)))
            self._waiting = []
            self._ticks.start()

    def _on_tick(self) -> None:
        if next(self._work, self) is self:
            self._ticks.stop()

    def _painted(self, work: list[tuple[tuple[QTextCursor, CodeText], Numbers]]) -> Iterator[None]:
        """Colour the texts, some lines at each step."""
        looks, document = TextFormats(self._page.palette()), self._page.document()
        inks: dict[int, QTextCharFormat] = {}
        painted, first, last = 0, document.characterCount(), 0
        for (at, _), numbers in work:
            runs = (ColourRun(*numbers[start : start + 4]) for start in range(0, len(numbers), 4))
            block, line = document.findBlock(at.position()), 0
            ranges: list[QTextLayout.FormatRange] = []
            for run in chain(runs, [None]):
                if ranges and (run is None or run.line != line):
                    block.layout().setFormats(ranges)
                    first, last = min(first, block.position()), max(last, block.position() + block.length())
                    ranges, painted = [], painted + 1
                if first < last and not self._at_once and (run is None or painted % _LINES_PER_TICK == 0):
                    document.markContentsDirty(first, last - first)
                    first, last = document.characterCount(), 0
                    yield
                if run is None:
                    break
                while line < run.line and block.isValid():
                    block, line = block.next(), line + 1
                ranges.append(_format_range(run, inks, looks))
        if first < last:
            document.markContentsDirty(first, last - first)


def _format_range(run: ColourRun, inks: dict[int, QTextCharFormat], looks: TextFormats) -> QTextLayout.FormatRange:
    if run.colour not in inks:
        inks[run.colour] = QTextCharFormat()
        inks[run.colour].setForeground(looks.token_colour(run.colour))
    format_range = QTextLayout.FormatRange()
    format_range.start, format_range.length, format_range.format = run.start, run.length, inks[run.colour]
    return format_range
