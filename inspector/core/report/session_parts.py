"""Parts of a session's report, as JSON and as lines: answers of providers, likely causes, and evidence.

Evidence is what is known of unanswered calls. Lines show only calls that may have changed something; JSON has all.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.core.analysis import tool_effects
from inspector.core.analysis.evidence_search import Evidence
from inspector.core.analysis.finding import Finding
from inspector.core.check.causes import bug_fingerprint, find_likely_cause
from inspector.core.check.check import Report, SessionReport
from inspector.core.check.execution_evidence import (
    calls_with_possible_effects,
    evidence_by_finding,
    unanswered_findings,
)
from inspector.core.check.known_causes import KNOWN_CAUSES
from inspector.core.formats.base.call_evidence import EvidenceItem
from inspector.core.model.views import UNNAMED_TOOL, RecordLocation
from inspector.core.report.sentences import MAX_ROWS, clip, omitted_rows_line, one_line, place_text, rule_title
from inspector.core.rules import RULES
from inspector.core.translation import tr, tr_plural

if TYPE_CHECKING:
    from inspector.core.presentation.engine_results import Acceptance

_CAUSE_SENTENCES = {cause.id: cause.explanation for cause in KNOWN_CAUSES}
_LONGEST = 120
_FEW = 3  # calls that one line names
_TRACES = 3
_EVIDENCE_NAMES = {"ran": tr("ran"), "started": tr("started"), "no-trace": tr("no-trace")}
_EFFECT_NAMES = {
    tool_effects.ToolEffect.SHELL: tr("shell"),
    tool_effects.ToolEffect.WRITE: tr("write"),
    tool_effects.ToolEffect.NETWORK: tr("network"),
    tool_effects.ToolEffect.READ_ONLY: tr("read-only"),
    tool_effects.ToolEffect.UNKNOWN: tr("unknown effect"),
}


class RefusalPlace(Struct):
    """The place of what a provider refuses."""

    record: int
    member: str | None
    line: int | None
    bytes: tuple[int, int] | None
    pointer: str


class AcceptanceEntry(Struct, kw_only=True):
    """The answer of a provider. `accepts` is null where checks that its rules need did not run (`not_run`)."""

    accepts: bool | None
    rule: str | None
    error: str | None = None
    message: str | None = None
    place: RefusalPlace | None = None
    refusals: int
    not_run: tuple[str, ...]


def acceptance_entries(answers: dict[str, Acceptance]) -> dict[str, AcceptanceEntry]:
    """Return the field `accepted_by` of a session."""
    return {name: _acceptance_entry(answer, answer.place) for name, answer in answers.items()}


def _acceptance_entry(answer: Acceptance, place: RecordLocation | None) -> AcceptanceEntry:
    return AcceptanceEntry(
        accepts=answer.accepts,
        rule=answer.rule or None,
        error=answer.error or None,
        message=answer.message or None,
        place=RefusalPlace(place.record, place.member, place.line, place.bytes, place.pointer) if place else None,
        refusals=answer.refusals,
        not_run=answer.not_run,
    )


def acceptance_lines(report: Report, answers: list[dict[str, Acceptance]]) -> Iterator[str]:
    """Yield a line for each provider, under the session's id where the log has several."""
    is_only_one = len(answers) == 1 and not report.log.is_part
    for session, session_answers in zip(report.sessions, answers, strict=False):
        yield tr("  Accepted by:") if is_only_one else tr("  Session {id} is accepted by:", id=session.session.id)
        for name, answer in session_answers.items():
            place = f" ({place_text(answer.place)})" if answer.place else ""
            yield f"    {name}: {answer.sentence}{place}"


class CauseEntry(Struct):
    """A likely cause: what happened, and what to do. A newer version may repair the log by itself (`upgrade_to`)."""

    id: str
    happened: str
    advice: str
    upgrade_to: str | None
    source: str


def cause_entry(session: SessionReport) -> CauseEntry | None:
    """Return the likely cause of what is wrong with a session."""
    likely = find_likely_cause(session)
    if likely is None:
        return None
    cause, version = likely.cause, likely.upgrade_to
    return CauseEntry(cause.id, cause.explanation, likely.advice.format(version=version), version or None, cause.url)


def cause_lines(session: SessionReport) -> Iterator[str]:
    """Yield what happened, and what to do."""
    cause = cause_entry(session)
    if cause is not None:
        yield tr("  Cause   {cause} ({source})", cause=cause.happened, source=cause.source)
        yield tr("  Advice  {advice}", advice=cause.advice)


def session_fingerprints(report: Report) -> list[tuple[str, str]]:
    """Return the log and the fingerprint of each of its sessions that have one."""
    marks = dict.fromkeys(filter(None, map(bug_fingerprint, report.sessions)))
    return [(report.log.source.path, mark) for mark in marks]


def fingerprint_cause_sentence(fingerprint: str) -> str:
    """Return the known cause of a fingerprint, else the class that it begins with; "" for none."""
    rule = fingerprint.partition(" ")[0]
    return _CAUSE_SENTENCES.get(fingerprint) or (rule_title(rule) if rule in RULES else fingerprint)


class CauseGroup(Struct):
    """The logs with one fingerprint, which is the id of the known cause if there is one (`cause`)."""

    cause: str
    happened: str
    logs: list[str]


def group_logs_by_fingerprint(fingerprints: Iterable[tuple[str, str]]) -> list[CauseGroup]:
    """Return the logs grouped by fingerprint, the most frequent first, from (log, fingerprint) pairs."""
    logs_by_fingerprint: dict[str, dict[str, None]] = {}
    for path, fingerprint in fingerprints:
        logs_by_fingerprint.setdefault(fingerprint, {})[path] = None
    groups = sorted(logs_by_fingerprint.items(), key=lambda item: (-len(item[1]), item[0]))
    return [CauseGroup(fingerprint, fingerprint_cause_sentence(fingerprint), [*logs]) for fingerprint, logs in groups]


def fingerprint_group_lines(fingerprints: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the groups as lines, where several logs have something in common."""
    groups = group_logs_by_fingerprint(fingerprints)
    if any(len(group.logs) > 1 for group in groups):
        yield tr("By cause:")
        yield from (f"  {len(group.logs)} × {group.happened} [{group.cause}]" for group in groups)


class EvidenceItemEntry(Struct):
    """A sign that a call ran, and how much it proves. `record` is null for something outside of the log."""

    record: int | None
    line: int | None
    weight: str
    sentence: str | None = None


class EvidenceEntry(Struct):
    """What the log shows of an unanswered call: ran, started or no-trace. `effect` is what such a tool changes."""

    verdict: str
    traces: list[EvidenceItemEntry]
    effect: str
    command: str | None = None
    folder: str | None = None


def evidence_entry(evidence: Evidence) -> EvidenceEntry:
    """Return the evidence of one call."""
    traces = [EvidenceItemEntry(each.record, each.line, each.strength.word, each.sentence) for each in evidence.traces]
    return EvidenceEntry(
        evidence.verdict, traces, evidence.effect.value, evidence.command or None, evidence.folder or None
    )


def evidence_lines(report: Report) -> Iterator[str]:
    """Yield the unanswered calls of a log that may have changed something, each once, with their evidence.

    Only the first calls are listed.
    """
    lines = EvidenceLines()
    lines.add(report)
    return iter(lines)


class EvidenceLines:
    """The lines on the unanswered calls of a log, added from the reports on its parts."""

    def __init__(self) -> None:
        self._calls, self._lines = 0, list[str]()

    def add(self, report: Report) -> None:
        """Add the calls of a part of the log."""
        calls = calls_with_possible_effects(report, unanswered_findings(report))
        listed = calls[: max(MAX_ROWS - self._calls, 0)]
        evidence = evidence_by_finding(report, listed)
        self._lines += (line for call in listed for line in _call_lines(call.finding, evidence[call.id]))
        self._calls += len(calls)

    def __iter__(self) -> Iterator[str]:
        if self._calls:
            yield tr(
                "  Calls that have no result but may have run and changed something ({number}):", number=self._calls
            )
            yield from self._lines
            yield from omitted_rows_line(self._calls)


def may_have_run_sentence(report: Report, session: SessionReport, answered: Container[str]) -> str:
    """Return which unanswered calls of a session may have run and changed something, "" for none.

    `answered` are the ids of calls of which the result is known all the same.
    """
    own = (call for call in unanswered_findings(report) if call.session is session)
    calls = [
        call
        for call in calls_with_possible_effects(report, own)
        if report.log.columns.call_ids[call.call_row] not in answered
    ]
    findings = [call.finding for call in calls[:_FEW]]
    # In parentheses: without those in which the place says more.
    places = [place_text(finding.place, numbered=True).partition(" (")[0] for finding in findings]
    tools = [one_line(finding.tool or UNNAMED_TOOL) for finding in findings]
    named = ", ".join(f"{tool} ({place})" for tool, place in zip(tools, places, strict=True))
    more = tr(" and {number:,} more", number=len(calls) - _FEW) if len(calls) > _FEW else ""
    return (
        tr_plural(
            "This call may have run: {named}{more}.",
            "These calls may have run: {named}{more}.",
            len(calls),
            named=named,
            more=more,
        )
        if calls
        else ""
    )


def _call_lines(finding: Finding, evidence: Evidence) -> Iterator[str]:
    effect = _EFFECT_NAMES[evidence.effect]
    folder = tr(" in {folder}", folder=evidence.folder) if evidence.folder else ""
    tool, command = finding.tool or UNNAMED_TOOL, clip(" ".join(evidence.command.split()), _LONGEST)
    yield f"    {place_text(finding.place)}: {tool} ({effect}){folder}: {command}"
    yield f"      {_EVIDENCE_NAMES[evidence.verdict]}: {evidence.sentence}"
    for trace in evidence.traces[:_TRACES]:
        yield f"        {_trace(trace)}"
    if len(evidence.traces) > _TRACES:
        yield tr("        … and {number} more pieces of evidence", number=len(evidence.traces) - _TRACES)


def _trace(trace: EvidenceItem) -> str:
    return trace.sentence if trace.place is None else f"{place_text(trace.place)}: {trace.sentence}"
