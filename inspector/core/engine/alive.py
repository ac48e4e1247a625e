"""Whether the agent of a log is at work, as far as this machine shows it: its program has the file open to write to it.

Only Linux tells that. That nothing is found means nothing: many programs open their log anew for every line.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from inspector.core.index.session import Log
from inspector.core.judging.check import Report, check
from inspector.core.rules import RULES

_PROCESSES = "/proc"
_STATE_SECONDS = 2


def judged(log: Log, profile: str = "", live: bool = False, sides: bool = True) -> Report:
    """Judge a log; where calls are open, its program is looked for, and `live` need not be said."""
    report = check(log, profile, live, sides)
    found = {finding.rule for session in report.sessions for finding in session.findings}
    if not live and any(RULES[rule].ROW.adopts for rule in found) and is_held(log.source.path):
        return check(log, profile, True, sides)
    return report


def is_held(path: str) -> bool:
    """Whether another program has the file at `path` open to write to it; False for a store of many sessions."""
    if not os.path.isfile(path) or os.path.exists(f"{path}-wal"):
        return False
    try:
        state = os.stat(path)
    except FileNotFoundError:
        return False  # it went meanwhile
    return (state.st_dev, state.st_ino) in _held(int(time.monotonic()) // _STATE_SECONDS)


@lru_cache(1)
def _held(moment: int) -> frozenset[tuple[int, int]]:
    """The files that other programs write to, by device and inode; looked up once a `moment`."""
    return frozenset(_written())


def _written() -> Iterator[tuple[int, int]]:
    with suppress(OSError):
        for process in os.listdir(_PROCESSES):
            if process.isdecimal() and int(process) != os.getpid():
                yield from _written_by(Path(_PROCESSES, process))


def _written_by(process: Path) -> Iterator[tuple[int, int]]:
    """What a process has open for writing; nothing where it is gone, or another person's."""
    with suppress(OSError):
        for number in os.listdir(process / "fd"):
            with suppress(OSError, ValueError, StopIteration):
                with open(process / "fdinfo" / number, encoding="ascii") as told:
                    flags = next(int(line.split()[1], 8) for line in told if line.startswith("flags:"))
                if flags & os.O_ACCMODE != os.O_RDONLY:
                    state = os.stat(process / "fd" / number)
                    yield state.st_dev, state.st_ino
