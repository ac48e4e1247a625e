"""Open the window without a screen, in a process of its own, and print digests of what it shows, once it is at rest.

    python -P window.py [LOG]                     open the window, and close it again
    python -P window.py --change LOG              open it, change all that it remembers, and close it
    python -P window.py --screenshot OUT.png LOG  draw it as the program does

Of the program nothing but `inspector.__main__` is used: the window is reached through Qt, by what it shows.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from importlib import import_module

from PySide6.QtCore import QEventLoop, QSize, QTimer
from PySide6.QtGui import QAction, QImage, QPixmap
from PySide6.QtWidgets import QApplication, QComboBox, QMainWindow, QProgressBar, QScrollBar, QSplitter, QWidget

_PAUSE_MS, _PAUSES, _EQUAL = 200, 400, 4
_SIZE, _NUDGE = QSize(740, 640), QSize(40, 40)
_grab = QWidget.grab
# Those that turn a setting on, by their words in the menus. Content is hidden last, since then less is remembered.
_ACTIONS = ("Dark", "Pair", "Bookmark", "Hide content")
_WORDING = "Placeholder text"


def main(*words: str) -> None:
    """Run the program with a window that is drawn when it is at rest, and closed when it has been drawn."""
    is_changed = words[:1] == ("--change",)

    def opened(*_: object) -> int:
        window = next(each for each in QApplication.topLevelWidgets() if isinstance(each, QMainWindow))
        if is_changed:
            at_rest(window)
            change(window)
        window.grab()
        window.close()
        return 0

    QApplication.exec = opened  # type: ignore[method-assign]
    QWidget.grab = drawn  # type: ignore[method-assign, assignment]
    sys.argv = ["inspector", *words[is_changed:]]
    import_module("inspector.__main__").main()


def drawn(window: QWidget) -> QPixmap:
    """Print the digests of two pictures: with all that scrolls at its start, and at its end.

    Where it scrolled to, and which scroll bars are needed, depends on what came first: so all is laid out once more.
    """
    at_rest(window)
    size = window.size()
    window.resize(size - _NUDGE)
    at_rest(window)
    window.resize(size)
    for end in (QScrollBar.minimum, QScrollBar.maximum):
        picture = at_rest(window, end)
        print(pixels(picture.toImage()), flush=True)
    return picture


def at_rest(window: QWidget, end: Callable[[QScrollBar], int] = QScrollBar.value) -> QPixmap:
    """A picture of a window, when some in a row are the same and nothing is under way."""
    seen = list[str]()
    for _ in range(_PAUSES):
        for bar in window.findChildren(QScrollBar):
            bar.setValue(end(bar))
        loop = QEventLoop()
        QTimer.singleShot(_PAUSE_MS, loop, loop.quit)
        loop.exec()
        picture = _grab(window)
        seen.append(pixels(picture.toImage()))
        if any(each.isVisible() for each in window.findChildren(QProgressBar)):
            seen.clear()
        elif len(seen) >= _EQUAL and len(set(seen[-_EQUAL:])) == 1:
            break
    return picture


def pixels(image: QImage) -> str:
    """The digest of what a picture shows."""
    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    return sha256(b"%d %d " % plain.size().toTuple() + bytes(plain.constBits())).hexdigest()


def change(window: QMainWindow) -> None:
    """Change all that the window remembers."""
    window.resize(_SIZE)
    for splitter in window.findChildren(QSplitter):
        splitter.setSizes([size + (40 if number else -40) for number, size in enumerate(splitter.sizes())])
    (box,) = (each for each in window.findChildren(QComboBox) if each.accessibleName() == _WORDING)
    box.setCurrentIndex(box.count() - 2)
    box.activated.emit(box.currentIndex())
    for words in _ACTIONS:
        next(_named(window, words)).trigger()


def _named(window: QMainWindow, words: str) -> Iterator[QAction]:
    return (each for each in window.findChildren(QAction) if each.text().replace("&", "") == words)


if __name__ == "__main__":
    main(*sys.argv[1:])
