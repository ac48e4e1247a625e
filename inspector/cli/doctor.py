"""`doctor`: why the agents on this machine cannot find or open their sessions. Nothing is written."""

import click

from inspector.cli import exit_codes, options
from inspector.cli.progress import ProgressLine
from inspector.cli.terminal import print_json, print_text
from inspector.core.doctor.report import has_trouble, report_json, report_lines
from inspector.core.engine import without_open_log
from inspector.core.translation import tr


@click.command(short_help=tr("Report why agents cannot find or open their sessions."))
@click.option(
    "--store",
    default="",
    metavar="AGENT",
    help=tr("Examine only the store of this agent. NAME is the agent's name or part of it."),
)
@options.output_format_option()
def doctor(store: str, form: str) -> None:
    """Find out why agents do not find or open the sessions in their stores, and what a resume would keep.

    If an index, a file name or a first record is wrong, the agent reports that there is no such session, or silently
    starts a new one. Each fault is reported with its effect, what was found, what the agent expects, and the remedy,
    followed by the command that opens the session. Nothing in a store is changed. For broken histories, use `check` and
    `fix`.

    Exit code: 0 nothing found; 1 findings; 2 wrong usage.
    """
    with exit_codes.exit_on_error():
        line = ProgressLine(tr("Examining the sessions in a store: {done:,} of {total:,} logs"))
        report = without_open_log.examine_stores(store, line)
        line.erase()
    if store and not report.stores and not report.unknown:
        print_text(tr("No agent called {store} has a store on this machine.", store=store), err=True)
        raise SystemExit(exit_codes.UNREADABLE)
    if form == "json":
        print_json(report_json(report))
    else:
        print_text("\n".join(report_lines(report)))
    raise SystemExit(exit_codes.FINDINGS if has_trouble(report) else exit_codes.OK)
