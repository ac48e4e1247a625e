"""`forget`: remove what the program stores outside of the logs."""

from collections.abc import Iterator

import click

from inspector.cli import exit_codes
from inspector.cli.terminal import print_text
from inspector.core.engine import without_open_log
from inspector.core.presentation.engine_results import StoredDataRemoval


@click.command()
@click.argument("folders", nargs=-1, metavar="[FOLDER …]", type=click.Path(exists=True, file_okay=False))
@click.option("--dry-run", is_flag=True, help="Say what would be removed, and remove nothing.")
def forget(folders: tuple[str, ...], dry_run: bool) -> None:
    """Remove what is remembered of logs: recent files, bookmarks, settings, left-over temporary files.

    Backups and set-aside bytes beside logs hold what those say; they are named and never removed. They are looked for
    where the settings and the agents' stores lead to, in the current folder, and in each FOLDER and below.

    Exit code: 0 done; 2 something could not be removed.
    """
    with exit_codes.exit_on_error():
        cleanup = without_open_log.remove_stored_data(folders, dry_run=dry_run)
    for line in _outcome_lines(cleanup, "Would be removed" if dry_run else "Removed"):
        print_text(line)


def _outcome_lines(cleanup: StoredDataRemoval, removed: str) -> Iterator[str]:
    if cleanup.settings:
        yield f"{removed}: {cleanup.settings} (settings of the window, recent files, bookmarks)"
    if cleanup.dialog:
        yield f"{removed}: the folders that the file dialog was shown, in {cleanup.dialog}"
    yield from (f"{removed}: {path} (left over of a save or a log that was open)" for path in cleanup.unfinished)
    if not (cleanup.settings or cleanup.dialog or cleanup.unfinished):
        yield "Nothing is kept outside of the logs."
    yield from (f"Left, as it is in use or cannot be removed: {path}" for path in cleanup.in_use)
    if cleanup.beside:
        yield "Left, as it is yours to remove; it holds what logs say:"
        yield from (f"  {path}" for path in cleanup.beside)
    yield (
        f"Backups (.backup) and set-aside bytes (.quarantine) beside logs: {len(cleanup.beside)} "
        f"in {len(cleanup.looked_in)} folders that were looked in. No list is kept of where others lie: name a "
        "FOLDER to look below it."
    )
