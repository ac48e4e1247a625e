"""Whether the unanswered calls of a log ran, worked out when their findings are shown.

Only unanswered calls are examined, so a sound log costs nothing. One pass through the log, from the first of these
calls on, finds the evidence for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from msgspec.structs import replace

from inspector.core.analysis import evidence_search, tool_effects
from inspector.core.analysis.evidence_search import Evidence
from inspector.core.analysis.finding import Finding
from inspector.core.check.check import Report, SessionReport
from inspector.core.formats.base.call_evidence import (
    EvidenceItem,
    EvidenceQuery,
    EvidenceStrength,
    call_evidence_source_of,
)
from inspector.core.model.locations import Locator
from inspector.core.model.session import Log, SubagentLogReference
from inspector.core.model.views import RecordLocation
from inspector.core.translation import tr


class UnansweredFinding(NamedTuple):
    """A finding about an unanswered call: its number in its session, and the block row of the call."""

    session: SessionReport
    number: int
    call_row: int

    @property
    def finding(self) -> Finding:
        return self.session.findings[self.number]

    @property
    def id(self) -> str:
        """The id of the finding."""
        return self.session.findings.finding_id_at(self.number)


def unanswered_findings(report: Report) -> list[UnansweredFinding]:
    """Return the findings about unanswered calls, session by session."""
    return [finding for session in report.sessions if session.findings for finding in _unanswered_in(report, session)]


def _unanswered_in(report: Report, session: SessionReport) -> Iterator[UnansweredFinding]:
    format, columns = report.format, report.log.columns
    rows: dict[tuple[int, str], int] = {}
    for judged in session.threads:
        context = judged.context
        for tool in context.pairing.unanswered:
            record, ordinal = context.tool_location(tool)
            rows[record, format.pointer(columns, record, ordinal)] = context.pairing.block_rows[tool]
    for number, place in enumerate(session.findings.block_pointers() if rows else ()):
        if place in rows:
            yield UnansweredFinding(session, number, rows[place])


def calls_with_possible_effects(report: Report, unanswered: Iterable[UnansweredFinding]) -> list[UnansweredFinding]:
    """Return the unanswered calls that may have changed something: the first finding of every such call."""
    first_findings: dict[int, UnansweredFinding] = {}
    names = report.log.columns.names
    for finding in unanswered:
        if tool_effects.tool_effect(names[finding.call_row] or "") != tool_effects.ToolEffect.READ_ONLY:
            first_findings.setdefault(finding.call_row, finding)
    return list(first_findings.values())


def evidence_by_finding(report: Report, unanswered: Iterable[UnansweredFinding] | None = None) -> dict[str, Evidence]:
    """Return the evidence for unanswered calls by the ids of their findings.

    Without `unanswered` these are all unanswered calls of the report.
    """
    evidence_by_id: dict[str, Evidence] = {}
    for _, calls in groupby(
        unanswered_findings(report) if unanswered is None else unanswered,
        lambda finding: finding.session.session.number,
    ):
        evidence_by_id |= _of_calls(report, list(calls))
    return evidence_by_id


def _of_calls(report: Report, unanswered: list[UnansweredFinding]) -> dict[str, Evidence]:
    """Return the evidence for unanswered calls of one session, by the ids of their findings."""
    format, log, columns = report.format, report.log, report.log.columns
    tracer = call_evidence_source_of(format)
    rows = sorted({finding.call_row for finding in unanswered})
    calls = evidence_search.evidence_queries(format, columns, log.raw, rows, log.faults)
    # Another conversation of the file, which may use the same ids, says nothing about these calls.
    is_one_of_many = format.is_provider_api and len(log.sessions) > 1
    within = unanswered[0].session.session.records if is_one_of_many else None
    traces = evidence_search.EvidenceSearch(format, columns, log.raw, calls, within).run()
    for number, trace in tracer.evidence_beside(log, calls):
        traces[number].append(trace)
    _add_subagents(calls, report.subagents, traces)
    traces = _numbered(log, traces)
    folders = tracer.folders_at(columns, list(dict.fromkeys(call.record for call in calls)), log.raw)
    evidence_by_row = {
        row: evidence_search.build_evidence(call, items, folders.get(call.record, ""))
        for row, call, items in zip(rows, calls, traces, strict=True)
    }
    return {finding.id: evidence_by_row[finding.call_row] for finding in unanswered}


def _numbered(log: Log, traces: list[list[EvidenceItem]]) -> list[list[EvidenceItem]]:
    """Return the traces with the locations of their records, which are looked up in the order of the log."""
    records = sorted({trace.record for items in traces for trace in items if trace.record is not None})
    if not records:
        return traces
    locator = Locator(log)
    place_of = {record: locator.locate(record) for record in records}
    return [[_at(trace, place_of.get(trace.record)) for trace in items] for items in traces]  # type: ignore[arg-type]


def _at(trace: EvidenceItem, place: RecordLocation | None) -> EvidenceItem:
    return trace if place is None else replace(trace, record=place.record, line=place.line, place=place)


def _add_subagents(
    calls: list[EvidenceQuery], subagents: list[SubagentLogReference], traces: list[list[EvidenceItem]]
) -> None:
    """Add the log of a subagent as evidence that its call was started."""
    subagents_by_call: dict[str, list[SubagentLogReference]] = {}
    for subagent in subagents:
        if subagent.call_id:
            subagents_by_call.setdefault(subagent.call_id, []).append(subagent)
    for number, call in enumerate(calls):
        for subagent in subagents_by_call.get(call.id, ()):
            sentence = tr("The call started a subagent, which has its own log: {path}.", path=subagent.path)
            traces[number].append(EvidenceItem(EvidenceStrength.STARTED, sentence))
