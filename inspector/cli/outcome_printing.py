"""Reports on the outcome of a command that writes, as JSON or as text."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from inspector.cli.terminal import print_json, print_text
from inspector.core.presentation.engine_results import SaveResult
from inspector.core.translation import tr

T = TypeVar("T")


def print_outcome(
    outcome: T, form: str, as_json: Callable[[T], bytes], as_text: Callable[[T], Iterable[str]], to_stderr: bool = False
) -> None:
    """Print the outcome of a command as JSON or text; to standard error if standard output holds the log."""
    if form == "json":
        print_json(as_json(outcome), err=to_stderr)
    else:
        print_text("\n".join(as_text(outcome)), err=to_stderr)


def save_result_lines(written: SaveResult) -> Iterator[str]:
    """Yield where the log was written, which files are next to it, and what the user does next."""
    yield tr("Written to {path}.", path=written.path)
    if written.backup:
        yield f"Backup: {written.backup}."
    if written.quarantine:
        yield tr("The damaged bytes were saved in {quarantine}.", quarantine=written.quarantine)
    yield from (f"Note: {warning}" for warning in written.warnings)
    yield from (f"{number}. {step}" for number, step in enumerate(written.steps, 1))
    if written.command and not any(written.command in step for step in written.steps):
        yield f"\n{written.command.rstrip()}"
