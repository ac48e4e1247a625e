"""What came to a log between two readings of it. No Qt."""

from collections.abc import Iterator
from typing import NamedTuple

from inspector.gui.answers.opened_log import OpenedLog


class News(NamedTuple):
    """How many records are new, and where the first run of them is now."""

    total: int
    first_run: range


def news_of(before: OpenedLog, now: OpenedLog) -> News:
    """What is new. Growth stands at the end of a session, or of a subagent's log that is shown with it."""
    known = {name: len(records) for name, records in _runs(before)}
    new = [records[known.get(name, 0) :] for name, records in _runs(now)]
    return News(sum(map(len, new)), next(filter(None, new), range(0)))


def _runs(log: OpenedLog) -> Iterator[tuple[str, range]]:
    """The records of each session, or of the log where its sessions do not hold all of them, then of each subagent."""
    attached = log.overview.attached
    ends = [*(each.record for each in attached), len(log.starts)]
    own, at = ends[0], 0
    sessions = log.overview.sessions
    if sum(session.records for session in sessions) == own:
        for session in sessions:
            yield str(session.number), range(at, at + session.records)
            at += session.records
    else:
        yield "", range(own)
    for each, end in zip(attached, ends[1:], strict=True):
        yield each.path, range(each.record, end)
