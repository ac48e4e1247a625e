"""What tells one state of a file from another, and what became of it since."""

from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import NamedTuple

_TAIL = 256


class Fate(Enum):
    """What became of a file: nothing, more behind what was there, anything else, or it is not there any more."""

    SAME = 0
    APPENDED = 1
    REWRITTEN = 2
    GONE = 3


class Stamp(NamedTuple):
    """A state of a file; of a database, the file of its latest changes counts too. `tail` are the bytes at its end."""

    size: int
    modified: int
    inode: int
    tail: bytes

    @classmethod
    def of(cls, path: Path) -> "Stamp | None":
        """The present state, None where nothing is there."""
        try:
            status = path.stat()
        except OSError:
            return None
        size, modified = status.st_size, status.st_mtime_ns
        with suppress(OSError):
            latest = Path(f"{path}-wal").stat()
            # What is appended to a database is not what was added to its rows.
            return cls(size + latest.st_size, max(modified, latest.st_mtime_ns), status.st_ino, b"")
        return cls(size, modified, status.st_ino, _before(path, size))

    def fate(self, path: Path) -> Fate:
        """What became of the file since."""
        now = Stamp.of(path)
        if now is None or now == self:
            return Fate.GONE if now is None else Fate.SAME
        longer = now.size > self.size and now.inode == self.inode
        kept = longer and self.tail and _before(path, self.size) == self.tail
        return Fate.APPENDED if kept else Fate.REWRITTEN


def _before(path: Path, stop: int) -> bytes:
    """The bytes of a file before an offset; none where it cannot be read."""
    try:
        with path.open("rb") as file:
            file.seek(max(stop - _TAIL, 0))
            return file.read(min(_TAIL, stop))
    except OSError:
        return b""
