"""The page of details: parts below one another, which unfold, grow and lead elsewhere by links of ours."""

import re
from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QTextBlock, QTextCursor
from PySide6.QtWidgets import QWidget

from inspector.core.showing.details.pieces import DetailPiece, PieceKind
from inspector.gui.basics import theme
from inspector.gui.basics.found_places import FoundPlaces
from inspector.gui.basics.plain_text import one_line
from inspector.gui.basics.words import tr
from inspector.gui.details.drawing import Drawing
from inspector.gui.details.entries import Entry, Heading, Line, Shown
from inspector.gui.details.linked_text import LinkedText
from inspector.gui.details.long_texts import LongTexts
from inspector.gui.details.looks import Looks
from inspector.gui.details.painting import Painting
from inspector.gui.details.pictures import Pictures

_TAB = 6
_FOLDED = {PieceKind.THINKING: "Thinking", PieceKind.CONTEXT: "Added by the program"}
_GIST = 90
_BESIDE = 60  # pixels that a picture leaves


class Page(LinkedText):
    """Signals: `node_wanted` (a node of the tree), `places_changed` (what is looked for is elsewhere on the page)."""

    node_wanted = Signal(object)
    matches_changed = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.painting = Painting(self)
        self.setTabStopDistance(self.fontMetrics().horizontalAdvance(" " * _TAB))
        self.entries: Sequence[Entry] = ()
        self._unfolded: set[tuple[int, int]] = set()
        self.found = FoundPlaces(self)
        self._awaited: QTextCursor | None = None
        self._long = LongTexts(self, self._link, self._mark)
        self._long.grown.connect(self._on_grown)
        self._long.searched.connect(self._on_looked)
        self._pictures = Pictures(self, lambda: self.viewport().width() - _BESIDE)

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

    def shown_at(self, position: int) -> Shown | None:
        """The part that stands at a position of the text."""
        number = self.document().findBlock(position).userState()
        entry = self.entries[number] if 0 <= number < len(self.entries) else None
        return entry if isinstance(entry, Shown) else None

    def _draw(self) -> None:
        self._pictures.cancel_all()
        self.clear_links()
        self.painting.reset()
        self.clear()
        self._pen = Drawing(QTextCursor(self.document()), Looks(self.palette()), self.painting.add, self._pictures.load)
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
            self._pen.write_words(heading.text, looks.text(heading.tone, bold=True))
        if heading.note:
            self._pen.write_gap("  " if heading.text else "")
            self._pen.write_words(heading.note, looks.text(theme.MUTED))

    def _words_or_link(self, text: str, tone: theme.Pair | None, node: int) -> None:
        if node:
            self._link(text, lambda: self.node_wanted.emit(node))
        else:
            self._pen.write_words(text, self._pen.looks.text(tone))

    def _link(self, text: str, does: Callable[[], None], tone: theme.Pair = theme.ACCENT) -> None:
        number = self.add_link(self._pen.cursor, does)
        self._pen.write_words(text, self._pen.looks.link(number, tone))

    # parts

    def _draw_part(self, number: int, shown: Shown) -> None:
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
        if piece.kind in _FOLDED:
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
        self._link(f"{'▾' if unfolded else '▸'} {tr(_FOLDED[piece.kind])}", lambda: self._toggle(key))
        if unfolded:
            self._long.draw(piece, key[0], inset)
        else:
            self._pen.write_gap()
            self._pen.write_words(one_line(piece.text, _GIST), self._pen.looks.text(theme.MUTED))

    def _toggle(self, key: tuple[int, int]) -> None:
        self._unfolded ^= {key}
        self.redraw()

    def _on_grown(self) -> None:
        self.painting.request()
        self._search()
        self._go_to(self.found.first_after(self._awaited) if self._awaited else self.found.current)
