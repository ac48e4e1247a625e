"""Text of a log made safe to show: always plain, nothing invisible, no line long enough to stall a text widget."""

import re

TEXT_LIMIT = 256 * 1024
LINE_LIMIT = 10_000

# Control characters become their names (few fonts have their pictures), as do characters that turn the direction of
# text: none may hide or disguise a part of a log.
_NAMES = (
    "NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US"
)
_VISIBLE = {code: f"⟦{name}⟧" for code, name in enumerate(_NAMES.split()) if code not in (9, 10)}
_VISIBLE[0x7F] = "⟦DEL⟧"
_DIRECTIONS = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_NAMED = {code: f"⟦U+{code:04X}⟧" for code in (*range(0x80, 0xA0), *_DIRECTIONS)}
_TABLE: dict[int, int | str] = {**_VISIBLE, **_NAMED, 0x2028: "⏎", 0x2029: "⏎"}
# What terminals take for colours and places says nothing in one line of a tree; the whole text shows it.
_COLOUR_CODES = re.compile(r"\x1b\[[0-9;:?]*[A-Za-z]")
_ONE_LINE: dict[int, int | str] = {**_TABLE, 9: " ", 10: " "}


def decode(raw: bytes | bytearray) -> str:
    """Bytes as text; what is no UTF-8 is shown as an escape."""
    return raw.decode("utf-8", "backslashreplace")


def visible(text: str) -> str:
    """Text with its invisible characters shown; a lone surrogate, which Qt cannot hold, becomes its escape."""
    return text.replace("\r\n", "\n").translate(_TABLE).encode("utf-8", "backslashreplace").decode()


def one_line(text: str, limit: int) -> str:
    """The beginning of a text on one line."""
    cut = _COLOUR_CODES.sub("", text[: limit * 2]).lstrip()
    line = " ".join(cut.translate(_ONE_LINE).split())
    line = line.encode("utf-8", "backslashreplace").decode()
    return line if len(line) <= limit and len(text) <= limit * 2 else line[: limit - 1] + "…"


def wrapped(text: str) -> str:
    """Text with breaks in lines of more than LINE_LIMIT characters: one line of megabytes takes a widget seconds."""
    if max(map(len, text.split("\n")), default=0) <= LINE_LIMIT:
        return text
    lines: list[str] = []
    for line in text.split("\n"):
        lines.extend(line[start : start + LINE_LIMIT] for start in range(0, max(len(line), 1), LINE_LIMIT))
    return "\n".join(lines)


def short_count(count: int) -> str:
    """A count in at most four characters or so: 950, 12k, 1.2M."""
    for unit, size in (("M", 10**6), ("k", 10**3)):
        if count >= size:
            return f"{count / size:.1f}{unit}" if count < 10 * size else f"{count // size}{unit}"
    return str(count)
