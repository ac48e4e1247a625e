"""`convert`: write a history as messages of another provider's API, or as a page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from inspector.cli import exit_codes, options
from inspector.cli.log_input import open_log_at
from inspector.cli.outcome_printing import print_outcome
from inspector.cli.terminal import write_stdout_tty_safe
from inspector.core.convert.convert import ConvertDocument, add_conversion, conversion_report_lines, source_places
from inspector.core.engine.log import OpenLog
from inspector.core.engine.option_checks import conversion_targets, require_preset
from inspector.core.errors import InspectorError
from inspector.core.presentation.engine_results import SaveResult
from inspector.core.repair.choices import Choices
from inspector.core.report.json import encode_document
from inspector.core.translation import tr

if TYPE_CHECKING:
    from inspector.core.engine.result_types import Conversion


class ConvertOutcome(Struct):
    """The outcome of a conversion, as far as it got. `reason` says why nothing was written."""

    path: str
    reason: str = ""
    verdict: str = ""
    converted: Conversion | None = None
    written: SaveResult | None = None
    places: list[str] = []


@click.command(short_help=tr("Convert a history to another API's format, or to Markdown."))
@click.argument("path", type=click.Path())
@click.option(
    "--to", "target", type=click.Choice(conversion_targets()), required=True, help=tr("Format to convert to.")
)
@options.output
@options.session
@click.option("--repaired", is_flag=True, help=tr("Convert the repaired history. The log itself does not change."))
@click.option("--preset", default="canonical", help=tr("Preset to use with --repaired. `presets` lists the presets."))
@options.log_format
@options.output_format_option()
def convert(
    path: str, target: str, output: str, session: str, repaired: bool, preset: str, log_format: str, form: str
) -> None:
    """Convert a history to OpenAI or Anthropic messages, or to Markdown.

    Only the active branch is converted. Every block that is skipped or changed is listed. Calls without results, and
    results without calls, are not repaired unless you add --repaired.

    Exit code: 0 written; 1 no verified repair; 2 usage or unreadable; 3 not checked.
    """
    outcome, code = ConvertOutcome(path), exit_codes.OK
    try:
        require_preset(preset)
        with open_log_at(path, log_format) as log:
            outcome.verdict = log.report.verdict.word
            outcome.converted = log.convert(target, session, Choices(preset) if repaired else None)
            outcome.written = _save(log, outcome.converted, output)
            outcome.places = source_places(outcome.converted, log.report.log)
    except InspectorError as error:
        outcome.reason, code = str(error), exit_codes.code_of_error(error)
    to_stderr = output == "-" if outcome.written else form == "text"
    print_outcome(outcome, form, _as_json, _as_text, to_stderr)
    raise SystemExit(code)


def _save(log: OpenLog, converted: Conversion, output: str) -> SaveResult:
    if output != "-":
        return log.save_converted(converted, output)
    data, written = log.conversion_for_printing(converted)
    write_stdout_tty_safe(data)
    return written


def _as_json(outcome: ConvertOutcome) -> bytes:
    written = outcome.written
    document = ConvertDocument(
        path=outcome.path,
        verdict=outcome.verdict or None,
        output=written.path if written else None,
        output_verdict=(written.verdict or None) if written else None,
        reason=outcome.reason or None,
    )
    if outcome.converted is not None:
        add_conversion(document, outcome.converted)
    return encode_document(document)


def _as_text(outcome: ConvertOutcome) -> Iterator[str]:
    if outcome.written is None or outcome.converted is None:
        yield f"{outcome.path}: {outcome.reason}"
        return
    yield f"{outcome.path}: {outcome.verdict}"
    yield from conversion_report_lines(outcome.converted, outcome.places)
    verdict = f" Verdict: {outcome.written.verdict}." if outcome.written.verdict else ""
    yield tr("Written to {path}.{verdict}", path=outcome.written.path, verdict=verdict)
