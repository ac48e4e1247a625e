"""The bytes of a log, read by offset, and stamps that show whether a file on disk has changed.

A log is never mapped into memory: when another program truncates a mapped file, the process is killed.
"""

import io
import os
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from operator import itemgetter
from stat import S_ISDIR, S_ISREG
from typing import BinaryIO, Self

from msgspec import Struct

from inspector.core.errors import Cancelled, ChangedMeanwhile, UnreadableLog
from inspector.core.lazy import lazy_regex
from inspector.core.translation import tr

BOM = b"\xef\xbb\xbf"
# Bytes read from the beginning of a log to recognize its format; the short head is tried first.
HEAD_SIZE, SHORT_HEAD_SIZE = 256 * 1024, 32 * 1024
_FIRST_CHUNK = 64 * 1024
_CHUNK = 1024 * 1024


class FileStamp(Struct, frozen=True):
    """The state of a file, which shows whether it is still the one that was read."""

    inode: int
    size: int
    mtime_ns: int


def file_stamp(path: str | bytes | os.PathLike[str] | int) -> FileStamp:
    """Return the stamp of the file at `path` (links are followed), or of an open file. Raises OSError."""
    state = os.stat(path)
    return FileStamp(state.st_ino, state.st_size, state.st_mtime_ns)


def file_stamp_if_present(path: str | bytes | os.PathLike[str]) -> FileStamp | None:
    """Return the stamp of the file at `path`, None if there is no file or it is empty."""
    try:
        stamp = file_stamp(path)
    except OSError:
        return None
    return stamp if stamp.size else None


def is_special_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a pipe, a socket or a device is at `path`: opening one may block, and replacing it destroys it."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not (S_ISREG(mode) or S_ISDIR(mode))


def file_head(path: str | os.PathLike[str], size: int) -> bytes:
    """Return the first `size` bytes of the regular file at `path`, b"" without one. Nothing else is opened."""
    if not os.path.isfile(path):
        return b""
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read(size)
    except OSError:
        return b""


def file_starts_with(path: str | os.PathLike[str], *magics: bytes) -> bool:
    """Return whether there is a regular file at `path` that begins with one of `magics`."""
    return file_head(path, max(map(len, magics))).startswith(magics)


class PrecedingFile(Struct, frozen=True):
    """The beginning of another file, whose bytes a log has at the offsets `start..end`, after its own."""

    start: int
    end: int
    source: "Source"


class Source:
    """An open log. `path` is "-" for a log from standard input or a plan in memory.

    * `stamps` are the stamps of all files that it was read from.
    * `bytes_path` is the file that holds the same bytes at the same offsets, "" for none.
    * `format` is the format that assembled it, "" if its own bytes show the format.
    * `has_lines`: lines are locations in it.
    * `compressed_path` is the compressed file from which it was unpacked, "" for none.
    * `archive` is the archive that it is a member of, or the wrapped file that it was read from, "" for none. This
      file is never changed.
    * `read_from` names the wrapper that it was read from, "" for none.
    * `attached` are other files that the agent reads before this one. They are no part of the log: nothing is written
      into them.
    """

    has_lines = True
    format = ""
    compressed_path = ""
    archive = ""
    read_from = ""

    def __init__(self, path: str, file: BinaryIO, size: int, stamps: dict[str, FileStamp | None]) -> None:
        self.path = path
        self.stamps = stamps
        self.size = size
        self.bytes_path = path
        self.attached: list[PrecedingFile] = []
        self._file = file
        self._held = b""
        self.start = len(BOM) if self.read(0, len(BOM)) == BOM else 0

    @classmethod
    def open(cls, path: str) -> "Source":
        """Open the file at `path`. Raises UnreadableLog."""
        try:
            # One question, because a folder can hold thousands of logs.
            mode = os.stat(path).st_mode
            if S_ISDIR(mode):
                os.scandir(path).close()  # it may be that the folder itself cannot be read
                raise UnreadableLog(tr("{path} is a folder. Open one of the logs in it.", path=path))
            if not S_ISREG(mode):
                raise UnreadableLog(
                    tr(
                        "{path} is a pipe, a socket or a device, not a file. Save its output to a file, and "
                        "open that file.",
                        path=path,
                    )
                )
            with ExitStack() as opened:
                file = opened.enter_context(open(path, "rb"))
                # The stamp of the open file: another file can have taken its name since.
                stamp = file_stamp(file.fileno())
                source = cls(path, file, stamp.size, {path: stamp})
                opened.pop_all()  # The source owns it until close().
                return source
        except OSError as error:
            raise UnreadableLog.from_os_error(error, path) from error

    @classmethod
    def of_bytes(cls, data: bytes, path: str = "-") -> Self:
        """Open a log that is in memory."""
        source = cls(path, io.BytesIO(data), len(data), {})
        source.bytes_path = ""
        return source

    @property
    def copy_name(self) -> str:
        """The name that a repaired copy gets unless another is chosen: NAME.repaired.EXT."""
        stem, suffix = os.path.splitext("stdin.jsonl" if self.path == "-" else os.path.basename(self.path))
        return f"{stem}.repaired{suffix}"

    def member_containing(self, start: int, end: int) -> str | None:
        """Return the file or row that holds the byte at `start`, else the first one in the span.

        None if the log does not consist of several files or rows.
        """
        return None

    def attach(self, source: "Source", size: int) -> None:
        """Make the first `size` bytes of another file readable after the bytes of this log, which then owns it."""
        start = self.end_of_attached
        self.attached.append(PrecedingFile(start, start + size, source))

    @property
    def end_of_attached(self) -> int:
        """The offset after the last byte that can be read."""
        return self.attached[-1].end if self.attached else self.size

    def attached_path(self, offset: int) -> str:
        """Return the path of the attached file that holds the byte at `offset`, "" for a byte of the log itself."""
        attached = self.attached_at(offset)
        return attached.source.path if attached else ""

    def attached_at(self, offset: int) -> PrecedingFile | None:
        """Return the attached file that holds the byte at `offset`, None for a byte of the log itself."""
        return next((each for each in self.attached if each.start <= offset < each.end), None)

    def close(self) -> None:
        """Close the log. It was only read, so that nothing is lost where that fails."""
        with suppress(OSError):
            self._file.close()
        self._close_attached()

    def _close_attached(self) -> None:
        for each in self.attached:
            each.source.close()

    def __enter__(self) -> "Source":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def load_into_memory(self, most: int) -> None:
        """Read a log of at most `most` bytes into memory. Later reads do not access the disk."""
        if self.size <= most:
            self._held = self.read(0, self.size)
            with suppress(OSError):
                self._file.close()  # the file alone, not what else belongs to the log
            self._file = io.BytesIO(self._held)

    def limit_to(self, start: int, end: int) -> None:
        """Let this log begin at `start` and end at `end` from now on."""
        self.start, self.size = start, end

    def read(self, start: int, end: int) -> bytes:
        """Return the bytes `start..end`, fewer at the end of the log.

        Raises UnreadableLog, and ChangedMeanwhile for a file that became shorter, as all methods that read do.
        """
        if start >= self.size and (attached := self.attached_at(start)):
            return attached.source.read(start - attached.start, min(end, attached.end) - attached.start)
        try:
            self._file.seek(start)
            data = self._file.read(end - start)
        except OSError as error:
            raise UnreadableLog.from_os_error(error, self.path) from error
        if start + len(data) < min(end, self.size):
            raise ChangedMeanwhile.while_read(self.path)
        return data

    def _read_into(self, place: memoryview) -> int:
        """Read the next bytes into `place` and return how many there were, 0 at the end."""
        try:
            count: int = self._file.readinto(place)  # type: ignore[attr-defined]
        except OSError as error:
            raise UnreadableLog.from_os_error(error, self.path) from error
        return count

    def count_line_ends(self, start: int, end: int) -> int:
        """Return how many line ends the bytes `start..end` hold. Using one buffer saves a third of the time."""
        buffer, line_ends = bytearray(min(_FIRST_CHUNK, end - start)), 0
        view = memoryview(buffer)
        self._file.seek(start)
        while start < end and (size := self._read_into(view[: end - start])):
            line_ends += buffer.count(b"\n", 0, size)
            start += size
        return line_ends

    def check_unchanged(self) -> None:
        """Raise ChangedMeanwhile if the files on disk are no longer those that were read."""
        for path, stamp in self.stamps.items():
            now = file_stamp_if_present(path)
            if now is None and stamp is not None:
                raise ChangedMeanwhile(
                    tr(
                        "Nothing was written, because {path} was deleted or moved after it was read. Put the file "
                        "back, and then open it again.",
                        path=path,
                    )
                )
            if now != stamp:
                raise ChangedMeanwhile(
                    tr(
                        "Nothing was written, because {path} has changed since it was read. Close the agent if "
                        "it is running, then open the log again.",
                        path=path,
                    )
                )

    def line_chunks(
        self,
        limit: int | None = None,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Iterator[tuple[int, memoryview]]:
        """Yield the log in pieces of whole lines, with their offsets.

        A large log begins with a small piece, so that it can be shown early. With `limit`, only the lines that end
        within the first `limit` bytes come. Raises Cancelled.
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
        """Yield the log from `start` on in pieces, with their offsets.

        A piece ends after the first byte of a separator. All pieces are in one buffer, which saves a page fault for
        every four kilobytes of the log. So a piece is valid only until the next one is requested, and one piece at a
        time is in memory. Raises Cancelled.
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
                # A record is longer than the buffer. Doubling the buffer keeps the time linear.
                buffer = buffer + bytearray(len(buffer))
            view = memoryview(buffer)
            room = min(max(wanted, kept + 1), len(buffer), end - offset)
            count = self._read_into(view[kept:room])
            if not count:
                raise ChangedMeanwhile.while_read(self.path)
            filled, wanted = kept + count, len(buffer)
            cut = buffer.rfind(separator, 0, filled) + 1
            if offset + filled == self.size:
                cut = filled
            if cut:
                yield offset, view[:cut]
                # The caller may have read elsewhere meanwhile, so the position is set again below.
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
    """Raise Cancelled if the user has cancelled."""
    if cancelled is not None and cancelled():
        raise Cancelled(tr("Reading was canceled."))


class CombinedSource(Source):
    """A log in memory that was put together from files: `origins` are the offset of each piece, and its file."""

    has_lines = False
    origins: Sequence[tuple[int, str]] = ()

    def member_containing(self, start: int, end: int) -> str | None:
        return self.origins[bisect_right(self.origins, start, key=itemgetter(0)) - 1][1]


_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_WIDE_JSON = lazy_regex(rb'(?:\0\0\0|\0)[\[{]\0|[\[{]\0+["\s\[{\]}]\0')
_CARRIAGE_RETURNS = lazy_regex(rb"\}\r+[ \t]*\{")  # outside of strings, which hold no raw line ends


def starts_like_wide_text(head: bytes) -> bool:
    """Return whether a head is text in UTF-16 or UTF-32."""
    return head.startswith(_UTF16_MARKS) or bool(_WIDE_JSON.match(head))


def require_utf8_lines(head: bytes, path: str) -> None:
    """Raise UnreadableLog if the head of a log is not UTF-8, or its lines do not end in line feeds."""
    if starts_like_wide_text(head):
        raise UnreadableLog(
            tr(
                "{path} is encoded in UTF-16 or UTF-32, but logs are in UTF-8. Convert the file (for example, "
                "with `iconv -f UTF-16 -t UTF-8`), and open the result.",
                path=path,
            )
        )
    if b"\n" not in head and _CARRIAGE_RETURNS.search(head):
        raise UnreadableLog(
            f"{path} has carriage returns as line ends, which no agent reads. Convert them to line feeds "
            r"(`tr '\r' '\n'`), and open the result."
        )
