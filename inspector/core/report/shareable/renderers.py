"""Shareable reports as JSON, text, HTML and Markdown. RENDERERS is the table of all formats.

JSON has the fields of `check --format json`, schema 1; a field that would hold content is null. The HTML page fetches
nothing and runs nothing, and its quotes are plain text.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from html import escape

from msgspec import UNSET

from inspector.core.report import json
from inspector.core.report.session_parts import AcceptanceEntry, CauseEntry, EvidenceEntry, EvidenceItemEntry
from inspector.core.report.shareable import ci_formats, sentences
from inspector.core.report.shareable.model import ReportedFinding, ReportedLog, ReportedSession, ShareableReport
from inspector.core.report.shareable.tickets import ReportSection, report_sections
from inspector.core.translation import Translator

_STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h2 { border-top: 1px solid #8886; padding-top: 1rem; margin-bottom: .25rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; margin: .5rem 0; }
dt { opacity: .7; } dd { margin: 0; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #8884; }
td:nth-child(-n+2) { white-space: nowrap; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #8881; padding: .5rem; margin: .3rem 0 0; }
.error, .broken, .unreadable { color: #b3261e; } .warning, .unexplained { color: #8a5a00; }
@media (prefers-color-scheme: dark) {
  .error, .broken, .unreadable { color: #ff8a80; } .warning, .unexplained { color: #ffca63; }
}
"""


_URL = re.compile(r"https://[^\s()<>]+")
_MARKS = re.compile(r"[\\`*_\[\]<>#|~&]")


def render_json(report: ShareableReport, words: Translator) -> bytes:
    """Return the whole report as JSON."""
    document = json.ContentFreeDocument(
        not_logs=[json.OtherFiles(None, report.other_files)],
        not_read=report.unread,
        same_bytes=report.duplicates,
        redaction_limits=sentences.redaction_limits(report, words) or UNSET,
    )
    sessions = (session for log in report.logs for session in _session_chunks(log, words))
    return json.whole_report(document, sessions)


def _session_chunks(log: ReportedLog, words: Translator) -> Iterator[json.JsonChunks]:
    if not log.sessions:
        yield json.unreadable_session(json.SessionEntry, log.title, words(log.reason), log.verdict)
    for session in log.sessions:
        yield json.ChunkedSessionEntry(
            _session(log, session, words), (_finding(finding, words) for finding in session.findings)
        )


def _session(log: ReportedLog, session: ReportedSession, words: Translator) -> json.SessionEntry:
    cause = session.cause
    return json.SessionEntry(
        path=log.title,
        id=session.id,
        format=log.format or None,
        verdict=session.verdict,
        profile=session.profile or None,
        profile_assumed=session.assumed,
        records=session.records,
        messages=session.messages,
        calls=session.calls,
        results=session.results,
        dangling=session.dangling,
        orphans=session.orphans,
        recorded_error=session.error or None,
        recorded_error_kind=session.error_kind or None,
        context=None,
        state=None,
        memory=session.in_memory and json.HistoryInMemoryEntry(*session.in_memory),
        subagents=[json.SubagentEntry(None, None, None)] * session.subagents,
        on_resume=json.ResumeEntry(
            f"{log.agent} {log.version}".strip() or "unknown",
            session.outcome, ["…"] * session.loses, ["…"] * session.answers, "", "",
        ),
        checks_run=log.checks_run,
        checks_skipped=json.skipped_checks(log.checks_skipped),
        has_recorded_error=session.has_error,
        size=log.size,
        read_from=words(log.read_from) or UNSET,
        begins=session.begins or None,
        ends=session.ends or None,
        likely_cause=CauseEntry(
            cause.id, words(cause.happened), words(cause.advice, version=cause.upgrade_to), cause.upgrade_to or None,
            cause.url,
        ) if cause else None,
        fingerprint=session.fingerprint or None,
        accepted_by={
            name: AcceptanceEntry(
                accepts=each.accepts, rule=each.rule or None, refusals=each.refusals, not_run=each.not_run
            )
            for name, each in session.accepted_by.items()
        } or UNSET,
    )  # fmt: skip


def _finding(finding: ReportedFinding, words: Translator) -> json.FindingEntry:
    traces = [EvidenceItemEntry(each.record, each.line, each.weight) for each in finding.traces]
    entry = json.finding_entry(finding, finding.says or words(finding.title), finding.costs)
    entry.evidence = EvidenceEntry(finding.ran, traces, finding.effect) if finding.ran else UNSET
    entry.excerpt = finding.excerpt or UNSET
    return entry


def render_text(report: ShareableReport, words: Translator) -> bytes:
    """Return the whole report as text, for a terminal or a mail. Of many logs, the worst come first."""
    sections = report_sections(report.logs)
    is_one = len(report.logs) == 1
    lines = [line for section in sections for log in section.logs for line in _text_log(log, words, is_one)]
    if len(report.logs) != 1 or report.other_files or report.unread or report.duplicates:
        lines += [sentences.verdict_counts_sentence(report, words), *sentences.cause_group_lines(report, words)]
    lines += filter(None, [sentences.redaction_limits(report, words)])
    return "".join(f"{line}\n" for line in lines).encode()


def _text_log(log: ReportedLog, words: Translator, is_only: bool) -> Iterator[str]:
    yield f"{log.title}: {sentences.verdict_sentence(log.verdict, words)}"
    if not is_only and log.verdict == "healthy" and not any(session.findings for session in log.sessions):
        return
    yield from (f"  {label}: {value}" for label, value in sentences.log_facts(log, words))
    for session in sentences.sessions_to_show(log):
        if len(log.sessions) > 1:
            verdict = sentences.verdict_sentence(session.verdict, words)
            yield f"  {sentences.session_label(session, words)}: {verdict}"
        yield from (f"  {label}: {value}" for label, value in sentences.session_facts(session, words))
        yield from (f"    > {line}" for line in session.error.splitlines())
        for each in sentences.findings_to_show(session):
            place, said = sentences.place_text(each.place, words), sentences.finding_sentence(each, words)
            yield f"    {words(each.severity.word):7} {place}: {said} [{each.rule} {each.slug}]"
            yield from (f"            {line}" for line in each.excerpt_text.splitlines())
        if rest := sentences.omitted_findings_sentence(session, words):
            yield f"    {rest}"


def _split(report: ShareableReport) -> tuple[list[ReportSection], list[ReportSection]]:
    """Return the sections to show and those to fold: the tickets of many whose logs are all healthy."""
    sections = report_sections(report.logs)
    if len(report.logs) == 1:
        return sections, []
    fine = [section for section in sections if section.logs[0].verdict == "healthy"]
    return sections[: len(sections) - len(fine)], fine


def _troubled(sections: list[ReportSection]) -> Iterator[ReportedLog]:
    """Yield the logs that the overview lists."""
    return (log for section in sections for log in section.logs if log.verdict != "healthy")


def render_html(report: ShareableReport, words: Translator) -> bytes:
    """Return the whole report as one HTML page: an overview, the worst tickets first, and the healthy ones folded."""
    shown, fine = _split(report)
    anchors = {id(log): f"log-{number}" for number, log in enumerate(report.logs, 1)}
    body = "".join(line for section in shown for line in _html_section(section, anchors, words))
    if fine:
        folded = "".join(line for section in fine for line in _html_section(section, anchors, words))
        count = escape(sentences.healthy_count_sentence(len(fine), words))
        body += f"<details>\n<summary>{count}</summary>\n{folded}</details>\n"
    groups = "".join(f"<p>{escape(group)}</p>\n" for group in sentences.cause_group_lines(report, words))
    limit = escape(sentences.redaction_limits(report, words))
    limits = f"<p>{limit}</p>\n" if limit else ""
    overview = _html_overview(shown, anchors, words) if len(report.logs) > 1 else ""
    title = escape(sentences.report_title(words))
    return (
        f'<!doctype html>\n<html lang="{words.language}">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        f"<p>{escape(sentences.verdict_counts_sentence(report, words))}</p>\n{limits}{overview}{groups}{body}"
        "</body>\n</html>\n"
    ).encode()


def _html_overview(sections: list[ReportSection], anchors: dict[int, str], words: Translator) -> str:
    heads = "".join(f"<th>{escape(head)}</th>" for head in sentences.overview_heads(words))
    rows = ""
    for log in _troubled(sections):
        title, verdict, problem = map(escape, sentences.overview_cells(log, words))
        rows += (
            f'<tr><td><a href="#{anchors[id(log)]}">{title}</a></td><td class="{log.verdict}">{verdict}</td>'
            f"<td>{problem}</td></tr>\n"
        )
    return f"<table>\n<tr>{heads}</tr>\n{rows}</table>\n" if rows else ""


def _html_section(section: ReportSection, anchors: dict[int, str], words: Translator) -> Iterator[str]:
    if section.ticket:
        yield f"<h2>{escape(section.ticket)}</h2>\n"
    for log in section.logs:
        yield from _html_log(log, anchors[id(log)], 3 if section.ticket else 2, words)


def _html_log(log: ReportedLog, anchor: str, level: int, words: Translator) -> Iterator[str]:
    verdict = escape(sentences.verdict_sentence(log.verdict, words))
    yield f'<h{level} id="{anchor}">{escape(log.title)}: <span class="{log.verdict}">{verdict}</span></h{level}>\n'
    yield _facts(sentences.log_facts(log, words))
    for session in sentences.sessions_to_show(log):
        if len(log.sessions) > 1:
            said = escape(sentences.verdict_sentence(session.verdict, words))
            yield f"<h{level + 1}>{escape(sentences.session_label(session, words))}: {said}</h{level + 1}>\n"
        yield _facts(sentences.session_facts(session, words))
        yield _blockquote(session.error)
        if session.findings:
            heads = "".join(f"<th>{escape(words(each))}</th>" for each in ("severity", "place", "finding", "rule"))
            rows = "".join(_row(each, words) for each in sentences.findings_to_show(session))
            yield f"<table>\n<tr>{heads}</tr>\n{rows}</table>\n"
        if rest := sentences.omitted_findings_sentence(session, words):
            yield f"<p>{escape(rest)}</p>\n"


def _facts(facts: Iterable[tuple[str, str]]) -> str:
    told = "".join(f"<dt>{escape(label)}</dt><dd>{_linked(escape(value))}</dd>" for label, value in facts)
    return f"<dl>{told}</dl>\n" if told else ""


def _linked(text: str) -> str:
    """Return escaped text with its URLs as links. The URLs in facts are those of our tables."""
    return _URL.sub(r'<a href="\g<0>">\g<0></a>', text)


def _row(finding: ReportedFinding, words: Translator) -> str:
    return (
        f'<tr><td class="{finding.severity.word}">{escape(words(finding.severity.word))}</td>'
        f"<td>{escape(sentences.place_text(finding.place, words))}</td>"
        f"<td>{escape(sentences.finding_sentence(finding, words))}{_blockquote(finding.excerpt_text)}</td>"
        f"<td>{finding.rule} {finding.slug}</td></tr>\n"
    )


def _blockquote(text: str) -> str:
    return f"<pre>{escape(text)}</pre>" if text else ""


def render_markdown(report: ShareableReport, words: Translator) -> bytes:
    """Return the whole report as Markdown, for a ticket: as the HTML page."""
    shown, fine = _split(report)
    lines = [f"# {sentences.report_title(words)}", "", _plain(sentences.verdict_counts_sentence(report, words))]
    if limit := sentences.redaction_limits(report, words):
        lines.append(f"\n{_plain(limit)}")
    if len(report.logs) > 1 and shown:
        heads = sentences.overview_heads(words)
        lines += ["", f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
        rows = (sentences.overview_cells(log, words) for log in _troubled(shown))
        lines += (f"| {' | '.join(map(_plain, cells))} |" for cells in rows)
    lines += (f"\n* {_plain(group)}" for group in sentences.cause_group_lines(report, words))
    for section in shown:
        lines += _markdown_section(section, words)
    if fine:
        count = escape(sentences.healthy_count_sentence(len(fine), words))
        lines += ["", "<details>", f"<summary>{count}</summary>"]
        for section in fine:
            lines += _markdown_section(section, words)
        lines += ["", "</details>"]
    return "".join(f"{line}\n" for line in lines).encode()


def _markdown_section(section: ReportSection, words: Translator) -> Iterator[str]:
    if section.ticket:
        yield f"\n## {_plain(section.ticket)}"
    for log in section.logs:
        yield from _markdown_log(log, "###" if section.ticket else "##", words)


def _markdown_log(log: ReportedLog, mark: str, words: Translator) -> Iterator[str]:
    yield f"\n{mark} {_plain(log.title)}: {_plain(sentences.verdict_sentence(log.verdict, words))}\n"
    yield from _list(sentences.log_facts(log, words))
    for session in sentences.sessions_to_show(log):
        if len(log.sessions) > 1:
            verdict = _plain(sentences.verdict_sentence(session.verdict, words))
            yield f"\n{mark}# {sentences.session_label(session, words)}: {verdict}\n"
        yield from _list(sentences.session_facts(session, words))
        yield from _quoted_lines(session.error)
        if session.findings:
            yield f"\n| {words('severity')} | {words('place')} | {words('finding')} | {words('rule')} |"
            yield "| --- | --- | --- | --- |"
        for each in sentences.findings_to_show(session):
            cells = (
                words(each.severity.word),
                sentences.place_text(each.place, words),
                sentences.finding_sentence(each, words),
            )
            yield f"| {' | '.join(map(_plain, cells))} | {each.rule} {each.slug} |"
        if rest := sentences.omitted_findings_sentence(session, words):
            yield f"\n{rest}"
        for each in sentences.findings_to_show(session):
            if each.excerpt_text:
                yield f"\n{each.rule}, {sentences.place_text(each.place, words)}:"
                yield from _quoted_lines(each.excerpt_text)


def _list(facts: Iterator[tuple[str, str]]) -> Iterator[str]:
    return (f"* {_plain(label)}: {_with_links(' '.join(value.split()))}" for label, value in facts)


def _with_links(text: str) -> str:
    """Return text as Markdown with its URLs as links, see `_linked`."""
    parts = re.split(f"({_URL.pattern})", text)
    return "".join(f"<{part}>" if at % 2 else _plain(part) for at, part in enumerate(parts))


def _quoted_lines(text: str) -> Iterator[str]:
    """Yield a text in a fence, in which nothing is a mark, a link or a mention."""
    if text:
        fence = "`" * (3 + max(map(len, re.findall("`+", text)), default=0))
        yield f"\n{fence}text\n{text}\n{fence}"


def _plain(text: str) -> str:
    """Escape the characters that Markdown would read as marks."""
    return _MARKS.sub(r"\\\g<0>", text)


RENDERERS: dict[str, Callable[[ShareableReport, Translator], bytes]] = {
    "text": render_text,
    "json": render_json,
    "markdown": render_markdown,
    "html": render_html,
    "sarif": ci_formats.render_sarif,
    "junit": ci_formats.render_junit,
    "github": ci_formats.render_github,
}
