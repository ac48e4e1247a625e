"""An outward report as workflow commands of GitHub Actions, which shows each as an annotation.

Source: docs.github.com, "Workflow commands for GitHub Actions"; the escapes are those of actions/toolkit, command.ts.
"""

from collections.abc import Iterator, Mapping

from inspector.core.reports.outward import sentences
from inspector.core.reports.outward.model import Told, ToldLog
from inspector.core.reports.outward.wording import Wording
from inspector.core.scene.finding import Severity

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = _DATA | {":": "%3A", ",": "%2C"}


def written(told: Told, words: Wording) -> bytes:
    """The whole report, a command a line."""
    lines = [line for log in told.logs for line in _log(log, words)]
    summary = "\n".join([sentences.counts(told, words), *sentences.groups(told, words)])
    lines.append(_command("notice", sentences.title(words), summary))
    return "".join(f"{line}\n" for line in lines).encode()


def _log(log: ToldLog, words: Wording) -> Iterator[str]:
    if log.reason:
        yield _command("error", f"{log.name}: {words(log.verdict)}", words(log.reason))
    for session in log.sessions:
        if session.verdict == "unexplained":
            yield _command("error", f"{log.name}: {words('unexplained')}", sentences.verdict("unexplained", words))
        if session.cause is not None:
            told = (words(session.cause.happened), words(session.cause.advice, version=session.cause.upgrade_to))
            yield _command("notice", f"{log.name}: {words('Likely cause')}", " ".join(told))
        for each in sentences.shown(session):
            said = f"{log.name}, {sentences.where(each.place, words)}: {sentences.finding(each, words)}\n{each.quoted}"
            yield _command(_COMMANDS[each.severity], f"{each.rule} {each.slug}", said.rstrip())
        if rest := sentences.more(session, words):
            yield _command("notice", log.name, rest)


def _command(name: str, title: str, text: str) -> str:
    return f"::{name} title={_escaped(title, _PROPERTY)}::{_escaped(text, _DATA)}"


def _escaped(text: str, escapes: Mapping[str, str]) -> str:
    return "".join(escapes.get(sign, sign) for sign in text)
