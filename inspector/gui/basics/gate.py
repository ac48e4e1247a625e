"""The gate for text that reaches a widget which would read more into it than its letters.

Qt takes a tooltip, a label or a message that looks like HTML for HTML: it then opens the files that it names and hides
what it is told to hide. It takes `&` in a caption for a key, and `[*]` in a title for a mark. Behind this gate a text
is only its letters, and those that cannot be seen are named. No other module makes a label, a message box or a tooltip.
"""

import re

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QMessageBox, QWidget

from inspector.gui.basics.plain_text import one_line, visible

_TIP_LIMIT = 2000
_CAPTION_LIMIT = 300
# Qt looks for a tag or `&lt;`: a sign without width behind the first letter of either makes it neither.
_LOOKS_LIKE_HTML = re.compile("<|&(?=lt;)")
_NO_TAG = "\\g<0>\u2060"


def tip(text: str) -> str | None:
    """A text as the tooltip that a model gives out; None, which shows none, for an empty one."""
    return _LOOKS_LIKE_HTML.sub(_NO_TAG, visible(text[:_TIP_LIMIT])) or None


def set_tip(target: QWidget | QAction, text: str) -> None:
    """Give a widget or an action its tooltip."""
    target.setToolTip(tip(text) or "")


def caption(text: str) -> str:
    """Foreign text for an action or a button, whose own `&` and tab would name keys."""
    return one_line(text, _CAPTION_LIMIT).replace("&", "&&")


def set_title(window: QWidget, text: str) -> None:
    """Give a window its title."""
    window.setWindowTitle(one_line(text, _CAPTION_LIMIT).replace("[*]", "[*][*]"))


class Label(QLabel):
    """A label of one line, or the place of a picture. Its text may name the key of its buddy."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(visible(text))


def message_box(icon: QMessageBox.Icon, title: str, text: str, more: str, parent: QWidget | None = None) -> QMessageBox:
    """A box that tells something; the caller adds what can be answered."""
    box = QMessageBox(parent)
    box.setIcon(icon)
    box.setTextFormat(Qt.TextFormat.PlainText)
    set_title(box, title)
    box.setText(visible(text))
    box.setInformativeText(visible(more))
    return box
