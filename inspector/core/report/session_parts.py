"""Likely causes: as a field of a session, as lines below it, and as groups of logs that have one in common.

Merged; to be rewritten:
`accepted`: What each provider would answer to a session, as JSON and as text.
`evidence`: What is known of unanswered calls, as fields of their findings, and as lines that are read before any
repair.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from inspector.core.analysis.finding import Finding
from inspector.core.check.causes import bug_fingerprint, find_likely_cause
from inspector.core.check.check import Report, SessionReport
from inspector.core.check.did_it_run import evidence_of, possibly_changing, unanswered_findings
from inspector.core.check.known_causes import KNOWN_CAUSES
from inspector.core.formats.base.evidence import EvidenceItem
from inspector.core.lazy import LazyModule
from inspector.core.model.views import UNNAMED_TOOL
from inspector.core.presentation.results import Acceptance
from inspector.core.report.sentences import MAX_ROWS, clip, omitted_rows_line, place_text, rule_title
from inspector.core.rules import RULES

# What each provider would answer to a session, as JSON and as text.


def acceptance_fields(answers: dict[str, Acceptance]) -> dict[str, Any]:
    """The field `accepted_by` of a session."""
    return {name: _fields(answer) for name, answer in answers.items()}


def _fields(answer: Acceptance) -> dict[str, Any]:
    place = answer.place
    where = {"record": place.record, "member": place.member, "line": place.line, "bytes": place.bytes} if place else {}
    return {
        "accepts": answer.accepts,
        "rule": answer.rule or None,
        "error": answer.error or None,
        "message": answer.message or None,
        "place": where | {"pointer": place.pointer} if place else None,
        "refusals": answer.refusals,
        "not_run": answer.not_run,
    }


def acceptance_lines(report: Report, answers: list[dict[str, Acceptance]]) -> Iterator[str]:
    """A line a provider, under the session's id where the log holds several."""
    for session, asked in zip(report.sessions, answers, strict=False):
        yield "  Who would accept it:" if len(answers) == 1 else f"  Who would accept session {session.session.id}:"
        for name, answer in asked.items():
            place = f" ({place_text(answer.place)})" if answer.place else ""
            yield f"    {name}: {answer.sentence}{place}"


_CAUSE_SENTENCES = {cause.id: cause.explanation for cause in KNOWN_CAUSES}


def cause_fields(session: SessionReport) -> dict[str, Any]:
    """The fields `likely_cause` and `fingerprint` of a session; the latter is what sessions with one bug share."""
    return {"likely_cause": _likely(session), "fingerprint": bug_fingerprint(session) or None}


def _likely(session: SessionReport) -> dict[str, Any] | None:
    likely = find_likely_cause(session)
    if likely is None:
        return None
    return {
        "id": likely.cause.id,
        "happened": likely.cause.explanation,
        "advice": likely.advice.format(version=likely.upgrade_to),
        "upgrade_to": likely.upgrade_to or None,
        "source": likely.cause.url,
    }


def cause_lines(session: SessionReport) -> Iterator[str]:
    """What happened, and what to do."""
    told = _likely(session)
    if told is not None:
        yield f"  Likely cause: {told['happened']} ({told['source']})"
        yield f"  What to do: {told['advice']}"


def session_fingerprints(report: Report) -> list[tuple[str, str]]:
    """The log and the fingerprint of each of its sessions with which something is wrong."""
    marks = dict.fromkeys(filter(None, map(bug_fingerprint, report.sessions)))
    return [(report.log.source.path, mark) for mark in marks]


def fingerprint_sentence(fingerprint: str) -> str:
    """What a fingerprint stands for: a known cause, else the class that it begins with; "" for none."""
    rule = fingerprint.partition(" ")[0]
    return _CAUSE_SENTENCES.get(fingerprint) or (rule_title(rule) if rule in RULES else fingerprint)


def group_by_fingerprint(fingerprints: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    """The logs by what is wrong in them, the most frequent first, from (log, fingerprint of a session) pairs."""
    found: dict[str, dict[str, None]] = {}
    for path, mark in fingerprints:
        found.setdefault(mark, {})[path] = None
    told = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    return [{"cause": mark, "happened": fingerprint_sentence(mark), "logs": [*logs]} for mark, logs in told]


def group_lines(fingerprints: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The same as lines, where several logs have something in common."""
    told = group_by_fingerprint(fingerprints)
    if any(len(group["logs"]) > 1 for group in told):
        yield "By cause:"
        for group in told:
            yield f"  {len(group['logs'])} × {group['happened']} [{group['cause']}]"


# What is known of unanswered calls, as fields of their findings, and as lines that are read before any repair.
#
# Only calls that may have changed something are told as lines; the fields tell of all.

if TYPE_CHECKING:
    from inspector.core.analysis import tool_effects as effects
    from inspector.core.analysis.evidence import Evidence
else:
    effects = LazyModule("inspector.core.analysis.tool_effects")

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


def _trace(trace: EvidenceItem) -> str:
    return trace.sentence if trace.place is None else f"{place_text(trace.place)}: {trace.sentence}"
