r"""JSON Lines, and logs compressed with Zstandard, which are unpacked when they are opened.

A record is a line. Lines end in `\n` or `\r\n`; the last one may have no line end.
"""

from __future__ import annotations

from codecs import utf_8_decode
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

from inspector.core.errors import CutOffFile, DamagedFile, UnreadableLog
from inspector.core.lazy import lazy_regex
from inspector.core.storage.compression import zstd_library
from inspector.core.storage.json_text import may_be_too_deep
from inspector.core.storage.source import Source, file_stamp, file_starts_with, raise_if_cancelled
from inspector.core.storage.temporary_files import DecompressedSource, SpoolFile

if TYPE_CHECKING:
    from pathlib import Path


_BLANK = lazy_regex(rb"\s*")
_OPENING, _CLOSING, _RETURN = b"{}\r"
_TEXT_PIECE = 16 * 1024
_Row = TypeVar("_Row")


def nonblank_lines(offset: int, chunk: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield start, end (before the `\\n`) and bytes of each line that is not blank. A `\\r` belongs to its line.

    `offset` is the offset of the chunk in the log.
    """
    at, size = 0, len(chunk)
    while at < size:
        end = chunk.find(b"\n", at)
        if end < 0:
            end = size
        line = chunk[at:end]
        if line.strip():
            yield offset + at, offset + end, line
        elif chunk[end + 1 : end + 2].isspace():
            # Skip a run of blank lines at once: there can be a hundred million of them.
            blank = _BLANK.match(chunk, end)
            assert blank is not None
            end = chunk.rfind(b"\n", end, blank.end())
        at = end + 1


def decode_chunk(
    chunk: memoryview, decode: Callable[[memoryview], list[_Row]], check_utf8_from: int | None
) -> tuple[list[_Row], list[int]] | None:
    """Decode a chunk into rows with a msgspec decoder. Return them with the offset in the chunk where each line ends.

    None means that the lines have to be read one by one, because one of them is damaged, blank, or of another shape.
    The decoder does not check whether a string that it skips is UTF-8. This is checked from byte `check_utf8_from` on,
    nowhere if it is None.
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
    """Return where the lines of a chunk end, None unless each line holds one row.

    A row could continue on the next line, and another one begin there. But inside a row no object begins directly after
    the end of another one, so each line end has to lie between a `}` and a `{`.
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
    """Raise UnicodeDecodeError if a text is not UTF-8.

    It is decoded in pieces, because a string with one emoji takes four bytes for each character in memory.
    """
    at, size = 0, len(text)
    while at < size:
        last = at + _TEXT_PIECE >= size
        at += utf_8_decode(text[at : at + _TEXT_PIECE], "strict", last)[1]


# The first bytes of a frame, and of skippable frames, which may come before the first one.
_MAGICS = (b"\x28\xb5\x2f\xfd", *(bytes((0x50 + number,)) + b"\x2a\x4d\x18" for number in range(16)))
ZSTD_SUFFIX = ".zst"
# Logs with this suffix are compressed batch by batch. If the last batch is torn, its readable part belongs to the log.
BATCHED_ZSTD_SUFFIX = ".zstd"
_UNPACKED_PIECE = 1024 * 1024
# The first input of a frame in bytes, doubled each time: the library copies the input that lies after the frame's end.
_SHARE = 128
# Empty frames, with or without a checksum. Recognizing one is a thousand times as fast as unpacking it.
_EMPTY = lazy_regex(rb"(?:\x28\xb5\x2f\xfd(?:[\x00\x20]\x00\x01\x00\x00|\x24\x00\x01\x00\x00\x99\xe9\xd8\x51))*")
# No log compresses so well: a file that unpacks to more is made to fill the disk.
_SMALL, _MOST = 64 * 1024 * 1024, 1000


def is_zstd_file(path: str | Path) -> bool:
    """Return whether the file at `path` begins like a Zstandard frame."""
    return file_starts_with(path, *_MAGICS)


def is_zstd_head(head: bytes) -> bool:
    """Return whether a head begins like a Zstandard frame."""
    return head.startswith(_MAGICS)


class _TornBatch(CutOffFile):
    """The last batch of a log is torn. What it still holds was read."""


def decompress_to_temporary_file(path: str, cancelled: Callable[[], bool] | None = None) -> DecompressedSource:
    """Unpack the file at `path` into a temporary file. Raises UnreadableLog, Cancelled."""
    spool, is_torn = SpoolFile(), False
    try:
        stamp = file_stamp(path)
        try:
            for piece in _pieces(path):
                spool.write(piece)
                if spool.size > max(_SMALL, _MOST * stamp.size):
                    raise DamagedFile(
                        f"{path} would expand to more than {_MOST} times its size, which no log does, so it was not "
                        "read."
                    )
                raise_if_cancelled(cancelled)
        except _TornBatch:
            is_torn = True
        source = DecompressedSource(path, spool, {path: stamp})
        source.is_torn = is_torn
        return source
    except BaseException as error:
        spool.close()
        if isinstance(error, OSError):
            raise UnreadableLog.from_os_error(error, path) from error
        raise


def decompress_file_head(path: str, size: int) -> Source:
    """Return the first `size` bytes of the log in the file at `path`, fewer if it is torn. Raises UnreadableLog."""
    head = bytearray()
    try:
        for piece in _pieces(path):
            head += piece
            if len(head) >= size:
                break
    except UnreadableLog:
        if not head:
            raise
    except OSError as error:
        raise UnreadableLog.from_os_error(error, path) from error
    return Source.of_bytes(bytes(head[:size]), path)


def _pieces(path: str) -> Iterator[bytes]:
    """Yield the unpacked bytes of a file's frames. Raises UnreadableLog, OSError."""
    zstd = zstd_library()
    size, frame, at, given, is_first = 0, zstd.ZstdDecompressor(), 0, _SHARE, True
    with open(path, "rb") as file:
        packed = file.read(_UNPACKED_PIECE)
        while at < len(packed) or not (frame.eof or frame.needs_input):
            share = packed[at : at + given]
            try:
                piece = frame.decompress(share, _UNPACKED_PIECE)
            except zstd.ZstdError as error:
                raise DamagedFile(f"{path} is not a valid Zstandard file: {error}.") from error
            size += len(piece)
            yield piece
            at += len(share)
            if frame.eof:
                at = _end_of_empty(packed, at - len(frame.unused_data))
            if at == len(packed) and (frame.eof or frame.needs_input):
                packed, at = file.read(_UNPACKED_PIECE), 0
            if frame.eof and packed:
                frame, given, is_first = zstd.ZstdDecompressor(), _SHARE, False
            else:
                given = min(max(2 * given, _SHARE), _UNPACKED_PIECE) if frame.needs_input else 0
    if not frame.eof:
        is_batch = path.endswith(BATCHED_ZSTD_SUFFIX) and not is_first
        raise (_TornBatch if is_batch else CutOffFile)(
            f"{path} ends in the middle of its compressed data, {size} bytes into the log. "
            "Unpack the readable part with `zstd -dc`, and open that."
        )


def decompress_first_frame(path: str, size: int) -> bytes:
    """Return the content of the first frame of a file, at most `size` bytes of it, b"" if it is damaged."""
    zstd = zstd_library()
    try:
        with open(path, "rb") as file:
            content: bytes = zstd.ZstdDecompressor().decompress(file.read(size), size)
            return content
    except (OSError, zstd.ZstdError):
        return b""


def compress_frame(data: bytes) -> bytes:
    """Return one frame with a checksum that holds `data`."""
    zstd = zstd_library()
    frame: bytes = zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1})
    return frame


def _end_of_empty(packed: bytes, at: int) -> int:
    """Return the offset after the empty frames that begin at `at`."""
    frames = _EMPTY.match(packed, at)
    return at if frames is None else frames.end()
