"""`convert`: write a history as messages of another provider's API, or as a page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click
from msgspec import Struct

from inspector.cli import exits, options
from inspector.cli.reading import log_at
from inspector.cli.telling import tell
from inspector.cli.terminal import put_out
from inspector.core.engine.names import conversion_targets, require_preset
from inspector.core.engine.open_log import OpenLog
from inspector.core.errors import InspectorError
from inspector.core.repair.choices import Choices
from inspector.core.reports.convert_report import convert_json, convert_lines, note_places

if TYPE_CHECKING:
    from inspector.core.engine.answers import Conversion, Converted


class Outcome(Struct):
    """How far it came; `reason` says why nothing was written."""

    path: str
    reason: str = ""
    verdict: str = ""
    converted: Conversion | None = None
    written: Converted | None = None
    places: list[str] = []


@click.command()
@click.argument("path")
@click.option("--to", "target", type=click.Choice(conversion_targets()), required=True, help="What to convert it to.")
@options.output
@options.session
@click.option("--repaired", is_flag=True, help="Convert the repaired history; the log stays as it is.")
@click.option("--preset", default="canonical", help="How to repair it; `presets` lists the ways.")
@options.log_format
@options.form()
def convert(
    path: str, target: str, output: str, session: str, repaired: bool, preset: str, log_format: str, form: str
) -> None:
    """Convert a history to OpenAI or Anthropic messages, or to Markdown.

    Every block that is skipped or adapted is listed. The active path is converted, with its pairs as they are: what is
    unmatched in the log is unmatched in the messages, unless they are of the repaired history.

    Exit code: 0 written; 1 nothing that verifies; 2 usage or unreadable; 3 not judged.
    """
    outcome, code = Outcome(path), exits.OK
    try:
        require_preset(preset)
        with log_at(path, log_format) as log:
            outcome.verdict = log.report.verdict.word
            outcome.converted = log.convert(target, session, Choices(preset) if repaired else None)
            outcome.written = _save(log, outcome.converted, output)
            outcome.places = note_places(outcome.converted, log.report.log)
    except InspectorError as error:
        outcome.reason, code = str(error), exits.code_of(error)
    to_stderr = output == "-" and outcome.written is not None
    tell(outcome, form, _as_json, _as_text, to_stderr)
    raise SystemExit(code)


def _save(log: OpenLog, converted: Conversion, output: str) -> Converted:
    if output != "-":
        return log.save_converted(converted, output)
    data, written = log.conversion_for_printing(converted)
    put_out(data)
    return written


def _as_json(outcome: Outcome) -> bytes:
    written = outcome.written
    return convert_json(
        outcome.converted,
        outcome.path,
        verdict=outcome.verdict or None,
        output=written.path if written else None,
        output_verdict=(written.verdict or None) if written else None,
        reason=outcome.reason or None,
    )


def _as_text(outcome: Outcome) -> Iterator[str]:
    if outcome.written is None or outcome.converted is None:
        yield f"{outcome.path}: {outcome.reason}"
        return
    yield f"{outcome.path}: {outcome.verdict}"
    yield from convert_lines(outcome.converted, outcome.places)
    verdict = f" They are {outcome.written.verdict}." if outcome.written.verdict else ""
    yield f"Written to {outcome.written.path}.{verdict}"
