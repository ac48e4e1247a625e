"""The page of details: parts below one another, which unfold, grow and lead elsewhere by links of ours."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QSize, QTimer, Signal
from PySide6.QtGui import QTextBlock, QTextCursor
from PySide6.QtWidgets import QWidget

from inspector.core.showing.details.pieces import Part, Piece, PieceKind
from inspector.gui.basics import theme
from inspector.gui.basics.found_places import FoundPlaces
from inspector.gui.basics.plain_text import one_line
from inspector.gui.basics.words import tr
from inspector.gui.details.drawing import Drawing
from inspector.gui.details.entries import Entry, Heading, Line, Shown
from inspector.gui.details.linked_text import LinkedText
from inspector.gui.details.looks import Looks
from inspector.gui.details.painting import Painting
from inspector.gui.details.pictures import Pictures

# Characters that are drawn at once: some twenty milliseconds of them.
_AT_ONCE = {PieceKind.MARKDOWN: 5 * 1024, PieceKind.DIFF: 4 * 1024, PieceKind.TERMINAL: 8 * 1024}
_OF_OTHERS, _OF_MANY = 12 * 1024, 1024
_ENOUGH = 16 * 1024  # characters of a page, behind which pieces begin shorter
_NEXT = 64 * 1024
_TAB = 6
_MOST_AT_ONCE = 2 * 1024 * 1024
_FOLDED = {PieceKind.THINKING: "Thinking", PieceKind.CONTEXT: "Added by the program"}
_GIST = 90
_BESIDE = 60  # pixels that a picture leaves


class _Rest(NamedTuple):
    """What is left of a piece, and the paragraph in which that is said."""

    piece: Piece
    start: int
    inset: bool
    at: QTextCursor
    entry: int


class Page(LinkedText):
    """Signals: `node_wanted` (a node of the tree), `places_changed` (what is looked for is elsewhere on the page)."""

    node_wanted = Signal(object)
    places_changed = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.painting = Painting(self)
        self.setTabStopDistance(self.fontMetrics().horizontalAdvance(" " * _TAB))
        self.entries: Sequence[Entry] = ()
        self._unfolded: set[tuple[int, int]] = set()
        self._drawn = 0
        self.found = FoundPlaces(self)
        self._rests: dict[int, _Rest] = {}
        self._awaited = -1
        self._growing: _Rest | None = None
        self._to_grow = 0
        self._pictures = Pictures(self, lambda: self.viewport().width() - _BESIDE)
        self._growth = QTimer(self, interval=0)
        self._growth.timeout.connect(self._on_growth_timeout)

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
        self._go_to(len(self.found) - 1 if from_end else 0)

    def redraw(self) -> None:
        """Draw the same again: the colours changed, or something was unfolded."""
        at, here = self.verticalScrollBar().value(), self.textCursor().selectionStart()
        self._draw()
        cursor = QTextCursor(self.document())
        cursor.setPosition(min(here, self.document().characterCount() - 1))
        self.setTextCursor(cursor)
        self.verticalScrollBar().setValue(at)

    def mark(self, found: re.Pattern[str] | None) -> None:
        """Put a ground under what is looked for, unfold what holds it, and show the first; None under nothing."""
        if found is not self.found.pattern:
            self.found.pattern = found
            self.redraw()
            self._go_to(0)

    @property
    def is_more_found(self) -> bool:
        """Whether what is not drawn yet holds more of what is looked for."""
        return self._next_rest() is not None

    def step_place(self, forward: bool) -> None:
        """Go to the next or the previous place of what is looked for; a text is drawn as far as the next one is."""
        number = self.found.current + (1 if forward else -1)
        rest = self._next_rest() if number >= len(self.found) else None
        if rest is not None:
            self._awaited = number
            self._grow(*rest)
        else:
            self._go_to(number)

    def _next_rest(self) -> tuple[_Rest, int] | None:
        """The first rest of the row's own texts that holds what is looked for, and how much is to be drawn for it."""
        pattern = self.found.pattern
        for rest in sorted(self._rests.values(), key=lambda rest: rest.at.position()):
            match = pattern.search(rest.piece.text, rest.start) if pattern else None
            if match and self._is_own(rest.at.position()):
                needed = match.end() - rest.start
                return (rest, needed) if needed <= _MOST_AT_ONCE else None
        return None

    def _go_to(self, number: int) -> None:
        self._awaited = -1
        self.found.go_to(number)
        self.places_changed.emit()

    def _is_own(self, position: int) -> bool:
        """Whether what stands there is the row's own, and not shown beside it."""
        shown = self.shown_at(position)
        return shown is not None and not shown.inset

    def shown_at(self, position: int) -> Shown | None:
        """The part that stands at a position of the text."""
        number = self.document().findBlock(position).userState()
        entry = self.entries[number] if 0 <= number < len(self.entries) else None
        return entry if isinstance(entry, Shown) else None

    def _draw(self) -> None:
        self._growth.stop()
        self._pictures.forget()
        self.forget_links()
        self.painting.begin()
        self._drawn = 0
        self._rests.clear()
        self.clear()
        self._pen = Drawing(QTextCursor(self.document()), Looks(self.palette()), self.painting.want, self._pictures.put)
        self._pen.cursor.beginEditBlock()
        for number, entry in enumerate(self.entries):
            first = self._pen.next_block
            self._draw_entry(number, entry)
            self._mark(self.document().findBlockByNumber(first), number)
        self._pen.cursor.endEditBlock()
        self.found.look(self._is_own)
        self.painting.ask()

    def _mark(self, block: QTextBlock, number: int) -> None:
        """Note which entry the paragraphs from here to the pen belong to."""
        last = self._pen.cursor.blockNumber()
        while block.isValid() and block.blockNumber() <= last:
            block.setUserState(number)
            block = block.next()

    def _draw_entry(self, number: int, entry: Entry) -> None:
        match entry:
            case Heading():
                self._draw_heading(entry, inset=False)
            case Line():
                self._pen.paragraph()
                self._words_or_link(entry.text, entry.tone, entry.node)
            case Shown():
                self._draw_part(number, entry)

    def _draw_heading(self, heading: Heading, inset: bool) -> None:
        self._pen.paragraph(inset, above=10)
        looks = self._pen.looks
        if heading.node:
            self._link(heading.text, lambda: self.node_wanted.emit(heading.node), heading.tone)
        else:
            self._pen.words(heading.text, looks.text(heading.tone, bold=True))
        if heading.note:
            self._pen.gap("  " if heading.text else "")
            self._pen.words(heading.note, looks.text(theme.MUTED))

    def _words_or_link(self, text: str, tone: theme.Pair | None, node: int) -> None:
        if node:
            self._link(text, lambda: self.node_wanted.emit(node))
        else:
            self._pen.words(text, self._pen.looks.text(tone))

    def _link(self, text: str, does: Callable[[], None], tone: theme.Pair = theme.ACCENT) -> None:
        number = self.add_link(self._pen.cursor, does)
        self._pen.words(text, self._pen.looks.link(number, tone))

    # parts

    def _draw_part(self, number: int, shown: Shown) -> None:
        part, whole = shown.part, (number, -1)
        if shown.heading.text or shown.heading.note:
            self._draw_heading(shown.heading, shown.inset)
        as_json = Piece(PieceKind.JSON, part.given)
        if part.given and part.pieces[:1] != (as_json,):
            self._pen.gap()
            plain = whole in self._unfolded
            self._link(tr("Short") if plain else tr("JSON"), lambda: self._toggle(whole))
            if plain:
                self._draw_text(as_json, number, shown.inset)
                return
        for at, piece in enumerate(part.pieces):
            self._draw_piece(piece, (number, at), part, shown.inset)
        if not any(piece.text or piece.rows for piece in part.pieces):
            self._pen.paragraph(shown.inset)
            self._pen.words(tr("(empty)"), self._pen.looks.text(theme.MUTED))

    def _draw_piece(self, piece: Piece, key: tuple[int, int], part: Part, inset: bool) -> None:
        if piece.kind in _FOLDED:
            self._draw_folded(piece, key, inset)
        elif piece.kind in (PieceKind.IMAGE, PieceKind.TABLE):
            self._pen.piece(piece, piece.text, inset)
        elif piece.text:
            if piece.title and ("." in piece.title or piece.kind in (PieceKind.MARKDOWN, PieceKind.JSON)):
                self._pen.paragraph(inset)
                self._pen.words(piece.title, self._pen.looks.text(theme.MUTED))
            self._draw_text(piece, key[0], inset)

    def _draw_folded(self, piece: Piece, key: tuple[int, int], inset: bool) -> None:
        unfolded = key in self._unfolded or bool(self.found.pattern and self.found.pattern.search(piece.text))
        self._pen.paragraph(inset, above=6)
        self._link(f"{'▾' if unfolded else '▸'} {tr(_FOLDED[piece.kind])}", lambda: self._toggle(key))
        if unfolded:
            self._draw_text(piece, key[0], inset)
        else:
            self._pen.gap()
            self._pen.words(one_line(piece.text, _GIST), self._pen.looks.text(theme.MUTED))

    def _toggle(self, key: tuple[int, int]) -> None:
        self._unfolded ^= {key}
        self.redraw()

    # long texts

    def _draw_text(self, piece: Piece, number: int, inset: bool, start: int = 0, most: int = 0) -> _Rest | None:
        """Draw the beginning of a text, or what follows, and links to the rest of it, which is the answer."""
        most = most or (_at_once(piece) if self._drawn < _ENOUGH else _OF_MANY)
        stop = _cut(piece.text, start, start + most)
        self._drawn += stop - start
        self._pen.piece(piece, piece.text[start:stop], inset)
        left = len(piece.text) - stop
        if not left:
            return None
        self._pen.paragraph(inset)
        at = QTextCursor(self._pen.cursor)
        at.setKeepPositionOnInsert(True)
        rest = self._rests[self._drawn] = _Rest(piece, stop, inset, at, number)
        self._link(tr("Show more"), lambda: self._grow(rest, _NEXT))
        self._pen.gap(" · ")
        self._link(tr("Show all"), lambda: self._grow(rest, _MOST_AT_ONCE))
        self._pen.gap(f" · {left:,} {tr('characters are left')}")
        return rest

    def _grow(self, rest: _Rest, by: int) -> None:
        """Draw what is left of a text, so much of it, where that is said; bit by bit."""
        self._growing, self._to_grow = rest, by
        self._growth.start()

    def _on_growth_timeout(self) -> None:
        rest = self._growing
        if rest is None or self._to_grow <= 0:
            self._growth.stop()
            self.painting.ask()
            self.found.look(self._is_own)
            self._go_to(self._awaited if self._awaited >= 0 else self.found.current)
            return
        self._to_grow -= _at_once(rest.piece)
        cursor = QTextCursor(self.document())
        cursor.setPosition(rest.at.position())
        cursor.beginEditBlock()
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        self._rests = {key: each for key, each in self._rests.items() if each is not rest}
        first = cursor.block()
        self._pen.continue_at(cursor)
        self._growing = self._draw_text(rest.piece, rest.entry, rest.inset, rest.start, _at_once(rest.piece))
        self._mark(first, rest.entry)
        cursor.endEditBlock()


def _at_once(piece: Piece) -> int:
    return _AT_ONCE.get(piece.kind, _OF_OTHERS)


def _cut(text: str, start: int, stop: int) -> int:
    """Where a part of a text may end: behind a line, where one ends nearby."""
    if stop >= len(text):
        return len(text)
    line = text.rfind("\n", start + (stop - start) * 3 // 4, stop)
    return stop if line < 0 else line + 1
