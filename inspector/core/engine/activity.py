"""Whether the agent of a log is at work, as far as this machine shows it: another program has it open for writing.

Only Linux tells that. Where none is found the agent may run all the same: many programs open their log anew for every
line. So a session counts as at work, too, for a while after it was seen to grow.

Merged; to be rewritten:
`followed`: What of a log changes on disk beside the file or folder at its path: who follows it looks there as well.
"""

from __future__ import annotations

import os
import time
from array import array
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING

from inspector.core.check.check import Report, check
from inspector.core.formats import format_of
from inspector.core.model.session import Log, Session
from inspector.core.rules import RULES
from inspector.core.storage.source import FileStamp, file_stamp_if_present

if TYPE_CHECKING:
    from inspector.core.presentation.outline_builder import SubagentLog

_PROCESSES = "/proc"
_STATE_SECONDS = 2
# As long as agents let a command run: a session that says nothing for longer is not known to be at work.
_SILENCE_SECONDS = 600


def judge_log(log: Log, profile: str = "", at_work: bool = False, sides: bool = True) -> Report:
    """Judge a log, as that of a running agent where `live` says so, or where another program has it open for writing.

    Such a program is looked for only where a finding would be another one if the agent were at work.
    """
    report = check(log, profile, at_work, sides)
    found = {kind.rule for session in report.sessions for kind in session.findings.kinds}
    if not at_work and any(RULES[rule].adopts for rule in found) and is_open_for_writing(log.source.path):
        return check(log, profile, True, sides)
    return report


def is_open_for_writing(path: str) -> bool:
    """Whether another program has the file at `path` open to write to it; False for a store of many sessions."""
    if not os.path.isfile(path) or os.path.exists(f"{path}-wal"):
        return False
    try:
        state = os.stat(path)
    except FileNotFoundError:
        return False  # it went meanwhile
    file = state.st_dev, state.st_ino
    # What was looked up a moment ago may be of a file that is gone, whose number this one has now.
    return file in _files_being_written(int(time.monotonic()) // _STATE_SECONDS) and file in _written()


@lru_cache(1)
def _files_being_written(moment: int) -> frozenset[tuple[int, int]]:
    """The files that other programs write to, by device and inode; looked up once a `moment`."""
    return frozenset(_written())


def _written() -> Iterator[tuple[int, int]]:
    """The files that other programs have open for writing now."""
    with suppress(OSError):
        for process in os.listdir(_PROCESSES):
            if process.isdecimal() and int(process) != os.getpid():
                yield from _written_by(f"{_PROCESSES}/{process}")


def _written_by(process: str) -> Iterator[tuple[int, int]]:
    """The files that a process has open for writing; none where it is gone, or another person's."""
    with suppress(OSError):
        for number in os.listdir(f"{process}/fd"):
            with suppress(OSError, ValueError, StopIteration):
                state = os.stat(f"{process}/fd/{number}")
                if not S_ISREG(state.st_mode):
                    continue  # most are sockets and pipes
                with open(f"{process}/fdinfo/{number}", encoding="ascii") as told:
                    flags = next(int(line.split()[1], 8) for line in told if line.startswith("flags:"))
                if flags & os.O_ACCMODE != os.O_RDONLY:
                    yield state.st_dev, state.st_ino


class GrowthTracker:
    """Which sessions of a log were seen to grow, and when. A log of many tells them apart: one may be at work alone."""

    def __init__(self) -> None:
        self._seen: dict[str, float] = {}
        self._before: dict[str, array[int]] = {}

    def update(self, log: Log, followed: bool) -> None:
        """Set `at_work` of the sessions of a log that was just read; `followed`: it was read again since it changed."""
        now = {session.id: _offsets(log, session) for session in log.sessions}
        if not followed:
            self._seen.clear()
        for name, offsets in now.items() if followed else ():
            if _has_grown(self._before.get(name, array("Q")), offsets):
                self._seen[name] = time.monotonic()
        self._before = now
        for session in log.sessions:
            session.agent_active = self._is_fresh(session.id)

    @property
    def is_growing(self) -> bool:
        """Whether any session is still taken to be at work."""
        return any(map(self._is_fresh, self._seen))

    def _is_fresh(self, name: str) -> bool:
        return time.monotonic() - self._seen.get(name, -_SILENCE_SECONDS) < _SILENCE_SECONDS


def _offsets(log: Log, session: Session) -> array[int]:
    """Where the records of a session begin, and where the last one ends, from its first byte on."""
    low, high = session.records.start, session.records.stop
    offsets = log.columns.starts[low:high] + log.columns.ends[high - 1 : high]
    return offsets if not offsets or not offsets[0] else array("Q", (each - offsets[0] for each in offsets))


def _has_grown(before: array[int], now: array[int]) -> bool:
    """Whether there are more records behind those that were there, or the last of them is longer."""
    return bool(before) and now[: len(before) - 1] == before[:-1] and now[-1] > before[-1]


# What of a log changes on disk beside the file or folder at its path: who follows it looks there as well.


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
