"""`trim`: shorten a history without cutting an exchange, and write it as a copy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click
from msgspec import UNSET, Struct
from msgspec.structs import replace

from inspector.cli import exit_codes, options
from inspector.cli.log_input import open_log_at
from inspector.cli.outcome_printing import print_outcome, save_result_lines
from inspector.cli.terminal import write_stdout_tty_safe
from inspector.core.engine.log import OpenLog
from inspector.core.engine.option_checks import require_preset
from inspector.core.errors import InspectorError, UnknownName
from inspector.core.presentation.engine_results import SaveResult
from inspector.core.repair.choices import Choices
from inspector.core.report import json as json_report
from inspector.core.translation import tr
from inspector.core.trim.options import Shrinking, Trimming, Wish, parse_fit
from inspector.core.trim.report import TrimDocument, TrimmedSession, trim_lines, trimmed_sessions, trimmed_totals

if TYPE_CHECKING:
    from inspector.core.engine.result_types import Report, Trimmed

_UNITS = {"": 0, "B": 1, "KB": 1000, "MB": 1_000_000}
_SIZE = re.compile(r"([0-9]{1,15})\s*(B|KB|MB)?", re.IGNORECASE)


class TrimDestination(Struct, frozen=True):
    """Where the trimmed copy is written."""

    output: str
    dry_run: bool


class TrimOutcome(Struct):
    """The outcome of a trimming, as far as it got. `reason` says why nothing was written."""

    path: str
    reason: str = ""
    report: Report | None = None
    trimmed: Trimmed | None = None
    written: SaveResult | None = None


@click.command()
@click.argument("path", type=click.Path())
@click.option(
    "--keep", type=click.IntRange(min=1), help=tr("Maximum number of messages to keep, counted from the end.")
)
@click.option(
    "--fraction",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help=tr("Fraction of the messages to keep, counted from the end."),
)
@click.option(
    "--before",
    type=click.IntRange(min=0),
    metavar="LINE",
    help=tr(
        "Remove this line and everything after it. For a log that is a single JSON document, give a message number."
    ),
)
@click.option("--keep-first", is_flag=True, help=tr("Also keep everything before the first answer."))
@click.option(
    "--shrink-results",
    default="",
    metavar="SIZE|N",
    help=tr(
        "Replace large results with notes. Specify a size with a unit, such as 8KB, or the number of results "
        "to replace."
    ),
)
@click.option(
    "--fit",
    metavar="MODEL|TOKENS",
    default="",
    help=tr("Shorten the history to fit a model's context window or a number of tokens, such as 200k."),
)
@click.option(
    "--reserve",
    type=click.IntRange(min=0),
    metavar="TOKENS",
    help=tr("With --fit, the number of tokens to leave for the answer. The default depends on the model."),
)
@options.output
@click.option(
    "--repair", "repairs", is_flag=True, help=tr("If the log is broken, repair it first, as `repair` does by default.")
)
@click.option("--preset", default="canonical", help=tr("Preset for this repair. `presets` lists the presets."))
@options.log_format
@options.dry_run
@options.output_format_option()
def trim(
    path: str, keep: int | None, fraction: float | None, before: int | None, keep_first: bool, shrink_results: str,
    fit: str, reserve: int | None, output: str, repairs: bool, preset: str, log_format: str, dry_run: bool, form: str,
) -> None:  # fmt: skip
    """Shorten a history, and write it as a copy. Calls and their results stay together.

    With --fit, the oldest large results are shortened first, then images are replaced with notes, and then the oldest
    turns are removed, until the history fits. With --before, the history ends before a line, so that the session can
    continue from an earlier place. Without --output, such a history is saved as a new session, or as a copy if the
    format does not support new sessions, and the command that resumes it is printed.

    The history is never cut between a call and its result. If it cannot be cut at the requested number of messages, it
    is cut at the next possible place, or if there is none, at the last possible place before it. If the provider
    requires a user message at the beginning, the history begins with one, or a note is added.

    Exit code: 0 written and verified, or nothing to do; 1 no verified result; 2 usage or unreadable; 3 not checked.
    """
    if keep is not None and fraction is not None:
        raise click.UsageError(tr("Use only one of --keep and --fraction."))
    if fraction is not None and not 0 < fraction < 1:  # click lets NaN into any range
        raise click.UsageError(tr("--fraction expects a number between 0 and 1."))
    if fit and (keep is not None or fraction is not None or shrink_results):
        raise click.UsageError(tr("--fit cannot be combined with --keep, --fraction or --shrink-results."))
    if before is not None and (keep is not None or fraction is not None or shrink_results or fit or keep_first):
        raise click.UsageError(
            tr("--before cannot be used with --keep, --fraction, --keep-first, --shrink-results or --fit.")
        )
    if reserve is not None and not fit:
        raise click.UsageError(tr("--reserve can be used only with --fit."))
    if keep is None and fraction is None and before is None and not shrink_results and not fit:
        raise click.UsageError(
            tr(
                "Use --fit MODEL, --keep N, --fraction F or --before LINE to choose how much to keep, or use "
                "--shrink-results."
            )
        )
    try:
        require_preset(preset)
        choices = Choices(preset) if repairs else None
        wanted = parse_fit(fit, reserve) if fit else None
        trimming = Trimming(Wish(keep, fraction, keep_first), _parse_shrinking(shrink_results), choices, wanted)
        with open_log_at(path, log_format) as log:
            if before is not None:
                trimming = replace(trimming, before=log.record_at(before))
            raise SystemExit(_trim(log, path, trimming, TrimDestination(output, dry_run), form))
    except InspectorError as error:
        print_outcome(TrimOutcome(path, str(error)), form, _as_json, _as_text, to_stderr=form == "text")
        raise SystemExit(exit_codes.code_of_error(error)) from error


def _parse_shrinking(text: str) -> Shrinking:
    """Parse a size with its unit, or a number of results. Raises UnknownName."""
    if not text:
        return Shrinking()
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise UnknownName(
            tr("--shrink-results expects a size such as 8KB, or a number of results, not {text}.", text=text)
        )
    unit = _UNITS[(match[2] or "").upper()]
    return Shrinking(over=int(match[1]) * unit) if unit else Shrinking(most=int(match[1]))


def _trim(log: OpenLog, path: str, trimming: Trimming, target: TrimDestination, form: str) -> int:
    """Plan and save a trimming, print the outcome, and return the exit code."""
    outcome, code = TrimOutcome(path), exit_codes.OK
    try:
        outcome.report = log.check()
        log.require_judged()
        outcome.trimmed = log.trim(trimming)
        outcome.written = _save(log, outcome.trimmed, target)
        if outcome.written is None:
            outcome.reason = options.DRY_RUN_REASON if target.dry_run else tr("Nothing to trim.")
            if trimming.fit is not None and outcome.trimmed.changes_nothing:
                outcome.reason = tr("The history already fits, so nothing was written.")
    except InspectorError as error:
        outcome.reason, code = str(error), exit_codes.code_of_error(error)
    to_stderr = target.output == "-" and outcome.written is not None
    print_outcome(outcome, form, _as_json, _as_text, to_stderr)
    return code


def _save(log: OpenLog, trimmed: Trimmed, target: TrimDestination) -> SaveResult | None:
    """Write the trimmed copy. Return None if nothing was written."""
    plan = trimmed.plan
    if target.dry_run:
        log.rehearse(plan)
        return None
    if target.output == "-":
        data, written = log.output_for_printing(plan)
        write_stdout_tty_safe(data)
        return written
    if trimmed.changes_nothing and not target.output:
        return None
    new_session = trimmed.is_to_be_resumed and not target.output and "new-session" in log.save_modes
    return log.save_trimmed(trimmed, target.output, "new-session" if new_session else "copy")


def _as_json(outcome: TrimOutcome) -> bytes:
    report, trimmed, written = outcome.report, outcome.trimmed, outcome.written
    document = TrimDocument(
        output=written.path if written else None,
        command=(written.command or None) if written else None,
        reason=outcome.reason or None,
        trimmed=trimmed_totals(trimmed) if trimmed else UNSET,
        warnings=written.warnings if written else UNSET,
    )
    if report is None:
        unreadable = json_report.unreadable_session(TrimmedSession, outcome.path, outcome.reason)
        return json_report.whole_report(document, [unreadable])
    return json_report.whole_report(document, trimmed_sessions(report, trimmed))


def _as_text(outcome: TrimOutcome) -> Iterator[str]:
    report, trimmed, written = outcome.report, outcome.trimmed, outcome.written
    if report is None or trimmed is None:
        yield f"{outcome.path}: {outcome.reason}"
        return
    yield f"{outcome.path}: {tr(report.verdict.word)}"
    yield from trim_lines(trimmed)
    if written is None:
        yield outcome.reason
        return
    yield from save_result_lines(written)
