"""What somebody sent is a ticket: an archive, a folder or a log. Which log belongs to which, and which holds none."""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress

from inspector.core.showing.machine_answers import LogVerdict
from inspector.core.stores.log_entry import LogEntry
from inspector.gui.basics.words import tr


def ticket_of(log: LogEntry, sent: tuple[str, ...]) -> str:
    """The path of the ticket that a log belongs to: its archive, else what was sent with others; "" for none.

    What was sent alone is no row above its own logs: the list is about it.
    """
    if log.archive or len(sent) < 2:
        return "" if sent == (log.archive,) else log.archive
    return next((path for path in sent if log.path == path or log.path.startswith(path.rstrip("/") + os.sep)), "")


def without_logs(
    sent: tuple[str, ...], others: Iterable[str], logs: Iterable[LogEntry], holds_logs: Callable[[str], bool]
) -> list[tuple[LogEntry, LogVerdict]]:
    """A row for each archive, and each folder that was sent with others, in which there is no log: that is told."""
    known = {ticket_of(log, sent) for log in logs} | {log.archive for log in logs}
    known |= set(sent) if len(sent) == 1 else set()
    beside = list(others)
    tickets = {path: None for path in sent if len(sent) > 1 and holds_logs(path)}
    tickets |= {archive: None for other in beside if (archive := _archive_of(other, holds_logs))}
    return [_row(path, beside) for path in tickets if path not in known]


def _archive_of(path: str, holds_logs: Callable[[str], bool]) -> str:
    """The archive that a path leads into, or to; "" where it leads to a file."""
    while path and not os.path.lexists(path):
        path = os.path.dirname(path)
    return path if os.path.isfile(path) and holds_logs(path) else ""


def _row(path: str, others: list[str]) -> tuple[LogEntry, LogVerdict]:
    size, modified = 0, 0.0
    with suppress(OSError):
        state = os.stat(path)
        size, modified = state.st_size, state.st_mtime
    count = sum(each.startswith(path + os.sep) for each in others)
    told = f"{tr('Files in it that are no log of a known format, or cannot be read:')} {count:,}."
    if path in others:
        verdict = LogVerdict("unreadable", tr("It is damaged, or no archive that can be read."))
    else:
        verdict = LogVerdict("not-judged", told if count else tr("Nothing is in it."))
    return LogEntry(path, "", "", "", "", modified, size), verdict
