"""What is known of unanswered calls, as fields of their findings, and as lines that are read before any repair.

Only calls that may have changed something are told as lines; the fields tell of all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from inspector.core.formats.bases.traces import Trace
from inspector.core.index.views import UNNAMED_TOOL
from inspector.core.judging.check import Report
from inspector.core.later import LazyModule
from inspector.core.reports.shown import clip
from inspector.core.reports.words import MAX_ROWS, omitted_rows_line, place_text
from inspector.core.scene.finding import Finding
from inspector.core.showing.unanswered import evidence_of, possibly_changing, unanswered_findings

if TYPE_CHECKING:
    from inspector.core.evidence import effects
    from inspector.core.evidence.evidence import Evidence
else:
    effects = LazyModule("inspector.core.evidence.effects")

_LONGEST = 120
_TRACES = 3
_UNKNOWN = "what this tool does is not known"


def evidence_fields(evidence: Evidence) -> dict[str, Any]:
    """The evidence of one call, as JSON."""
    traces = [
        {"record": trace.record, "line": trace.line, "weight": trace.strength.word, "sentence": trace.sentence}
        for trace in evidence.traces
    ]
    return {
        "verdict": evidence.verdict,
        "traces": traces,
        "effect": evidence.effect.value,
        "command": evidence.command or None,
        "folder": evidence.folder or None,
    }


def evidence_lines(report: Report) -> Iterator[str]:
    """The unanswered calls of a log that may have changed something, each once; of the first, what is known of them."""
    calls = possibly_changing(report, unanswered_findings(report))
    if not calls:
        return
    yield f"  Unanswered calls that may have changed something, if they ran ({len(calls)}):"
    evidence = evidence_of(report, calls[:MAX_ROWS])
    for call in calls[:MAX_ROWS]:
        yield from _call_lines(call.finding, evidence[call.id])
    yield from omitted_rows_line(len(calls))


def _call_lines(finding: Finding, evidence: Evidence) -> Iterator[str]:
    effect = _UNKNOWN if evidence.effect == effects.ToolEffect.UNKNOWN else evidence.effect.value
    folder = f" in {evidence.folder}" if evidence.folder else ""
    tool, command = finding.tool or UNNAMED_TOOL, clip(" ".join(evidence.command.split()), _LONGEST)
    yield f"    {place_text(finding.place)}: {tool} ({effect}){folder}: {command}"
    yield f"      {evidence.verdict}: {evidence.sentence}"
    for trace in evidence.traces[:_TRACES]:
        yield f"        {_trace(trace)}"
    if len(evidence.traces) > _TRACES:
        yield f"        … and {len(evidence.traces) - _TRACES} more traces"


def _trace(trace: Trace) -> str:
    return trace.sentence if trace.place is None else f"{place_text(trace.place)}: {trace.sentence}"
