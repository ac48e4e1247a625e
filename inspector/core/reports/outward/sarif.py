"""An outward report as SARIF 2.1.0 (OASIS standard, 2020): a run, a rule for each class, a result for each finding."""

from typing import Any

from inspector.core.bytes.json_text import pretty_json
from inspector.core.reports.outward import sentences
from inspector.core.reports.outward.model import ReportedFinding, ReportedLog, ReportedSession, ShareableReport
from inspector.core.reports.outward.wording import Translator
from inspector.core.reports.words import rule_title
from inspector.core.rules import RULES
from inspector.core.scene.finding import Severity
from inspector.version import __version__

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def render_sarif(report: ShareableReport, words: Translator) -> bytes:
    """The whole report."""
    refused = [log for log in report.logs if log.reason]
    named = {finding.rule for log in report.logs for session in log.sessions for finding in session.findings}
    found = {code: rule for code, rule in RULES.items() if code in named}
    numbers = {code: number for number, code in enumerate(found)}
    driver = {
        "name": "transcript-inspector",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [
            {"id": code, "name": rule.slug, "shortDescription": {"text": words(rule_title(code))}}
            for code, rule in found.items()
        ],
    }
    run = {
        "tool": {"driver": driver},
        "language": words.language,
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": not refused,
                "toolExecutionNotifications": [
                    {"level": "error", "message": {"text": f"{log.name}: {words(log.reason)}"}} for log in refused
                ],
            }
        ],
        "artifacts": [_artifact(log, words) for log in report.logs],
        "results": [
            _result(at, log, session, finding, words) | {"ruleIndex": numbers[finding.rule]}
            for at, log in enumerate(report.logs)
            for session in log.sessions
            for finding in session.findings
        ],
    }
    return f"{pretty_json({'$schema': _SCHEMA, 'version': '2.1.0', 'runs': [run]})}\n".encode()


def _artifact(log: ReportedLog, words: Translator) -> dict[str, Any]:
    said = {
        "location": {"uri": log.name},
        "description": {"text": sentences.verdict_sentence(log.verdict, words)},
        "properties": {"verdict": log.verdict, "format": log.format, "agentVersion": log.version},
    }
    return said | ({"length": log.size} if log.size else {})


def _result(
    at: int, log: ReportedLog, session: ReportedSession, finding: ReportedFinding, words: Translator
) -> dict[str, Any]:
    place = finding.place
    region: dict[str, Any] = {"startLine": place.line} if place.line else {}
    if place.bytes:
        region |= {"byteOffset": place.bytes[0], "byteLength": place.bytes[1] - place.bytes[0]}
    physical: dict[str, Any] = {"artifactLocation": {"uri": log.name, "index": at}}
    text = f"{sentences.finding_sentence(finding, words)}\n{finding.excerpt_text}".rstrip()
    return {
        "ruleId": finding.rule,
        "level": _LEVELS[finding.severity],
        "message": {"text": text},
        "locations": [
            {
                "physicalLocation": physical | ({"region": region} if region else {}),
                "message": {"text": sentences.place_text(place, words)},
            }
        ],
        "partialFingerprints": {"finding/v1": finding.id, "cause/v1": session.fingerprint or "none"},
        "properties": {"likelyCause": words(session.cause.happened)} if session.cause else {},
    }
