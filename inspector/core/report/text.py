"""The report as text, for a terminal."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from inspector.core.analysis.finding import Finding, Severity
from inspector.core.check.check import Report, SessionReport
from inspector.core.lazy import LazyModule
from inspector.core.model.session import HistoryInMemory
from inspector.core.model.views import one_based
from inspector.core.report.sentences import (
    MAX_ROWS,
    omitted_rows_line,
    place_text,
    session_sentence,
)
from inspector.core.text import count_phrase

if TYPE_CHECKING:
    from inspector.core.report import session_parts
else:
    session_parts = LazyModule("inspector.core.report.session_parts")


def report_lines(report: Report) -> Iterator[str]:
    """Yield a checked log, a few lines for each session. Healthy sessions of many are only counted."""
    path = report.log.source.path
    yield f"{path}: {report.verdict.word} ({report.format.label})"
    shown = [session for session in report.sessions if session.findings or len(report.sessions) == 1]
    if len(report.sessions) > 1:
        yield f"  {len(report.sessions)} sessions, {len(report.sessions) - len(shown)} of them without findings"
    for session in shown:
        yield from _session_lines(session, several=len(report.sessions) > 1)
    for subagent in report.subagents:
        yield f"  beside it: {subagent.label}, {subagent.path}"


def _memory_lines(memory: HistoryInMemory | None) -> Iterator[str]:
    if memory is None or memory.matches_log:
        return
    yield f"  {memory.sentence}"
    for record, note in memory.notes[:MAX_ROWS]:
        yield f"    record {one_based(record)}: {note}"
    for disagreement in memory.disagreements:
        yield f"    {disagreement}"


def _refusals(finding: Finding, own: str) -> Iterator[str]:
    """Yield what the session's own provider would answer, and which other providers refuse it too."""
    refused_by = finding.refused_by
    if own in refused_by:
        yield f"            {own} would answer: {refused_by[own]}"
    others = [name for name in refused_by if name != own]
    if others:
        yield f"            refused by {', '.join(others)}{' as well' if own in refused_by else ''}"


def _session_lines(session: SessionReport, several: bool) -> Iterator[str]:
    if several:
        yield f"  session {session.session.id}: {session.verdict.word}"
    yield f"  {session_sentence(session)}"
    yield from _memory_lines(session.session.memory)
    if session.recorded_error:
        yield f"  The log's own last error: {' '.join(session.recorded_error.split())[:300]}"
    if session.verdict.word not in ("healthy", "not-judged"):
        yield f"  On resume: {session.on_resume.sentence}"
    if session.verdict.is_trouble:
        yield from session_parts.cause_lines(session)
    for finding in session.findings[:MAX_ROWS]:
        name = finding.severity.word
        yield f"    {name:7} {place_text(finding.place)}: {finding.message} [{finding.rule} {finding.slug}]"
        if finding.severity == Severity.ERROR:
            yield from _refusals(finding, session.threads[0].context.profile.name)
            yield f"            repairs: {', '.join(finding.strategies)} (default: {finding.default})"
    yield from omitted_rows_line(len(session.findings))
    holds = (session.messages, "message"), (session.calls, "call"), (session.results, "result")
    words = (Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.INFO, "note")
    found = ((session.count(severity), word) for severity, word in words)
    yield "  " + "; ".join(", ".join(count_phrase(*each) for each in counts) for counts in (holds, found))
