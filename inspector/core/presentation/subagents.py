"""Read the logs of subagents next to a log, so that they are shown where the subagent was started."""

from __future__ import annotations

import os
from array import array

from msgspec.structs import replace

from inspector.core.analysis.finding import Finding, Severity
from inspector.core.check.check import Report, check
from inspector.core.discovery.opening import open_log
from inspector.core.errors import UnreadableLog
from inspector.core.formats import UNKNOWN_FORMAT
from inspector.core.formats.base.format import IsCancelled, ReadOptions
from inspector.core.model.session import Log, Subagent
from inspector.core.presentation.outline_builder import SubagentLog
from inspector.core.presentation.results import AttachedLog
from inspector.core.storage.source import Source


def read_subagent_logs(report: Report, cancelled: IsCancelled | None) -> list[SubagentLog]:
    """The subagents' logs, each judged by itself. The caller closes their sources. Raises Cancelled."""
    reading = ReadOptions(cancelled=cancelled)
    return [_read(subagent, reading) for subagent in report.subagents]


def _read(subagent: Subagent, reading: ReadOptions) -> SubagentLog:
    name = os.path.basename(subagent.path)
    try:
        source = Source.open(subagent.path)
        try:
            judged = check(open_log(source, "", reading))
        except BaseException:
            source.close()
            raise
    except UnreadableLog as error:
        empty = UNKNOWN_FORMAT.index(Source.of_bytes(b"", subagent.path), reading)
        return SubagentLog(subagent, empty, [], f"{subagent.label} ({name}): unreadable: {error}")
    threads = [thread for session in judged.sessions for thread in session.threads]
    errors = sum(session.count(Severity.ERROR) for session in judged.sessions)
    told = f"{judged.verdict.word}, open it by itself to repair it" if errors else judged.verdict.word
    findings = [finding for session in judged.sessions for finding in session.findings]
    return SubagentLog(subagent, judged.log, threads, f"{subagent.label} ({name}): {told}", findings)


def subagent_findings(log: Log, subagents: list[SubagentLog]) -> list[Finding]:
    """The findings in the logs of subagents, their records numbered on. They are only shown: each log mends its own."""
    found, base = [], len(log.columns)
    for each in subagents:
        name = os.path.basename(each.subagent.path)
        for finding in each.findings:
            place = replace(finding.place, record=base + finding.place.record)
            own = f"{name}:{finding.id}"
            found.append(replace(finding, id=own, place=place, strategies=("leave",), default="leave", log=name))
        base += len(each.log.columns)
    return found


def spans_with_subagents(
    log: Log, subagents: list[SubagentLog]
) -> tuple[array[int], array[int], tuple[AttachedLog, ...]]:
    """The spans of all records, those of the logs beside it after the log's own, and where each of these begins."""
    starts, ends, attached = log.columns.starts, log.columns.ends, []
    offset = log.source.size
    for each in subagents:
        attached.append(AttachedLog(each.log.source.path, len(starts), offset))
        starts = starts + array("Q", (start + offset for start in each.log.columns.starts))
        ends = ends + array("Q", (end + offset for end in each.log.columns.ends))
        offset += each.log.source.size
    return starts, ends, tuple(attached)
