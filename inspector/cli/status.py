"""`status`: how far a run on a cluster is."""

import click

from inspector.cli import exit_codes
from inspector.cli.terminal import print_text
from inspector.core.fleet.run_folder import RunFolder, run_status
from inspector.core.translation import tr


@click.command(short_help=tr("Show the progress of a check on a cluster."))
@click.argument("run")
def status(run: str) -> None:
    """Show how far a run of `check --engine dask` is. RUN is the folder or URL that was given as --run.

    Exit code: 0 nothing is left; 2 there is no run; 3 logs are left.
    """
    with exit_codes.exit_on_error():
        folder = RunFolder(run)
        folder.settings()
        now = run_status(folder)
    left = now.planned - now.counts.logs
    print_text(tr("{number:>12,}  logs done", number=now.counts.logs))
    print_text(
        tr("{number:>12,}  logs left", number=left)
        if now.is_planned
        else tr("{number:>12,}  logs left, and more that are not listed yet", number=left)
    )
    print_text(tr("{number:>12,}  faults", number=now.faults))
    if now.rate:
        print_text(tr("{number:>12,.1f}  logs per second over the last ten minutes of work", number=now.rate))
    raise SystemExit(exit_codes.NOT_JUDGED if left or not now.is_planned else exit_codes.OK)
