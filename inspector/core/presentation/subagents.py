"""Read the logs of subagents next to a log, so that they are shown where the subagent was started."""

from __future__ import annotations

import os
from array import array
from bisect import bisect_left

from msgspec.structs import replace

from inspector.core.analysis.finding import Finding, Severity
from inspector.core.check.check import Report, check
from inspector.core.discovery.opening import open_log, open_source
from inspector.core.errors import UnreadableLog
from inspector.core.formats import UNKNOWN_FORMAT
from inspector.core.formats.base.format import IsCancelled, ReadOptions
from inspector.core.model.session import Log, SubagentLogReference
from inspector.core.presentation.engine_results import AttachedLog
from inspector.core.presentation.outline_builder import SubagentLog
from inspector.core.storage.source import Source
from inspector.core.translation import tr


def read_subagent_logs(report: Report, cancelled: IsCancelled | None) -> list[SubagentLog]:
    """Read and check the logs of the subagents, each by itself.

    The caller closes their sources. Raises Cancelled.
    """
    reading = ReadOptions(cancelled=cancelled)
    return [_read(subagent, reading) for subagent in report.subagents]


def _read(subagent: SubagentLogReference, reading: ReadOptions) -> SubagentLog:
    name = os.path.basename(subagent.path)
    try:
        source = open_source(subagent.path)
        try:
            report = check(open_log(source, "", reading))
        except BaseException:
            source.close()
            raise
    except UnreadableLog as error:
        empty = UNKNOWN_FORMAT.index(Source.of_bytes(b"", subagent.path), reading)
        return SubagentLog(subagent, empty, [], f"{subagent.label} ({name}): unreadable: {error}")
    threads = [thread for session in report.sessions for thread in session.threads]
    errors = sum(session.count(Severity.ERROR) for session in report.sessions)
    state = (
        tr("{word} (open this log separately to repair it)", word=report.verdict.word)
        if errors
        else report.verdict.word
    )
    findings = [finding for session in report.sessions for finding in session.findings]
    return SubagentLog(subagent, report.log, threads, f"{subagent.label} ({name}): {state}", findings)


def subagent_findings(log: Log, subagents: list[SubagentLog]) -> list[Finding]:
    """Return the findings in the logs of subagents, with their records numbered on.

    They are for display only, since each log is repaired by itself.
    """
    findings, base = [], len(log.columns)
    for subagent in subagents:
        name = os.path.basename(subagent.subagent.path)
        for finding in subagent.findings:
            place = replace(finding.place, record=base + finding.place.record)
            finding_id = f"{name}:{finding.id}"
            findings.append(
                replace(finding, id=finding_id, place=place, strategies=("leave",), default="leave", log=name)
            )
        base += len(subagent.log.columns)
    return findings


def spans_with_subagents(
    log: Log, subagents: list[SubagentLog]
) -> tuple[array[int], array[int], tuple[AttachedLog, ...]]:
    """Return the start and end offsets of all records, and where each other log begins.

    The records of the logs that the log continues follow its own, and those of the subagents' logs come last.
    """
    starts, ends = log.columns.starts, log.columns.ends
    attached = [
        AttachedLog(
            each.source.path,
            bisect_left(starts, each.start),
            each.start,
            each.end - each.start,
            each.source.bytes_path,
        )
        for each in log.source.attached
    ]
    offset = log.source.end_of_attached
    for subagent in subagents:
        path = subagent.log.source.path
        bytes_path = subagent.log.source.bytes_path or path
        attached.append(AttachedLog(path, len(starts), offset, subagent.log.source.size, bytes_path))
        starts = starts + array("Q", (start + offset for start in subagent.log.columns.starts))
        ends = ends + array("Q", (end + offset for end in subagent.log.columns.ends))
        offset += subagent.log.source.size
    return starts, ends, tuple(attached)
