"""The pieces that the details of a record consist of, and the colours of terminal output as styled runs.

The pieces are plain values: a front end draws them, and they can be sent to another process.

Of the escape sequences, only colours and weights are interpreted (SGR, ECMA-48 8.3.117; of colours also xterm's 256 and
24 bits). All other control characters stay in the text, where a front end shows them as symbols.
"""

import re
from collections.abc import Iterator
from enum import IntEnum
from itertools import islice
from typing import NamedTuple

from msgspec import Struct

from inspector.core.model.views import BlockKind, BlockView, RecordView


class PieceKind(IntEnum):
    """The kind of a piece, which decides how it is drawn.

    PROSE keeps its line breaks. MARKDOWN is formatted by its marks. TERMINAL is the output of a tool and may contain
    colour sequences. CONTEXT is text that a program added to a message of the user.
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
    """One piece of the details of a block.

    `text` is its content; for an IMAGE, the data in base64. `title` names it: a file, a member of an input, or a media
    type. `rows` are the (name, value) rows of a TABLE. With `gutter`, every line of a CODE piece begins with its line
    number, as the tool printed it.
    """

    kind: PieceKind
    text: str = ""
    title: str = ""
    rows: tuple[tuple[str, str], ...] = ()
    gutter: bool = False


class BlockDetails(Struct, frozen=True):
    """A block as pieces.

    `given` is the whole input of a call whose pieces show it in another form, else "".
    """

    kind: BlockKind
    pieces: tuple[DetailPiece, ...]
    pointer: str
    name: str = ""
    call_id: str = ""
    is_error: bool = False
    given: str = ""

    @property
    def text(self) -> str:
        """The whole content as plain text."""
        texts = (
            piece.title if piece.kind == PieceKind.IMAGE else piece.text or "\n".join(map(": ".join, piece.rows))
            for piece in self.pieces
        )
        return self.given or "\n".join(texts)


class RecordDetails(Struct, frozen=True):
    """A record as parts, with the values of its header.

    A record without parts is shown by its `summary` alone.
    """

    role: str
    summary: str
    parts: tuple[BlockDetails, ...] = ()
    time: str = ""
    model: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None


class DetailsRequest(Struct, frozen=True):
    """A request for the details of a record.

    The record is one of the open log or, with a `path`, the bytes of `span` in another file. `reads` maps the ids of
    calls in other records to the files that these calls read.
    """

    record: int
    path: str
    span: tuple[int, int]
    reads: dict[str, str]


def record_details_from_parts(view: RecordView, parts: tuple[BlockDetails, ...]) -> RecordDetails:
    """Return the parts together with the header of their record."""
    return RecordDetails(view.role, view.summary, parts, view.time, view.model, view.tokens_in, view.tokens_out)


def block_details_from_pieces(block: BlockView, pieces: tuple[DetailPiece, ...], given: str = "") -> BlockDetails:
    """Return the pieces of a block together with its kind, name and ids."""
    return BlockDetails(block.kind, pieces, block.pointer, block.name, block.call_id, block.is_error, given)


_SGR = re.compile(r"\x1b\[([0-9;:]*)m")
_CUBE_LEVELS = (0, 95, 135, 175, 215, 255)


class AnsiStyle(NamedTuple):
    """The style of a run of text.

    A colour is a number from 0 to 15 of the terminal's palette, or "#rrggbb"; None is the default colour.
    """

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
    """Split a text into runs of one style each, starting with the style `look`."""
    at = 0
    for match in _SGR.finditer(text):
        if match.start() > at:
            yield text[at : match.start()], look
        look, at = _changed(look, match[1]), match.end()
    if at < len(text):
        yield text[at:], look


def strip_ansi(text: str) -> str:
    """Return the text without its style sequences."""
    return _SGR.sub("", text)


def _changed(look: AnsiStyle, parameters: str) -> AnsiStyle:
    codes = iter([int(code) if code.isdecimal() and len(code) < 5 else 0 for code in re.split("[;:]", parameters)])
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
    """Take the colour that follows a 38 or 48 from the codes; None where it is incomplete."""
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
    channels = [min(code, 255) for code in islice(codes, 3)] if form == 2 else []
    return "#{:02x}{:02x}{:02x}".format(*channels) if len(channels) == 3 else None
