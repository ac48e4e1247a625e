"""An outward report as one page of HTML: nothing is fetched, nothing in it runs, and what it quotes is text."""

from collections.abc import Iterable, Iterator
from html import escape

from inspector.core.reports.outward import sentences
from inspector.core.reports.outward.model import ReportedFinding, ReportedLog, ShareableReport
from inspector.core.reports.outward.wording import Translator

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


def render_html(report: ShareableReport, words: Translator) -> bytes:
    """The whole page."""
    body = "".join(line for log in report.logs for line in _html_log(log, words))
    groups = "".join(f"<p>{escape(group)}</p>\n" for group in sentences.group_lines(report, words))
    title = escape(sentences.report_title(words))
    return (
        f'<!doctype html>\n<html lang="{words.language}">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        f"<p>{escape(sentences.count_sentence(report, words))}</p>\n{groups}{body}</body>\n</html>\n"
    ).encode()


def _html_log(log: ReportedLog, words: Translator) -> Iterator[str]:
    verdict = escape(sentences.verdict_sentence(log.verdict, words))
    yield f'<h2>{log.name}: <span class="{log.verdict}">{verdict}</span></h2>\n'
    yield _facts(sentences.log_facts(log, words))
    for session in sentences.sessions_to_show(log):
        if len(log.sessions) > 1:
            said = escape(sentences.verdict_sentence(session.verdict, words))
            yield f"<h3>{escape(sentences.session_label(session, words))}: {said}</h3>\n"
        yield _facts(sentences.session_facts(session, words))
        yield _blockquote(session.error)
        if session.findings:
            heads = "".join(f"<th>{escape(words(each))}</th>" for each in ("severity", "place", "finding", "rule"))
            rows = "".join(_row(each, words) for each in sentences.visible_findings(session))
            yield f"<table>\n<tr>{heads}</tr>\n{rows}</table>\n"
        if rest := sentences.omitted_findings_sentence(session, words):
            yield f"<p>{escape(rest)}</p>\n"


def _facts(facts: Iterable[tuple[str, str]]) -> str:
    told = "".join(f"<dt>{escape(label)}</dt><dd>{escape(value)}</dd>" for label, value in facts)
    return f"<dl>{told}</dl>\n" if told else ""


def _row(finding: ReportedFinding, words: Translator) -> str:
    return (
        f'<tr><td class="{finding.severity.word}">{escape(words(finding.severity.word))}</td>'
        f"<td>{escape(sentences.place_text(finding.place, words))}</td>"
        f"<td>{escape(sentences.finding_sentence(finding, words))}{_blockquote(finding.excerpt_text)}</td>"
        f"<td>{finding.rule} {finding.slug}</td></tr>\n"
    )


def _blockquote(text: str) -> str:
    return f"<pre>{escape(text)}</pre>" if text else ""
