r"""Logs compressed with Zstandard: unpacked when they are opened. Nothing is ever compressed.

Merged; to be rewritten:
`lines`: JSON Lines: a record a line, `\n` or `\r\n`, with or without a final line end.
"""

from __future__ import annotations

import sys
from codecs import utf_8_decode
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from inspector.core.errors import UnreadableLog
from inspector.core.lazy import lazy_regex
from inspector.core.storage.json_text import may_be_too_deep
from inspector.core.storage.source import Source, file_stamp, file_starts_with, raise_if_cancelled
from inspector.core.storage.temporary import DecompressedSource, SpoolFile

if TYPE_CHECKING:
    from pathlib import Path


# JSON Lines: a record a line, `\n` or `\r\n`, with or without a final line end.

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


# How a frame begins, and those that hold nothing of the log, which may stand before the first one.
_MAGICS = (b"\x28\xb5\x2f\xfd", *(bytes((0x50 + number,)) + b"\x2a\x4d\x18" for number in range(16)))
ZSTD_SUFFIX = ".zst"
_UNPACKED_PIECE = 1024 * 1024
# What a frame is given first, then twice as much each time: of what lies behind its end, the library makes a copy.
_SHARE = 128
# A frame that holds nothing, with its check sum or without: a thousand times quicker known than unpacked.
_EMPTY = lazy_regex(rb"(?:\x28\xb5\x2f\xfd(?:[\x00\x20]\x00\x01\x00\x00|\x24\x00\x01\x00\x00\x99\xe9\xd8\x51))*")
# No log shrinks so much: what unpacks to more is made to fill the disk.
_SMALL, _MOST = 64 * 1024 * 1024, 1000


def is_zstd_file(path: str | Path) -> bool:
    """Whether the file at `path` begins like a Zstandard frame."""
    return file_starts_with(path, *_MAGICS)


def starts_with_zstd_frame(source: Source) -> bool:
    """The same of an open file."""
    return source.read(0, max(map(len, _MAGICS))).startswith(_MAGICS)


def decompress(path: str, cancelled: Callable[[], bool] | None = None) -> DecompressedSource:
    """The log in the file at `path`. Raises UnreadableLog, Cancelled."""
    spool = SpoolFile()
    try:
        stamp = file_stamp(path)
        for piece in _pieces(path):
            spool.write(piece)
            if spool.size > max(_SMALL, _MOST * stamp.size):
                raise UnreadableLog(
                    f"{path} would unpack to more than {_MOST} times its size, which no log does: it was left alone."
                )
            raise_if_cancelled(cancelled)
        return DecompressedSource(path, spool, {path: stamp})
    except BaseException as error:
        spool.close()
        if isinstance(error, OSError):
            raise UnreadableLog.from_os_error(error, path) from error
        raise


def decompress_head(path: str, size: int) -> Source:
    """The first `size` bytes of the log in the file at `path`, fewer where it is torn. Raises UnreadableLog."""
    found = bytearray()
    try:
        for piece in _pieces(path):
            found += piece
            if len(found) >= size:
                break
    except UnreadableLog:
        if not found:
            raise
    except OSError as error:
        raise UnreadableLog.from_os_error(error, path) from error
    return Source.of_bytes(bytes(found[:size]), path)


def _pieces(path: str) -> Iterator[bytes]:
    """What the frames of a file unpack to. Raises UnreadableLog, OSError."""
    zstd = _library()
    size, frame, at, given = 0, zstd.ZstdDecompressor(), 0, _SHARE
    with open(path, "rb") as file:
        packed = file.read(_UNPACKED_PIECE)
        while at < len(packed) or not (frame.eof or frame.needs_input):
            share = packed[at : at + given]
            try:
                piece = frame.decompress(share, _UNPACKED_PIECE)
            except zstd.ZstdError as error:
                raise UnreadableLog(f"{path} is no sound Zstandard file: {error}.") from error
            size += len(piece)
            yield piece
            at += len(share)
            if frame.eof:
                at = _end_of_empty(packed, at - len(frame.unused_data))
            if at == len(packed) and (frame.eof or frame.needs_input):
                packed, at = file.read(_UNPACKED_PIECE), 0
            if frame.eof and packed:
                frame, given = zstd.ZstdDecompressor(), _SHARE
            else:
                given = min(max(2 * given, _SHARE), _UNPACKED_PIECE) if frame.needs_input else 0
    if not frame.eof:
        raise UnreadableLog(
            f"{path} breaks off in the middle of its compressed data, {size} bytes into the log. "
            "Unpack what is left of it with `zstd -dc`, and open that."
        )


def _end_of_empty(packed: bytes, at: int) -> int:
    """Where the empty frames that begin at `at` end."""
    found = _EMPTY.match(packed, at)
    return at if found is None else found.end()


def _library() -> Any:
    """The standard library's module, or its backport; few logs are compressed, so it is loaded for those alone."""
    return import_module("backports.zstd" if sys.version_info < (3, 14) else "compression.zstd")
