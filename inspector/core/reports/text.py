"""The report as text, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.core.check import Report, SessionReport
from inspector.core.finding import Severity
from inspector.core.reports.words import sentence

MOST = 50


def report_lines(report: Report) -> Iterator[str]:
    """A checked log, a few lines a session; healthy sessions of a log that holds many are only counted."""
    path = report.log.source.path
    yield f"{path}: {report.verdict.word} ({report.format.label})"
    shown = [session for session in report.sessions if session.findings or len(report.sessions) == 1]
    if len(report.sessions) > 1:
        yield f"  {len(report.sessions)} sessions, {len(report.sessions) - len(shown)} of them without findings"
    for session in shown:
        yield from _session_lines(session, several=len(report.sessions) > 1)


def _session_lines(session: SessionReport, several: bool) -> Iterator[str]:
    if several:
        yield f"  session {session.session.id}: {session.verdict.word}"
    yield f"  {sentence(session)}"
    if session.recorded_error:
        yield f"  The log's own last error: {' '.join(session.recorded_error.split())[:300]}"
    if session.verdict.word not in ("healthy", "not-judged"):
        yield f"  On resume: {session.on_resume.sentence}"
    for finding in session.findings[:MOST]:
        where = f"line {finding.place.line}" if finding.place.line else f"record {finding.place.record}"
        name = finding.severity.word
        yield f"    {name:7} {where}: {finding.message} [{finding.rule} {finding.slug}]"
        if finding.severity == Severity.ERROR:
            for profile, text in finding.refused_by.items():
                yield f"            {profile} would answer: {text}"
            yield f"            repairs: {', '.join(finding.strategies)} (default: {finding.default})"
    if len(session.findings) > MOST:
        yield f"    … and {len(session.findings) - MOST} more; --format json lists them all"
    yield (
        f"  {session.messages} messages, {session.calls} calls, {session.results} results; "
        f"{session.count(Severity.ERROR)} errors, {session.count(Severity.WARNING)} warnings, "
        f"{session.count(Severity.INFO)} notes"
    )
