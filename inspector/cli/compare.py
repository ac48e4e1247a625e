"""`compare`: report the differences between two logs of one conversation."""

import click

from inspector.cli import exit_codes, options
from inspector.cli.log_input import open_log_at
from inspector.cli.terminal import print_json, print_text
from inspector.core.compare import comparison_json, comparison_lines


@click.command()
@click.argument("first", type=click.Path())
@click.argument("second", type=click.Path())
@click.option("--log-format", default="", help="Read both logs as this format instead of detecting it.")
@options.output_format_option()
def compare(first: str, second: str, log_format: str, form: str) -> None:
    """Say what the log SECOND has that FIRST lacks, the other way round, and what is different or elsewhere.

    They are two logs of one conversation: a fork, a copy from another machine, one from before a repair. Records are
    known again by their ids, else by what they say. Results that one holds for open calls of the other are listed;
    `repair --results-from` takes them over.

    Exit code: 0 both say the same; 1 they do not; 2 usage or unreadable; 3 not judged.
    """
    with exit_codes.exit_on_error(first), open_log_at(first, log_format) as log:
        log.require_judged()
        with exit_codes.exit_on_error(second), open_log_at(second, log_format) as other:
            other.require_judged()
            comparison = log.between(other)
    if form == "json":
        print_json(comparison_json(comparison))
    else:
        print_text("\n".join(comparison_lines(comparison)))
    raise SystemExit(exit_codes.OK if comparison.is_equal else exit_codes.FINDINGS)
