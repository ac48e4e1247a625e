"""What of a log changes on disk beside the file or folder at its path: who follows it looks there as well."""

from collections.abc import Iterator
from pathlib import Path

from inspector.core.bytes.source import FileStamp, file_stamp_if_present
from inspector.core.formats import format_of
from inspector.core.index.session import Log
from inspector.core.judging.check import Report
from inspector.core.showing.judged_outline import SubagentLog


def files_to_watch(report: Report, subagents: list[SubagentLog]) -> dict[str, FileStamp | None]:
    """Every other file and folder that a log was read from, as it was then, None for what was not there.

    These are the members of one that had to be put together, its side files, and the logs of its subagents.
    """
    log = report.log
    found = dict(log.source.stamps)
    found |= {str(path): file_stamp_if_present(path) for path in _side_files(log)}
    for each in subagents:
        found |= each.log.source.stamps
        # Where another subagent would put its log.
        folder = str(Path(each.log.source.path).parent)
        found.setdefault(folder, file_stamp_if_present(folder))
    for own in (log.source.path, str(Path(log.source.path).parent)):
        found.pop(own, None)
    return found


def _side_files(log: Log) -> Iterator[Path]:
    path = Path(log.source.path)
    if log.source.path != "-":
        for name in format_of(log).side_files:
            yield path.parent / name.format(name=path.name.split(".")[0])
