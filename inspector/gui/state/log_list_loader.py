"""The state of the list of logs: where it looks, what it found, and the verdicts so far."""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from enum import Enum

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from inspector.core.discovery.log_entry import UNREAD_KINDS, LogEntry, UnreadFile, most_telling_unread_file
from inspector.core.presentation.engine_results import FoundLogs, LogVerdict
from inspector.gui.common.content_hiding import hiding
from inspector.gui.worker.child_client import ChildProcess, RequestFailure
from inspector.gui.worker.core_dependencies import CoreDependencies
from inspector.gui.worker.requests import CHECK_LOGS, FIND_DUPLICATES, LIST_LOGS


def log_group_path(log: LogEntry, sent: tuple[str, ...]) -> str:
    """Return the path of the group that a log belongs to, "" for none.

    The group is the archive that contains the log, else the one of the opened paths (`sent`) that does, if there are
    several. A path that was opened alone gets no group row, because the whole list is about it.
    """
    if log.archive or len(sent) < 2:
        return "" if sent == (log.archive,) else log.archive
    return next((path for path in sent if log.path == path or log.path.startswith(path.rstrip("/") + os.sep)), "")


def rows_of_places_without_logs(
    sent: tuple[str, ...], unread: Iterable[UnreadFile], logs: Iterable[LogEntry], holds_logs: Callable[[str], bool]
) -> list[tuple[LogEntry, LogVerdict, UnreadFile]]:
    """Return a row for each archive or opened path that contains no log, with the reason.

    Opened paths count only when there are several.
    """
    known = {log_group_path(log, sent) for log in logs} | {log.archive for log in logs}
    known |= set(sent) if len(sent) == 1 else set()
    files: dict[str, list[UnreadFile]] = {path: [] for path in sent if len(sent) > 1}
    for file in unread:
        path = next((path for path in sent if len(sent) > 1 and _is_at_or_below(file.path, path)), "")
        path = path or _archive_of(file, holds_logs)
        if path:
            files.setdefault(path, []).append(file)
    return [_unread_group_row(path, files[path]) for path in files if path not in known]


def _is_at_or_below(path: str, above: str) -> bool:
    return path == above or path.startswith(above.rstrip(os.sep) + os.sep)


def _archive_of(file: UnreadFile, holds_logs: Callable[[str], bool]) -> str:
    """Return the archive that a file is or is in, also one that cannot be unpacked here. "" for any other file."""
    path = file.path
    while path and not os.path.lexists(path):
        path = os.path.dirname(path)
    return path if os.path.isfile(path) and (file.kind == "packed" or holds_logs(path)) else ""


def _unread_group_row(path: str, files: list[UnreadFile]) -> tuple[LogEntry, LogVerdict, UnreadFile]:
    size, modified = 0, 0.0
    with suppress(OSError):
        state = os.stat(path)
        size, modified = state.st_size, state.st_mtime
    file = most_telling_unread_file(files) or UnreadFile(path, "empty")
    verdict = "unreadable" if UNREAD_KINDS[file.kind].damaged else "not-judged"
    return (
        LogEntry(path, "", "", "", "", modified, size, path),
        LogVerdict(verdict, file.reason, cause=file.reason),
        file,
    )


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

    Verdicts are added in batches, so that a list sorted by verdict is not sorted again for each one. `logs` and
    `verdicts` are new lists after a restart, and only grow until the next. `unread` are files that were found and are
    not logs. `duplicates` are files with the same bytes as an earlier file, with the path of that. Their logs are
    listed only if they are tickets of their own. Other requests may be sent to `process` once the step is DONE.
    `is_listed`: no more logs will be found.
    """

    restarted = Signal()
    listed = Signal(object)
    judged = Signal(object)
    changed = Signal()

    def __init__(self, core: CoreDependencies, parent: QObject | None = None) -> None:
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
        self._fresh: dict[int, LogVerdict] = {}
        self._salt, self._closed = hiding.salt(), False
        hiding.changed.connect(self._on_hiding_changed)
        self._known: dict[LogEntry, LogVerdict] = {}
        self.paths: tuple[str, ...] = ()
        self.step = LoadStep.IDLE
        self.is_listed = False
        self.sentence = ""
        self.logs: list[LogEntry] = []
        self.verdicts: list[LogVerdict | None] = []
        self.unread: list[UnreadFile] = []
        self.duplicates: dict[str, str] = {}
        # Why a ticket without a log is not read, by its path.
        self.unread_tickets: dict[str, UnreadFile] = {}
        # What a quiet listing found so far; the previous rows stay until it is complete.
        self._found: list[LogEntry] | None = None
        self._found_others: list[UnreadFile] = []

    def start(self, paths: tuple[str, ...] = ()) -> None:
        """List the logs at paths and below, or in the stores of this machine, and then check them."""
        self._remember_verdicts()
        self._found = None
        self.paths, self.logs, self.verdicts, self.unread = paths, [], [], []
        self.duplicates, self.unread_tickets = {}, {}
        self._fresh, self._asked, self.sentence = {}, [], ""
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
        self.unread += found.others
        self.logs += found.logs
        self.verdicts += map(self._known.get, found.logs)
        self.listed.emit(found.logs)
        self.changed.emit()

    def _add(self, rows: list[tuple[LogEntry, LogVerdict, UnreadFile]]) -> None:
        self.logs += (log for log, _, _ in rows)
        self.verdicts += (verdict for _, verdict, _ in rows)
        self.unread_tickets = {log.path: file for log, _, file in rows}
        self.listed.emit([log for log, _, _ in rows])

    @Slot(object)
    def _on_same(self, duplicates: dict[str, str]) -> None:
        """Remove duplicates that are no tickets, so that the same bytes are listed once."""
        self.duplicates = duplicates
        if duplicates:
            kept = [
                number
                for number, log in enumerate(self.logs)
                if container_path(log) not in duplicates
                or log_group_path(log, self.paths)
                or log.path in self.unread_tickets
            ]
            self.logs, self.verdicts = [self.logs[index] for index in kept], [self.verdicts[index] for index in kept]
            self.restarted.emit()
            self.listed.emit(self.logs)
        self._check_remaining()

    @Slot(object)
    def _on_judged(self, judged: tuple[int, LogVerdict]) -> None:
        number, verdict = judged
        self._fresh[self._asked[number]] = verdict
        if not self._flush.isActive():
            self._flush.start()

    @Slot()
    def _on_done(self) -> None:
        if self.step == LoadStep.LISTING:
            self._show_found()
            self._add(rows_of_places_without_logs(self.paths, self.unread, self.logs, self._holds_logs))
            files = dict.fromkeys(map(container_path, self.logs)) if self.paths else {}
            if len(files) > 1:
                # The first of several is that which was named first, or the first by its name.
                order = {path: place for place, path in enumerate(self.paths)}
                first_to_last = sorted(files, key=lambda path: (order.get(path, len(order)), path))
                self.process.ask(FIND_DUPLICATES, first_to_last)
            else:
                self._check_remaining()
        elif self.step == LoadStep.CHECKING:
            self._on_flush_timeout()
            self.step = LoadStep.DONE
            self.changed.emit()

    def _show_found(self) -> None:
        """Show what a quiet listing found, in place of the previous rows."""
        if self._found is not None:
            self.logs, self.unread, self.duplicates = self._found, self._found_others, {}
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
            fresh, self._fresh = self._fresh, {}
            for number, verdict in fresh.items():
                self.verdicts[number] = verdict
            self.judged.emit([*fresh])
            self.changed.emit()


def container_path(log: LogEntry) -> str:
    """Return the path of the file that holds a log: its archive, or the log itself."""
    return log.archive or log.path
