"""An outward report as text, for a terminal or a mail."""

from collections.abc import Iterator

from inspector.core.reports.outward import sentences
from inspector.core.reports.outward.model import ReportedLog, ShareableReport
from inspector.core.reports.outward.wording import Translator


def render_text(report: ShareableReport, words: Translator) -> bytes:
    """The whole report."""
    lines = [line for log in report.logs for line in _text_log(log, words)]
    if len(report.logs) != 1 or report.other_files or report.unread or report.duplicates:
        lines += [sentences.count_sentence(report, words), *sentences.group_lines(report, words)]
    return "".join(f"{line}\n" for line in lines).encode()


def _text_log(log: ReportedLog, words: Translator) -> Iterator[str]:
    yield f"{log.name}: {sentences.verdict_sentence(log.verdict, words)}"
    yield from (f"  {label}: {value}" for label, value in sentences.log_facts(log, words))
    for session in sentences.sessions_to_show(log):
        if len(log.sessions) > 1:
            yield f"  {sentences.session_label(session, words)}: {sentences.verdict_sentence(session.verdict, words)}"
        yield from (f"  {label}: {value}" for label, value in sentences.session_facts(session, words))
        yield from (f"    > {line}" for line in session.error.splitlines())
        for each in sentences.visible_findings(session):
            place, said = sentences.place_text(each.place, words), sentences.finding_sentence(each, words)
            yield f"    {words(each.severity.word):7} {place}: {said} [{each.rule} {each.slug}]"
            yield from (f"            {line}" for line in each.excerpt_text.splitlines())
        if rest := sentences.omitted_findings_sentence(session, words):
            yield f"    {rest}"
