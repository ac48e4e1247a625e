"""What tools colour for a terminal, as runs of text in a look each.

Only colours and weights are taken (SGR, ECMA-48 8.3.117; of colours also xterm's 256 and 24 bits). Whatever else steers
a terminal stays in the text, where a front shows it by its picture.

Merged; to be rewritten:
`pieces`: The pieces that details are made of: values that a front draws, and that cross a pipe where a record is large.
"""

import re
from collections.abc import Iterator
from enum import IntEnum
from itertools import islice
from typing import NamedTuple

from msgspec import Struct

from inspector.core.model.views import BlockKind, BlockView, RecordView

# The pieces that details are made of: values that a front draws, and that cross a pipe where a record is large.


class PieceKind(IntEnum):
    """What a piece is. CONTEXT: what a program put into a message of the person's.

    PROSE keeps its line breaks, MARKDOWN says by marks how it is laid out. TERMINAL is output of a tool, which may hold
    colours as terminals take them.
    """

    PROSE = 0
    MARKDOWN = 1
    SHELL = 2
    CODE = 3
    DIFF = 4
    TERMINAL = 5
    TABLE = 6
    THINKING = 7
    IMAGE = 8
    JSON = 9
    CONTEXT = 10


class DetailPiece(Struct, frozen=True):
    """One piece. `text` is what it says; of an IMAGE its data in base64.

    `title` names it: a file, a member of an input, a media type. `rows` are those of a TABLE, name and value. `gutter`:
    every line of this CODE begins with its number, as the tool printed it.
    """

    kind: PieceKind
    text: str = ""
    title: str = ""
    rows: tuple[tuple[str, str], ...] = ()
    gutter: bool = False


class BlockDetails(Struct, frozen=True):
    """A block in pieces. `given` is the whole input of a call where the pieces tell it in other words, else ""."""

    kind: BlockKind
    pieces: tuple[DetailPiece, ...]
    pointer: str
    name: str = ""
    call_id: str = ""
    is_error: bool = False
    given: str = ""

    @property
    def text(self) -> str:
        """All that it says, as plain text."""
        told = (
            piece.title if piece.kind == PieceKind.IMAGE else piece.text or "\n".join(map(": ".join, piece.rows))
            for piece in self.pieces
        )
        return self.given or "\n".join(told)


class RecordDetails(Struct, frozen=True):
    """A record in parts, with what stands above them. Without any it is only summed up."""

    role: str
    summary: str
    parts: tuple[BlockDetails, ...] = ()
    time: str = ""
    model: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None


class DetailsRequest(Struct, frozen=True):
    """A record that is wanted in parts: of the log or, with a `path`, what lies at a span of another file.

    `reads` are the files that calls of other records read, by their ids.
    """

    record: int
    path: str
    span: tuple[int, int]
    reads: dict[str, str]


def record_details(view: RecordView, parts: tuple[BlockDetails, ...]) -> RecordDetails:
    """Parts under the head of their record."""
    return RecordDetails(view.role, view.summary, parts, view.time, view.model, view.tokens_in, view.tokens_out)


def block_details(block: BlockView, pieces: tuple[DetailPiece, ...], given: str = "") -> BlockDetails:
    """The pieces of a block with what names it."""
    return BlockDetails(block.kind, pieces, block.pointer, block.name, block.call_id, block.is_error, given)


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
