"""`explain --error`: what a pasted text means, and which record of which session it is about."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from inspector.cli import exits
from inspector.cli.reading import log_at, standard_input, tell_faults
from inspector.cli.terminal import say_json, visible
from inspector.core.engine import machine
from inspector.core.reports.pasted_json import lookup_json
from inspector.core.reports.pasted_text import lookup_lines

if TYPE_CHECKING:
    from inspector.core.engine.answers import ErrorLookup


def explain_error(text: str, path: str, form: str) -> int:
    """Print what there is to say about `text`, in the log at `path` or ("") on this machine, and return the exit code.

    0: it is understood, and with a log something in it explains it. 1: it is not. 3: the log is not judged. Raises
    InspectorError where the log cannot be read.
    """
    if text == path == "-":
        raise click.UsageError("Only one of TEXT and PATH can be standard input.")
    text = standard_input().decode(errors="replace") if text == "-" else text
    if not text.strip():
        raise click.UsageError("The text is empty: paste the error as it is.")
    answer, code = _in_log(text, path) if path else _on_machine(text)
    tell_faults(answer.faults, set())
    if form == "json":
        say_json(lookup_json(answer))
    else:
        click.echo("\n".join([*map(visible, lookup_lines(answer)), ""]).encode(errors="replace"), nl=False)
    return code


def _in_log(text: str, path: str) -> tuple[ErrorLookup, int]:
    with log_at(path) as log:
        report, answer = log.report, log.explain(text)
    if not report.is_judged:
        return answer, exits.NOT_JUDGED
    return answer, exits.OK if answer.explains else exits.FINDINGS


def _on_machine(text: str) -> tuple[ErrorLookup, int]:
    answer = machine.look_up_error(text, _progress())
    if sys.stderr.isatty():
        click.echo("\r\x1b[K", nl=False, err=True)
    return answer, exits.OK if answer.is_understood else exits.FINDINGS


def _progress() -> Callable[[int, int], None] | None:
    """Tells a person at a terminal how far the search is; a program that reads the output is told nothing."""
    if not sys.stderr.isatty():
        return None

    def tell(done: int, total: int) -> None:
        if done % 20 == 0:
            click.echo(f"\rLooking through the stores: {done:,} of {total:,} logs", nl=False, err=True)

    return tell
