"""The sessions of one project in the stores of all agents, judged, and the one that needs a repair."""

from __future__ import annotations

from contextlib import closing
from itertools import islice
from typing import NamedTuple

from inspector.core.check.check import Report, SessionReport, Verdict
from inspector.core.discovery.log_entry import LogEntry
from inspector.core.discovery.stores import is_database, list_logs
from inspector.core.engine.log_list import judge_logs
from inspector.core.formats.base.stores import host_environment, is_same_project
from inspector.core.presentation.opened_log_facts import working_folder

_MOST_JUDGED = 50


class JudgedLog(NamedTuple):
    """A log of a project, and the word for its verdict."""

    entry: LogEntry
    verdict: str

    @property
    def is_broken(self) -> bool:
        return self.verdict == Verdict.BROKEN.word


def judge_logs_of_project(folder: str, agent: str = "") -> list[JudgedLog]:
    """Return the newest logs that belong to the project in `folder`, the newest first, with their verdicts.

    A database holds the sessions of several projects, so every database of a store is among them. `agent` keeps the
    logs whose agent contains this text.
    """
    entries = [
        *islice(
            (
                entry
                for entry in list_logs(host_environment(), agent=agent)
                if is_database(entry.path) or is_same_project(entry.project, folder)
            ),
            _MOST_JUDGED,
        )
    ]
    with closing(judge_logs((entry.path, entry.format) for entry in entries)) as verdicts:
        return [JudgedLog(entry, verdict.verdict) for entry, verdict in zip(entries, verdicts, strict=True)]


def session_to_fix(report: Report, project: str) -> SessionReport:
    """Return the worst session of a project, or of the log if `project` is "" or none is known to be of the project.

    Of several that are as bad as each other the last one is taken, which is the newest in a database.
    """
    sessions = report.sessions
    if project and len(sessions) > 1:
        own = [
            session
            for number, session in enumerate(sessions)
            if is_same_project(working_folder(report.log, number), project)
        ]
        sessions = own or sessions
    return max(reversed(sessions), key=lambda session: session.verdict)
