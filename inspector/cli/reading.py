"""Opening the log that an argument names."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from inspector.core.engine.faults import faults_told
from inspector.core.engine.open_log import OpenLog
from inspector.core.errors import UnreadableLog


@contextmanager
def log_at(path: str, format: str = "", deep: bool = False) -> Iterator[OpenLog]:
    """The log at `path`, or ("-") on standard input, while it is worked on.

    What nobody foresaw about it is raised as a ProgramFault.
    """
    with faults_told(), _opened(path, format, deep) as log:
        yield log


def _opened(path: str, format: str, deep: bool) -> OpenLog:
    if path == "-":
        return OpenLog.of_bytes(standard_input(), format, deep)
    return OpenLog.at(path, format, deep)


def standard_input() -> bytes:
    """All of it. Raises UnreadableLog when a program started this one without any."""
    if sys.stdin is None:
        raise UnreadableLog("Standard input is closed: there is nothing to read.")
    return sys.stdin.buffer.read()
