"""Shareable reports for CI: SARIF, JUnit XML, and workflow commands of GitHub Actions.

SARIF 2.1.0 (OASIS standard, 2020): a run, a rule for each class, a result for each finding. JUnit XML: a suite for each
log, a case for each session; an error of the history is a failure. GitHub Actions shows each workflow command as an
annotation.

Source of the workflow commands: docs.github.com, "Workflow commands for GitHub Actions"; the escapes are those of
actions/toolkit, command.ts.
"""

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any
from urllib.parse import quote
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from inspector.core.analysis.finding import Severity
from inspector.core.report.sentences import rule_title
from inspector.core.report.shareable import sentences
from inspector.core.report.shareable.model import ReportedFinding, ReportedLog, ReportedSession, ShareableReport
from inspector.core.rules import RULES
from inspector.core.storage.json_text import pretty_json
from inspector.core.translation import Translator
from inspector.version import __version__

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = _DATA | str.maketrans({":": "%3A", ",": "%2C"})

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def render_github(report: ShareableReport, words: Translator) -> bytes:
    """Return the whole report as workflow commands, one on each line."""
    lines = [line for log in report.logs for line in _log(log, words)]
    told = [sentences.verdict_counts_sentence(report, words), *sentences.cause_group_lines(report, words)]
    summary = "\n".join(filter(None, [*told, sentences.redaction_limits(report, words)]))
    lines.append(_command("notice", sentences.report_title(words), summary))
    return "".join(f"{line}\n" for line in lines).encode()


def _log(log: ReportedLog, words: Translator) -> Iterator[str]:
    if log.reason:
        yield _command("error", f"{log.title}: {words(log.verdict)}", words(log.reason), log)
    for session in log.sessions:
        if session.verdict == "unexplained":
            unexplained = sentences.verdict_sentence("unexplained", words)
            yield _command("error", f"{log.title}: {words('unexplained')}", unexplained, log)
        if session.cause is not None:
            told = (words(session.cause.happened), words(session.cause.advice, version=session.cause.upgrade_to))
            yield _command("notice", f"{log.title}: {words('Likely cause')}", " ".join(told), log)
        for each in sentences.findings_to_show(session):
            place, sentence = sentences.place_text(each.place, words), sentences.finding_sentence(each, words)
            said = f"{log.title}, {place}: {sentence}\n{each.excerpt_text}"
            yield _command(_COMMANDS[each.severity], f"{each.rule} {each.slug}", said.rstrip(), log, each)
        if rest := sentences.omitted_findings_sentence(session, words):
            yield _command("notice", log.title, rest, log)


def _command(
    name: str, title: str, text: str, log: ReportedLog | None = None, finding: ReportedFinding | None = None
) -> str:
    """Return a workflow command. If the path of the log is shown, GitHub shows it at that file and line."""
    properties = {"title": title}
    if log is not None and log.path:
        properties["file"] = log.path
        if finding is not None and finding.place.line and finding.place.member is None:
            properties["line"] = str(finding.place.line)
    listed = ",".join(f"{key}={value.translate(_PROPERTY)}" for key, value in properties.items())
    return f"::{name} {listed}::{text.translate(_DATA)}"


def render_junit(report: ShareableReport, words: Translator) -> bytes:
    """Return the whole report as JUnit XML."""
    suites = Element("testsuites", name="transcript-inspector")
    for log in report.logs:
        suite = SubElement(suites, "testsuite", name=log.title)
        for session in log.sessions:
            _case(suite, log, session, words)
        if not log.sessions:
            case = SubElement(suite, "testcase", classname=log.title, name=words("the log"), time="0")
            SubElement(case, "error", type=log.verdict, message=words(log.reason))
        _count(suite)
    _count(suites)
    indent(suites)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + tostring(suites) + b"\n"


def _case(suite: Element, log: ReportedLog, session: ReportedSession, words: Translator) -> None:
    name = sentences.session_label(session, words)
    case = SubElement(suite, "testcase", classname=f"{log.title}.{log.format or 'unknown'}", name=name, time="0")
    errors = [finding for finding in session.findings if finding.severity == Severity.ERROR]
    if session.verdict == "not-judged":
        SubElement(case, "skipped", message=sentences.verdict_sentence(session.verdict, words))
    elif errors or session.verdict == "unexplained":
        failed = SubElement(
            case,
            "failure",
            type=session.verdict,
            message=sentences.verdict_sentence(session.verdict, words),
        )
        failed.text = "\n".join(_lines(session, words))
    else:
        SubElement(case, "system-out").text = "\n".join(
            [sentences.verdict_sentence(session.verdict, words), *_lines(session, words)]
        )


def _lines(session: ReportedSession, words: Translator) -> list[str]:
    head = [f"{label}: {value}" for label, value in sentences.session_facts(session, words)]
    return [*head, *(_finding(each, words) for each in session.findings)]


def _finding(found: ReportedFinding, words: Translator) -> str:
    said = f"{sentences.place_text(found.place, words)}: {sentences.finding_sentence(found, words)} [{found.rule}]"
    return f"{said}\n{found.excerpt_text}".rstrip()


def _count(element: Element) -> None:
    """Set the numbers of cases, failures, errors and skipped cases below an element."""
    cases = list(element.iter("testcase"))
    element.set("tests", str(len(cases)))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(attribute, str(sum(case.find(tag) is not None for case in cases)))


def render_sarif(report: ShareableReport, words: Translator) -> bytes:
    """Return the whole report as SARIF."""
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
                    {"level": "error", "message": {"text": f"{log.title}: {words(log.reason)}"}} for log in refused
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


def _uri(log: ReportedLog) -> str:
    """Return the URI of a log: relative to the current folder for a log below it, else absolute."""
    path = PurePath(log.title)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def _artifact(log: ReportedLog, words: Translator) -> dict[str, Any]:
    said = {
        "location": {"uri": _uri(log)},
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
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(log), "index": at}}
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
