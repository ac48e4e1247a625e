"""What tools colour for a terminal, as runs of text in a look each.

Only colours and weights are taken (SGR, ECMA-48 8.3.117; of colours also xterm's 256 and 24 bits). Whatever else steers
a terminal stays in the text, where a front shows it by its picture.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

_SGR = re.compile(r"\x1b\[([0-9;:]*)m")
_CUBE_LEVELS = (0, 95, 135, 175, 215, 255)


class AnsiStyle(NamedTuple):
    """How a run looks. A colour is a number from 0 to 15 of the terminal's own, or "#rrggbb"; None is the usual one."""

    ink: int | str | None = None
    ground: int | str | None = None
    bold: bool = False
    faint: bool = False
    italic: bool = False
    underlined: bool = False
    struck: bool = False


PLAIN_STYLE = AnsiStyle()
_STYLE_ON_CODES = {1: "bold", 2: "faint", 3: "italic", 4: "underlined", 9: "struck"}
_STYLE_OFF_CODES = {22: ("bold", "faint"), 23: ("italic",), 24: ("underlined",), 29: ("struck",)}


def styled_runs(text: str, look: AnsiStyle = PLAIN_STYLE) -> Iterator[tuple[str, AnsiStyle]]:
    """A text in runs that look alike, beginning in a look."""
    at = 0
    for found in _SGR.finditer(text):
        if found.start() > at:
            yield text[at : found.start()], look
        look, at = _changed(look, found[1]), found.end()
    if at < len(text):
        yield text[at:], look


def strip_ansi(text: str) -> str:
    """The same text in one look."""
    return _SGR.sub("", text)


def _changed(look: AnsiStyle, told: str) -> AnsiStyle:
    codes = iter([int(code) if code.isdecimal() and len(code) < 5 else 0 for code in re.split("[;:]", told)])
    for code in codes:
        if code in (38, 48):
            colour = _chosen(codes)
            look = look._replace(**{"ink" if code == 38 else "ground": colour})  # type: ignore[arg-type]
        else:
            look = _apply_code(look, code)
    return look


def _apply_code(look: AnsiStyle, code: int) -> AnsiStyle:
    if code == 0:
        return PLAIN_STYLE
    if code in _STYLE_ON_CODES:
        return look._replace(**{_STYLE_ON_CODES[code]: True})
    if code in _STYLE_OFF_CODES:
        return look._replace(**dict.fromkeys(_STYLE_OFF_CODES[code], False))
    if code == 7:
        return look._replace(ink=look.ground or 0, ground=7 if look.ink is None else look.ink)
    if code in (39, 49):
        return look._replace(ink=None) if code == 39 else look._replace(ground=None)
    for first, shift in ((30, 0), (90, 8)):
        if first <= code < first + 8:
            return look._replace(ink=code - first + shift)
        if first + 10 <= code < first + 18:
            return look._replace(ground=code - first - 10 + shift)
    return look


def _chosen(codes: Iterator[int]) -> int | str | None:
    """The colour that follows a 38 or 48, taken from the codes."""
    form = next(codes, 0)
    if form == 5:
        number = next(codes, None)
        if number is None or number < 16:
            return number
        if number < 232:
            red, green, blue = (
                _CUBE_LEVELS[(number - 16) // 36],
                _CUBE_LEVELS[(number - 16) // 6 % 6],
                _CUBE_LEVELS[(number - 16) % 6],
            )
            return f"#{red:02x}{green:02x}{blue:02x}"
        grey = min(8 + (number - 232) * 10, 255)
        return f"#{grey:02x}{grey:02x}{grey:02x}"
    told = [min(code, 255) for code in islice(codes, 3)] if form == 2 else []
    return "#{:02x}{:02x}{:02x}".format(*told) if len(told) == 3 else None
