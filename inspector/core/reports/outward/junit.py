"""An outward report as JUnit XML: a suite a log, a case a session; an error of the history is a failure."""

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from inspector.core.reports.outward import sentences
from inspector.core.reports.outward.model import ReportedFinding, ReportedLog, ReportedSession, ShareableReport
from inspector.core.reports.outward.wording import Translator
from inspector.core.scene.finding import Severity


def render_junit(report: ShareableReport, words: Translator) -> bytes:
    """The whole report."""
    suites = Element("testsuites", name="transcript-inspector")
    for log in report.logs:
        suite = SubElement(suites, "testsuite", name=log.name)
        for session in log.sessions:
            _case(suite, log, session, words)
        if not log.sessions:
            case = SubElement(suite, "testcase", classname=log.name, name=words("the log"), time="0")
            SubElement(case, "error", type=log.verdict, message=words(log.reason))
        _count(suite)
    _count(suites)
    indent(suites)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + tostring(suites) + b"\n"


def _case(suite: Element, log: ReportedLog, session: ReportedSession, words: Translator) -> None:
    name = sentences.session_label(session, words)
    case = SubElement(suite, "testcase", classname=f"{log.name}.{log.format or 'unknown'}", name=name, time="0")
    errors = [finding for finding in session.findings if finding.severity == Severity.ERROR]
    if session.verdict == "not-judged":
        SubElement(case, "skipped", message=sentences.verdict_sentence(session.verdict, words))
    elif errors or session.verdict == "unexplained":
        failed = SubElement(
            case, "failure", type=session.verdict, message=sentences.verdict_sentence(session.verdict, words)
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
    """How many cases there are below an element, and what they came to."""
    cases = list(element.iter("testcase"))
    element.set("tests", str(len(cases)))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(attribute, str(sum(case.find(tag) is not None for case in cases)))
