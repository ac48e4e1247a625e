"""An outward report as Markdown, for a ticket."""

import re
from collections.abc import Iterator

from inspector.core.reports.outward import sentences
from inspector.core.reports.outward.model import ReportedLog, ShareableReport
from inspector.core.reports.outward.wording import Translator

_MARKS = re.compile(r"[\\`*_\[\]<>#|~&]")


def render_markdown(report: ShareableReport, words: Translator) -> bytes:
    """The whole report."""
    lines = [f"# {sentences.report_title(words)}", "", _plain(sentences.count_sentence(report, words))]
    lines += (f"\n* {_plain(group)}" for group in sentences.group_lines(report, words))
    for log in report.logs:
        lines += [
            "",
            f"## {log.name}: {_plain(sentences.verdict_sentence(log.verdict, words))}",
            *_markdown_log(log, words),
        ]
    return "".join(f"{line}\n" for line in lines).encode()


def _markdown_log(log: ReportedLog, words: Translator) -> Iterator[str]:
    yield ""
    yield from _list(sentences.log_facts(log, words))
    for session in sentences.sessions_to_show(log):
        if len(log.sessions) > 1:
            verdict = _plain(sentences.verdict_sentence(session.verdict, words))
            yield f"\n### {sentences.session_label(session, words)}: {verdict}\n"
        yield from _list(sentences.session_facts(session, words))
        yield from _quoted_lines(session.error)
        if session.findings:
            yield f"\n| {words('severity')} | {words('place')} | {words('finding')} | {words('rule')} |"
            yield "| --- | --- | --- | --- |"
        for each in sentences.visible_findings(session):
            cells = (
                words(each.severity.word),
                sentences.place_text(each.place, words),
                sentences.finding_sentence(each, words),
            )
            yield f"| {' | '.join(map(_plain, cells))} | {each.rule} {each.slug} |"
        if rest := sentences.omitted_findings_sentence(session, words):
            yield f"\n{rest}"
        for each in sentences.visible_findings(session):
            if each.excerpt_text:
                yield f"\n{each.rule}, {sentences.place_text(each.place, words)}:"
                yield from _quoted_lines(each.excerpt_text)


def _list(facts: Iterator[tuple[str, str]]) -> Iterator[str]:
    return (f"* {_plain(label)}: {_plain(' '.join(value.split()))}" for label, value in facts)


def _quoted_lines(text: str) -> Iterator[str]:
    """A text in a block in which nothing is a mark, a link or a name."""
    if text:
        fence = "`" * (3 + max(map(len, re.findall("`+", text)), default=0))
        yield f"\n{fence}text\n{text}\n{fence}"


def _plain(text: str) -> str:
    """Signs that Markdown would read as marks are spelled out."""
    return _MARKS.sub(r"\\\g<0>", text)
