"""Reports as JSON: of checked logs, of repairs, and of a list of logs. Schema 1: fields may be added, never changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from inspector.core.analysis.evidence_search import Evidence
from inspector.core.analysis.finding import Finding
from inspector.core.check.check import Report, SessionReport
from inspector.core.check.strategy_costs import cost_labels
from inspector.core.discovery.log_entry import LogEntry
from inspector.core.model.session import HistoryInMemory
from inspector.core.report.sentences import is_profile_assumed
from inspector.core.report.session_parts import cause_fields, evidence_fields
from inspector.core.storage.json_text import dump_json
from inspector.version import __version__

if TYPE_CHECKING:
    from inspector.core.report.shareable.model import ReportedFinding

JsonChunks: TypeAlias = Iterable[bytes | bytearray]
JSON_HEADER: dict[str, Any] = {"schema": 1, "tool": f"transcript-inspector {__version__}"}
_PIECE = 64 * 1024


def report_json(sessions: list[dict[str, Any]], **more: Any) -> bytes:
    """Return the whole report. `more` are fields next to the sessions."""
    return b"".join(report_chunks(map(SessionChunks, sessions), **more))


def report_chunks(sessions: Iterable[JsonChunks], **more: Any) -> JsonChunks:
    """Yield the report in chunks, from those of its sessions."""
    yield dump_json(JSON_HEADER | more)[:-1]
    yield b',"sessions":['
    for number, session in enumerate(sessions):
        yield from chain((b",",), session) if number else session
    yield b"]}\n"


class SessionChunks:
    """One session of the report in chunks, which can be iterated once.

    Its findings are encoded only then, some at a time: a hundred thousand of them can take twice the memory of their
    log. When it is sent to another process, the chunks themselves are sent.
    """

    def __init__(self, session: dict[str, Any]) -> None:
        self._findings: Iterable[dict[str, Any]] = session.pop("findings")
        self._session = session

    def __iter__(self) -> Iterator[bytes | bytearray]:
        yield dump_json(self._session)[:-1]
        piece = bytearray(b',"findings":[')
        for number, fields in enumerate(self._findings):
            piece += b"," + dump_json(fields) if number else dump_json(fields)
            if len(piece) >= _PIECE:
                yield piece
                piece = bytearray()
        yield piece + b"]}"

    def __reduce__(self) -> tuple[type[list[bytes | bytearray]], tuple[list[bytes | bytearray]]]:
        return list, (list(self),)


def session_entries(report: Report, evidence: Mapping[str, Evidence] | None = None) -> list[dict[str, Any]]:
    """Return the sessions of a checked log as entries. `evidence` is keyed by the id of a call's finding."""
    return [_session(report, session, evidence or {}) for session in report.sessions]


def unreadable_entry(path: str, reason: str) -> dict[str, Any]:
    """Return the entry of a log that could not be read."""
    empty = {"id": None, "format": None, "verdict": "unreadable", "reason": reason}
    counts = dict.fromkeys(("records", "messages", "calls", "results"), 0)
    unknown = {"agent": "unknown", "outcome": "unknown", "loses": []}
    return {
        "path": path,
        **empty,
        **counts,
        "findings": (),
        "on_resume": unknown,
        "checks_run": [],
        "checks_skipped": [],
    }


def _session(report: Report, session: SessionReport, evidence: Mapping[str, Evidence]) -> dict[str, Any]:
    resume = session.on_resume
    beside = report.subagents if session is report.sessions[0] else []
    return {
        "path": report.log.source.path,
        "id": session.session.id,
        "format": None if report.format.name == "unknown" else report.format.name,
        "verdict": session.verdict.word,
        "profile": session.threads[0].context.profile.name if session.threads else None,
        "profile_assumed": is_profile_assumed(session),
        "records": len(session.session.records),
        "messages": session.messages,
        "calls": session.calls,
        "results": session.results,
        "dangling": session.dangling,
        "orphans": session.orphans,
        "recorded_error": session.recorded_error or None,
        "recorded_error_kind": session.error_kind.name if session.error_kind else None,
        "state": session.session.state or None,
        "memory": _memory(session.session.memory),
        "subagents": [{"path": each.path, "label": each.label, "call_id": each.call_id or None} for each in beside],
        "findings": _findings(session.findings, evidence),
        "on_resume": {
            "agent": resume.agent,
            "outcome": resume.outcome,
            "loses": list(resume.losses),
            "answers": list(resume.answered_calls),
            "writes": resume.file_changes,
            "error": resume.error,
        },
        "checks_run": report.checks_run,
        "checks_skipped": [{"rule": rule, "why": why} for rule, why in report.checks_skipped.items()],
        **(cause_fields(session) if session.verdict.is_trouble else {"likely_cause": None, "fingerprint": None}),
    }


def _memory(memory: HistoryInMemory | None) -> dict[str, Any] | None:
    """Return what the agent has in memory, None where its log is not folded into messages."""
    if memory is None:
        return None
    notes = [{"record": record, "note": text} for record, text in memory.notes]
    return {
        "messages": memory.messages,
        "logged": memory.messages_in_log,
        "notes": notes,
        "disagreements": list(memory.disagreements),
    }


def _findings(findings: Iterable[Finding], evidence: Mapping[str, Evidence]) -> Iterator[dict[str, Any]]:
    for finding in findings:
        fields = finding_fields(finding)
        if finding.id in evidence:
            fields["evidence"] = evidence_fields(evidence[finding.id])
        yield fields


def finding_fields(finding: Finding) -> dict[str, Any]:
    """Return the fields of a finding of a log."""
    return common_finding_fields(finding, finding.message, cost_labels(finding.strategies, finding.rule))


def common_finding_fields(finding: Finding | ReportedFinding, message: str, costs: dict[str, str]) -> dict[str, Any]:
    """Return the fields of a finding of a log or of a shareable report. `costs` are by strategy name."""
    place = finding.place
    return {
        "id": finding.id,
        "rule": finding.rule,
        "slug": finding.slug,
        "severity": finding.severity.word,
        "message": message,
        "record": place.record,
        "member": place.member,
        "line": place.line,
        "bytes": place.bytes,
        "pointer": place.pointer,
        "index": place.index,
        "document_pointer": place.document,
        "call_id": finding.call_id,
        "tool": finding.tool,
        "refused_by": finding.refused_by,
        "strategies": finding.strategies,
        "default": finding.default,
        "costs": costs,
    }


# The logs of a machine or a folder as JSON.


def log_list_json(logs: Iterable[LogEntry]) -> bytes:
    """Return a list of logs as JSON."""
    rows = [
        {
            "path": entry.path,
            "format": entry.format,
            "agent": entry.agent,
            "project": entry.project or None,
            "title": entry.title or None,
            "modified": datetime.fromtimestamp(entry.modified, UTC).isoformat(timespec="seconds"),
            "size": entry.size,
        }
        for entry in logs
    ]
    return encode_document({"logs": rows})


def encode_document(fields: dict[str, Any]) -> bytes:
    """Return a whole report with these fields, on one line."""
    return dump_json(JSON_HEADER | fields) + b"\n"
