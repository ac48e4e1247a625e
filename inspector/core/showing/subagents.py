"""Reading the logs of subagents that lie beside a log, so that they can be shown in their place."""

from __future__ import annotations

import os
from array import array

from inspector.core.bytes.source import Source
from inspector.core.errors import UnreadableLog
from inspector.core.formats import RAW
from inspector.core.formats.bases.terms import Reading
from inspector.core.index.session import Log, Subagent
from inspector.core.judging.check import Report, check
from inspector.core.opening.opening import open_log
from inspector.core.scene.finding import Severity
from inspector.core.showing.answers import Attached
from inspector.core.showing.judged_outline import Beside


def read_beside(report: Report, reading: Reading) -> list[Beside]:
    """The subagents' logs, each judged by itself. The caller closes their sources. Raises Cancelled."""
    reading = Reading(cancelled=reading.cancelled)
    return [_read(subagent, reading) for subagent in report.subagents]


def _read(subagent: Subagent, reading: Reading) -> Beside:
    name = os.path.basename(subagent.path)
    try:
        source = Source.open(subagent.path)
        try:
            judged = check(open_log(source, "", reading))
        except BaseException:
            source.close()
            raise
    except UnreadableLog as error:
        empty = RAW.index(Source.of_bytes(b"", subagent.path), reading)
        return Beside(subagent, empty, [], f"{subagent.label} ({name}): unreadable: {error}")
    threads = [thread for session in judged.sessions for thread in session.threads]
    errors = sum(session.count(Severity.ERROR) for session in judged.sessions)
    told = f"{judged.verdict.word}, open it by itself to repair it" if errors else judged.verdict.word
    return Beside(subagent, judged.log, threads, f"{subagent.label} ({name}): {told}")


def spans_with(log: Log, beside: list[Beside]) -> tuple[array[int], array[int], tuple[Attached, ...]]:
    """The spans of all records, those of the logs beside it after the log's own, and where each of these begins."""
    starts, ends, attached = log.columns.starts, log.columns.ends, []
    offset = log.source.size
    for each in beside:
        attached.append(Attached(each.log.source.path, len(starts), offset))
        starts = starts + array("Q", (start + offset for start in each.log.columns.starts))
        ends = ends + array("Q", (end + offset for end in each.log.columns.ends))
        offset += each.log.source.size
    return starts, ends, tuple(attached)
