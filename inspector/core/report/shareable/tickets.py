"""Tickets: what logs were sent in, and the order in which a report for a reader shows them."""

import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from inspector.core.check.check import Verdict
from inspector.core.report.shareable.model import ReportedLog, ReportedSession, ticket_name_from_path
from inspector.core.storage.archive_paths import is_archive, split_archive_path

_RANKS = {verdict.word: verdict for verdict in Verdict}


class ReportSection(NamedTuple):
    """The logs of one ticket, the worst first. `ticket` is "" for a log that has none, or is alone in it."""

    ticket: str
    logs: list[ReportedLog]


def ticket_of(path: str, opened: Sequence[str]) -> str:
    """Return the name of the ticket of a log, "" for none. `opened` are the paths that the person gave.

    A ticket is an archive, unless it is all that was given, or one of several folders.
    """
    member = split_archive_path(path)
    if member or is_archive(path):
        archive = member[0] if member else path
        return "" if [archive] == [*opened] else ticket_name_from_path(archive)
    folders = [folder for folder in opened if os.path.isdir(folder)] if len(opened) > 1 else []
    folder = next((folder for folder in folders if path.startswith(os.path.join(folder, ""))), "")
    return ticket_name_from_path(os.path.abspath(folder)) if folder else ""


def report_sections(logs: Iterable[ReportedLog]) -> list[ReportSection]:
    """Return the logs by ticket, the worst first: those of a ticket together, and every other log for itself."""
    found: dict[str, list[ReportedLog]] = {}
    for log in logs:
        found.setdefault(f"ticket {log.ticket}" if log.ticket else log.name, []).append(log)
    sections = [
        ReportSection((group[0].ticket or "") if len(group) > 1 else "", sorted(group, key=_rank))
        for group in found.values()
    ]
    return sorted(sections, key=lambda section: _rank(section.logs[0]))


def worst_session(log: ReportedLog) -> ReportedSession | None:
    """Return the first session with the verdict of its log, None for a log that was not read."""
    return next((session for session in log.sessions if session.verdict == log.verdict), None)


def _rank(log: ReportedLog) -> int:
    return -_RANKS[log.verdict]
