"""Makes text of a log safe to show: plain, nothing invisible, no line long enough to stall a text widget.

Qt treats a tooltip, a label or a message that looks like HTML as HTML: it opens the files named there and hides what
the markup says. It takes `&` in a caption for a key, and `[*]` in a title for a mark. The functions here keep a text to
its letters, and name the ones that cannot be seen. No other module makes a label, a message box or a tooltip.
"""

import re

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QMessageBox, QWidget

_TIP_LIMIT = 2000
_CAPTION_LIMIT = 300
# Qt looks for a tag or `&lt;`. A zero-width character after the first letter makes it neither.
_LOOKS_LIKE_HTML = re.compile("<|&(?=lt;)")
_BROKEN_TAG = "\\g<0>\u2060"


def safe_tooltip(text: str) -> str | None:
    """Return a text as the tooltip of a model, None (no tooltip) for an empty text."""
    return _LOOKS_LIKE_HTML.sub(_BROKEN_TAG, escape_invisible(text[:_TIP_LIMIT])) or None


def set_safe_tooltip(target: QWidget | QAction, text: str) -> None:
    """Set the tooltip of a widget or an action."""
    target.setToolTip(safe_tooltip(text) or "")


def escape_caption(text: str) -> str:
    """Escape a foreign text for an action or button, where `&` and a tab would name keys."""
    return to_one_line(text, _CAPTION_LIMIT).replace("&", "&&")


def set_window_title(window: QWidget, text: str) -> None:
    """Set the title of a window."""
    window.setWindowTitle(to_one_line(text, _CAPTION_LIMIT).replace("[*]", "[*][*]"))


class SafeLabel(QLabel):
    """A label of one line, or of a picture. Its text may name the key of its buddy."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)

    def setText(self, text: str) -> None:
        super().setText(escape_invisible(text))


def make_message_box(
    icon: QMessageBox.Icon, title: str, text: str, more: str, parent: QWidget | None = None
) -> QMessageBox:
    """Make a message box. The caller adds the buttons."""
    box = QMessageBox(parent)
    box.setIcon(icon)
    box.setTextFormat(Qt.TextFormat.PlainText)
    set_window_title(box, title)
    box.setText(escape_invisible(text))
    box.setInformativeText(escape_invisible(more))
    return box


TEXT_LIMIT = 256 * 1024
LINE_LIMIT = 10_000

# Control characters and characters that change the direction of text become their names, as few fonts have symbols for
# them. None may hide or disguise a part of a log.
_CONTROL_NAMES = (
    "NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US"
)
_CONTROL_SYMBOLS = {code: f"⟦{name}⟧" for code, name in enumerate(_CONTROL_NAMES.split()) if code not in (9, 10)}
_CONTROL_SYMBOLS[0x7F] = "⟦DEL⟧"
_BIDI_CODES = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_CODE_POINT_SYMBOLS = {code: f"⟦U+{code:04X}⟧" for code in (*range(0x80, 0xA0), *_BIDI_CODES)}
_ESCAPES: dict[int, int | str] = {**_CONTROL_SYMBOLS, **_CODE_POINT_SYMBOLS, 0x2028: "⏎", 0x2029: "⏎"}
# Terminal colours and positions say nothing in one line of a tree. The whole text shows them.
_ANSI_CODES = re.compile(r"\x1b\[[0-9;:?]*[A-Za-z]")
_ONE_LINE_ESCAPES: dict[int, int | str] = {**_ESCAPES, 9: " ", 10: " "}


def decode_bytes(raw: bytes | bytearray) -> str:
    """Decode bytes to text. Bytes that are not UTF-8 become escapes."""
    return raw.decode("utf-8", "backslashreplace")


def escape_invisible(text: str) -> str:
    """Make invisible characters visible. A lone surrogate, which Qt cannot store, becomes an escape."""
    return text.replace("\r\n", "\n").translate(_ESCAPES).encode("utf-8", "backslashreplace").decode()


def to_one_line(text: str, limit: int) -> str:
    """Return the beginning of a text on one line."""
    cut = _ANSI_CODES.sub("", text[: limit * 2]).lstrip()
    line = " ".join(cut.translate(_ONE_LINE_ESCAPES).split())
    line = line.encode("utf-8", "backslashreplace").decode()
    return line if len(line) <= limit and len(text) <= limit * 2 else line[: limit - 1] + "…"


def break_long_lines(text: str) -> str:
    """Break lines of more than LINE_LIMIT characters. A line of megabytes would block a widget for seconds."""
    if max(map(len, text.split("\n")), default=0) <= LINE_LIMIT:
        return text
    lines: list[str] = []
    for line in text.split("\n"):
        lines.extend(line[start : start + LINE_LIMIT] for start in range(0, max(len(line), 1), LINE_LIMIT))
    return "\n".join(lines)


def abbreviate_count(count: int) -> str:
    """Format a count in about four characters: 950, 12k, 1.2M."""
    for unit, size in (("M", 10**6), ("k", 10**3)):
        if count >= size:
            return f"{count / size:.1f}{unit}" if count < 10 * size else f"{count // size}{unit}"
    return str(count)
