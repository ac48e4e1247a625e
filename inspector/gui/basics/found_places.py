"""Where a text on the screen holds what is looked for."""

import re
from collections.abc import Iterator
from itertools import islice

from PySide6.QtGui import QPalette, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from inspector.gui.basics import theme

_MOST = 500
_HIGH = re.compile("[\U00010000-\U0010ffff]")


def found_places(view: QPlainTextEdit | QTextEdit, pattern: re.Pattern[str] | None) -> Iterator[QTextCursor]:
    """The first hundreds of places. Qt counts UTF-16 units, of which the characters of higher planes have two."""
    text, at, more = view.toPlainText(), 0, 0
    for match in islice(pattern.finditer(text), _MOST) if pattern else ():
        cursor = QTextCursor(view.document())
        more += len(_HIGH.findall(text, at, match.start()))
        cursor.setPosition(match.start() + more)
        more, at = more + len(_HIGH.findall(match[0])), match.end()
        cursor.setPosition(match.end() + more, QTextCursor.MoveMode.KeepAnchor)
        yield cursor


def mark_of(cursor: QTextCursor, palette: QPalette) -> QTextEdit.ExtraSelection:
    """The ground under such a place."""
    mark = QTextEdit.ExtraSelection()
    look = QTextCharFormat()
    look.setForeground(palette.color(QPalette.ColorRole.Text))
    look.setBackground(theme.tint(theme.FOUND.on(palette), palette, 3))
    mark.format, mark.cursor = look, cursor
    return mark
