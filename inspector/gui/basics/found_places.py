"""Where a text on the screen holds what is looked for, and at which of these places the person is."""

import re
from collections.abc import Callable, Iterator
from itertools import islice

from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit

from inspector.gui.basics import theme

_MOST, _MARKED = 5000, 500
_HIGH = re.compile("[\U00010000-\U0010ffff]")


class FoundPlaces:
    """The first thousands of places in a view, in their order, of which those around the current one are marked.

    `current` is the number of one, -1 for none. The person goes from one to the next of those that are `own`, where
    there are any, else of all.
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
        """Look again: the text is another, or another is looked for. `is_own` is asked of a position."""
        self._all = list(_found(self._view, self.pattern))
        self._steps = [place for place in self._all if is_own(place.selectionStart())] or self._all
        self.current = min(self.current, len(self._steps) - 1)
        self._mark()

    def first_after(self, at: QTextCursor) -> int:
        """The number of the first place from a cursor on, -1 for none."""
        starts = (place.selectionStart() for place in self._steps)
        return next((number for number, start in enumerate(starts) if start >= at.position()), -1)

    def go_to(self, number: int) -> None:
        """Make a place current, and scroll to it."""
        if 0 <= number < len(self._steps):
            self.current = number
            cursor = QTextCursor(self._steps[number])
            cursor.setPosition(cursor.selectionStart())
            self._view.setTextCursor(cursor)
            self._view.ensureCursorVisible()
        self._mark()

    def _mark(self) -> None:
        """Put a ground under places, a stronger one under the current."""
        here = self._steps[self.current] if self.current >= 0 else None
        first = max(self._all.index(here) - _MARKED // 2, 0) if here else 0
        marks = []
        for place in self._all[first : first + _MARKED]:
            mark = QTextEdit.ExtraSelection()
            look, palette = QTextCharFormat(), self._view.palette()
            look.setForeground(theme.TEXT.for_palette(palette))
            look.setBackground(theme.tint(theme.FOUND.for_palette(palette), palette, 5 if place is here else 2))
            look.setFontUnderline(place is here)
            mark.format, mark.cursor = look, place
            marks.append(mark)
        self._view.setExtraSelections(marks)


def _found(view: QTextEdit, pattern: re.Pattern[str] | None) -> Iterator[QTextCursor]:
    """The places. Qt counts UTF-16 units, of which the characters of higher planes have two."""
    text, at, more = view.toPlainText() if pattern else "", 0, 0
    for match in islice(pattern.finditer(text), _MOST) if pattern else ():
        cursor = QTextCursor(view.document())
        more += len(_HIGH.findall(text, at, match.start()))
        cursor.setPosition(match.start() + more)
        more, at = more + len(_HIGH.findall(match[0])), match.end()
        cursor.setPosition(match.end() + more, QTextCursor.MoveMode.KeepAnchor)
        yield cursor
