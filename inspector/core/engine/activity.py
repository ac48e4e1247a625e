"""Signs that the agent of a log is at work, and the files to watch for changes of a log.

An agent is at work if another program has the log open for writing, which only Linux shows. The agent may run even if
no such program is found: many programs open their log again for every line. So a session also counts as at work for a
while after it was seen to grow.
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
from inspector.core.formats import format_of_log
from inspector.core.model.session import Log, Session
from inspector.core.rules import RULES
from inspector.core.storage.source import FileStamp, Source, file_stamp_if_present

if TYPE_CHECKING:
    from inspector.core.presentation.outline_builder import SubagentLog

_PROCESSES = "/proc"
_STATE_SECONDS = 2
# As long as agents let a command run. A session that is silent for longer is not known to be at work.
_SILENCE_SECONDS = 600
JUST_CHANGED_SECONDS = 30
"""A log that was written less than this ago may belong to an agent that opens its log again for every line."""


def check_log_as_live_if_written(
    log: Log, profile: str = "", at_work: bool = False, sides: bool = True, release: bool = False
) -> Report:
    """Judge a log, as that of a running agent if `at_work` is set or another program has the log open for writing.

    Such a program is looked for only if a finding would differ for an agent at work. With `release`, what is kept of
    sessions without findings is small.
    """
    report = check(log, profile, at_work, sides, release)
    rules = {kind.rule for session in report.sessions for kind in session.findings.kinds}
    if not at_work and any(RULES[rule].adopts for rule in rules) and is_open_for_writing(log.source.path):
        return check(log, profile, True, sides, release)
    return report


def may_be_running(source: Source) -> bool:
    """Return whether the agent of a log may be at work: another program writes to it, or it has just changed."""
    if source.archive or not os.path.exists(source.path):
        return False
    return is_open_for_writing(source.path) or time.time() - os.path.getmtime(source.path) < JUST_CHANGED_SECONDS


def is_open_for_writing(path: str) -> bool:
    """Return whether another program has the file at `path` open for writing; False for a store of many sessions."""
    if not os.path.isfile(path) or os.path.exists(f"{path}-wal"):
        return False
    try:
        state = os.stat(path)
    except FileNotFoundError:
        return False  # it was removed meanwhile
    file = state.st_dev, state.st_ino
    # The lookup a moment ago may have found a removed file whose inode number this file has now.
    return file in _files_being_written(int(time.monotonic()) // _STATE_SECONDS) and file in _written()


@lru_cache(1)
def _files_being_written(moment: int) -> frozenset[tuple[int, int]]:
    """Return the files that other programs write to, by device and inode. They are looked up once per `moment`."""
    return frozenset(_written())


def _written() -> Iterator[tuple[int, int]]:
    """Yield the files that other programs have open for writing now, by device and inode."""
    with suppress(OSError):
        for process in os.listdir(_PROCESSES):
            if process.isdecimal() and int(process) != os.getpid():
                yield from _written_by(f"{_PROCESSES}/{process}")


def _written_by(process: str) -> Iterator[tuple[int, int]]:
    """Yield the files that a process has open for writing; none if it is gone or belongs to another user."""
    with suppress(OSError):
        for number in os.listdir(f"{process}/fd"):
            with suppress(OSError, ValueError, StopIteration):
                state = os.stat(f"{process}/fd/{number}")
                if not S_ISREG(state.st_mode):
                    continue  # most are sockets and pipes
                with open(f"{process}/fdinfo/{number}", "rb") as lines:
                    flags = next(int(line.split()[1], 8) for line in lines if line.startswith(b"flags:"))
                if flags & os.O_ACCMODE != os.O_RDONLY:
                    yield state.st_dev, state.st_ino


class GrowthTracker:
    """The sessions of a log that were seen to grow, and when. A single session of many may be at work."""

    def __init__(self) -> None:
        self._seen: dict[str, float] = {}
        self._before: dict[str, array[int]] = {}

    def update(self, log: Log, followed: bool) -> None:
        """Set `agent_active` of the sessions of a log that was just read.

        `followed` means that the log was read again because it changed.
        """
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
    """Return where the records of a session begin and where the last one ends, counted from its first byte."""
    low, high = session.records.start, min(session.records.stop, log.own_records)
    offsets = log.columns.starts[low:high] + log.columns.ends[high - 1 : high]
    return offsets if not offsets or not offsets[0] else array("Q", (offset - offsets[0] for offset in offsets))


def _has_grown(before: array[int], now: array[int]) -> bool:
    """Return whether there are more records after the earlier ones, or the last record is longer."""
    return bool(before) and now[: len(before) - 1] == before[:-1] and now[-1] > before[-1]


def other_files_to_watch(log: Log, subagents: list[SubagentLog]) -> dict[str, FileStamp | None]:
    """Return every other file and folder that a log was read from, with its stamp, None for what did not exist.

    These are the members of a log that was assembled, its side files, and the logs of its subagents.
    """
    stamps = dict(log.source.stamps)
    stamps |= {str(path): file_stamp_if_present(path) for path in _side_files(log)}
    for subagent in subagents:
        stamps |= subagent.log.source.stamps
        # Where another subagent would put its log.
        folder = str(Path(subagent.log.source.path).parent)
        stamps.setdefault(folder, file_stamp_if_present(folder))
    for own in (log.source.path, str(Path(log.source.path).parent)):
        stamps.pop(own, None)
    return stamps


def _side_files(log: Log) -> Iterator[Path]:
    path = Path(log.source.path)
    if log.source.path != "-":
        for name in format_of_log(log).side_files:
            yield path.parent / name.format(name=path.name.split(".")[0])
