"""A read-only text with places of ours that do something, by a click or with Tab and Enter. It fetches nothing."""

from collections.abc import Callable

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QKeyEvent, QMouseEvent, QTextCursor
from PySide6.QtWidgets import QTextEdit, QWidget

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class LinkedText(QTextEdit):
    """A link names a number of its own list; no address stands in the text."""

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
        """The number of a link that is about to be written at a cursor."""
        at = QTextCursor(cursor)
        at.setKeepPositionOnInsert(True)
        self._links.append((at, does))
        return len(self._links) - 1

    def clear_links(self) -> None:
        self._links.clear()

    def activate(self, number: int) -> None:
        """Do what a link is for; the next turn of the event loop does it, for it may draw the page anew."""
        if 0 <= number < len(self._links):
            self._links[number][1]()

    def loadResource(self, kind: int, name: QUrl | str) -> None:
        """Whatever a text names, it is not read."""

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
        if event.key() in _ENTER and number >= 0:
            self.activate(number)
            return
        super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab goes from link to link, and behind the last one on."""
        here = self.textCursor().selectionStart()
        places = sorted((at.position(), number) for number, (at, _) in enumerate(self._links) if _is_link(at, number))
        least = here + self.textCursor().hasSelection()
        ahead = [each for each in places if each[0] >= least]
        behind = [each for each in places if each[0] < here]
        found = (ahead[:1] if forward else behind[-1:]) or None
        if found is None:
            return super().focusNextPrevChild(forward)
        cursor = QTextCursor(self.document())
        cursor.setPosition(found[0][0])
        while not cursor.atEnd() and _is_link(cursor, found[0][1]):
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
    """Whether the character behind a cursor belongs to a link: what a page said of a rest goes with the rest."""
    after = QTextCursor(at.document())
    after.setPosition(at.position())
    after.movePosition(QTextCursor.MoveOperation.NextCharacter)
    return after.charFormat().anchorHref() == str(number)
