"""From a pasted error to the log that it is about, and to the repair of what it is about."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from inspector.core.analysis.finding import Severity
from inspector.core.check.check import Report, SessionReport
from inspector.core.discovery.opening import multi_file_format_at
from inspector.core.discovery.stores import CandidateFile, find_logs_in_stores, matches_agent_name
from inspector.core.doctor.mentioned_sessions import LONGEST_NAME, Mentions, find_sessions, mentions_in
from inspector.core.engine.log import OpenLog
from inspector.core.engine.project_sessions import logs_of_project
from inspector.core.error_lookup.locate import Certainty
from inspector.core.error_lookup.lookup import ErrorLookup, LogMatch, look_up_in_logs
from inspector.core.error_lookup.report import unrelated_error_sentence
from inspector.core.errors import InspectorError
from inspector.core.formats.base.format import Progress
from inspector.core.formats.base.stores import HostEnvironment, host_environment
from inspector.core.providers.error_kinds import ERROR_KINDS, FILE, REQUEST, STORE, TOO_LONG
from inspector.core.providers.error_parser import classify_service_error, parse_error_text
from inspector.core.repair.choices import Choices
from inspector.core.repair.plan import Plan

_LEAVE = "leave"
_MOST_SEARCHES = 10


class LogsOfError(NamedTuple):
    """What is known of a pasted error, and the paths of the logs that it may be about, the likeliest first."""

    answer: ErrorLookup
    logs: tuple[str, ...] = ()


def classify_error(text: str) -> tuple[str, str]:
    """Return the kind of a pasted error, and a sentence if the history did not cause it, "" for what is not known."""
    pasted = parse_error_text(text)
    if pasted.kind == REQUEST:
        return pasted.kind, " ".join(ERROR_KINDS[REQUEST])
    service = None if pasted.kind else classify_service_error(text)
    return pasted.kind, unrelated_error_sentence(service) if service is not None else ""


def is_single_short_line(text: str) -> bool:
    """Return whether a text is no error, but an id, a path, a name, or a command: a single short line."""
    line = text.strip()
    return "\n" not in line and len(line) <= LONGEST_NAME


def locate_error_on_machine(text: str, project: str, agent: str = "", progress: Progress | None = None) -> LogsOfError:
    """Find the logs that a pasted error is about: those that it names, those of a project, then those of all stores.

    A log that only fits the error is taken from the project alone. `agent` keeps the logs of agents of this name.
    `progress(done, total)` is called with numbers of logs.
    """
    machine = host_environment()
    stored = [log for log in find_logs_in_stores(machine) if _is_of_agent(log, agent)]
    pasted, mentions = parse_error_text(text), mentions_in(text, False)
    if pasted.kind in (STORE, FILE) or not (pasted.kind or pasted.ids):
        answer = look_up_in_logs(text, stored, progress, machine)
        if answer.in_stores is None or not (answer.in_stores.matches or pasted.kind):
            return LogsOfError(answer, _paths_of(answer, fitting=False))
        named = [match.examined.session.log for match in answer.in_stores.matches if match.how != "agent"]
        return LogsOfError(answer, _existing(named))
    if paths := _existing([*map(os.path.expanduser, mentions.paths), *_sessions_named(mentions, stored, machine)]):
        return LogsOfError(ErrorLookup(pasted), paths)
    of_project = logs_of_project(stored, project)
    own = _locate_in_logs(text, of_project, progress, fitting=True)
    if own.logs:
        return own
    if pasted.kind == TOO_LONG and (too_long := _newest_too_long(of_project)):
        return LogsOfError(own.answer, (too_long,))
    return _locate_in_logs(text, stored, progress, fitting=False)


def _newest_too_long(logs: list[CandidateFile]) -> str:
    """Return the newest of these logs that ends with an error of this kind, "" for none."""
    for log in logs[:_MOST_SEARCHES]:
        with suppress(InspectorError), OpenLog.at(log.path) as opened:
            errors = [session.recorded_error for session in opened.report.sessions]
            if any(error and parse_error_text(error).kind == TOO_LONG for error in errors):
                return log.path
    return ""


def _locate_in_logs(text: str, logs: list[CandidateFile], progress: Progress | None, fitting: bool) -> LogsOfError:
    """Find the logs that an error is about among these. A log that only matches is passed over for one with a finding.

    Such a log may be the repair of the one that the error comes from.
    """
    first: LogsOfError | None = None
    for _ in range(_MOST_SEARCHES):
        answer = look_up_in_logs(text, logs, progress)
        located = LogsOfError(answer, _paths_of(answer, fitting))
        if answer.matching_sessions or any(findings_of_error(match) for match in answer.logs):
            return located
        first = first or located
        if not answer.logs:
            break
        passed = {match.path for match in answer.logs}
        logs = [log for log in logs if log.path not in passed]
    return first or located


def _is_of_agent(log: CandidateFile, agent: str) -> bool:
    return any(matches_agent_name(store.format, store.agent, agent) for store in log.stores)


def _sessions_named(mentions: Mentions, logs: list[CandidateFile], machine: HostEnvironment) -> list[str]:
    """Return the logs of the sessions that a text names by an id or a path."""
    if not (mentions.ids or mentions.paths):
        return []
    named = Mentions(ids=mentions.ids, paths=mentions.paths)
    return [match.examined.session.log for match in find_sessions(named, machine, "", logs).matches]


def _existing(paths: Iterable[str]) -> tuple[str, ...]:
    """Return the paths at which a log can be, each once."""
    return tuple(dict.fromkeys(path for path in paths if _may_be_log(path)))


def _may_be_log(path: str) -> bool:
    return bool(path) and (os.path.isfile(path) or (os.path.isdir(path) and multi_file_format_at(path) is not None))


def _paths_of(answer: ErrorLookup, fitting: bool) -> tuple[str, ...]:
    """Return the logs of an answer, those with a finding of the error first. `fitting`: also those that only fit."""
    matches = [match for match in answer.logs if fitting or match.match_reason != "fits"]
    matches.sort(key=lambda match: not findings_of_error(match))
    return _existing([*(match.path for match in matches), *(match.path for match in answer.matching_sessions)])


def findings_of_error(match: LogMatch) -> frozenset[str]:
    """Return the ids of the findings that an error is about: those at its places, and the candidates for its cause.

    A note counts only where the error names its id.
    """
    found = {
        place.finding.id
        for place in match.location.places
        if place.finding is not None and (place.certainty == Certainty.BY_ID or place.finding.severity > Severity.INFO)
    }
    found |= {candidate.finding.id for history in match.accepted for candidate in history.candidates}
    return frozenset(found)


def session_of_findings(report: Report, findings: frozenset[str]) -> SessionReport:
    """Return the first session with one of these findings, the worst one if there is none."""
    for session in report.sessions:
        if any(finding.id in findings for finding in session.findings):
            return session
    return max(report.sessions, key=lambda session: session.verdict)


def plan_for_findings(log: OpenLog, findings: frozenset[str]) -> tuple[Plan, bool]:
    """Plan the repair of these findings alone, and of all where that is not accepted. Return whether it is enough.

    Raises ReadOnlyFormat, NotVerified.
    """
    others = {
        finding.id: _LEAVE
        for session in log.report.sessions
        for finding in session.findings
        if finding.id not in findings and _LEAVE in finding.strategies
    }
    planned = log.plan(Choices(findings=others))
    if not others or (planned.verified and not planned.changes_nothing):
        return planned, True
    return log.plan(), False
