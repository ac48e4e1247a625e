"""The logs that a path stands for: itself, or those of a folder or an archive."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from inspector.core.bytes.source import Source
from inspector.core.containers.archive.kinds import is_archive, looks_like_archive
from inspector.core.engine.folders import holds_logs
from inspector.core.engine.open_log import OpenLog
from inspector.core.errors import NoLogs, UnreadableLog
from inspector.core.later import Later
from inspector.core.opening.folder import names_in
from inspector.core.opening.opening import gatherer_of

if TYPE_CHECKING:
    from inspector.core.opening import tickets
    from inspector.core.opening.tickets import Ticket
else:
    tickets = Later("inspector.core.opening.tickets")


class Found(NamedTuple):
    """A log. `source` holds one that lies in an archive; any other is opened by its path. `refusal`: why it is none.

    What lies in a `folder` may be no log. Its last one stands for none, and tells how many `archives` lay there.
    """

    path: str
    source: Source | None = None
    refusal: NoLogs | UnreadableLog | None = None
    folder: str = ""
    archives: int | None = None

    @property
    def stays(self) -> bool:
        """Whether it is not worth sending to another process, or cannot be."""
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


class OtherFiles:
    """What else was found: how many files of which folder are no logs, and the archives that were gone through."""

    def __init__(self) -> None:
        self.others: dict[str, int] = {}
        self.tickets: list[Ticket] = []
        self._logs = self._files = 0

    def note(self, found: Found, is_log: bool) -> Found | None:
        """Note what a file turned out to be, in the order in which they were found.

        After the last of a folder in which there is no log, that with its refusal.
        """
        if found.archives is None:
            self._logs, self._files = self._logs + (is_log and bool(found.folder)), self._files + bool(found.folder)
            return None
        logs, files = self._logs + found.archives, self._files + found.archives
        self._logs = self._files = 0
        if not logs:
            return Found(found.path, refusal=_without_logs(found.path, files, "is a log of a known format"))
        if files > logs:
            self.others[found.path] = files - logs
        return None


def found_at(path: str, beside: OtherFiles) -> Iterator[Found]:
    """The logs that `path` stands for, each as soon as it is found: of a folder every file, of an archive every log.

    A folder that is one log stands for itself. What else lies there is noted in `beside`, which is to be told what the
    files of a folder turned out to be. An archive in which there is no log comes with a refusal.
    """
    if is_archive(path) or not holds_logs(path):
        yield from _in_archive(path, beside) if is_archive(path) else [Found(path)]
        return
    archives = 0
    for name in names_in(path):
        if looks_like_archive(name) and gatherer_of(name) is None:
            archives += 1
            yield from _in_archive(name, beside)
        else:
            yield Found(name, folder=path)
    yield Found(path, folder=path, archives=archives)


def _in_archive(path: str, beside: OtherFiles) -> Iterator[Found]:
    ticket, logs = tickets.Ticket(path), 0
    beside.tickets.append(ticket)
    try:
        for source in ticket.logs():
            logs += 1
            yield Found(source.path, source)
    except UnreadableLog as error:
        yield Found(path, refusal=error)
        return
    if not logs:
        count = len(ticket.others) + len(ticket.unread)
        yield Found(path, refusal=_without_logs(path, count, "can be read as a log"))


def _without_logs(path: str, count: int, none: str) -> NoLogs:
    return NoLogs(f"{path} holds {count} file{'s' * (count != 1)}, none of which {none}.")
