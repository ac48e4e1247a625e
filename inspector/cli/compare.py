"""`compare`: report the differences between two logs of one conversation."""

import click

from inspector.cli import exit_codes, options
from inspector.cli.log_input import open_log_at
from inspector.cli.terminal import print_json, print_text
from inspector.core.compare import comparison_json, comparison_lines
from inspector.core.translation import tr


@click.command()
@click.argument("first", type=click.Path())
@click.argument("second", type=click.Path())
@click.option("--log-format", default="", help=tr("Read both logs in this format instead of detecting their formats."))
@options.output_format_option()
def compare(first: str, second: str, log_format: str, form: str) -> None:
    """Compare two logs of one conversation, FIRST and SECOND.

    SECOND can be a fork, a copy from another machine, or a backup that was made before a repair. The output lists
    records that are in only one of the logs, that differ, or that are in another place. Records are matched by id, or
    by content if they have no id. The output also lists results in one log that are missing in the other. To copy them,
    use `repair --results-from`.

    Exit code: 0 same content; 1 differences; 2 usage or unreadable; 3 not checked.
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
