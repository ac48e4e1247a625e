"""The state of the list of logs: where it looks, what it found, and the verdicts so far."""

import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from enum import Enum

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from inspector.core.discovery.log_entry import LogEntry
from inspector.core.presentation.engine_results import FoundLogs, LogVerdict
from inspector.gui.common.content_hiding import hiding
from inspector.gui.common.ui_text import tr
from inspector.gui.worker.child_client import ChildProcess, RequestFailure
from inspector.gui.worker.core_functions import CoreFunctions
from inspector.gui.worker.requests import CHECK_LOGS, FIND_DUPLICATES, LIST_LOGS


def group_of(log: LogEntry, sent: tuple[str, ...]) -> str:
    """Return the path of the group that a log belongs to, "" for none.

    The group is the archive that contains the log, else the one of the opened paths (`sent`) that does, if there are
    several. A path that was opened alone gets no group row, because the whole list is about it.
    """
    if log.archive or len(sent) < 2:
        return "" if sent == (log.archive,) else log.archive
    return next((path for path in sent if log.path == path or log.path.startswith(path.rstrip("/") + os.sep)), "")


def empty_group_rows(
    sent: tuple[str, ...], others: Iterable[str], logs: Iterable[LogEntry], holds_logs: Callable[[str], bool]
) -> list[tuple[LogEntry, LogVerdict]]:
    """Return a row for each archive or opened folder that contains no log, so that this is visible.

    Folders count only when several paths were opened.
    """
    known = {group_of(log, sent) for log in logs} | {log.archive for log in logs}
    known |= set(sent) if len(sent) == 1 else set()
    other_paths = list(others)
    groups = {path: None for path in sent if len(sent) > 1 and holds_logs(path)}
    groups |= {archive: None for other in other_paths if (archive := _enclosing_archive(other, holds_logs))}
    return [_empty_group_row(path, other_paths) for path in groups if path not in known]


def _enclosing_archive(path: str, holds_logs: Callable[[str], bool]) -> str:
    """Return the archive that a path leads into or names, "" when it names a file."""
    while path and not os.path.lexists(path):
        path = os.path.dirname(path)
    return path if os.path.isfile(path) and holds_logs(path) else ""


def _empty_group_row(path: str, others: list[str]) -> tuple[LogEntry, LogVerdict]:
    size, modified = 0, 0.0
    with suppress(OSError):
        state = os.stat(path)
        size, modified = state.st_size, state.st_mtime
    count = sum(other.startswith(path + os.sep) for other in others)
    sentence = tr("Files in unsupported formats, or unreadable: {count:,}.", count=count)
    if path in others:
        verdict = LogVerdict("unreadable", tr("It is damaged, or not a supported archive."))
    else:
        verdict = LogVerdict("not-judged", sentence if count else tr("It is empty."))
    return LogEntry(path, "", "", "", "", modified, size), verdict


_FLUSH_MS = 250
_OWN_REQUESTS = (LIST_LOGS, FIND_DUPLICATES, CHECK_LOGS)


class LoadStep(Enum):
    """How far loading the list is."""

    IDLE = 0
    LISTING = 1
    CHECKING = 2
    DONE = 3
    STOPPED = 4
    FAILED = 5


class LogListLoader(QObject):
    """The loader of a list of logs: it lists them and then checks each one.

    Signals: `restarted` (the list is empty again), `listed` (more logs), `judged` (positions in `logs`), `changed` (the
    step, the counts or the sentence).

    Verdicts arrive in batches, so that a list sorted by verdict is not sorted again for each one. `logs` and `verdicts`
    are new lists after a restart, and only grow until the next. `non_log_paths` are files that were found and are not
    logs. `duplicates` are files with the same bytes as an earlier file. Other requests may be sent to `process` once
    the step is DONE. `is_listed`: no more logs will be found.
    """

    restarted = Signal()
    listed = Signal(object)
    judged = Signal(object)
    changed = Signal()

    def __init__(self, core: CoreFunctions, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.process = ChildProcess(core, self)
        self._holds_logs = core.holds_logs
        self.process.answer_signal(LIST_LOGS).connect(self._on_listed)
        self.process.answer_signal(FIND_DUPLICATES).connect(self._on_same)
        self.process.answer_signal(CHECK_LOGS).connect(self._on_judged)
        self.process.done.connect(self._on_done)
        self.process.failed.connect(self._on_failed)
        self._flush = QTimer(self, singleShot=True, interval=_FLUSH_MS)
        self._flush.timeout.connect(self._on_flush_timeout)
        self._asked: list[int] = []
        self._fresh: list[int] = []
        self._salt, self._closed = hiding.salt(), False
        hiding.changed.connect(self._on_hiding_changed)
        self._known: dict[LogEntry, LogVerdict] = {}
        self.paths: tuple[str, ...] = ()
        self.step = LoadStep.IDLE
        self.is_listed = False
        self.sentence = ""
        self.logs: list[LogEntry] = []
        self.verdicts: list[LogVerdict | None] = []
        self.non_log_paths: list[str] = []
        self.duplicates: set[str] = set()
        # What a quiet listing found so far; the previous rows stay until it is complete.
        self._found: list[LogEntry] | None = None
        self._found_others: list[str] = []
        self._repaired_at: dict[str, float] = {}

    def start(self, paths: tuple[str, ...] = ()) -> None:
        """List the logs at paths and below, or in the stores of this machine, and then check them."""
        self._remember_verdicts()
        self._found = None
        self.paths, self.logs, self.verdicts, self.non_log_paths = paths, [], [], []
        self.duplicates = set()
        self._fresh, self._asked, self.sentence = [], [], ""
        self.step, self.is_listed = LoadStep.LISTING, False
        self.restarted.emit()
        self.changed.emit()
        self.process.ask(LIST_LOGS, paths)

    def restart(self) -> None:
        """List the same paths again. Logs that did not change keep their verdicts."""
        if self.step != LoadStep.IDLE:
            self.start(self.paths)

    def refresh(self) -> None:
        """List the same paths again because a log was written. The rows stay until all new ones are known."""
        if self.step == LoadStep.LISTING and self._found is None:
            self.restart()
        elif self.step != LoadStep.IDLE:
            self._on_flush_timeout()
            self._remember_verdicts()
            self._found, self._found_others, self._asked, self.sentence = [], [], [], ""
            self.step, self.is_listed = LoadStep.LISTING, False
            self.changed.emit()
            self.process.ask(LIST_LOGS, self.paths)

    def mark_repaired(self, path: str) -> None:
        """Remember that a repair of a log was saved elsewhere, until the log grows."""
        self._repaired_at[path] = time.time()

    def is_repaired(self, log: LogEntry) -> bool:
        """Return whether a repair of a log, as it is now, was saved elsewhere while this window was open."""
        return log.modified <= self._repaired_at.get(log.path, -1)

    def stop(self) -> None:
        """Stop listing or checking. What is known so far stays."""
        if self.busy:
            self._found = None
            self.process.cancel()
            self._on_flush_timeout()
            self.step = LoadStep.STOPPED
            self.changed.emit()

    def resume(self) -> None:
        """Check the logs that were not checked before loading stopped."""
        if self.step in (LoadStep.STOPPED, LoadStep.FAILED):
            self._check_remaining()

    def close(self) -> None:
        """End the child process, because the window is closing."""
        self._closed = True
        self._flush.stop()
        self.process.close()

    @property
    def busy(self) -> bool:
        return self.step in (LoadStep.LISTING, LoadStep.CHECKING)

    @property
    def checked_count(self) -> int:
        return len(self.verdicts) - self.verdicts.count(None)

    def count(self, verdict: str) -> int:
        """Return how many logs have a verdict."""
        return sum(item is not None and item.verdict == verdict for item in self.verdicts)

    def _check_remaining(self) -> None:
        self.is_listed = True
        self._asked = [number for number, verdict in enumerate(self.verdicts) if verdict is None]
        self.step = LoadStep.CHECKING if self._asked else LoadStep.DONE
        self.sentence = ""
        if self._asked:
            self.process.ask(CHECK_LOGS, [(self.logs[number].path, self.logs[number].format) for number in self._asked])
        self.changed.emit()

    @Slot()
    def _on_hiding_changed(self) -> None:
        """List again, because titles and verdicts depend on content hiding."""
        if self._salt != hiding.salt() and not self._closed:
            self._salt, self.verdicts = hiding.salt(), [None] * len(self.logs)
            self.restart()

    @Slot(object)
    def _on_listed(self, found: FoundLogs) -> None:
        if self._found is not None:
            self._found += found.logs
            self._found_others += found.others
            return
        self.non_log_paths += found.others
        self.logs += found.logs
        self.verdicts += map(self._known.get, found.logs)
        self.listed.emit(found.logs)
        self.changed.emit()

    def _add(self, rows: list[tuple[LogEntry, LogVerdict]]) -> None:
        self.logs += (log for log, _ in rows)
        self.verdicts += (verdict for _, verdict in rows)
        self.listed.emit([log for log, _ in rows])

    @Slot(object)
    def _on_same(self, duplicates: set[str]) -> None:
        """Remove duplicates, so that the same bytes are listed once."""
        self.duplicates = duplicates
        if duplicates:
            kept = [number for number, log in enumerate(self.logs) if _container_path(log) not in duplicates]
            self.logs, self.verdicts = [self.logs[index] for index in kept], [self.verdicts[index] for index in kept]
            self.restarted.emit()
            self.listed.emit(self.logs)
        self._check_remaining()

    @Slot(object)
    def _on_judged(self, judged: tuple[int, LogVerdict]) -> None:
        number, verdict = judged
        self.verdicts[self._asked[number]] = verdict
        self._fresh.append(self._asked[number])
        if not self._flush.isActive():
            self._flush.start()

    @Slot()
    def _on_done(self) -> None:
        if self.step == LoadStep.LISTING:
            self._show_found()
            self._add(empty_group_rows(self.paths, self.non_log_paths, self.logs, self._holds_logs))
            files = dict.fromkeys(map(_container_path, self.logs)) if self.paths else {}
            if len(files) > 1:
                self.process.ask(FIND_DUPLICATES, list(files))
            else:
                self._check_remaining()
        elif self.step == LoadStep.CHECKING:
            self._on_flush_timeout()
            self.step = LoadStep.DONE
            self.changed.emit()

    def _show_found(self) -> None:
        """Show what a quiet listing found, in place of the previous rows."""
        if self._found is not None:
            self.logs, self.non_log_paths, self.duplicates = self._found, self._found_others, set()
            self.verdicts, self._found = [self._known.get(log) for log in self.logs], None
            self.restarted.emit()
            self.listed.emit(self.logs)

    def _remember_verdicts(self) -> None:
        self._known = {log: verdict for log, verdict in zip(self.logs, self.verdicts, strict=True) if verdict}

    @Slot(object)
    def _on_failed(self, failure: RequestFailure) -> None:
        if failure.request not in _OWN_REQUESTS and not failure.died:
            return
        self._on_flush_timeout()
        if failure.died and self.step == LoadStep.CHECKING:
            # Logs are checked in order, so the first one without a verdict is the one that ended the process.
            for number in [number for number in self._asked if self.verdicts[number] is None][:1]:
                self.verdicts[number] = LogVerdict("unreadable", failure.sentence)
                self.judged.emit([number])
            self._check_remaining()
            return
        self.step, self.sentence = LoadStep.FAILED, failure.sentence
        self.changed.emit()

    @Slot()
    def _on_flush_timeout(self) -> None:
        self._flush.stop()
        if self._fresh:
            fresh, self._fresh = self._fresh, []
            self.judged.emit(fresh)
            self.changed.emit()


def _container_path(log: LogEntry) -> str:
    return log.archive or log.path
