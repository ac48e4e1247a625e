"""The bytes of a log, read by offset and never mapped: a mapped file that another program cuts kills the process.

Merged; to be rewritten:
`encodings`: Texts that are no UTF-8 lines, and so no log yet: how to tell them, and what to do first.
`needle`: Whether a text stands in a large buffer at all: asked of every piece of a log, and mostly answered with no.
"""

import ctypes
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import lru_cache
from typing import BinaryIO

from msgspec import Struct

from inspector.core.errors import Cancelled, ChangedMeanwhile, UnreadableLog
from inspector.core.lazy import lazy_regex

BOM = b"\xef\xbb\xbf"
HEAD_SIZE, SHORT_HEAD_SIZE = (
    256 * 1024,
    32 * 1024,
)  # what is looked at of a log to tell what it is; of many of them first
_FIRST_CHUNK = 64 * 1024
_CHUNK = 1024 * 1024


class FileStamp(Struct, frozen=True):
    """What tells whether a file is still the one that was read."""

    inode: int
    size: int
    mtime_ns: int


def file_stamp(path: str | os.PathLike[str] | int) -> FileStamp:
    """The stamp of the file at `path` (links followed), or of one that is open. Raises OSError."""
    state = os.stat(path)
    return FileStamp(state.st_ino, state.st_size, state.st_mtime_ns)


def file_stamp_if_present(path: str | os.PathLike[str]) -> FileStamp | None:
    """The stamp of the file at `path`, None when there is none, or nothing in it."""
    try:
        stamp = file_stamp(path)
    except OSError:
        return None
    return stamp if stamp.size else None


def is_special_file(path: str | os.PathLike[str]) -> bool:
    """Whether a pipe, a socket or a device is at `path`: one that waits when it is opened, or is none when replaced."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def file_starts_with(path: str | os.PathLike[str], *magics: bytes) -> bool:
    """Whether there is a file at `path` that begins with any of these. Anything else, a pipe say, is not opened."""
    if not os.path.isfile(path):
        return False
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read(max(map(len, magics))).startswith(magics)
    except OSError:
        return False


class Source:
    """An open log. `path` is "-" for one that came from standard input or is planned in memory.

    `stamps` are those of all files that it was read from, `bytes_at` the file that holds its very bytes by offset (""
    for none), `format` the one that put it together ("" where its own bytes tell). `has_lines`: lines are places in
    it. `packed_from` is the compressed file that its bytes were unpacked from, `archive` that which it lies in ("" for
    none).
    """

    has_lines = True
    format = ""
    compressed_path = ""
    archive = ""

    def __init__(self, path: str, file: BinaryIO, size: int, stamps: dict[str, FileStamp | None]) -> None:
        self.path = path
        self.stamps = stamps
        self.size = size
        self.bytes_path = path
        self._file = file
        self._held = b""
        self.start = len(BOM) if self.read(0, len(BOM)) == BOM else 0

    @classmethod
    def open(cls, path: str) -> "Source":
        """Open the file at `path`. Raises UnreadableLog."""
        try:
            if os.path.isdir(path):
                raise UnreadableLog(f"{path} is a folder: open one log in it.")
            if is_special_file(path):
                raise UnreadableLog(
                    f"{path} is a pipe, a socket or a device, no file: save what comes out of it, and open that."
                )
            with ExitStack() as opened:
                file = opened.enter_context(open(path, "rb"))
                # Of the file that is open: another one can have taken its name since.
                stamp = file_stamp(file.fileno())
                source = cls(path, file, stamp.size, {path: stamp})
                opened.pop_all()  # The source owns it until close().
                return source
        except OSError as error:
            raise UnreadableLog.from_os_error(error, path) from error

    @classmethod
    def of_bytes(cls, data: bytes, path: str = "-") -> "Source":
        """A log that is in memory."""
        source = cls(path, io.BytesIO(data), len(data), {})
        source.bytes_path = ""
        return source

    @property
    def copy_name(self) -> str:
        """The name that a repaired copy gets unless another is chosen: NAME.repaired.EXT."""
        stem, suffix = os.path.splitext("stdin.jsonl" if self.path == "-" else os.path.basename(self.path))
        return f"{stem}.repaired{suffix}"

    def member_containing(self, start: int, end: int) -> str | None:
        """The file or row that holds the byte at `start`, else the first in the span, where the log is many of them."""
        return None

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> "Source":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def load_into_memory(self, most: int) -> None:
        """Read a log of at most `most` bytes into memory: what is asked of it from now on is not asked of the disk."""
        if self.size <= most:
            self._held = self.read(0, self.size)
            self._file.close()
            self._file = io.BytesIO(self._held)

    def limit_to(self, start: int, end: int) -> None:
        """From now on this log begins and ends there."""
        self.start, self.size = start, end

    def read(self, start: int, end: int) -> bytes:
        """The bytes `start..end`, fewer at the end of the file. Raises UnreadableLog, as all that reads here does."""
        try:
            self._file.seek(start)
            return self._file.read(end - start)
        except OSError as error:
            raise UnreadableLog.from_os_error(error, self.path) from error

    def _read_into(self, place: memoryview) -> int:
        """Fill `place` with what comes next; how much it was, 0 at the end."""
        try:
            count: int = self._file.readinto(place)  # type: ignore[attr-defined]
        except OSError as error:
            raise UnreadableLog.from_os_error(error, self.path) from error
        return count

    def count_line_ends(self, start: int, end: int) -> int:
        """How many line ends the bytes `start..end` hold. One buffer for all of them spares a third of the time."""
        buffer, found = bytearray(min(_FIRST_CHUNK, end - start)), 0
        view = memoryview(buffer)
        self._file.seek(start)
        while start < end and (size := self._read_into(view[: end - start])):
            found += buffer.count(b"\n", 0, size)
            start += size
        return found

    def check_unchanged(self) -> None:
        """Raises ChangedMeanwhile when what is on disk is no longer what was opened."""
        for path, stamp in self.stamps.items():
            if file_stamp_if_present(path) != stamp:
                raise ChangedMeanwhile(
                    f"{path} has changed since it was read, so nothing was written. "
                    "Close the agent if it is running, then open the log again."
                )

    def line_chunks(
        self,
        limit: int | None = None,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Iterator[tuple[int, memoryview]]:
        """The log in whole lines, in pieces with their offsets; of a large one a small piece first, to be shown.

        With `limit`, only lines that end within the first `limit` bytes come. Raises Cancelled.
        """
        return self.chunks(b"\n", self.start, limit, progress, cancelled)

    def chunks(
        self,
        separator: bytes,
        start: int,
        limit: int | None = None,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Iterator[tuple[int, memoryview]]:
        """The log from `start` on in pieces, each of which ends behind the first byte of a separator.

        All pieces lie in one buffer, which saves a page fault for every four kilobytes of the log: a piece is good
        until the next one is asked for. What is held in memory is one piece. Raises Cancelled.
        """
        end = self.size if limit is None else min(limit, self.size)
        if self._held:
            yield from self._held_piece(separator, start, end, progress, cancelled)
            return
        buffer, kept, offset = bytearray(min(_CHUNK, max(end - start, 0))), 0, start
        wanted = _FIRST_CHUNK if end - start > _CHUNK else len(buffer)
        self._file.seek(offset)
        while offset + kept < end:
            raise_if_cancelled(cancelled)
            if kept == len(buffer):
                # A record longer than the buffer: twice the room, which stays linear.
                buffer = buffer + bytearray(len(buffer))
            view = memoryview(buffer)
            room = min(max(wanted, kept + 1), len(buffer), end - offset)
            count = self._read_into(view[kept:room])
            if not count:
                break
            filled, wanted = kept + count, len(buffer)
            cut = buffer.rfind(separator, 0, filled) + 1
            if offset + filled == self.size:
                cut = filled
            if cut:
                yield offset, view[:cut]
                # Whoever read the piece may have read elsewhere meanwhile.
                buffer[: filled - cut] = buffer[cut:filled]
                offset += cut
                if progress is not None:
                    progress(offset, self.size)
            else:
                wanted = 2 * len(buffer)
            kept = filled - cut
            self._file.seek(offset + kept)

    def _held_piece(
        self,
        separator: bytes,
        start: int,
        end: int,
        progress: Callable[[int, int], None] | None,
        cancelled: Callable[[], bool] | None,
    ) -> Iterator[tuple[int, memoryview]]:
        piece = self._held[start:end]
        cut = len(piece) if start + len(piece) == self.size else piece.rfind(separator) + 1
        if cut:
            raise_if_cancelled(cancelled)
            yield start, memoryview(piece)[:cut]
            if progress is not None:
                progress(start + cut, self.size)


def raise_if_cancelled(cancelled: Callable[[], bool] | None) -> None:
    """Raises Cancelled once the person wants no more of it."""
    if cancelled is not None and cancelled():
        raise Cancelled("Reading was cancelled.")


# Texts that are no UTF-8 lines, and so no log yet: how to tell them, and what to do first.

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_WIDE_JSON = lazy_regex(rb'(?:\0\0\0|\0)[\[{]\0|[\[{]\0+["\s\[{\]}]\0')
_CARRIAGE_RETURNS = lazy_regex(rb"\}\r+[ \t]*\{")  # outside of a string, for there a raw line end may not stand


def require_utf8_lines(head: bytes, path: str) -> None:
    """Raises UnreadableLog where the beginning of a log is not written in UTF-8, or its lines end in no line feed."""
    if head.startswith(_UTF16_MARKS) or _WIDE_JSON.match(head):
        raise UnreadableLog(
            f"{path} is written in UTF-16 or UTF-32, and logs are UTF-8: save it as UTF-8 "
            "(`iconv -f UTF-16 -t UTF-8`, say), and open that."
        )
    if b"\n" not in head and _CARRIAGE_RETURNS.search(head):
        raise UnreadableLog(
            f"{path} ends its lines with carriage returns alone, which no agent reads: let them end with line feeds "
            r"(`tr '\r' '\n'`), and open that."
        )


# Whether a text stands in a large buffer at all: asked of every piece of a log, and mostly answered with no.


def buffer_contains(buffer: bytes | bytearray, needle: bytes, size: int) -> bool:
    """Whether the first `size` bytes hold the needle.

    The C library of Linux takes half to a sixth of the time of `bytearray.find`: the more, the shorter the needle.
    """
    search = _memmem()
    if search is None or not size:
        return buffer.find(needle, 0, size) >= 0
    place = buffer if isinstance(buffer, bytes) else ctypes.byref(ctypes.c_char.from_buffer(buffer))
    return search(place, size, needle, len(needle)) is not None


@lru_cache(1)
def _memmem() -> Callable[[object, int, bytes, int], int | None] | None:
    search = getattr(ctypes.CDLL(None), "memmem", None) if sys.platform.startswith("linux") else None
    if search is not None:
        search.restype = ctypes.c_void_p
        search.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)
    return search
