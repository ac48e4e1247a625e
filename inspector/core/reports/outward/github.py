"""An outward report as workflow commands of GitHub Actions, which shows each as an annotation.

Source: docs.github.com, "Workflow commands for GitHub Actions"; the escapes are those of actions/toolkit, command.ts.
"""

from collections.abc import Iterator, Mapping

from inspector.core.reports.outward import sentences
from inspector.core.reports.outward.model import ReportedLog, ShareableReport
from inspector.core.reports.outward.wording import Translator
from inspector.core.scene.finding import Severity

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = _DATA | {":": "%3A", ",": "%2C"}


def render_github(report: ShareableReport, words: Translator) -> bytes:
    """The whole report, a command a line."""
    lines = [line for log in report.logs for line in _log(log, words)]
    summary = "\n".join([sentences.count_sentence(report, words), *sentences.group_lines(report, words)])
    lines.append(_command("notice", sentences.report_title(words), summary))
    return "".join(f"{line}\n" for line in lines).encode()


def _log(log: ReportedLog, words: Translator) -> Iterator[str]:
    if log.reason:
        yield _command("error", f"{log.name}: {words(log.verdict)}", words(log.reason))
    for session in log.sessions:
        if session.verdict == "unexplained":
            yield _command(
                "error", f"{log.name}: {words('unexplained')}", sentences.verdict_sentence("unexplained", words)
            )
        if session.cause is not None:
            told = (words(session.cause.happened), words(session.cause.advice, version=session.cause.upgrade_to))
            yield _command("notice", f"{log.name}: {words('Likely cause')}", " ".join(told))
        for each in sentences.visible_findings(session):
            place, sentence = sentences.place_text(each.place, words), sentences.finding_sentence(each, words)
            said = f"{log.name}, {place}: {sentence}\n{each.excerpt_text}"
            yield _command(_COMMANDS[each.severity], f"{each.rule} {each.slug}", said.rstrip())
        if rest := sentences.omitted_findings_sentence(session, words):
            yield _command("notice", log.name, rest)


def _command(name: str, title: str, text: str) -> str:
    return f"::{name} title={_escaped(title, _PROPERTY)}::{_escaped(text, _DATA)}"


def _escaped(text: str, escapes: Mapping[str, str]) -> str:
    return "".join(escapes.get(sign, sign) for sign in text)
