"""The bytes of a log, read by offset and never mapped: a mapped file that another program cuts kills the process."""

import io
import os
from collections.abc import Callable, Iterator
from typing import BinaryIO

from msgspec import Struct

from inspector.core.errors import Cancelled, ChangedMeanwhile, UnreadableLog

BOM = b"\xef\xbb\xbf"
HEAD = 256 * 1024
_FIRST_CHUNK = 64 * 1024
_CHUNK = 1024 * 1024


class Stamp(Struct, frozen=True):
    """What tells whether a file is still the one that was read."""

    inode: int
    size: int
    mtime_ns: int


def stamp_of(path: str | os.PathLike[str]) -> Stamp:
    """The stamp of the file at `path` (links followed). Raises OSError."""
    state = os.stat(path)
    return Stamp(state.st_ino, state.st_size, state.st_mtime_ns)


class Source:
    """An open log. `path` is "-" for one that came from standard input or is planned in memory."""

    def __init__(self, path: str, file: BinaryIO, stamp: Stamp) -> None:
        self.path = path
        self.stamp = stamp
        self.size = stamp.size
        self._file = file
        self.start = len(BOM) if self.read(0, len(BOM)) == BOM else 0

    @classmethod
    def open(cls, path: str) -> "Source":
        """Open the file at `path`. Raises UnreadableLog."""
        try:
            if os.path.isdir(path):
                raise UnreadableLog(f"{path} is a folder: open one log in it.")
            file = open(path, "rb")  # noqa: SIM115 - the source owns it until close()
            return cls(path, file, stamp_of(path))
        except OSError as error:
            raise UnreadableLog(f"{path} cannot be read: {error.strerror or error}.") from error

    @classmethod
    def of_bytes(cls, data: bytes, path: str = "-") -> "Source":
        """A log that is in memory."""
        return cls(path, io.BytesIO(data), Stamp(0, len(data), 0))

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> "Source":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, start: int, end: int) -> bytes:
        """The bytes `start..end`, fewer at the end of the file."""
        self._file.seek(start)
        return self._file.read(end - start)

    def check_unchanged(self) -> None:
        """Raises ChangedMeanwhile when the file on disk is no longer the one that was opened."""
        if self.path == "-":
            return
        try:
            now: Stamp | None = stamp_of(self.path)
        except OSError:
            now = None
        if now != self.stamp:
            raise ChangedMeanwhile(
                f"{self.path} has changed since it was read, so nothing was written. "
                "Close the agent if it is running, then open the log again."
            )

    def line_chunks(
        self,
        limit: int | None = None,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Iterator[tuple[int, memoryview]]:
        """The log in pieces of whole lines with their offsets; a first small piece lets rows be shown at once.

        All pieces lie in one buffer, which saves a page fault for every four kilobytes of the log: a piece is good
        until the next one is asked for. With `limit`, only lines that end within the first `limit` bytes come.
        Raises Cancelled.
        """
        end = self.size if limit is None else min(limit, self.size)
        buffer, kept, offset, wanted = bytearray(_CHUNK), 0, self.start, _FIRST_CHUNK
        self._file.seek(offset)
        while offset + kept < end:
            if cancelled is not None and cancelled():
                raise Cancelled("Reading was cancelled.")
            if kept == len(buffer):
                # A line longer than the buffer: twice the room, which stays linear.
                buffer = buffer + bytearray(len(buffer))
            view = memoryview(buffer)
            room = min(max(wanted, kept + 1), len(buffer), end - offset)
            count = self._file.readinto(view[kept:room])  # type: ignore[attr-defined]
            if not count:
                break
            filled, wanted = kept + count, len(buffer)
            cut = buffer.rfind(b"\n", 0, filled) + 1
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
