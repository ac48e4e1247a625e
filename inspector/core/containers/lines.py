"""JSON Lines: a record a line, `\\n` or `\\r\\n`, with or without a final line end."""

from codecs import utf_8_decode
from collections.abc import Callable, Iterator
from typing import TypeVar

from inspector.core.bytes.json_text import may_be_too_deep
from inspector.core.later import lazy_regex

_BLANK = lazy_regex(rb"\s*")
_OPENING, _CLOSING, _RETURN = b"{}\r"
_TEXT_PIECE = 8 * 1024
_Row = TypeVar("_Row")


def nonblank_lines(offset: int, chunk: bytes) -> Iterator[tuple[int, int, bytes]]:
    """The lines of a chunk that are not blank: start, end (before the `\\n`), bytes. A `\\r` belongs to its line."""
    at, size = 0, len(chunk)
    while at < size:
        end = chunk.find(b"\n", at)
        if end < 0:
            end = size
        line = chunk[at:end]
        if line.strip():
            yield offset + at, offset + end, line
        elif chunk[end + 1 : end + 2].isspace():
            # A hundred million of them are passed over at once.
            blank = _BLANK.match(chunk, end)
            assert blank is not None
            end = chunk.rfind(b"\n", end, blank.end())
        at = end + 1


def decode_chunk(
    chunk: memoryview, decode: Callable[[memoryview], list[_Row]], check_utf8_from: int | None
) -> tuple[list[_Row], list[int]] | None:
    """The rows that a decoder of msgspec's makes of a chunk, and where the line of each ends, as offsets in it.

    None where the lines have to be read one by one: one of them is damaged, blank, or of another shape. The decoder
    judges all but whether a text that it skips is UTF-8: from byte `sound` on that is looked at, too, None for nowhere.
    """
    try:
        if may_be_too_deep(chunk):
            return None
        rows = decode(chunk)
        ends = _line_ends(chunk, len(rows))
        if ends is not None and check_utf8_from is not None:
            _require_utf8(chunk[max(check_utf8_from, 0) :])
    except (ValueError, RecursionError):
        return None
    return None if ends is None else (rows, ends)


def _line_ends(chunk: memoryview, rows: int) -> list[int] | None:
    """Where the lines of a chunk end, None unless each holds one of its rows.

    A row may go on in the next line and another begin there: but an object never begins behind the end of one within a
    row.
    """
    size, buffer = len(chunk), chunk.obj
    assert isinstance(buffer, bytes | bytearray)
    ends: list[int] = []
    find = buffer.find
    end = find(b"\n", 0, size)
    while 0 <= end < size - 1 and len(ends) < rows:
        last = buffer[end - 1]
        if buffer[end + 1] != _OPENING or (last if last != _RETURN else buffer[end - 2]) != _CLOSING:
            return None
        ends.append(end)
        end = find(b"\n", end + 1, size)
    ends.append(size if end < 0 else end)
    return ends if len(ends) == rows else None


def _require_utf8(text: memoryview) -> None:
    """Raises UnicodeDecodeError. In pieces: a text with one emoji takes four bytes a character while it is there."""
    at, size = 0, len(text)
    while at < size:
        last = at + _TEXT_PIECE >= size
        at += utf_8_decode(text[at : at + _TEXT_PIECE], "strict", last)[1]
