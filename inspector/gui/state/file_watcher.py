"""Follows the open log on disk: what becomes of it while it is shown, and which of its records are new.

Merged; to be rewritten:
`stamp`: What tells one state of a log on disk from another, and what became of it since.
"""

from collections import deque
from contextlib import suppress
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal, Slot

from inspector.core.engine.log_paths import any_changed, file_on_disk
from inspector.core.presentation.outline import PairMark
from inspector.core.presentation.results import LogOverview
from inspector.gui.common import ui_text
from inspector.gui.common.ui_text import tr
from inspector.gui.state.status import Notice
from inspector.gui.worker.answers import NewRecords, OpenedLog, find_new_records
from inspector.gui.worker.child_process import ChildProcess
from inspector.gui.worker.requests import IS_AGENT_ACTIVE

# What tells one state of a log on disk from another, and what became of it since.

_TAIL_BYTES = 256
# What closes a document: it stands behind what comes to it, too.
_CLOSING_BYTES = b"]} \t\r\n"
_FILES_PER_CHECK = 2000


class FileChange(Enum):
    """What became of a log: nothing, more behind what was there, anything else, or it is not there any more.

    ELSEWHERE: something changed that it was read from beside its own file. SILENT: nobody is at work at it any more.
    """

    SAME = 0
    APPENDED = 1
    REWRITTEN = 2
    GONE = 3
    RELATED_FILE_CHANGED = 4
    AGENT_INACTIVE = 5


class FileState(NamedTuple):
    """A state of a file; of a database, the file of its latest changes counts too. `tail` are the bytes at its end."""

    size: int
    modified: int
    inode: int
    tail: bytes

    @classmethod
    def read(cls, path: Path) -> "FileState | None":
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
        return cls(size, modified, status.st_ino, _read_tail(path, size))

    def is_untouched(self, path: Path) -> bool:
        """Whether the file is as it was: a quick look, which says no of a database and wherever it is in doubt."""
        try:
            status = path.stat()
        except OSError:
            return False
        here = (status.st_size, status.st_mtime_ns, status.st_ino)
        return bool(self.tail) and here == (self.size, self.modified, self.inode)

    def change_since(self, path: Path) -> FileChange:
        """What became of the file since."""
        now = FileState.read(path)
        if now is None or now == self:
            return FileChange.GONE if now is None else FileChange.SAME
        longer = now.size > self.size and now.inode == self.inode
        kept = longer and self.tail and self._is_kept(_read_tail(path, self.size))
        return FileChange.APPENDED if kept else FileChange.REWRITTEN

    def _is_kept(self, there: bytes) -> bool:
        """Whether the same stands there still, but for what closes a document, which now stands behind more."""
        said = self.tail.rstrip(_CLOSING_BYTES)
        return there.startswith(said) if said else there == self.tail


class RelatedFiles:
    """Files and folders that a log was read from beside its own; of very many a part is looked at each time."""

    def __init__(self, overview: LogOverview | None) -> None:
        self._known = deque(overview.followed.items() if overview else ())

    def check_for_changes(self) -> bool:
        """Whether one of those that are looked at now is another than it was."""
        self._known.rotate(-_FILES_PER_CHECK)
        return any_changed(islice(self._known, _FILES_PER_CHECK))


def _read_tail(path: Path, stop: int) -> bytes:
    """The bytes of a file before an offset; none where it cannot be read."""
    try:
        with path.open("rb") as file:
            file.seek(max(stop - _TAIL_BYTES, 0))
            return file.read(min(_TAIL_BYTES, stop))
    except OSError:
        return b""


_POLL_MS = 1000
_ACTIVITY_POLL_MS = 5000
# A log that is long to read is not read anew for every line: with the plan that follows, a tenth of a core goes there.
_REST, _LONGEST_REST_MS = 15, 60_000
_SHORT = 4_000_000

LOG_GONE = "The log is gone: it was deleted, moved or renamed. What is shown was read before."
LOG_CHANGED = "The log changed on disk and was read again."
AGENT_INACTIVE = (
    "Nobody is known to be at work on this log any more: it has not grown for ten minutes, and no program holds it "
    "open to write to it. So its open calls no longer count as running. What is added later is still read."
)
LOG_TRUNCATED = "The log on disk became shorter and was read again: it was cut off, or begun anew."


class LogWatcher(QObject):
    """Looks again and again. Signals: `happened` (a Fate other than SAME), until the log is read again.

    While a call is shown as running, `process` is asked whether anybody is still at work. `new` are the first of the
    records that were not there when the person last looked, none where there are none.
    """

    log_changed = Signal(object)

    def __init__(self, process: ChildProcess, parent: QObject) -> None:
        super().__init__(parent)
        self._process = process
        process.answer_signal(IS_AGENT_ACTIVE).connect(self._on_told)
        self.poll_timer = QTimer(self, interval=_POLL_MS)
        self.poll_timer.timeout.connect(self._on_look_timeout)
        self.activity_timer = QTimer(self, interval=_ACTIVITY_POLL_MS)
        self.activity_timer.timeout.connect(self._on_ask_timeout)
        self._clock = QElapsedTimer()
        self._path = Path()
        self._related_files = RelatedFiles(None)
        self._last: FileState | None = None
        self._fate = FileChange.SAME
        self._min_pause_ms = 0
        self._told_gone = False
        self.stamp: FileState | None = None
        self._reset_new()

    def begin(self, path: str, fate: FileChange = FileChange.SAME) -> None:
        """The log is being read; because of what became of it, or because the person wanted it."""
        self.pause()
        self._path, self._fate, self._told_gone = Path(file_on_disk(path)), fate, False
        self.stamp = self._last = FileState.read(self._path)
        self._clock.start()

    def watch(self, log: OpenedLog | None) -> None:
        """The log was read, or could not be: what becomes of it from now on is told."""
        if log is not None:
            self._related_files = RelatedFiles(log.overview)
            if PairMark.RUNNING in log.outline.mark:
                self.activity_timer.start()
        size = log.overview.size if log is not None else self.stamp.size if self.stamp else 0
        # The first reading tells no measure: the child was being started.
        again = size > _SHORT and self._fate != FileChange.SAME
        self._min_pause_ms = min(_REST * self._clock.elapsed(), _LONGEST_REST_MS) if again else 0
        self._clock.start()
        self.poll_timer.start()

    def pause(self) -> None:
        """Look no more until `hold`."""
        self.poll_timer.stop()
        self.activity_timer.stop()

    def reset(self) -> None:
        """Another log comes, or none."""
        self.pause()
        self._reset_new()
        self._fate = FileChange.SAME
        self._related_files = RelatedFiles(None)

    def make_notice(self, before: OpenedLog | None, now: OpenedLog) -> Notice | None:
        """What the person is told when a log has been read: what became of it on disk, and what failed in reading it.

        `before` is the state that was shown until then, None for the first. None where there is nothing to tell.
        """
        told, faults = self._describe_change(before, now), now.overview.faults
        offer = "new" if self.new_records else ""
        sentence = " ".join(filter(None, (told, *faults)))
        return Notice(sentence, offer, good=bool(offer) and not faults) if sentence else None

    def _describe_change(self, before: OpenedLog | None, now: OpenedLog) -> str:
        """The sentence on what became of it between the two readings, "" for none; `new` is brought up to date."""
        if before is None or self._fate == FileChange.SAME:
            self._reset_new()
            return ""
        news, together = find_new_records(before, now), now.overview.bytes_at not in ("", now.overview.path)
        if news.total and (together or self._fate != FileChange.REWRITTEN):
            self._add(news)
            return f"{tr('The log has grown:')} {ui_text.pluralize(self._count, 'new record', 'new records')}."
        if self._fate == FileChange.REWRITTEN or together:
            self._reset_new()
            same = together and (now.starts, now.ends) == (before.starts, before.ends)
            return "" if same else tr(LOG_TRUNCATED if len(now.starts) < len(before.starts) else LOG_CHANGED)
        return tr(AGENT_INACTIVE) if self._fate == FileChange.AGENT_INACTIVE else ""

    @property
    def grew(self) -> bool:
        """Whether what was there at the reading before stands there still, with more behind it."""
        return self._fate == FileChange.APPENDED

    def mark_seen(self) -> None:
        """The person has seen what is new: the next growth sets another mark."""
        self._looked = True

    def _reset_new(self) -> None:
        self.new_records, self._count, self._looked = range(0), 0, True

    def _add(self, news: NewRecords) -> None:
        if self._looked:
            self.new_records, self._count, self._looked = news.first_run, news.total, False
        else:
            self._count += news.total
            self.new_records = range(
                min(self.new_records.start, news.first_run.start), max(self.new_records.stop, news.first_run.stop)
            )

    @Slot()
    def _on_look_timeout(self) -> None:
        now, before = FileState.read(self._path), self._last
        self._last = now
        if now is None:
            if not self._told_gone:
                self._told_gone = True
                self.log_changed.emit(FileChange.GONE)
            return
        if self._clock.elapsed() < self._min_pause_ms:
            return
        fate = (
            FileChange.SAME
            if self._path.is_dir()
            else self.stamp.change_since(self._path)
            if self.stamp
            else FileChange.REWRITTEN
        )
        # A line that is being written is let be finished.
        moving = now != before and now.tail and not now.tail.endswith(b"\n")
        if fate == FileChange.SAME and self._related_files.check_for_changes():
            fate = FileChange.RELATED_FILE_CHANGED
        if fate != FileChange.SAME and not moving:
            self.log_changed.emit(fate)

    @Slot()
    def _on_ask_timeout(self) -> None:
        if self._process.alive:
            self._process.ask(IS_AGENT_ACTIVE)

    @Slot(object)
    def _on_told(self, at_work: bool) -> None:
        if not at_work and self.activity_timer.isActive():
            self.log_changed.emit(FileChange.AGENT_INACTIVE)
