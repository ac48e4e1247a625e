"""`bundle`: logs without their content, which yield the same findings, for those who repair the agent."""

import click

from inspector.cli import exit_codes, options
from inspector.cli.log_input import open_log_at
from inspector.cli.repair_many import repair_many
from inspector.cli.terminal import print_text
from inspector.core.batch.repairing import RepairOptions
from inspector.core.engine.path_checks import contains_logs
from inspector.core.engine.shareable_files import write_bundle
from inspector.core.repair.choices import Choices
from inspector.core.report.shareable.model import REPORT_LANGUAGES
from inspector.core.translation import tr


@click.command()
@click.argument("path", type=click.Path(readable=False))
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(),
    metavar="B.zip",
    help=tr("Path of the archive to write, or of the output folder if the input is a folder or an archive of logs."),
)
@click.option("--language", type=click.Choice(REPORT_LANGUAGES), default="en", help=tr("Language of the reports."))
@options.log_format
def bundle(path: str, output: str, language: str, log_format: str) -> None:
    """Write a copy of a log without its content, and a report on it. The copy has the same findings as the log.

    Every text in the copy is replaced. The copy is checked before it is written. If PATH is a folder or an archive, a
    bundle of each log in it is written to the folder OUTPUT, and nothing there is overwritten.

    Exit code: 0 written; 1 not written, because the findings of the copy would differ; 2 usage or unreadable; 3 not
    checked.
    """
    if contains_logs(path):
        options_of_all = RepairOptions(output, Choices(), log_format, product="bundle", language=language)
        raise SystemExit(exit_codes.worst_code(repair_many((path,), options_of_all, "text", yes=True)))
    with exit_codes.exit_on_error(path), open_log_at(path, log_format) as log:
        findings = write_bundle(log, output, language)
    print_text(
        tr(
            "The archive was written to {output}. It contains reports about the log and a content-free copy "
            "of the log that has the same findings ({findings}).",
            output=output,
            findings=findings,
        )
    )
