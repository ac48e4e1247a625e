"""Opening the log that an argument names."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from inspector.cli.terminal import say
from inspector.core.engine.faults import raise_as_program_fault
from inspector.core.engine.many import available_cores
from inspector.core.engine.open_log import OpenLog
from inspector.core.errors import UnreadableLog
from inspector.core.later import LazyModule

if TYPE_CHECKING:
    import click
else:
    click = LazyModule("click")


@contextmanager
def log_at(path: str, format: str = "", deep: bool = False) -> Iterator[OpenLog]:
    """The log at `path`, or ("-") on standard input, while it is worked on.

    What nobody foresaw about it is raised as a ProgramFault; what formats failed over is told on standard error.
    """
    with raise_as_program_fault(), _opened(path, format, deep) as log:
        try:
            yield log
        finally:
            tell_faults(log.faults, _told())


def tell_faults(faults: Iterable[str], told: set[str]) -> None:
    """Print the faults that are not among those `told` to standard error, and add them to these."""
    for fault in faults:
        if fault not in told:
            told.add(fault)
            say(fault, err=True)


def _told() -> set[str]:
    """The faults that this command has told already."""
    command = click.get_current_context(silent=True)  # None where a log is told of in the place of the window
    told: set[str] = command.meta.setdefault(f"{__name__}.told", set()) if command else set()
    return told


def _opened(path: str, format: str, deep: bool) -> OpenLog:
    if path == "-":
        return OpenLog.of_bytes(standard_input(), format, deep)
    return OpenLog.at(path, format, deep, jobs=available_cores())


def standard_input() -> bytes:
    """All of it. Raises UnreadableLog when a program started this one without any."""
    if sys.stdin is None:
        raise UnreadableLog("Standard input is closed: there is nothing to read.")
    return sys.stdin.buffer.read()
