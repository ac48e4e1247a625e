"""`bundle`: a log without its content, which yields the same findings, to pass on to who mends the agent."""

import click

from inspector.cli import exits, options
from inspector.cli.reading import log_at
from inspector.cli.terminal import say
from inspector.core.engine.bundling import write_bundle as write_bundle
from inspector.core.reports.outward.names import LANGUAGES


@click.command()
@click.argument("path")
@click.option("-o", "--output", required=True, metavar="B.zip", help="Where the bundle goes.")
@click.option("--language", type=click.Choice(LANGUAGES), default="en", help="Of the reports in it.")
@options.log_format
def bundle(path: str, output: str, language: str, log_format: str) -> None:
    """Write a skeleton of a log with a report on it: every text replaced, the findings the same.

    It is checked before it is written. Exit code: 0 written; 1 its findings would be others, nothing was written;
    2 usage or unreadable; 3 not judged.
    """
    with exits.at_errors(path), log_at(path, log_format) as log:
        findings = write_bundle(log, output, language)
    say(f"Written to {output}: a log without content that yields the same findings ({findings}), and reports on it.")
