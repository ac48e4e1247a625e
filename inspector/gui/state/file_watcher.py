"""Watches the open log on disk: how the file changes while it is shown, and which of its records are new."""

from collections import deque
from contextlib import suppress
from enum import Enum
from itertools import islice
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal, Slot

from inspector.core.engine.path_checks import any_changed, containing_file_on_disk
from inspector.core.presentation.engine_results import OpenedLogFacts
from inspector.core.presentation.outline import PairMark
from inspector.core.translation import tr_plural
from inspector.gui.common.ui_text import tr
from inspector.gui.state.load_status import Notice
from inspector.gui.worker.child_client import ChildProcess
from inspector.gui.worker.packed_answers import NewRecords, OpenedLog, find_new_records
from inspector.gui.worker.requests import IS_AGENT_ACTIVE

_TAIL_BYTES = 256
# The bytes that close a document. When the document grows, they move after the new content.
_CLOSING_BYTES = b"]} \t\r\n"
_FILES_PER_CHECK = 2000


class FileChange(Enum):
    """How a log changed on disk.

    SAME: not at all. APPENDED: content was added at the end only. REWRITTEN: in any other way. GONE: the log no longer
    exists. RELATED_FILE_CHANGED: another file that the log was read from changed. AGENT_INACTIVE: no agent works on the
    log any more.
    """

    SAME = 0
    APPENDED = 1
    REWRITTEN = 2
    GONE = 3
    RELATED_FILE_CHANGED = 4
    AGENT_INACTIVE = 5


class FileState(NamedTuple):
    """The state of a file at one moment.

    For a database, the size and time of its write-ahead log count too. `tail` are the last bytes of the file, empty for
    a database with a write-ahead log.
    """

    size: int
    modified: int
    inode: int
    tail: bytes

    @classmethod
    def read(cls, path: Path) -> "FileState | None":
        """Return the present state of a file, None when it does not exist."""
        try:
            status = path.stat()
        except OSError:
            return None
        size, modified = status.st_size, status.st_mtime_ns
        with suppress(OSError):
            latest = Path(f"{path}-wal").stat()
            # Bytes appended to a database file are not records appended to the log.
            return cls(size + latest.st_size, max(modified, latest.st_mtime_ns), status.st_ino, b"")
        # A pipe or a device is not opened: that may block.
        tail = _read_tail(path, size) if S_ISREG(status.st_mode) else b""
        return cls(size, modified, status.st_ino, tail)

    def is_untouched(self, path: Path) -> bool:
        """Return whether the file is surely unchanged.

        This is a quick check. It returns False for a database and whenever it is in doubt.
        """
        try:
            status = path.stat()
        except OSError:
            return False
        here = (status.st_size, status.st_mtime_ns, status.st_ino)
        return bool(self.tail) and here == (self.size, self.modified, self.inode)

    def change_since(self, path: Path) -> FileChange:
        """Return how the file changed since this state was read."""
        now = FileState.read(path)
        if now is None or now == self:
            return FileChange.GONE if now is None else FileChange.SAME
        longer = now.size > self.size and now.inode == self.inode
        kept = longer and self.tail and self._is_kept(_read_tail(path, self.size))
        return FileChange.APPENDED if kept else FileChange.REWRITTEN

    def _is_kept(self, tail: bytes) -> bool:
        """Return whether the content is still there, except for the closing bytes, which move after new content."""
        content = self.tail.rstrip(_CLOSING_BYTES)
        return tail.startswith(content) if content else tail == self.tail


class RelatedFiles:
    """The other files and folders that a log was read from.

    When there are very many, each check covers a part of them.
    """

    def __init__(self, overview: OpenedLogFacts | None) -> None:
        self._known = deque(overview.followed.items() if overview else ())

    def check_for_changes(self) -> bool:
        """Return whether one of the files covered by this check changed."""
        self._known.rotate(-_FILES_PER_CHECK)
        return any_changed(islice(self._known, _FILES_PER_CHECK))


def _read_tail(path: Path, stop: int) -> bytes:
    """Return the last bytes of a file before an offset. Empty when the file cannot be read."""
    try:
        with path.open("rb") as file:
            file.seek(max(stop - _TAIL_BYTES, 0))
            return file.read(min(_TAIL_BYTES, stop))
    except OSError:
        return b""


_POLL_MS = 1000
_ACTIVITY_POLL_MS = 5000
# A log that takes long to read is not read again for every line. With the plan that follows, this costs a tenth of one
# core.
_REST, _LONGEST_REST_MS = 15, 60_000
_SHORT = 4_000_000

LOG_GONE_SENTENCE = tr("The log was deleted, moved or renamed. The window still shows the content that was last read.")
LOG_CHANGED_SENTENCE = tr("The log changed on disk and was read again.")
AGENT_INACTIVE_SENTENCE = tr(
    "The agent seems to have stopped: the log has not grown for ten minutes, and no program has it "
    "open for writing. Calls without a result are therefore no longer shown as running. New records "
    "are still read."
)
LOG_TRUNCATED_SENTENCE = tr("The log became shorter because it was truncated or rewritten, so it was read again.")


class LogWatcher(QObject):
    """A watcher that polls the log on disk.

    Signals: `log_changed` (a FileChange other than SAME), repeated until the log is read again.

    While a call is shown as running, `process` is asked whether an agent is still active. `new_records` is the first
    run of records that were added since the person last looked, empty when there are none.
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
        """Note that the log is being read.

        `fate` is the change that caused it, SAME when the person asked for it.
        """
        self.pause()
        self._path, self._fate, self._told_gone = Path(containing_file_on_disk(path)), fate, False
        self.stamp = self._last = FileState.read(self._path)
        self._clock.start()

    def watch(self, log: OpenedLog | None) -> None:
        """Watch the log after it was read, or after reading failed (None)."""
        if log is not None:
            self._related_files = RelatedFiles(log.overview)
            if PairMark.RUNNING in log.outline.mark:
                self.activity_timer.start()
        size = log.overview.size if log is not None else self.stamp.size if self.stamp else 0
        # The first reading gives no measure, because it includes the start of the child process.
        again = size > _SHORT and self._fate != FileChange.SAME
        self._min_pause_ms = min(_REST * self._clock.elapsed(), _LONGEST_REST_MS) if again else 0
        self._clock.start()
        self.poll_timer.start()

    def pause(self) -> None:
        """Stop polling until `watch` is called."""
        self.poll_timer.stop()
        self.activity_timer.stop()

    def reset(self) -> None:
        """Stop watching, because another log or none is opened."""
        self.pause()
        self._reset_new()
        self._fate = FileChange.SAME
        self._related_files = RelatedFiles(None)

    def make_notice(self, before: OpenedLog | None, now: OpenedLog) -> Notice | None:
        """Return the notice to show after the log was read: how it changed on disk, and which parts could not be read.

        `before` is the state shown until then, None for the first reading. Returns None when there is nothing to
        report.
        """
        change, faults = self._describe_change(before, now), now.overview.faults
        offer = "new" if self.new_records else ""
        sentence = " ".join(filter(None, (change, *faults)))
        return Notice(sentence, offer, good=bool(offer) and not faults) if sentence else None

    def _describe_change(self, before: OpenedLog | None, now: OpenedLog) -> str:
        """Return the sentence on the change between two readings, "" for none, and update `new_records`."""
        if before is None or self._fate == FileChange.SAME:
            self._reset_new()
            return ""
        news, together = find_new_records(before, now), now.overview.bytes_at not in ("", now.overview.path)
        if news.total and (together or self._fate != FileChange.REWRITTEN):
            self._add(news)
            return tr(
                "The log has grown: {new_records}.",
                new_records=tr_plural("{number:,} new record", "{number:,} new records", self._count),
            )
        if self._fate == FileChange.REWRITTEN or together:
            self._reset_new()
            same = together and (now.starts, now.ends) == (before.starts, before.ends)
            return (
                ""
                if same
                else tr(LOG_TRUNCATED_SENTENCE if len(now.starts) < len(before.starts) else LOG_CHANGED_SENTENCE)
            )
        return tr(AGENT_INACTIVE_SENTENCE) if self._fate == FileChange.AGENT_INACTIVE else ""

    @property
    def grew(self) -> bool:
        """Whether the last reading found the earlier content unchanged, with more after it."""
        return self._fate == FileChange.APPENDED

    def mark_seen(self) -> None:
        """Note that the person has seen the new records. The next growth starts a new run."""
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
        # Wait until a line that is being written is complete.
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
