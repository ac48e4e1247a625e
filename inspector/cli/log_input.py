"""Input of the commands: the log that an argument names, and standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from inspector.cli.progress import ProgressLine, reading_progress_line
from inspector.cli.terminal import print_text
from inspector.core.engine.log import OpenLog
from inspector.core.engine.program_faults import raise_as_program_fault
from inspector.core.engine.workers import available_cores
from inspector.core.errors import UnreadableLog
from inspector.core.lazy import LazyModule
from inspector.core.translation import tr

if TYPE_CHECKING:
    import click

    from inspector.core.engine import log_of_plan
    from inspector.core.engine.shareable_files import PortablePlan
else:
    click, log_of_plan = LazyModule("click"), LazyModule("inspector.core.engine.log_of_plan")


@contextmanager
def open_log_at(path: str, format: str = "", deep: bool = False) -> Iterator[OpenLog]:
    """Open the log at `path`, or on standard input ("-"), for the time of the `with` block.

    Unexpected exceptions are raised as ProgramFault. Faults of formats are printed to standard error.
    """
    with raise_as_program_fault(), _open(path, format, deep) as log:
        try:
            yield log
        finally:
            print_faults(log.faults, _printed_faults())


def find_log_for_plan(plan: PortablePlan) -> str:
    """Return the path of the log that a plan is for, searched in the stores of the agents. Raises InspectorError."""
    line = ProgressLine(tr("Looking for the log that belongs to the plan: {done:,} of {total:,} checked"))
    try:
        return log_of_plan.find_log_of_plan(plan, line)
    finally:
        line.erase()


def print_faults(faults: Iterable[str], printed: set[str]) -> None:
    """Print the faults that are not in `printed` to standard error, and add them to it."""
    for fault in faults:
        if fault not in printed:
            printed.add(fault)
            print_text(fault, err=True)


def _printed_faults() -> set[str]:
    """Return the faults that this command has already printed."""
    command = click.get_current_context(silent=True)  # None if a text report replaces the window
    printed: set[str] = command.meta.setdefault(f"{__name__}.told", set()) if command else set()
    return printed


def _open(path: str, format: str, deep: bool) -> OpenLog:
    if path == "-":
        return OpenLog.of_bytes(read_standard_input(), format, deep)
    return OpenLog.at(path, format, deep, reading_progress_line(path), jobs=available_cores())


def read_standard_input() -> bytes:
    """Read all of standard input. Raises UnreadableLog where the process was started without one."""
    if sys.stdin is None:
        raise UnreadableLog(tr("Standard input is closed."))
    return sys.stdin.buffer.read()


def read_pasted_text(text: str, path: str) -> str:
    """Return a pasted text, or that on standard input ("-"). `path` is that of the log. Raises click.UsageError."""
    if text == path == "-":
        raise click.UsageError(tr("Standard input can be used for TEXT or PATH, but not for both."))
    text = read_standard_input().decode(errors="replace") if text == "-" else text
    if not text.strip():
        raise click.UsageError(tr("The text is empty. Paste the whole error message."))
    return text
