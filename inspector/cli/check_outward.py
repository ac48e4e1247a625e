"""`check` for a report that leaves the house: content-free, or with redacted excerpts."""

from inspector.cli.judging import Judging, Teller, answers_of, put_out
from inspector.cli.terminal import say
from inspector.core.engine.answers import Report
from inspector.core.engine.found_logs import SkippedFiles
from inspector.core.engine.open_log import OpenLog
from inspector.core.reports.outward.gathering import ShareableReportBuilder
from inspector.core.reports.outward.model import ReportedLog, ShareableReport
from inspector.core.reports.outward.wording import Translator
from inspector.core.reports.outward.writers import RENDERERS


def report(
    paths: tuple[str, ...], judging: Judging, form: str, with_content: bool, hidden: tuple[str, ...], language: str,
    output: str,
) -> list[int]:  # fmt: skip
    """Judge every log, then write the report; the exit codes."""
    gathering, beside = ShareableReportBuilder(with_content, hidden), SkippedFiles()

    def tell(log: OpenLog, report: Report) -> ReportedLog:
        return gathering.judged_log(report, log.evidence(), log.accepted(judging.accepted_by))

    teller = Teller(judging, tell, lambda path, error: gathering.unreadable_log(error))
    # By one process: the same word stands for the same name throughout the report.
    answers = list(answers_of(teller, paths, beside, jobs=1))
    codes, logs = [answer.code for answer in answers], [answer.found.path for answer in answers]
    told = tuple(answer.output for answer in answers if answer.output is not None)
    text = RENDERERS[form](ShareableReport(told, *_counts(beside)), Translator(language))
    if form == "json" or output:
        return codes + put_out([text], output, logs)
    say(text.decode(), nl=False)
    return codes


def _counts(beside: SkippedFiles) -> tuple[int, int, int]:
    """How many files are no logs, were not read, and hold the same bytes as another."""
    others = sum(beside.others.values()) + sum(len(ticket.other_members) for ticket in beside.archives)
    unread = sum(len(ticket.unread_members) for ticket in beside.archives)
    return others, unread, sum(len(ticket.duplicate_members) for ticket in beside.archives)
