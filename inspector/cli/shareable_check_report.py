"""`check` for a report to share: without content, or with redacted excerpts."""

from inspector.cli.check_runner import CheckOptions, JudgedParts, LogChecker, check_logs, write_check_report
from inspector.cli.terminal import print_text
from inspector.core.engine.find_logs_at_path import SkippedFiles
from inspector.core.report.shareable.builder import ShareableReportBuilder
from inspector.core.report.shareable.log_content import LogContent
from inspector.core.report.shareable.model import ReportedLog, ShareableReport
from inspector.core.report.shareable.renderers import RENDERERS
from inspector.core.translation import Translator


def check_and_report(
    paths: tuple[str, ...], judging: CheckOptions, form: str, with_content: bool, hidden: tuple[str, ...],
    language: str,
    output: str,
) -> list[int]:  # fmt: skip
    """Judge every log, then write the report. Return the exit codes."""
    builder, skipped = ShareableReportBuilder(with_content, hidden), SkippedFiles()

    def format_log(parts: JudgedParts) -> ReportedLog:
        ((log, report),) = parts
        return builder.judged_log(report, LogContent(report), log.evidence(), log.accepted(judging.accepted_by))

    checker = LogChecker(judging, format_log, lambda path, error: builder.unreadable_log(error))
    # One process, so that the same word replaces the same name throughout the report.
    results = list(check_logs(checker, paths, skipped, jobs=1))
    codes, logs = [result.code for result in results], [result.found.path for result in results]
    entries = tuple(result.output for result in results if result.output is not None)
    text = RENDERERS[form](ShareableReport(entries, *_counts(skipped)), Translator(language))
    if form == "json" or output:
        return codes + write_check_report([text], output, logs)
    print_text(text.decode(), nl=False)
    return codes


def _counts(skipped: SkippedFiles) -> tuple[int, int, int]:
    """Return how many files are no logs, were not read, and hold the same bytes as another."""
    others = sum(skipped.others.values()) + sum(len(archive.other_members) for archive in skipped.archives)
    unread = sum(len(archive.unread_members) for archive in skipped.archives)
    return others, unread, sum(len(archive.duplicate_members) for archive in skipped.archives)
