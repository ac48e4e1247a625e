"""The report as JSON, schema 1: fields may be added, never changed."""

from __future__ import annotations

from typing import Any

import msgspec
import orjson

import inspector
from inspector.core.check import Report, SessionReport
from inspector.core.finding import Finding
from inspector.core.repair.edit_list import edits_of
from inspector.core.repair.plan import Plan

SCHEMA = 1


def envelope(sessions: list[dict[str, Any]], **more: Any) -> bytes:
    """The whole report; `more` are fields beside the sessions."""
    return orjson.dumps(
        {"schema": SCHEMA, "tool": f"transcript-inspector {inspector.__version__}", "sessions": sessions, **more},
        option=orjson.OPT_APPEND_NEWLINE,
    )


def sessions_of(report: Report) -> list[dict[str, Any]]:
    """The sessions of a checked log."""
    return [_session(report, session) for session in report.sessions]


def unreadable(path: str, reason: str) -> dict[str, Any]:
    """The entry of a log that could not be read."""
    empty = {"id": None, "format": None, "verdict": "unreadable", "reason": reason}
    counts = dict.fromkeys(("records", "messages", "calls", "results"), 0)
    unknown = {"agent": "unknown", "outcome": "unknown", "loses": []}
    return {"path": path, **empty, **counts, "findings": [], "on_resume": unknown, "checks_run": [], "checks_skipped": []}


def _session(report: Report, session: SessionReport) -> dict[str, Any]:
    resume = session.on_resume
    return {
        "path": report.log.source.path,
        "id": session.session.id,
        "format": None if report.format.name == "unknown" else report.format.name,
        "verdict": session.verdict.word,
        "profile": session.threads[0].scene.profile.name if session.threads else None,
        "records": len(session.session.members),
        "messages": session.messages,
        "calls": session.calls,
        "results": session.results,
        "recorded_error": session.recorded_error or None,
        "findings": [finding_fields(finding) for finding in session.findings],
        "on_resume": {"agent": resume.agent, "outcome": resume.outcome, "loses": list(resume.loses)},
        "checks_run": report.checks_run,
        "checks_skipped": [{"rule": rule, "why": why} for rule, why in report.checks_skipped.items()],
    }


def finding_fields(finding: Finding) -> dict[str, Any]:
    place = finding.place
    return {
        "id": finding.id,
        "rule": finding.rule,
        "slug": finding.slug,
        "severity": finding.severity.word,
        "message": finding.message,
        "record": place.record,
        "line": place.line,
        "bytes": place.bytes,
        "pointer": place.pointer,
        "call_id": finding.call_id,
        "tool": finding.tool,
        "refused_by": finding.refused_by,
        "strategies": finding.strategies,
        "default": finding.default,
    }


def repaired(report: Report, plan: Plan) -> list[dict[str, Any]]:
    """The sessions of a checked log with what a repair does to each."""
    found = sessions_of(report)
    for entry in found:
        entry["edits"], entry["losses"] = [], []
        entry["verified"] = {name: refusal is None for name, refusal in plan.refusals.items()}
        entry["refusals"] = {name: refusal for name, refusal in plan.refusals.items() if refusal is not None}
        entry["chosen"] = {}
    number_of = _session_of_record(report)
    for record, edit in edits_of(plan):
        found[number_of(record)]["edits"].append(msgspec.to_builtins(edit))
    for loss in plan.draft.losses:
        found[number_of(loss.record or 0)]["losses"].append(msgspec.to_builtins(loss))
    for identity, strategy in plan.chosen.items():
        found[min(int(identity.split(":")[1]), len(found) - 1)]["chosen"][identity] = strategy
    return found


def _session_of_record(report: Report) -> Any:
    """A function from a record's number to its session's."""
    ends = [session.session.members.stop for session in report.sessions]

    def number(record: int) -> int:
        return next((at for at, end in enumerate(ends) if record < end), len(ends) - 1)

    return number
