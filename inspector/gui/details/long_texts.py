"""Long texts of a page: drawn as far as a person reads at once; what is left is said, and comes bit by bit."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QTextBlock, QTextCursor
from PySide6.QtWidgets import QTextEdit

from inspector.core.showing.details.pieces import DetailPiece, PieceKind
from inspector.gui.basics.words import tr
from inspector.gui.details.drawing import Drawing

# Characters that are drawn at once: some twenty milliseconds of them.
_AT_ONCE = {PieceKind.MARKDOWN: 5 * 1024, PieceKind.DIFF: 4 * 1024, PieceKind.TERMINAL: 8 * 1024}
_OF_OTHERS, _OF_MANY = 12 * 1024, 1024
_ENOUGH = 16 * 1024  # characters of a page, behind which texts begin shorter
_NEXT = 64 * 1024
_MOST = 2 * 1024 * 1024
_SOUGHT = 4 * 1024 * 1024  # characters that are looked through at once
_AROUND = 1024  # characters in front of a place that is far away


@dataclass(eq=False)
class Rest:
    """What is left of a piece: from `start` to `stop`, said in the paragraph `at`, of an entry of the page.

    `place` is the first of what is looked for in it; `sought` is how far that was looked for.
    """

    piece: DetailPiece
    start: int
    stop: int
    inset: bool
    at: QTextCursor
    entry: int
    searched_to: int
    match: range | None = None


class LongTexts(QObject):
    """Signals: `grown` (what was asked for is drawn), `looked` (what is not drawn was looked through)."""

    grown = Signal()
    searched = Signal()

    def __init__(
        self,
        page: QTextEdit,
        link: Callable[[str, Callable[[], None]], None],
        mark: Callable[[QTextBlock, int], None],
    ) -> None:
        """`link` writes a link at the pen; `mark` notes to which entry the paragraphs from one to the pen belong."""
        super().__init__(page)
        self._page, self._link, self._mark = page, link, mark
        self._pen: Drawing | None = None
        self._drawn = 0
        self._undrawn: list[Rest] = []
        self._growing: Rest | None = None
        self._from = self._to_grow = 0
        self._growth = QTimer(self, interval=0)
        self._growth.timeout.connect(self._on_growth_timeout)
        self._pattern: re.Pattern[str] | None = None
        self._search_timer = QTimer(self, interval=0)
        self._search_timer.timeout.connect(self._on_looks_timeout)

    def reset(self, pen: Drawing) -> None:
        """Another page."""
        self._growth.stop()
        self._search_timer.stop()
        self._pen, self._drawn = pen, 0
        self._undrawn.clear()

    def draw(self, piece: DetailPiece, number: int, inset: bool) -> None:
        """The beginning of a piece of an entry, and links to the rest of it."""
        self._draw(piece, number, inset, 0, len(piece.text), _at_once(piece) if self._drawn < _ENOUGH else _OF_MANY)

    def search(self, pattern: re.Pattern[str] | None) -> None:
        """Look for a text in what is not drawn; in very long texts bit by bit."""
        self._pattern = pattern
        if self._look():
            self._search_timer.start()

    @property
    def searching(self) -> bool:
        """Whether that is going on."""
        return self._search_timer.isActive()

    @property
    def first_match(self) -> Rest | None:
        """The first rest that is known to hold it."""
        return next((rest for rest in self._rests_of_row() if rest.match), None)

    def _look(self) -> bool:
        """Look on for some milliseconds; whether there is more to look through."""
        left, pattern = _SOUGHT, self._pattern
        for rest in self._rests_of_row() if pattern else ():
            if pattern and not rest.match:
                stop = min(rest.searched_to + left, rest.stop)
                # What begins before the stop may end behind it.
                found = pattern.search(rest.piece.text, rest.searched_to, min(stop + len(pattern.pattern), rest.stop))
                rest.match = range(*found.span()) if found else None
                left, rest.searched_to = left - (stop - rest.searched_to), stop
            if rest.match or rest.searched_to < rest.stop:
                return not rest.match
        return False

    def _rests_of_row(self) -> list[Rest]:
        """Those of the row's own texts, as the page has them."""
        return sorted((rest for rest in self._undrawn if not rest.inset), key=lambda rest: rest.at.position())

    def _on_looks_timeout(self) -> None:
        if not self._look():
            self._search_timer.stop()
            self.searched.emit()

    def draw_to_found(self) -> QTextCursor | None:
        """Draw the first rest that holds it as far as there, of one that is far away what stands around it; where."""
        rest = self.first_match
        if rest is None or rest.match is None:
            return None
        place = rest.match
        near = place.stop - rest.start <= _NEXT
        start = rest.start if near else _cut(rest.piece.text, rest.start, place.start - _AROUND)
        self._grow(rest, place.stop - start, start)
        return rest.at

    def _draw(self, piece: DetailPiece, number: int, inset: bool, start: int, stop: int, most: int) -> Rest | None:
        """Draw so much of a text, and say what is left, which is the answer."""
        assert self._pen is not None
        cut = _cut(piece.text, start, start + most) if start + most < stop else stop
        self._drawn += cut - start
        self._pen.write_piece(piece, piece.text[start:cut], inset)
        return self._write_rest_link(piece, number, inset, cut, stop) if cut < stop else None

    def _write_rest_link(self, piece: DetailPiece, number: int, inset: bool, start: int, stop: int) -> Rest:
        assert self._pen is not None
        self._pen.paragraph(inset)
        at = QTextCursor(self._pen.cursor)
        at.setKeepPositionOnInsert(True)
        rest = Rest(piece, start, stop, inset, at, number, start)
        self._undrawn.append(rest)
        self._link(tr("Show more"), lambda: self._grow(rest, _NEXT, start))
        self._pen.write_gap(" · ")
        self._link(tr("Show all"), lambda: self._grow(rest, _MOST, start))
        self._pen.write_gap(f" · {stop - start:,} {tr('characters are left')}")
        return rest

    def _grow(self, rest: Rest, by: int, start: int) -> None:
        """Draw so much of a rest, from a place in it on, where it is said; bit by bit."""
        self._growing, self._from, self._to_grow = rest, start, by
        self._growth.start()

    def _on_growth_timeout(self) -> None:
        rest = self._growing
        if rest is None or self._to_grow <= 0 or self._pen is None:
            self._growth.stop()
            self.grown.emit()
            return
        self._to_grow -= _at_once(rest.piece)
        cursor = QTextCursor(self._page.document())
        cursor.setPosition(rest.at.position())
        cursor.beginEditBlock()
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        self._undrawn = [each for each in self._undrawn if each is not rest]
        first = cursor.block()
        self._pen.continue_at(cursor)
        start = max(rest.start, self._from)
        if start > rest.start:
            self._write_rest_link(rest.piece, rest.entry, rest.inset, rest.start, start)
        self._growing = self._draw(rest.piece, rest.entry, rest.inset, start, rest.stop, _at_once(rest.piece))
        self._mark(first, rest.entry)
        cursor.endEditBlock()


def _at_once(piece: DetailPiece) -> int:
    return _AT_ONCE.get(piece.kind, _OF_OTHERS)


def _cut(text: str, start: int, stop: int) -> int:
    """Where a part of a text may end: behind a line, where one ends nearby."""
    if stop >= len(text):
        return len(text)
    line = text.rfind("\n", start + (stop - start) * 3 // 4, stop)
    return stop if line < 0 else line + 1
