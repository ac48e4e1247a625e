"""Assertions for the tests of programs that write logs or send requests. The failure is the report of `check`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from inspector.core.analysis.finding import Severity
from inspector.core.engine.find_logs_at_path import OtherFilesAndArchives, find_log_candidates
from inspector.core.engine.request_repair import check_messages
from inspector.core.report.sentences import MAX_ROWS
from inspector.core.report.text import report_lines
from inspector.core.translation import tr

if TYPE_CHECKING:
    from inspector.core.engine.result_types import Report

__all__ = ["assert_sound"]


def assert_sound(log: str | os.PathLike[str] | Sequence[Any], profile: str = "") -> None:
    """Raise AssertionError if a log, or the messages of a request, have findings with the severity *error*.

    `log` is a path, or messages as for `inspector.repair_messages`. Each log in a folder or an archive has to be sound.
    `profile` is the provider whose rules apply, by default that of the log, and `anthropic` for messages. The text of
    the error has the findings with their places, and the command that repairs them.

    Raises InspectorError for what cannot be read as a log or as messages.
    """
    __tracebackhide__ = True  # pytest shows the line of the test
    if isinstance(log, (str, os.PathLike)):
        lines = [*_lines_on_logs(os.fspath(log), profile)]
    else:
        lines = [*_lines_on_messages(check_messages(log, profile or "anthropic"), profile or "anthropic")]
    if lines:
        raise AssertionError("\n".join(lines))


def _lines_on_logs(path: str, profile: str) -> Iterator[str]:
    """Yield the reports on the logs at a path that are not sound. Raises InspectorError."""
    skipped = OtherFilesAndArchives()
    for found in find_log_candidates(path, skipped):
        log = found.log() if found.archives is None else None
        if log is not None:
            with log:
                report = log.check(profile)
                if _fails(report):
                    yield from report_lines(report)
        refused = skipped.note(found, log is not None)
        if refused is not None:
            refused.log()


def _lines_on_messages(report: Report, profile: str) -> Iterator[str]:
    if not _fails(report):
        return
    (session,) = report.sessions
    findings = [finding for finding in session.findings if finding.severity == Severity.ERROR]
    label = session.profile.label if session.profile else profile
    yield tr("{label} rejects these messages:", label=label)
    for finding in findings[:MAX_ROWS]:
        yield f"messages[{finding.place.record}]: {finding.message} ({finding.rule} {finding.slug})"
        if profile in finding.refused_by:
            yield tr("  {label} would respond: {answer}", label=label, answer=finding.refused_by[profile])
    if len(findings) > MAX_ROWS:
        yield tr("… and {number:,} more", number=len(findings) - MAX_ROWS)
    yield tr('To repair the messages, call inspector.repair_messages(messages, profile="{profile}")', profile=profile)


def _fails(report: Report) -> bool:
    return not report.is_judged or report.fails(Severity.ERROR)
