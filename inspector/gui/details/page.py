"""The page of details: parts below one another, which unfold, grow and lead elsewhere by links of ours.

Merged; to be rewritten:
`long_texts`: Long texts of a page: drawn as far as a person reads at once; what is left is said, and comes bit by bit.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QSize, QTimer, Signal
from PySide6.QtGui import QTextBlock, QTextCursor
from PySide6.QtWidgets import QTextEdit, QWidget

from inspector.core.presentation.detail_pieces import DetailPiece, PieceKind
from inspector.gui.common import theme
from inspector.gui.common.safe_text import to_one_line
from inspector.gui.common.ui_text import tr
from inspector.gui.details.entries import Entry, HeadingEntry, LineEntry, PartEntry
from inspector.gui.details.highlighting import CodeHighlighter
from inspector.gui.details.images import ImageLoader
from inspector.gui.details.piece_writer import PieceWriter, TextFormats
from inspector.gui.widgets.text_views import LinkTextEdit, MatchHighlighter

# Long texts of a page: drawn as far as a person reads at once; what is left is said, and comes bit by bit.

# Characters that are drawn at once: some twenty milliseconds of them.
_INITIAL_CHARS = {PieceKind.MARKDOWN: 5 * 1024, PieceKind.DIFF: 4 * 1024, PieceKind.TERMINAL: 8 * 1024}
_OF_OTHERS, _OF_MANY = 12 * 1024, 1024
_ENOUGH = 16 * 1024  # characters of a page, behind which texts begin shorter
_NEXT = 64 * 1024
_MOST = 2 * 1024 * 1024
_SOUGHT = 4 * 1024 * 1024  # characters that are looked through at once
_AROUND = 1024  # characters in front of a place that is far away


@dataclass(eq=False)
class UndrawnText:
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


class LongTextRenderer(QObject):
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
        self._pen: PieceWriter | None = None
        self._drawn = 0
        self._undrawn: list[UndrawnText] = []
        self._growing: UndrawnText | None = None
        self._from = self._to_grow = 0
        self._growth = QTimer(self, interval=0)
        self._growth.timeout.connect(self._on_growth_timeout)
        self._pattern: re.Pattern[str] | None = None
        self._search_timer = QTimer(self, interval=0)
        self._search_timer.timeout.connect(self._on_looks_timeout)

    def reset(self, pen: PieceWriter) -> None:
        """Another page."""
        self._growth.stop()
        self._search_timer.stop()
        self._pen, self._drawn = pen, 0
        self._undrawn.clear()

    def draw(self, piece: DetailPiece, number: int, inset: bool) -> None:
        """The beginning of a piece of an entry, and links to the rest of it."""
        self._draw(
            piece, number, inset, 0, len(piece.text), _initial_length(piece) if self._drawn < _ENOUGH else _OF_MANY
        )

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
    def first_match(self) -> UndrawnText | None:
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

    def _rests_of_row(self) -> list[UndrawnText]:
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
        start = rest.start if near else _break_position(rest.piece.text, rest.start, place.start - _AROUND)
        self._grow(rest, place.stop - start, start)
        return rest.at

    def _draw(
        self, piece: DetailPiece, number: int, inset: bool, start: int, stop: int, most: int
    ) -> UndrawnText | None:
        """Draw so much of a text, and say what is left, which is the answer."""
        assert self._pen is not None
        cut = _break_position(piece.text, start, start + most) if start + most < stop else stop
        self._drawn += cut - start
        self._pen.write_piece(piece, piece.text[start:cut], inset)
        return self._write_rest_link(piece, number, inset, cut, stop) if cut < stop else None

    def _write_rest_link(self, piece: DetailPiece, number: int, inset: bool, start: int, stop: int) -> UndrawnText:
        assert self._pen is not None
        self._pen.paragraph(inset)
        at = QTextCursor(self._pen.cursor)
        at.setKeepPositionOnInsert(True)
        rest = UndrawnText(piece, start, stop, inset, at, number, start)
        self._undrawn.append(rest)
        self._link(tr("Show more"), lambda: self._grow(rest, _NEXT, start))
        self._pen.write_gap(" · ")
        self._link(tr("Show all"), lambda: self._grow(rest, _MOST, start))
        self._pen.write_gap(f" · {stop - start:,} {tr('characters are left')}")
        return rest

    def _grow(self, rest: UndrawnText, by: int, start: int) -> None:
        """Draw so much of a rest, from a place in it on, where it is said; bit by bit."""
        self._growing, self._from, self._to_grow = rest, start, by
        self._growth.start()

    def _on_growth_timeout(self) -> None:
        rest = self._growing
        if rest is None or self._to_grow <= 0 or self._pen is None:
            self._growth.stop()
            self.grown.emit()
            return
        self._to_grow -= _initial_length(rest.piece)
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
        self._growing = self._draw(rest.piece, rest.entry, rest.inset, start, rest.stop, _initial_length(rest.piece))
        self._mark(first, rest.entry)
        cursor.endEditBlock()


def _initial_length(piece: DetailPiece) -> int:
    return _INITIAL_CHARS.get(piece.kind, _OF_OTHERS)


def _break_position(text: str, start: int, stop: int) -> int:
    """Where a part of a text may end: behind a line, where one ends nearby."""
    if stop >= len(text):
        return len(text)
    line = text.rfind("\n", start + (stop - start) * 3 // 4, stop)
    return stop if line < 0 else line + 1


_TAB = 6
_FOLDED_TITLES = {PieceKind.THINKING: "Thinking", PieceKind.CONTEXT: "Added by the program"}
_GIST = 90
_BESIDE = 60  # pixels that a picture leaves


class DetailsPage(LinkTextEdit):
    """Signals: `node_wanted` (a node of the tree), `places_changed` (what is looked for is elsewhere on the page)."""

    node_wanted = Signal(object)
    matches_changed = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.painting = CodeHighlighter(self)
        self.setTabStopDistance(self.fontMetrics().horizontalAdvance(" " * _TAB))
        self.entries: Sequence[Entry] = ()
        self._unfolded: set[tuple[int, int]] = set()
        self.found = MatchHighlighter(self)
        self._awaited: QTextCursor | None = None
        self._long = LongTextRenderer(self, self._link, self._mark)
        self._long.grown.connect(self._on_grown)
        self._long.searched.connect(self._on_looked)
        self._pictures = ImageLoader(self, lambda: self.viewport().width() - _BESIDE)

    def sizeHint(self) -> QSize:
        # The default asks for more height than a pane of a small window has.
        return QSize(200, 80)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, 40)

    def show_entries(self, entries: Sequence[Entry], from_end: bool = False) -> None:
        """Show other details, from the first place of what is looked for, or the last; else from their beginning."""
        self.entries, self._unfolded = entries, set()
        self._draw()
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self.verticalScrollBar().setValue(0)
        self._go_to_first_match(len(self.found) - 1 if from_end else 0)

    def redraw(self) -> None:
        """Draw the same again: the colours changed, or something was unfolded."""
        at, here = self.verticalScrollBar().value(), self.textCursor().selectionStart()
        self._draw()
        cursor = QTextCursor(self.document())
        cursor.setPosition(min(here, self.document().characterCount() - 1))
        self.setTextCursor(cursor)
        self.verticalScrollBar().setValue(at)

    def set_search_pattern(self, found: re.Pattern[str] | None) -> None:
        """Put a ground under what is looked for, unfold what holds it, and show the first; None under nothing."""
        if found is not self.found.pattern:
            self.found.pattern = found
            self.redraw()
            self._go_to_first_match()

    @property
    def has_more_matches(self) -> bool:
        """Whether what is not drawn yet holds more of what is looked for, or may."""
        return self._long.first_match is not None or self._long.searching

    def step_match(self, forward: bool) -> None:
        """Go to the next or the previous place of what is looked for, around the ends.

        A text is drawn as far as the next one is.
        """
        number, places = self.found.current + (1 if forward else -1), len(self.found)
        self._awaited = self._long.draw_to_found() if number >= places else None
        if self._awaited is None and places:
            self._go_to(number % places)

    def _go_to_first_match(self, number: int = 0) -> None:
        """Go to a place; where none of them is drawn yet, to the first that can be."""
        self._awaited = None if len(self.found) else self._long.draw_to_found()
        if self._awaited is None:
            self._go_to(number)

    def _on_looked(self) -> None:
        if len(self.found):
            self.matches_changed.emit()
        else:
            self._go_to_first_match()

    def _search(self) -> None:
        self.found.search(self._belongs_to_row)
        self._long.search(self.found.pattern)

    def _go_to(self, number: int) -> None:
        self._awaited = None
        self.found.go_to(number)
        self.matches_changed.emit()

    def _belongs_to_row(self, position: int) -> bool:
        """Whether what stands there is the row's own, and not shown beside it."""
        shown = self.shown_at(position)
        return shown is not None and not shown.inset

    def shown_at(self, position: int) -> PartEntry | None:
        """The part that stands at a position of the text."""
        number = self.document().findBlock(position).userState()
        entry = self.entries[number] if 0 <= number < len(self.entries) else None
        return entry if isinstance(entry, PartEntry) else None

    def _draw(self) -> None:
        self._pictures.cancel_all()
        self.clear_links()
        self.painting.reset()
        self.clear()
        self._pen = PieceWriter(
            QTextCursor(self.document()), TextFormats(self.palette()), self.painting.add, self._pictures.load
        )
        self._long.reset(self._pen)
        self._pen.cursor.beginEditBlock()
        for number, entry in enumerate(self.entries):
            first = self._pen.next_block
            self._draw_entry(number, entry)
            self._mark(self.document().findBlockByNumber(first), number)
        self._pen.cursor.endEditBlock()
        self._search()
        self.painting.request()

    def _mark(self, block: QTextBlock, number: int) -> None:
        """Note which entry the paragraphs from here to the pen belong to."""
        last = self._pen.cursor.blockNumber()
        while block.isValid() and block.blockNumber() <= last:
            block.setUserState(number)
            block = block.next()

    def _draw_entry(self, number: int, entry: Entry) -> None:
        match entry:
            case HeadingEntry():
                self._draw_heading(entry, inset=False)
            case LineEntry():
                self._pen.paragraph()
                self._words_or_link(entry.text, entry.tone, entry.node)
            case PartEntry():
                self._draw_part(number, entry)

    def _draw_heading(self, heading: HeadingEntry, inset: bool) -> None:
        self._pen.paragraph(inset, above=10)
        looks = self._pen.looks
        if heading.node:
            self._link(heading.text, lambda: self.node_wanted.emit(heading.node), heading.tone)
        else:
            self._pen.write_words(heading.text, looks.text(heading.tone, bold=True))
        if heading.note:
            self._pen.write_gap("  " if heading.text else "")
            self._pen.write_words(heading.note, looks.text(theme.MUTED))

    def _words_or_link(self, text: str, tone: theme.ColourPair | None, node: int) -> None:
        if node:
            self._link(text, lambda: self.node_wanted.emit(node))
        else:
            self._pen.write_words(text, self._pen.looks.text(tone))

    def _link(self, text: str, does: Callable[[], None], tone: theme.ColourPair = theme.ACCENT) -> None:
        number = self.add_link(self._pen.cursor, does)
        self._pen.write_words(text, self._pen.looks.link(number, tone))

    # parts

    def _draw_part(self, number: int, shown: PartEntry) -> None:
        part, whole = shown.part, (number, -1)
        if shown.heading.text or shown.heading.note:
            self._draw_heading(shown.heading, shown.inset)
        as_json = DetailPiece(PieceKind.JSON, part.given)
        if part.given and part.pieces[:1] != (as_json,):
            self._pen.write_gap()
            plain = whole in self._unfolded
            self._link(tr("Short") if plain else tr("JSON"), lambda: self._toggle(whole))
            if plain:
                self._long.draw(as_json, number, shown.inset)
                return
        for at, piece in enumerate(part.pieces):
            self._draw_piece(piece, (number, at), shown.inset)
        if not any(piece.text or piece.rows for piece in part.pieces):
            self._pen.paragraph(shown.inset)
            self._pen.write_words(tr("(empty)"), self._pen.looks.text(theme.MUTED))

    def _draw_piece(self, piece: DetailPiece, key: tuple[int, int], inset: bool) -> None:
        if piece.kind in _FOLDED_TITLES:
            self._draw_folded(piece, key, inset)
        elif piece.kind in (PieceKind.IMAGE, PieceKind.TABLE):
            self._pen.write_piece(piece, piece.text, inset)
        elif piece.text:
            if piece.title and ("." in piece.title or piece.kind in (PieceKind.MARKDOWN, PieceKind.JSON)):
                self._pen.paragraph(inset)
                self._pen.write_words(piece.title, self._pen.looks.text(theme.MUTED))
            self._long.draw(piece, key[0], inset)

    def _draw_folded(self, piece: DetailPiece, key: tuple[int, int], inset: bool) -> None:
        unfolded = key in self._unfolded or bool(self.found.pattern and self.found.pattern.search(piece.text))
        self._pen.paragraph(inset, above=6)
        self._link(f"{'▾' if unfolded else '▸'} {tr(_FOLDED_TITLES[piece.kind])}", lambda: self._toggle(key))
        if unfolded:
            self._long.draw(piece, key[0], inset)
        else:
            self._pen.write_gap()
            self._pen.write_words(to_one_line(piece.text, _GIST), self._pen.looks.text(theme.MUTED))

    def _toggle(self, key: tuple[int, int]) -> None:
        self._unfolded ^= {key}
        self.redraw()

    def _on_grown(self) -> None:
        self.painting.request()
        self._search()
        self._go_to(self.found.first_after(self._awaited) if self._awaited else self.found.current)
