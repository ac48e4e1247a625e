"""The logs that a path stands for: itself, or those of a folder or an archive."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from inspector.core.bytes.source import Source
from inspector.core.containers.archive.kinds import is_archive, looks_like_archive
from inspector.core.engine.folders import holds_logs
from inspector.core.engine.open_log import OpenLog
from inspector.core.errors import NotJudged, UnreadableLog
from inspector.core.later import Later
from inspector.core.opening.folder import files_in

if TYPE_CHECKING:
    from inspector.core.opening import tickets
    from inspector.core.opening.tickets import Ticket
else:
    tickets = Later("inspector.core.opening.tickets")


class Found(NamedTuple):
    """A log. `source` holds one that lies in an archive; any other is opened by its path. `refusal`: why it is none."""

    path: str
    source: Source | None = None
    refusal: NotJudged | UnreadableLog | None = None

    def log(self, format: str = "", deep: bool = False) -> OpenLog | None:
        """The one that lies in an archive, open."""
        return OpenLog(self.source, format, deep) if self.source is not None else None


class Beside:
    """What else was found: how many files of which folder are no logs, and the archives that were gone through."""

    def __init__(self) -> None:
        self.others: dict[str, int] = {}
        self.tickets: list[Ticket] = []


def logs_of(path: str, beside: Beside) -> Iterator[Found]:
    """The logs that `path` stands for, each as soon as it is found: of a folder or an archive every log in it.

    A folder that is one log stands for itself. What else lies there is noted in `beside` when all has been seen. A
    folder or an archive in which there is no log comes with a refusal.
    """
    if is_archive(path) or not holds_logs(path):
        yield from _in_archive(path, beside) if is_archive(path) else [Found(path)]
        return
    files = logs = 0
    for name, is_log in files_in(path):
        files += 1
        if is_log:
            logs += 1
            yield Found(name)
        elif looks_like_archive(name):
            logs += 1
            yield from _in_archive(name, beside)
    if not logs:
        yield Found(path, refusal=NotJudged(f"{path} holds {files} files, none of which is a log of a known format."))
    elif files > logs:
        beside.others[path] = files - logs


def _in_archive(path: str, beside: Beside) -> Iterator[Found]:
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
        yield Found(path, refusal=NotJudged(f"{path} holds {count} files, none of which can be read as a log."))
