"""`check` for a report that leaves the house: content-free, or with redacted excerpts."""

from inspector.cli.check_runner import CheckOptions, LogChecker, check_logs, write_check_report
from inspector.cli.terminal import print_text
from inspector.core.engine.answers import Report
from inspector.core.engine.find_logs import SkippedFiles
from inspector.core.engine.log import OpenLog
from inspector.core.report.shareable.builder import ShareableReportBuilder
from inspector.core.report.shareable.documents import RENDERERS
from inspector.core.report.shareable.model import ReportedLog, ShareableReport
from inspector.core.report.shareable.sentences import Translator


def report(
    paths: tuple[str, ...], judging: CheckOptions, form: str, with_content: bool, hidden: tuple[str, ...],
    language: str,
    output: str,
) -> list[int]:  # fmt: skip
    """Judge every log, then write the report; the exit codes."""
    gathering, beside = ShareableReportBuilder(with_content, hidden), SkippedFiles()

    def tell(log: OpenLog, report: Report) -> ReportedLog:
        return gathering.judged_log(report, log.evidence(), log.accepted(judging.accepted_by))

    teller = LogChecker(judging, tell, lambda path, error: gathering.unreadable_log(error))
    # By one process: the same word stands for the same name throughout the report.
    answers = list(check_logs(teller, paths, beside, jobs=1))
    codes, logs = [answer.code for answer in answers], [answer.found.path for answer in answers]
    told = tuple(answer.output for answer in answers if answer.output is not None)
    text = RENDERERS[form](ShareableReport(told, *_counts(beside)), Translator(language))
    if form == "json" or output:
        return codes + write_check_report([text], output, logs)
    print_text(text.decode(), nl=False)
    return codes


def _counts(beside: SkippedFiles) -> tuple[int, int, int]:
    """How many files are no logs, were not read, and hold the same bytes as another."""
    others = sum(beside.others.values()) + sum(len(ticket.other_members) for ticket in beside.archives)
    unread = sum(len(ticket.unread_members) for ticket in beside.archives)
    return others, unread, sum(len(ticket.duplicate_members) for ticket in beside.archives)
