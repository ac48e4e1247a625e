"""The page of details: the entries of a row, one below the other, with links that unfold, extend or lead elsewhere.

A long text is drawn up to a limit. Links below it draw more of it in steps, so that the window does not freeze.
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
from inspector.gui.details.code_highlighting import CodeHighlighter
from inspector.gui.details.entries import Entry, HeadingEntry, LineEntry, PartEntry
from inspector.gui.details.images import ImageLoader
from inspector.gui.details.piece_writer import PieceWriter, TextFormats
from inspector.gui.widgets.text_views import LinkTextEdit, ViewMatches

# Characters that are drawn at once, which takes about twenty milliseconds.
_INITIAL_CHARS = {PieceKind.MARKDOWN: 5 * 1024, PieceKind.DIFF: 4 * 1024, PieceKind.TERMINAL: 8 * 1024}
_OF_OTHERS, _OF_MANY = 12 * 1024, 1024
_ENOUGH = 16 * 1024  # characters of a page, after which less of a text is drawn at first
_NEXT = 64 * 1024
_MOST = 2 * 1024 * 1024
_SOUGHT = 4 * 1024 * 1024  # characters that are searched in one step
_AROUND = 1024  # characters that are drawn before a match far away
_TAB = 6
_FOLDED_TITLES = {PieceKind.THINKING: tr("Thinking"), PieceKind.CONTEXT: tr("Added by the program")}
_GIST = 90
_BESIDE = 60  # pixels of the width that a picture leaves free


class DetailsPage(LinkTextEdit):
    """The page of details.

    Signals: `node_wanted` (a node of the tree), `matches_changed` (the matches, or the current one, have changed).
    """

    node_wanted = Signal(object)
    matches_changed = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.painting = CodeHighlighter(self)
        self.setTabStopDistance(self.fontMetrics().horizontalAdvance(" " * _TAB))
        self.entries: Sequence[Entry] = ()
        self._unfolded: set[tuple[int, int]] = set()
        self.found = ViewMatches(self)
        self._awaited: QTextCursor | None = None
        self._long = LongTextRenderer(self, self._link, self._mark)
        self._long.grown.connect(self._on_grown)
        self._long.searched.connect(self._on_looked)
        self._pictures = ImageLoader(self, lambda: self.viewport().width() - _BESIDE)

    def sizeHint(self) -> QSize:
        # The default requests more height than a pane of a small window has.
        return QSize(200, 80)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, 40)

    def show_entries(self, entries: Sequence[Entry], from_end: bool = False) -> None:
        """Show other details, scrolled to the first match, or to the last; without matches, to the beginning."""
        self.entries, self._unfolded = entries, set()
        self._draw()
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self.verticalScrollBar().setValue(0)
        self._go_to_first_match(len(self.found) - 1 if from_end else 0)

    def redraw(self) -> None:
        """Draw the page again after a change of colours, or of what is unfolded."""
        scroll_position, cursor_position = self.verticalScrollBar().value(), self.textCursor().selectionStart()
        self._draw()
        cursor = QTextCursor(self.document())
        cursor.setPosition(min(cursor_position, self.document().characterCount() - 1))
        self.setTextCursor(cursor)
        self.verticalScrollBar().setValue(scroll_position)

    def set_search_pattern(self, found: re.Pattern[str] | None) -> None:
        """Highlight the matches of a pattern, unfold them, and show the first one. None highlights nothing."""
        if found is not self.found.pattern:
            self.found.pattern = found
            self.redraw()
            self._go_to_first_match()

    @property
    def has_more_matches(self) -> bool:
        """Whether the undrawn texts contain matches, or may do so."""
        return self._long.first_match is not None or self._long.searching

    def step_match(self, forward: bool) -> None:
        """Go to the next or the previous match, and wrap around at the ends.

        An undrawn text is drawn up to its next match.
        """
        number, places = self.found.current + (1 if forward else -1), len(self.found)
        self._awaited = self._long.draw_to_found() if number >= places else None
        if self._awaited is None and places:
            self._go_to(number % places)

    def _go_to_first_match(self, number: int = 0) -> None:
        """Go to a match; if none is drawn yet, draw the first one."""
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
        """Return whether the text at a position is the row's own, and not that of a result shown with it."""
        entry = self.shown_at(position)
        return entry is not None and not entry.inset

    def shown_at(self, position: int) -> PartEntry | None:
        """Return the part at a position of the text, or None."""
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
        """Note which entry the paragraphs from `block` to the pen belong to."""
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

    def _draw_part(self, number: int, entry: PartEntry) -> None:
        part, key = entry.part, (number, -1)
        if entry.heading.text or entry.heading.note:
            self._draw_heading(entry.heading, entry.inset)
        as_json = DetailPiece(PieceKind.JSON, part.given)
        if part.given and part.pieces[:1] != (as_json,):
            self._pen.write_gap()
            is_json = key in self._unfolded
            self._link(tr("Short") if is_json else tr("JSON"), lambda: self._toggle(key))
            if is_json:
                self._long.draw(as_json, number, entry.inset)
                return
        for index, piece in enumerate(part.pieces):
            self._draw_piece(piece, (number, index), entry.inset)
        if not any(piece.text or piece.rows for piece in part.pieces):
            self._pen.paragraph(entry.inset)
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
        self._link(
            f"{'▾' if unfolded else '▸'} {tr(_FOLDED_TITLES[piece.kind])}",
            lambda: self._toggle(key),
        )
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


@dataclass(eq=False)
class UndrawnText:
    """The part of a piece that is not drawn yet: from `start` to `stop`.

    `at` is the paragraph with the links that draw more, and `entry` the number of the entry on the page. `match` is the
    first match in the part; `searched_to` is how far the part has been searched.
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
    """The long texts of a page, which are drawn and searched in steps.

    Signals: `grown` (the requested part is drawn), `searched` (the search of the undrawn texts has ended).
    """

    grown = Signal()
    searched = Signal()

    def __init__(
        self,
        page: QTextEdit,
        link: Callable[[str, Callable[[], None]], None],
        mark: Callable[[QTextBlock, int], None],
    ) -> None:
        """Create the renderer of a page.

        `link` writes a link at the pen; `mark` notes which entry the paragraphs from a block to the pen belong to.
        """
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
        """Start a new page."""
        self._growth.stop()
        self._search_timer.stop()
        self._pen, self._drawn = pen, 0
        self._undrawn.clear()

    def draw(self, piece: DetailPiece, number: int, inset: bool) -> None:
        """Draw the beginning of a piece of an entry, and links to the rest."""
        self._draw(
            piece, number, inset, 0, len(piece.text), _initial_length(piece) if self._drawn < _ENOUGH else _OF_MANY
        )

    def search(self, pattern: re.Pattern[str] | None) -> None:
        """Search the undrawn texts for a pattern; very long texts in steps."""
        self._pattern = pattern
        if self._look():
            self._search_timer.start()

    @property
    def searching(self) -> bool:
        """Whether a search is running."""
        return self._search_timer.isActive()

    @property
    def first_match(self) -> UndrawnText | None:
        """The first undrawn text with a known match; None if there is none."""
        return next((rest for rest in self._rests_of_row() if rest.match), None)

    def _look(self) -> bool:
        """Search for some milliseconds; return whether there is more to search."""
        budget, pattern = _SOUGHT, self._pattern
        for rest in self._rests_of_row() if pattern else ():
            if pattern and not rest.match:
                stop = min(rest.searched_to + budget, rest.stop)
                # A match that begins before the stop may end after it.
                match = pattern.search(rest.piece.text, rest.searched_to, min(stop + len(pattern.pattern), rest.stop))
                rest.match = range(*match.span()) if match else None
                budget, rest.searched_to = budget - (stop - rest.searched_to), stop
            if rest.match or rest.searched_to < rest.stop:
                return not rest.match
        return False

    def _rests_of_row(self) -> list[UndrawnText]:
        """Return the undrawn parts of the row's own texts, in the order of the page."""
        return sorted((rest for rest in self._undrawn if not rest.inset), key=lambda rest: rest.at.position())

    def _on_looks_timeout(self) -> None:
        if not self._look():
            self._search_timer.stop()
            self.searched.emit()

    def draw_to_found(self) -> QTextCursor | None:
        """Draw the first undrawn text with a match up to the match.

        For a match far away, draw only the text around it. Return the place of the text, or None if nothing matches.
        """
        rest = self.first_match
        if rest is None or rest.match is None:
            return None
        match = rest.match
        is_near = match.stop - rest.start <= _NEXT
        start = rest.start if is_near else _break_position(rest.piece.text, rest.start, match.start - _AROUND)
        self._grow(rest, match.stop - start, start)
        return rest.at

    def _draw(
        self, piece: DetailPiece, number: int, inset: bool, start: int, stop: int, most: int
    ) -> UndrawnText | None:
        """Draw up to `most` characters of a text; return what is left, or None."""
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
        self._pen.write_gap(tr(" · {stop:,} characters left", stop=stop - start))
        return rest

    def _grow(self, rest: UndrawnText, by: int, start: int) -> None:
        """Draw `by` characters of an undrawn text from `start`, in steps, at the place of its links."""
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
        self._undrawn = [other for other in self._undrawn if other is not rest]
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
    """Return where a part of a text may end: after a line, if one ends nearby."""
    if stop >= len(text):
        return len(text)
    line = text.rfind("\n", start + (stop - start) * 3 // 4, stop)
    return stop if line < 0 else line + 1
