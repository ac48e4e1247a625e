"""Syntax colours of a text, from Pygments. Used in the child, because a lexer takes long to import."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from inspector.core.presentation.details import line_number_width
from inspector.core.presentation.outline import Numbers
from inspector.core.text import utf16_length

if TYPE_CHECKING:
    from pygments.lexer import Lexer

_MAX_CHARS = 64 * 1024
# The token kinds that have a colour, by the beginning of their names, with the number of the colour.
_TOKEN_COLOURS = (
    ("Token.Comment", 1), ("Token.Literal.String", 2), ("Token.Literal.Number", 3), ("Token.Keyword.Constant", 3),
    ("Token.Keyword", 4), ("Token.Operator.Word", 4), ("Token.Name.Function", 5), ("Token.Name.Class", 5),
    ("Token.Name.Builtin", 5), ("Token.Name.Decorator", 5), ("Token.Name.Tag", 4), ("Token.Name.Attribute", 5),
    ("Token.Name.Variable", 5), ("Token.Generic.Inserted", 6), ("Token.Generic.Deleted", 7),
    ("Token.Generic.Heading", 5), ("Token.Generic.Subheading", 4),
)  # fmt: skip


class CodeText(msgspec.Struct, frozen=True):
    """A text to colour.

    `language` is the name of a language or of a file. `has_line_numbers`: its lines begin with numbers.
    """

    text: str
    language: str
    has_line_numbers: bool = False


class ColourRun(NamedTuple):
    """A stretch of a line in one colour, measured in UTF-16 units, as Qt counts."""

    line: int
    start: int
    length: int
    colour: int


def highlight_code(wanted: CodeText) -> Numbers:
    """Return the coloured runs of a text, four numbers each. Empty when the language is unknown."""
    lines = wanted.text[:_MAX_CHARS].split("\n")
    gutters = [line_number_width(line) if wanted.has_line_numbers else 0 for line in lines]
    lexer = _find_lexer(wanted.language)
    runs = array("I")
    if lexer is not None:
        code = "\n".join(line[gutter:] for line, gutter in zip(lines, gutters, strict=True))
        for line, start, stop, ink in _token_spans(lexer, code):
            text, shift = lines[line], gutters[line]
            before = utf16_length(text[: start + shift])
            runs.extend(ColourRun(line, before, utf16_length(text[start + shift : stop + shift]), ink))
    return runs


def _token_spans(lexer: Lexer, code: str) -> Iterator[tuple[int, int, int, int]]:
    """Yield line, start column, end column and colour of each token that has a colour."""
    line = column = 0
    for _, kind, value in lexer.get_tokens_unprocessed(code):
        ink = _token_colour(kind)
        for number, part in enumerate(value.split("\n")):
            if number:
                line, column = line + 1, 0
            if ink and part:
                yield line, column, column + len(part), ink
            column += len(part)


@cache
def _token_colour(kind: object) -> int:
    return next((ink for name, ink in _TOKEN_COLOURS if str(kind).startswith(name)), 0)


def _find_lexer(language: str) -> Lexer | None:
    # Imported here, because only showing code needs it.
    from pygments.lexers import get_lexer_by_name, get_lexer_for_filename  # noqa: PLC0415
    from pygments.util import ClassNotFound  # noqa: PLC0415

    try:
        return get_lexer_for_filename(language) if "." in language else get_lexer_by_name(language or "text")
    except ClassNotFound:
        return None
