"""An outward report as Markdown, for a ticket."""

import re
from collections.abc import Iterator

from inspector.core.reports.outward import sentences
from inspector.core.reports.outward.model import Told, ToldLog
from inspector.core.reports.outward.wording import Wording

_MARKS = re.compile(r"[\\`*_\[\]<>#|~&]")


def written(told: Told, words: Wording) -> bytes:
    """The whole report."""
    lines = [f"# {sentences.title(words)}", "", _plain(sentences.counts(told, words))]
    lines += (f"\n* {_plain(group)}" for group in sentences.groups(told, words))
    for log in told.logs:
        lines += ["", f"## {log.name}: {_plain(sentences.verdict(log.verdict, words))}", *_log(log, words)]
    return "".join(f"{line}\n" for line in lines).encode()


def _log(log: ToldLog, words: Wording) -> Iterator[str]:
    yield ""
    yield from _list(sentences.log_facts(log, words))
    for session in sentences.sessions_of(log):
        if len(log.sessions) > 1:
            yield f"\n### {sentences.number(session, words)}: {_plain(sentences.verdict(session.verdict, words))}\n"
        yield from _list(sentences.session_facts(session, words))
        yield from _quoted(session.error)
        if session.findings:
            yield f"\n| {words('severity')} | {words('place')} | {words('finding')} | {words('rule')} |"
            yield "| --- | --- | --- | --- |"
        for each in sentences.shown(session):
            cells = (words(each.severity.word), sentences.where(each.place, words), sentences.finding(each, words))
            yield f"| {' | '.join(map(_plain, cells))} | {each.rule} {each.slug} |"
        if rest := sentences.more(session, words):
            yield f"\n{rest}"
        for each in sentences.shown(session):
            if each.quoted:
                yield f"\n{each.rule}, {sentences.where(each.place, words)}:"
                yield from _quoted(each.quoted)


def _list(facts: Iterator[tuple[str, str]]) -> Iterator[str]:
    return (f"* {_plain(label)}: {_plain(' '.join(value.split()))}" for label, value in facts)


def _quoted(text: str) -> Iterator[str]:
    """A text in a block in which nothing is a mark, a link or a name."""
    if text:
        fence = "`" * (3 + max(map(len, re.findall("`+", text)), default=0))
        yield f"\n{fence}text\n{text}\n{fence}"


def _plain(text: str) -> str:
    """Signs that Markdown would read as marks are spelled out."""
    return _MARKS.sub(r"\\\g<0>", text)
