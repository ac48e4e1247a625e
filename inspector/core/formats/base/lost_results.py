"""Where a result that is missing from the conversation may still be.

Agents write what their tools put out in more places than the conversation: in events for the screen, in counters, in
files of the session. A format that is no `LostResultSource` knows no such place.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from inspector.core.formats.base.call_evidence import EvidenceQuery
from inspector.core.formats.base.writer import CallContext
from inspector.core.model.session import Log
from inspector.core.model.views import one_based
from inspector.core.storage.json_text import parse_json
from inspector.core.translation import tr

_LARGEST_FILE = 64 * 1024 * 1024
_MOST_FILES = 10_000


class LostResult(Struct, frozen=True):
    """A result that was found outside of the conversation.

    `call_id` is the id of the call as the source itself names it. `text` is the result as the agent would have written
    it, and `failed` is true where the tool failed. `origin` says what holds it. `doubt` says why it may not be the
    whole result, or not that of the call; it is "" where the source names the call, says that it ended, and is
    complete. `path` is the file next to the log that holds it, "" for the log itself. `content` is the result in a form
    of the format's own, where it is more than a text. The caller of a format fills in `record` and `line`.
    """

    call_id: str
    text: str
    origin: str
    failed: bool = False
    doubt: str = ""
    path: str = ""
    record: int | None = None
    line: int | None = None
    content: Any = None

    @property
    def is_certain(self) -> bool:
        """Whether a repair takes the result without being asked."""
        return not self.doubt

    @property
    def place(self) -> str:
        """The place of the result, for reports."""
        if self.path:
            return f"{self.path} ({self.origin})"
        location = (
            tr("line {line}", line=self.line)
            if self.line is not None
            else tr("record {record}", record=one_based(self.record or 0))
        )
        return f"{location} ({self.origin})"

    @property
    def sentence(self) -> str:
        """What a report adds to the finding about the call."""
        if self.is_certain:
            return tr("The result was found in {place}.", place=self.place)
        return tr("A possible result was found in {place}: {doubt}.", place=self.place, doubt=self.doubt)


class LostResultSource:
    """The interface that finds results outside of the conversation. This base class finds none.

    Every result names its call itself. Results of calls that nobody asks for may be returned, too.
    """

    def lost_results_in(self, row: Any, calls: Mapping[str, EvidenceQuery]) -> Iterator[LostResult]:
        """Yield the results in an event that names at least one of these calls. `row` is its JSON value.

        An event is a record that is no message, call or result.
        """
        return iter(())

    def has_files_beside(self, log: Log) -> bool:
        """Return whether there may be a file for `lost_results_beside`. Reading the calls for it takes time."""
        return True

    def lost_results_beside(self, log: Log, calls: Mapping[str, EvidenceQuery]) -> Iterator[LostResult]:
        """Yield the results in files next to the log.

        Only files in the session's own folder are read, and no link is followed.
        """
        return iter(())

    def recovered_block(self, call: CallContext, result: LostResult) -> bytes | None:
        """Return a result with a content of the format's own as a block, None for one that is a text."""
        return None


class SessionFolder:
    """A folder of a session's own files. Nothing outside of it is read, and no link is followed."""

    def __init__(self, path: str) -> None:
        self._root = path

    def names(self, *folders: str) -> list[str]:
        """Return the names in a folder below the root, sorted; none where it cannot be read."""
        try:
            with os.scandir(self._inside(folders)) as entries:
                return sorted(entry.name for entry in entries)[:_MOST_FILES]
        except (OSError, ValueError):
            return []

    def read(self, *parts: str) -> bytes | None:
        """Return the bytes of a file below the root, None where it is no plain file, too large, or unreadable."""
        try:
            path = self._inside(parts)
            with open(path, "rb", opener=_open_unlinked) as file:
                status = os.fstat(file.fileno())
                is_plain = stat.S_ISREG(status.st_mode) and status.st_size <= _LARGEST_FILE
                return file.read() if is_plain else None
        except (OSError, ValueError):
            return None

    def read_json(self, *parts: str) -> dict[str, Any]:
        """Return the object in a JSON file below the root, an empty one where there is none."""
        try:
            value = parse_json(self.read(*parts) or b"")
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    def _inside(self, parts: tuple[str, ...]) -> str:
        """Return a path below the root. Raises ValueError for a name that leads elsewhere, or for a link."""
        path = self._root
        for part in parts:
            if part in ("", os.curdir, os.pardir) or part != os.path.basename(part) or "\0" in part or "\\" in part:
                raise ValueError(part)
            path = os.path.join(path, part)
            if os.path.islink(path):
                raise ValueError(path)
        return path


def _open_unlinked(path: str, flags: int) -> int:
    """Open a file that is no link, without waiting for the writer of a pipe."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
