"""`check` for a report to share: without content, or with redacted excerpts."""

import os
from contextlib import closing
from pathlib import Path

from inspector.cli.check_runner import (
    CheckOptions,
    JudgedParts,
    LogChecker,
    check_logs,
    exit_if_interrupted,
    write_check_report,
)
from inspector.cli.interruption import Interruption
from inspector.cli.terminal import print_text
from inspector.core.engine.find_logs_at_path import OtherFilesAndArchives
from inspector.core.report.shareable.builder import ShareableReportBuilder
from inspector.core.report.shareable.log_content_reader import LogContentReader
from inspector.core.report.shareable.model import ReportedLog, ShareableReport
from inspector.core.report.shareable.renderers import RENDERERS
from inspector.core.report.shareable.tickets import ticket_of
from inspector.core.translation import Translator

_FORMATS_WITH_PATHS = ("sarif", "github")
"""The formats whose readers show a finding in its file."""


def check_and_report(
    paths: tuple[str, ...], judging: CheckOptions, form: str, with_content: bool, hidden: tuple[str, ...],
    names: str, language: str, output: str,
) -> list[int]:  # fmt: skip
    """Judge every log, then write the report. Return the exit codes.

    `names` says which names are shown: "path", "ticket" or "none", and "" for what the format needs.
    """
    builder, skipped = ShareableReportBuilder(with_content, hidden), OtherFilesAndArchives()
    names = names or ("path" if form in _FORMATS_WITH_PATHS else "ticket")

    def named(path: str) -> dict[str, str]:
        ticket = ticket_of(path, paths) if names != "none" else ""
        return {"ticket": ticket, "path": _shown_path(path) if names == "path" else ""}

    def format_log(parts: JudgedParts) -> ReportedLog:
        ((log, report),) = parts
        answers, name = log.accepted(judging.accepted_by), named(log.source.path)
        return builder.judged_log(report, LogContentReader(report), log.evidence(), answers, **name)

    checker = LogChecker(judging, format_log, lambda path, error: builder.unreadable_log(error, **named(path)))
    # One process, so that the same word replaces the same name throughout the report.
    with Interruption() as interruption, closing(check_logs(checker, paths, skipped, jobs=1)) as found:
        results = list(interruption.until_signal(found))
        codes, logs = [result.code for result in results], [result.found.path for result in results]
        entries = tuple(result.output for result in results if result.output is not None)
        text = RENDERERS[form](ShareableReport(entries, *_counts(skipped)), Translator(language))
        if form == "json" or output:
            codes += write_check_report([text], output, logs)
        else:
            print_text(text.decode(), nl=False)
    exit_if_interrupted(interruption, len(logs))
    return codes


def _shown_path(path: str) -> str:
    """Return the path of a log as a report shows it: relative to the current folder for a log below it."""
    if path == "-":
        return ""
    absolute, here = os.path.abspath(path), os.path.join(os.getcwd(), "")
    return Path(absolute.removeprefix(here)).as_posix()


def _counts(skipped: OtherFilesAndArchives) -> tuple[int, int, int]:
    """Return how many files are no logs, were not read, and hold the same bytes as another."""
    others = sum(skipped.others.values()) + sum(len(archive.other_members) for archive in skipped.archives)
    unread = sum(len(archive.unread_members) for archive in skipped.archives)
    return others, unread, sum(len(archive.duplicate_members) for archive in skipped.archives)
