"""Find the logs at a path: the log itself, or those of a folder or an archive."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from inspector.core.discovery.opening import multi_file_format_at, paths_in_folder
from inspector.core.engine.log import OpenLog
from inspector.core.engine.log_paths import contains_logs
from inspector.core.errors import NoLogsFound, UnreadableLog
from inspector.core.lazy import LazyModule
from inspector.core.storage.archive import is_archive, looks_like_archive
from inspector.core.storage.source import Source

if TYPE_CHECKING:
    from inspector.core.discovery import archives
    from inspector.core.discovery.archives import LogArchive
else:
    archives = LazyModule("inspector.core.discovery.archives")


class LogCandidate(NamedTuple):
    """What may be a log: a path, or `source` where it lies in an archive; `refusal` says why it is none.

    A file that was found in a `folder` may turn out to be no log. Behind the last file of a folder comes one entry that
    stands for no log: it tells how many `archives` were in that folder, and is None in all others.
    """

    path: str
    source: Source | None = None
    refusal: NoLogsFound | UnreadableLog | None = None
    folder: str = ""
    archives: int | None = None

    @property
    def stays(self) -> bool:
        """Whether this process deals with it: it cannot be sent to another one, or there is nothing to read."""
        return (self.source, self.refusal, self.archives) != (None, None, None)

    def log(self, format: str = "", deep: bool = False, jobs: int = 1) -> OpenLog | None:
        """The log, open, to be read by `jobs` processes; None for a file of a folder that is none.

        Raises InspectorError.
        """
        if self.refusal is not None:
            raise self.refusal
        if self.source is not None:
            return OpenLog(self.source, format, deep)
        if self.folder:
            return OpenLog.in_folder(self.path, format, deep, jobs)
        return OpenLog.at(self.path, format, deep, jobs=jobs)


class SkippedFiles:
    """What else was found: how many files of which folder are no logs, and the archives that were gone through."""

    def __init__(self) -> None:
        self.others: dict[str, int] = {}
        self.archives: list[LogArchive] = []
        self._logs = self._files = 0

    def note(self, found: LogCandidate, is_log: bool) -> LogCandidate | None:
        """Note whether a file is a log; to be called for each in the order in which they were found.

        Returns None, but behind the last file of a folder without a log: then that folder, as refused.
        """
        if found.archives is None:
            self._logs, self._files = self._logs + (is_log and bool(found.folder)), self._files + bool(found.folder)
            return None
        logs, files = self._logs + found.archives, self._files + found.archives
        self._logs = self._files = 0
        if not logs:
            return LogCandidate(found.path, refusal=_without_logs(found.path, files, "is a log of a known format"))
        if files > logs:
            self.others[found.path] = files - logs
        return None


def find_logs(path: str, skipped: SkippedFiles) -> Iterator[LogCandidate]:
    """The logs that `path` stands for, each as soon as it is found: of a folder every file, of an archive every log.

    A folder that is one log stands for itself. `beside` takes the archives that are met; whoever opens the files of a
    folder notes there which are logs. An archive without a log comes with a refusal.
    """
    if is_archive(path) or not contains_logs(path):
        yield from _in_archive(path, skipped) if is_archive(path) else [LogCandidate(path)]
        return
    archives = 0
    for name in paths_in_folder(path):
        if looks_like_archive(name) and multi_file_format_at(name) is None:
            archives += 1
            yield from _in_archive(name, skipped)
        else:
            yield LogCandidate(name, folder=path)
    yield LogCandidate(path, folder=path, archives=archives)


def _in_archive(path: str, beside: SkippedFiles) -> Iterator[LogCandidate]:
    ticket, logs = archives.LogArchive(path), 0
    beside.archives.append(ticket)
    try:
        for source in ticket.logs():
            logs += 1
            yield LogCandidate(source.path, source)
    except UnreadableLog as error:
        yield LogCandidate(path, refusal=error)
        return
    if not logs:
        count = len(ticket.other_members) + len(ticket.unread_members)
        yield LogCandidate(path, refusal=_without_logs(path, count, "can be read as a log"))


def _without_logs(path: str, count: int, none: str) -> NoLogsFound:
    return NoLogsFound(f"{path} holds {count} file{'s' * (count != 1)}, none of which {none}.")
