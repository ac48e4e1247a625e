"""Parts of a session's report, as JSON fields and as lines: answers of providers, likely causes, and evidence.

Evidence is what is known of unanswered calls. Lines show only calls that may have changed something; fields have all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from inspector.core.analysis.finding import Finding
from inspector.core.check.causes import bug_fingerprint, find_likely_cause
from inspector.core.check.check import Report, SessionReport
from inspector.core.check.did_it_run import evidence_of, possibly_changing, unanswered_findings
from inspector.core.check.known_causes import KNOWN_CAUSES
from inspector.core.formats.base.call_evidence import EvidenceItem
from inspector.core.lazy import LazyModule
from inspector.core.model.views import UNNAMED_TOOL
from inspector.core.presentation.results import Acceptance
from inspector.core.report.sentences import MAX_ROWS, clip, omitted_rows_line, place_text, rule_title
from inspector.core.rules import RULES

if TYPE_CHECKING:
    from inspector.core.analysis import tool_effects
    from inspector.core.analysis.evidence_search import Evidence
else:
    tool_effects = LazyModule("inspector.core.analysis.tool_effects")

_CAUSE_SENTENCES = {cause.id: cause.explanation for cause in KNOWN_CAUSES}
_LONGEST = 120
_TRACES = 3
_UNKNOWN = "what this tool does is not known"


def acceptance_fields(answers: dict[str, Acceptance]) -> dict[str, Any]:
    """Return the field `accepted_by` of a session."""
    return {name: _fields(answer) for name, answer in answers.items()}


def _fields(answer: Acceptance) -> dict[str, Any]:
    place = answer.place
    position = (
        {"record": place.record, "member": place.member, "line": place.line, "bytes": place.bytes} if place else {}
    )
    return {
        "accepts": answer.accepts,
        "rule": answer.rule or None,
        "error": answer.error or None,
        "message": answer.message or None,
        "place": position | {"pointer": place.pointer} if place else None,
        "refusals": answer.refusals,
        "not_run": answer.not_run,
    }


def acceptance_lines(report: Report, answers: list[dict[str, Acceptance]]) -> Iterator[str]:
    """Yield a line for each provider, under the session's id where the log has several."""
    for session, session_answers in zip(report.sessions, answers, strict=False):
        yield "  Who would accept it:" if len(answers) == 1 else f"  Who would accept session {session.session.id}:"
        for name, answer in session_answers.items():
            place = f" ({place_text(answer.place)})" if answer.place else ""
            yield f"    {name}: {answer.sentence}{place}"


def cause_fields(session: SessionReport) -> dict[str, Any]:
    """Return the fields `likely_cause` and `fingerprint` of a session.

    Sessions with the same bug have the same fingerprint.
    """
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
    """Yield what happened, and what to do."""
    cause = _likely(session)
    if cause is not None:
        yield f"  Likely cause: {cause['happened']} ({cause['source']})"
        yield f"  What to do: {cause['advice']}"


def session_fingerprints(report: Report) -> list[tuple[str, str]]:
    """Return the log and the fingerprint of each of its sessions that have one."""
    marks = dict.fromkeys(filter(None, map(bug_fingerprint, report.sessions)))
    return [(report.log.source.path, mark) for mark in marks]


def fingerprint_sentence(fingerprint: str) -> str:
    """Return the known cause of a fingerprint, else the class that it begins with; "" for none."""
    rule = fingerprint.partition(" ")[0]
    return _CAUSE_SENTENCES.get(fingerprint) or (rule_title(rule) if rule in RULES else fingerprint)


def group_by_fingerprint(fingerprints: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return the logs grouped by fingerprint, the most frequent first, from (log, fingerprint) pairs."""
    logs_by_fingerprint: dict[str, dict[str, None]] = {}
    for path, fingerprint in fingerprints:
        logs_by_fingerprint.setdefault(fingerprint, {})[path] = None
    groups = sorted(logs_by_fingerprint.items(), key=lambda item: (-len(item[1]), item[0]))
    return [
        {"cause": fingerprint, "happened": fingerprint_sentence(fingerprint), "logs": [*logs]}
        for fingerprint, logs in groups
    ]


def group_lines(fingerprints: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield the groups as lines, where several logs have something in common."""
    groups = group_by_fingerprint(fingerprints)
    if any(len(group["logs"]) > 1 for group in groups):
        yield "By cause:"
        for group in groups:
            yield f"  {len(group['logs'])} × {group['happened']} [{group['cause']}]"


def evidence_fields(evidence: Evidence) -> dict[str, Any]:
    """Return the evidence of one call, as JSON fields."""
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
    """Yield the unanswered calls of a log that may have changed something, each once, with their evidence.

    Only the first calls are listed.
    """
    calls = possibly_changing(report, unanswered_findings(report))
    if not calls:
        return
    yield f"  Unanswered calls that may have changed something, if they ran ({len(calls)}):"
    evidence = evidence_of(report, calls[:MAX_ROWS])
    for call in calls[:MAX_ROWS]:
        yield from _call_lines(call.finding, evidence[call.id])
    yield from omitted_rows_line(len(calls))


def _call_lines(finding: Finding, evidence: Evidence) -> Iterator[str]:
    effect = _UNKNOWN if evidence.effect == tool_effects.ToolEffect.UNKNOWN else evidence.effect.value
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
