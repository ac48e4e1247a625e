"""`explain`: the help page of a rule, or with `--error` what a pasted text means and which record caused it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from inspector.cli import exit_codes, options
from inspector.cli.log_input import open_log_at, print_faults, read_pasted_text
from inspector.cli.progress import ProgressLine
from inspector.cli.terminal import escape_controls, print_json, print_text
from inspector.core.engine import without_open_log
from inspector.core.error_lookup.json import lookup_json
from inspector.core.error_lookup.report import lookup_lines
from inspector.core.report.format_and_rule_tables import build_rule_page, rule_named, rule_page_lines
from inspector.core.translation import tr

if TYPE_CHECKING:
    from inspector.core.engine.result_types import ErrorLookup


def explain_error(text: str, path: str, form: str) -> int:
    """Explain `text` with the log at `path`, or with the logs of this machine if that is "". Return the exit code.

    0: the text is understood, and something in a given log explains it. 1: it is not. 3: the log is not judged. Raises
    InspectorError if the log cannot be read.
    """
    text = read_pasted_text(text, path)
    printed: list[str] = []
    answer, code = _explain_in_log(text, path) if path else _explain_on_machine(text, form, printed)
    print_faults(answer.faults, set())
    if form == "json":
        print_json(lookup_json(answer))
    else:
        _print_new_lines(answer, printed)
    return code


def _print_new_lines(answer: ErrorLookup, printed: list[str]) -> None:
    """Print the lines of an answer that follow those which are printed already."""
    lines = list(lookup_lines(answer))[len(printed) :]
    printed += lines
    click.echo("\n".join([*map(escape_controls, lines), ""]).encode(errors="replace"), nl=False)


def _explain_in_log(text: str, path: str) -> tuple[ErrorLookup, int]:
    with open_log_at(path) as log:
        report, answer = log.report, log.explain(text)
    if not report.is_judged:
        return answer, exit_codes.NOT_JUDGED
    return answer, exit_codes.OK if answer.explains else exit_codes.FINDINGS


def _explain_on_machine(text: str, form: str, printed: list[str]) -> tuple[ErrorLookup, int]:
    """Search all sessions. As text, each log is printed when it is found; `printed` collects the lines."""
    line = ProgressLine(tr("Searching the sessions of all agents: {done:,} of {total:,} logs"))

    def show(so_far: ErrorLookup) -> None:
        if form != "json" and so_far.is_meaning_settled:
            line.erase()
            _print_new_lines(so_far, printed)

    answer = without_open_log.look_up_error(text, line, show)
    line.erase()
    return answer, exit_codes.OK if answer.is_understood else exit_codes.FINDINGS


@click.command(short_help=tr("Explain a rule or an error message."))
@click.argument("rule_or_path", required=False, default="", type=click.Path())
@click.option(
    "--error",
    metavar="TEXT",
    help=tr("Error message or request body to explain. Use - to read it from standard input."),
)
@options.output_format_option(help=tr("Format of the error report."))
def explain(rule_or_path: str, error: str | None, form: str) -> None:
    """Explain a rule, given by its code or name, or an error message.

    With --error TEXT, the command searches for the cause of the error in the log PATH. Without PATH, it searches the
    sessions of all agents on this machine.
    """
    if error is None and not rule_or_path:
        raise click.UsageError(tr("Specify a rule, such as D2, or an error message with --error TEXT."))
    with exit_codes.exit_on_error():
        if error is not None:
            raise SystemExit(explain_error(error, rule_or_path, form))
        print_text("\n".join(rule_page_lines(build_rule_page(rule_named(rule_or_path)))))
