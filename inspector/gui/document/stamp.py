"""What tells one state of a log on disk from another, and what became of it since."""

from collections import deque
from contextlib import suppress
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from inspector.core.engine.touched import any_changed
from inspector.core.showing.answers import LogOverview

_TAIL = 256
# What closes a document: it stands behind what comes to it, too.
_CLOSING = b"]} \t\r\n"
_AT_ONCE = 2000


class Fate(Enum):
    """What became of a log: nothing, more behind what was there, anything else, or it is not there any more.

    ELSEWHERE: something changed that it was read from beside its own file. SILENT: nobody is at work at it any more.
    """

    SAME = 0
    APPENDED = 1
    REWRITTEN = 2
    GONE = 3
    RELATED_FILE_CHANGED = 4
    AGENT_INACTIVE = 5


class Stamp(NamedTuple):
    """A state of a file; of a database, the file of its latest changes counts too. `tail` are the bytes at its end."""

    size: int
    modified: int
    inode: int
    tail: bytes

    @classmethod
    def read(cls, path: Path) -> "Stamp | None":
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

    def is_untouched(self, path: Path) -> bool:
        """Whether the file is as it was: a quick look, which says no of a database and wherever it is in doubt."""
        try:
            status = path.stat()
        except OSError:
            return False
        here = (status.st_size, status.st_mtime_ns, status.st_ino)
        return bool(self.tail) and here == (self.size, self.modified, self.inode)

    def change_since(self, path: Path) -> Fate:
        """What became of the file since."""
        now = Stamp.read(path)
        if now is None or now == self:
            return Fate.GONE if now is None else Fate.SAME
        longer = now.size > self.size and now.inode == self.inode
        kept = longer and self.tail and self._is_kept(_before(path, self.size))
        return Fate.APPENDED if kept else Fate.REWRITTEN

    def _is_kept(self, there: bytes) -> bool:
        """Whether the same stands there still, but for what closes a document, which now stands behind more."""
        said = self.tail.rstrip(_CLOSING)
        return there.startswith(said) if said else there == self.tail


class Surroundings:
    """Files and folders that a log was read from beside its own; of very many a part is looked at each time."""

    def __init__(self, overview: LogOverview | None) -> None:
        self._known = deque(overview.followed.items() if overview else ())

    def check_for_changes(self) -> bool:
        """Whether one of those that are looked at now is another than it was."""
        self._known.rotate(-_AT_ONCE)
        return any_changed(islice(self._known, _AT_ONCE))


def _before(path: Path, stop: int) -> bytes:
    """The bytes of a file before an offset; none where it cannot be read."""
    try:
        with path.open("rb") as file:
            file.seek(max(stop - _TAIL, 0))
            return file.read(min(_TAIL, stop))
    except OSError:
        return b""
