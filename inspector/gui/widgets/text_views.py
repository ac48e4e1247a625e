"""Read-only text views: plain text, text with links, and the highlighting of search matches in them.

The views show text from logs as it is, and never load a resource that a text names.
"""

import re
from collections.abc import Callable, Iterator
from itertools import islice

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import QFont, QKeyEvent, QMouseEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from inspector.gui.common import theme
from inspector.gui.common.safe_text import break_long_lines, escape_invisible

_ACTIVATION_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
_MAX_MATCHES, _MAX_HIGHLIGHTED = 5000, 500
_NON_BMP = re.compile("[\U00010000-\U0010ffff]")


class PlainTextView(QPlainTextEdit):
    """A view of plain text. Headings are drawn as an overlay, so they never change the text."""

    def __init__(self, name: str, fixed: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setAccessibleName(name)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(8)
        self._headings: list[int] = []
        if fixed:
            self.setFont(theme.fixed_font(1))

    def sizeHint(self) -> QSize:
        # The default requests more height than a pane of a small window has.
        return QSize(200, 80)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, 40)

    def show_text(self, text: str, headings: list[int] | None = None) -> None:
        """Show a text; `headings` are the numbers of its lines that are headings of the program."""
        self._headings = headings or []
        self.setPlainText(break_long_lines(escape_invisible(text)))
        self._emphasise()

    def changeEvent(self, event: object) -> None:
        super().changeEvent(event)  # type: ignore[arg-type]
        if hasattr(self, "_headings"):
            self._emphasise()

    def _emphasise(self) -> None:
        look = QTextCharFormat()
        look.setForeground(theme.ACCENT.for_palette(self.palette()))
        look.setFontWeight(QFont.Weight.Bold)
        marks = []
        for line in self._headings:
            mark = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.document().findBlockByNumber(line))
            cursor.select(QTextCursor.SelectionType.LineUnderCursor)
            mark.format, mark.cursor = look, cursor
            marks.append(mark)
        self.setExtraSelections(marks)


class LinkTextEdit(QTextEdit):
    """A text with links, which are activated by a click, or with Tab and Enter.

    A link is a number in a list of the view; the text contains no addresses.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setFrameShape(QTextEdit.Shape.NoFrame)
        self.setMouseTracking(True)
        flags = Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        self.setTextInteractionFlags(flags)
        self.document().setDocumentMargin(10)
        self._links: list[tuple[QTextCursor, Callable[[], None]]] = []

    def add_link(self, cursor: QTextCursor, does: Callable[[], None]) -> int:
        """Add a link that is about to be written at a cursor; return its number."""
        at = QTextCursor(cursor)
        at.setKeepPositionOnInsert(True)
        self._links.append((at, does))
        return len(self._links) - 1

    def clear_links(self) -> None:
        self._links.clear()

    def activate(self, number: int) -> None:
        """Run the action of a link."""
        if 0 <= number < len(self._links):
            self._links[number][1]()

    def loadResource(self, kind: int, name: QUrl | str) -> None:
        """Load nothing, whatever the text names."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        number = self.anchorAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and number and not self.textCursor().hasSelection():
            self.activate(int(number))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        link = self.anchorAt(event.position().toPoint())
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if link else Qt.CursorShape.IBeamCursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        number = self._link_here()
        if event.key() in _ACTIVATION_KEYS and number >= 0:
            self.activate(number)
            return
        super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Move from link to link with Tab, and after the last one to the next widget."""
        position = self.textCursor().selectionStart()
        places = sorted((at.position(), number) for number, (at, _) in enumerate(self._links) if _is_link(at, number))
        least = position + self.textCursor().hasSelection()
        ahead = [place for place in places if place[0] >= least]
        before = [place for place in places if place[0] < position]
        target = (ahead[:1] if forward else before[-1:]) or None
        if target is None:
            return super().focusNextPrevChild(forward)
        cursor = QTextCursor(self.document())
        cursor.setPosition(target[0][0])
        while not cursor.atEnd() and _is_link(cursor, target[0][1]):
            cursor.movePosition(QTextCursor.MoveOperation.NextCharacter, QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        self.ensureCursorVisible()
        return True

    def _link_here(self) -> int:
        cursor = QTextCursor(self.textCursor())
        if not cursor.hasSelection():
            return -1
        href = cursor.charFormat().anchorHref()
        return int(href) if href else -1


def _is_link(at: QTextCursor, number: int) -> bool:
    """Return whether the character after a cursor belongs to a link; a link disappears with the text that it drew."""
    after = QTextCursor(at.document())
    after.setPosition(at.position())
    after.movePosition(QTextCursor.MoveOperation.NextCharacter)
    return after.charFormat().anchorHref() == str(number)


class ViewMatches:
    """The matches of a pattern in a view, in order and up to a limit; those around the current one are highlighted.

    `current` is the number of the current match, -1 for none. The person steps through the matches in the row's own
    text or, if there are none, through all of them.
    """

    def __init__(self, view: QTextEdit) -> None:
        self._view = view
        self._all: list[QTextCursor] = []
        self._steps: list[QTextCursor] = []
        self.pattern: re.Pattern[str] | None = None
        self.current = -1

    def __len__(self) -> int:
        return len(self._steps)

    def search(self, is_own: Callable[[int], bool]) -> None:
        """Search again, after a change of the text or the pattern.

        `is_own` says whether a position is in the row's own text.
        """
        self._all = list(_find_matches(self._view, self.pattern))
        self._steps = [place for place in self._all if is_own(place.selectionStart())] or self._all
        self.current = min(self.current, len(self._steps) - 1)
        self._mark()

    def first_after(self, at: QTextCursor) -> int:
        """Return the number of the first match from a cursor on, -1 for none."""
        starts = (place.selectionStart() for place in self._steps)
        return next((number for number, start in enumerate(starts) if start >= at.position()), -1)

    def go_to(self, number: int) -> None:
        """Make a match current, and scroll to it."""
        if 0 <= number < len(self._steps):
            self.current = number
            cursor = QTextCursor(self._steps[number])
            cursor.setPosition(cursor.selectionStart())
            self._view.setTextCursor(cursor)
            self._view.ensureCursorVisible()
        self._mark()

    def _mark(self) -> None:
        """Highlight the matches, and the current one more strongly."""
        current = self._steps[self.current] if self.current >= 0 else None
        first = max(self._all.index(current) - _MAX_HIGHLIGHTED // 2, 0) if current else 0
        marks = []
        for match in self._all[first : first + _MAX_HIGHLIGHTED]:
            mark = QTextEdit.ExtraSelection()
            look, palette = QTextCharFormat(), self._view.palette()
            look.setForeground(theme.TEXT.for_palette(palette))
            look.setBackground(
                theme.tint(theme.SEARCH_MATCH.for_palette(palette), palette, 5 if match is current else 2)
            )
            look.setFontUnderline(match is current)
            mark.format, mark.cursor = look, match
            marks.append(mark)
        self._view.setExtraSelections(marks)


def _find_matches(view: QTextEdit, pattern: re.Pattern[str] | None) -> Iterator[QTextCursor]:
    """Yield the matches as cursors. Qt counts UTF-16 units: characters beyond the first plane have two."""
    text, at, extra_units = view.toPlainText() if pattern else "", 0, 0
    for match in islice(pattern.finditer(text), _MAX_MATCHES) if pattern else ():
        cursor = QTextCursor(view.document())
        extra_units += len(_NON_BMP.findall(text, at, match.start()))
        cursor.setPosition(match.start() + extra_units)
        extra_units, at = extra_units + len(_NON_BMP.findall(match[0])), match.end()
        cursor.setPosition(match.end() + extra_units, QTextCursor.MoveMode.KeepAnchor)
        yield cursor
