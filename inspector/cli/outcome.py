"""Reports on the outcome of a command that writes, as JSON or as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from inspector.cli.terminal import print_json, print_text
from inspector.core.engine.saving import next_steps

if TYPE_CHECKING:
    from inspector.core.engine.answers import Report, Written

T = TypeVar("T")


def print_outcome(
    outcome: T, form: str, as_json: Callable[[T], bytes], as_text: Callable[[T], Iterable[str]], to_stderr: bool = False
) -> None:
    """Print the outcome of a command as JSON or text; to standard error if standard output holds the log."""
    if form == "json":
        print_json(as_json(outcome), err=to_stderr)
    else:
        print_text("\n".join(as_text(outcome)), err=to_stderr)


def written_lines(report: Report, written: Written, made: str = "repaired") -> Iterator[str]:
    """Yield where the log was written, which files are next to it, and what the user does next."""
    yield f"Written to {written.path}."
    if written.backup:
        yield f"Backup: {written.backup}."
    if written.quarantine:
        yield f"Damaged bytes: {written.quarantine}."
    yield from (f"Note: {warning}" for warning in written.warnings)
    if written.path != "-":
        steps, command = next_steps(report, written, made)
        yield from (f"{number}. {step}" for number, step in enumerate(steps, 1))
        if command and not any(command in step for step in steps):
            yield f"\n{command.rstrip()}"
