"""An outward report in the fields of `check --format json`, schema 1: what would tell content is null."""

from typing import Any

from inspector.core.reports import json
from inspector.core.reports.outward.model import ReportedFinding, ReportedLog, ReportedSession, ShareableReport
from inspector.core.reports.outward.wording import Translator


def render_json(report: ShareableReport, words: Translator) -> bytes:
    """The whole report."""
    entries = [entry for log in report.logs for entry in _entries(log, words)]
    more = {"content_free": True, "not_logs": [{"path": None, "files": report.other_files}]}
    return json.report_json(entries, **more, not_read=report.unread, same_bytes=report.duplicates)


def _entries(log: ReportedLog, words: Translator) -> list[dict[str, Any]]:
    if not log.sessions:
        return [json.unreadable_entry(log.name, words(log.reason)) | {"verdict": log.verdict}]
    return [_session(log, session, words) for session in log.sessions]


def _session(log: ReportedLog, session: ReportedSession, words: Translator) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "path": log.name,
        "id": session.id,
        "format": log.format or None,
        "verdict": session.verdict,
        "profile": session.profile or None,
        "profile_assumed": session.assumed,
        "records": session.records,
        "messages": session.messages,
        "calls": session.calls,
        "results": session.results,
        "dangling": session.dangling,
        "orphans": session.orphans,
        "recorded_error": session.error or None,
        "recorded_error_kind": session.error_kind or None,
        "state": None,
        "memory": _memory(session.in_memory),
        "subagents": [{"path": None, "label": None, "call_id": None}] * session.subagents,
        "findings": (_finding(finding, words) for finding in session.findings),
        "on_resume": {
            "agent": f"{log.agent} {log.version}".strip() or "unknown",
            "outcome": session.outcome,
            "loses": ["…"] * session.loses,
            "answers": ["…"] * session.answers,
            "writes": "",
            "error": "",
        },
        "checks_run": log.checks_run,
        "checks_skipped": [{"rule": rule, "why": why} for rule, why in log.checks_skipped.items()],
        "has_recorded_error": session.has_error,
        "size": log.size,
        "begins": session.begins or None,
        "ends": session.ends or None,
    }
    cause = session.cause
    fields["likely_cause"] = cause and {
        "id": cause.id,
        "happened": words(cause.happened),
        "advice": words(cause.advice, version=cause.upgrade_to),
        "upgrade_to": cause.upgrade_to or None,
        "source": cause.url,
    }
    fields["fingerprint"] = session.fingerprint or None
    if session.accepted_by:
        fields["accepted_by"] = {
            name: {
                "accepts": answer.accepts,
                "rule": answer.rule or None,
                "error": None,
                "message": None,
                "place": None,
                "refusals": answer.refusals,
                "not_run": answer.not_run,
            }
            for name, answer in session.accepted_by.items()
        }
    return fields


def _memory(messages: tuple[int, int] | None) -> dict[str, Any] | None:
    if messages is None:
        return None
    return {"messages": messages[0], "logged": messages[1], "notes": [], "disagreements": []}


def _finding(finding: ReportedFinding, words: Translator) -> dict[str, Any]:
    fields = json.common_finding_fields(finding, finding.says or words(finding.title), finding.costs)
    if finding.ran:
        traces = [
            {"record": each.record, "line": each.line, "weight": each.weight, "sentence": None}
            for each in finding.traces
        ]
        known = {"verdict": finding.ran, "traces": traces, "effect": finding.effect, "command": None, "folder": None}
        fields["evidence"] = known
    return fields | ({"excerpt": finding.excerpt} if finding.excerpt else {})
