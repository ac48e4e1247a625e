"""The sessions of one project in the stores of all agents, judged, and the one that needs a repair."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import closing
from itertools import islice
from operator import attrgetter
from typing import NamedTuple

from inspector.core.check.check import Report, SessionReport, Verdict
from inspector.core.discovery.log_entry import LogEntry
from inspector.core.discovery.stores import (
    CandidateFile,
    find_logs_at,
    find_logs_in_stores,
    is_database,
    list_logs,
    log_entry_of,
)
from inspector.core.engine.log import OpenLog
from inspector.core.engine.log_list import judge_logs
from inspector.core.errors import InspectorError
from inspector.core.formats import format_named
from inspector.core.formats.base.agent_behavior import agent_of
from inspector.core.formats.base.format import Format, Progress
from inspector.core.formats.base.stores import host_environment
from inspector.core.presentation.opened_log_facts import working_folder

MOST_CHECKED = 50
"""The most logs of a project that are checked."""
_MOST_REPAIRS = 20
_RESUMABLE = (Verdict.HEALTHY.word, Verdict.HEALS_ITSELF.word, Verdict.WAITING.word)


class JudgedLog(NamedTuple):
    """A log of a project, and the word for its verdict."""

    entry: LogEntry
    verdict: str

    @property
    def is_broken(self) -> bool:
        return self.verdict == Verdict.BROKEN.word

    @property
    def is_resumable(self) -> bool:
        return self.verdict in _RESUMABLE


def judge_logs_of_project(folder: str, agent: str = "", progress: Progress | None = None) -> list[JudgedLog]:
    """Return the newest logs that belong to the project in `folder`, the newest first, with their verdicts.

    A database holds the sessions of several projects: it counts where one of them is of this project, with the verdict
    of the worst of these. `agent` keeps the logs whose agent contains this text. `progress(done, total)` is called with
    numbers of logs; the total is 0, because it is not known.
    """
    found = (
        entry
        for entry in list_logs(host_environment(), agent=agent)
        if is_database(entry.path) or _is_same_project(format_named(entry.format), entry.project, folder)
    )
    entries = [*islice(found, MOST_CHECKED)]
    files = ((entry.path, entry.format) for entry in entries if not is_database(entry.path))
    judged: list[JudgedLog] = []
    with closing(judge_logs(files)) as verdicts:
        for done, entry in enumerate(entries):
            if progress is not None:
                progress(done, 0)
            in_database = is_database(entry.path)
            word = _verdict_in_database(entry, folder) if in_database else next(verdicts).verdict
            if word:
                judged.append(JudgedLog(entry, word))
    return judged


def logs_of_project(logs: Iterable[CandidateFile], folder: str) -> list[CandidateFile]:
    """Return the newest of these logs that belong to the project in `folder`, and the databases, in their order."""
    return [*islice((log for log in logs if _may_be_of_project(log, folder)), MOST_CHECKED)]


def _may_be_of_project(log: CandidateFile, folder: str) -> bool:
    if is_database(log.path):
        return True
    entry = log_entry_of(log)
    return entry is not None and _is_same_project(format_named(entry.format), entry.project, folder)


def repairs_by_broken_log(judged: list[JudgedLog]) -> dict[str, LogEntry]:
    """Return the broken logs that were repaired as new sessions, by path, each with its newest repair.

    The id of a new session is derived from that of the broken one, so it is found by its name. It must be resumable,
    and the broken log must not have grown since. Of several logs with the same id, nobody knows which was repaired.
    """
    resumable = {(log.entry.format, _name_in_store(log.entry)): log.entry for log in judged if log.is_resumable}
    broken = [log.entry for log in judged if log.is_broken]
    if not any(repair.modified >= entry.modified for entry in broken for repair in resumable.values()):
        return {}  # without reading a log for its id
    names_of = [(entry, _names_of_repairs(entry)) for entry in broken]
    repaired: dict[str, LogEntry] = {}
    for entry, names in names_of:
        repairs = [
            repair
            for name in names
            if (repair := resumable.get((entry.format, name))) is not None and repair.modified >= entry.modified
        ]
        if repairs and [other for _, other in names_of].count(names) == 1:
            repaired[entry.path] = max(repairs, key=attrgetter("modified"))
    return repaired


def earlier_repair(log: OpenLog) -> LogEntry | None:
    """Return the new session that a broken log was repaired as, None if there is none that its agent can resume.

    Where another log of the same name is in a store, nobody knows which of them was repaired.
    """
    path, names = os.path.realpath(log.source.path), file_names_of_repairs(log)
    if not names or not os.path.isfile(path):
        return None
    stored = find_logs_in_stores(host_environment(), log.report.format.name)
    agent = agent_of(log.report.format)
    store, own_name = agent.split_session_path(path)
    named = [(agent.split_session_path(other.path)[1], other) for other in stored]
    if any(name == own_name and path != os.path.realpath(other.path) for name, other in named):
        return None
    beside = [os.path.join(store, name) for name in names]
    candidates = find_logs_at(each for each in beside if os.path.isfile(each))
    candidates += [other for name, other in named if name in names]
    newest = max(candidates, key=attrgetter("modified"), default=None)
    if newest is None or newest.modified < os.path.getmtime(path):
        return None
    entry = log_entry_of(newest)
    (judged,) = judge_logs([(newest.path, log.report.format.name)])
    return entry if judged.verdict in _RESUMABLE else None


def _name_in_store(entry: LogEntry) -> str:
    return agent_of(format_named(entry.format)).split_session_path(entry.path)[1]


def file_names_of_repairs(opened: OpenLog) -> tuple[str, ...]:
    """Return the names of the files that a repair of a log as a new session may have, () for a format without them."""
    log, agent = opened.log, agent_of(format_named(opened.log.format))
    ids = [agent.new_session_id(log.sessions[0].id, attempt) for attempt in range(1, _MOST_REPAIRS + 1)]
    return tuple(agent.session_file(log, new) for new in ids if new is not None)


def _names_of_repairs(entry: LogEntry) -> tuple[str, ...]:
    try:
        with OpenLog.at(entry.path, entry.format) as opened:
            return file_names_of_repairs(opened)
    except InspectorError:
        return ()


def _verdict_in_database(entry: LogEntry, folder: str) -> str:
    """Return the word for the worst verdict on the sessions of a project in a database, "" where it holds none."""
    try:
        with OpenLog.at(entry.path, entry.format) as log:
            sessions = _sessions_of_project(log.check(), folder)
    except InspectorError:
        return ""  # nobody knows whether it holds a session of this project
    return max(sessions, key=attrgetter("verdict")).verdict.word if sessions else ""


def worst_session_of_project(report: Report, project: str) -> SessionReport:
    """Return the worst session of a project, or of the log if `project` is "" or none is known to be of the project.

    Of several that are as bad as each other the last one is taken, which is the newest in a database.
    """
    own = _sessions_of_project(report, project) if project and len(report.sessions) > 1 else []
    return max(reversed(own or report.sessions), key=attrgetter("verdict"))


def _sessions_of_project(report: Report, project: str) -> list[SessionReport]:
    return [
        session
        for number, session in enumerate(report.sessions)
        if _is_same_project(report.format, working_folder(report.log, number), project)
    ]


def _is_same_project(format: Format, project: str, folder: str) -> bool:
    """Return whether the project that a log names is the one in `folder`."""
    if os.path.isabs(project):
        return os.path.realpath(project) == os.path.realpath(folder)
    return bool(project) and project == format.project_name(os.path.realpath(folder))
