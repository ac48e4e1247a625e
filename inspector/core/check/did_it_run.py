"""Did the unanswered calls of a log run? Asked by those who show findings, when they show them.

Only unanswered calls are looked at: a sound log costs nothing. A walk through the log from the first of them on finds
what it shows of all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from inspector.core.analysis.finding import Finding
from inspector.core.check.check import Report, SessionReport
from inspector.core.formats.base.evidence import EvidenceItem, EvidenceQuery, EvidenceStrength, evidence_provider_of
from inspector.core.lazy import LazyModule
from inspector.core.model.locations import Locator
from inspector.core.model.session import Log, Subagent
from inspector.core.model.views import RecordLocation

if TYPE_CHECKING:
    from inspector.core.analysis import evidence as evidences
    from inspector.core.analysis import evidence as search
    from inspector.core.analysis import evidence as traced_calls
    from inspector.core.analysis import tool_effects as effects
    from inspector.core.analysis.evidence import Evidence
else:
    traced_calls = LazyModule("inspector.core.analysis.evidence")
    effects = LazyModule("inspector.core.analysis.tool_effects")
    evidences = LazyModule("inspector.core.analysis.evidence")
    search = LazyModule("inspector.core.analysis.evidence")


class UnansweredFinding(NamedTuple):
    """A finding that tells of an unanswered call: its number among those of its session, and the call's block row."""

    session: SessionReport
    number: int
    call_row: int

    @property
    def finding(self) -> Finding:
        return self.session.findings[self.number]

    @property
    def id(self) -> str:
        """That of the finding."""
        return self.session.findings.finding_id_at(self.number)


def unanswered_findings(report: Report) -> list[UnansweredFinding]:
    """The findings that tell of unanswered calls, session by session."""
    return [told for session in report.sessions for told in _unanswered_in(report, session)]


def _unanswered_in(report: Report, session: SessionReport) -> Iterator[UnansweredFinding]:
    format, columns = report.format, report.log.columns
    rows: dict[tuple[int, str], int] = {}
    for judged in session.threads:
        scene = judged.context
        for tool in scene.pairing.unanswered:
            record, ordinal = scene.tool_location(tool)
            rows[record, format.pointer(columns, record, ordinal)] = scene.pairing.block_rows[tool]
    for number, place in enumerate(session.findings.block_pointers() if rows else ()):
        if place in rows:
            yield UnansweredFinding(session, number, rows[place])


def possibly_changing(report: Report, unanswered: Iterable[UnansweredFinding]) -> list[UnansweredFinding]:
    """The unanswered calls that may have changed something, if they ran: of each the first finding on it."""
    found: dict[int, UnansweredFinding] = {}
    names = report.log.columns.names
    for each in unanswered:
        if effects.tool_effect(names[each.call_row] or "") != effects.ToolEffect.READ_ONLY:
            found.setdefault(each.call_row, each)
    return list(found.values())


def evidence_of(report: Report, unanswered: Iterable[UnansweredFinding] | None = None) -> dict[str, Evidence]:
    """The evidence of each of these unanswered calls, by default of all, by the id of the finding."""
    found: dict[str, Evidence] = {}
    for _, calls in groupby(
        unanswered_findings(report) if unanswered is None else unanswered, lambda each: each.session.session.number
    ):
        found |= _of_calls(report, list(calls))
    return found


def _of_calls(report: Report, told: list[UnansweredFinding]) -> dict[str, Evidence]:
    """The evidence of unanswered calls of one session, by the id of the finding."""
    format, log, columns = report.format, report.log, report.log.columns
    tracer = evidence_provider_of(format)
    wanted = sorted({each.call_row for each in told})
    calls = traced_calls.evidence_queries(format, columns, log.raw, wanted, log.faults)
    traces = search.EvidenceSearch(format, columns, log.raw, calls).run()
    for number, trace in tracer.evidence_beside(log, calls):
        traces[number].append(trace)
    _add_subagents(calls, report.subagents, traces)
    traces = _numbered(log, traces)
    folders = tracer.folders_at(columns, list(dict.fromkeys(call.record for call in calls)), log.raw)
    of_row = {
        row: evidences.build_evidence(call, found, folders.get(call.record, ""))
        for row, call, found in zip(wanted, calls, traces, strict=True)
    }
    return {each.id: of_row[each.call_row] for each in told}


def _numbered(log: Log, traces: list[list[EvidenceItem]]) -> list[list[EvidenceItem]]:
    """The traces with the places of their records, which are told in the order of the log."""
    records = sorted({trace.record for found in traces for trace in found if trace.record is not None})
    if not records:
        return traces
    places = Locator(log)
    place_of = {record: places.locate(record) for record in records}
    return [[_at(trace, place_of.get(trace.record)) for trace in found] for found in traces]  # type: ignore[arg-type]


def _at(trace: EvidenceItem, place: RecordLocation | None) -> EvidenceItem:
    return trace if place is None else replace(trace, line=place.line, place=place)


def _add_subagents(calls: list[EvidenceQuery], subagents: list[Subagent], traces: list[list[EvidenceItem]]) -> None:
    """The log of a subagent is there because its call was begun."""
    of_call: dict[str, list[Subagent]] = {}
    for subagent in subagents:
        if subagent.call_id:
            of_call.setdefault(subagent.call_id, []).append(subagent)
    for number, call in enumerate(calls):
        for subagent in of_call.get(call.id, ()):
            sentence = f"The subagent that it started has a log of its own: {subagent.path}."
            traces[number].append(EvidenceItem(EvidenceStrength.STARTED, sentence))
