"""`forget`: remove what the program stores outside of the logs."""

from collections.abc import Iterator

import click

from inspector.cli import exit_codes
from inspector.cli.terminal import print_text
from inspector.core.engine import without_open_log
from inspector.core.presentation.engine_results import StoredDataRemoval
from inspector.core.translation import tr, tr_plural


@click.command(short_help=tr("Remove the data that this program stores, such as settings."))
@click.argument("folders", nargs=-1, metavar="[FOLDER …]", type=click.Path(exists=True, file_okay=False))
@click.option("--dry-run", is_flag=True, help=tr("Show what would be removed without removing anything."))
def forget(folders: tuple[str, ...], dry_run: bool) -> None:
    """Remove everything that this program stores.

    These are recent files, bookmarks, settings, results of checks, and leftover temporary files.

    Backups of logs, and damaged bytes that were set aside next to logs, contain log content. They are listed but never
    removed. The command looks for them in the folders of recent files and of agents, in the current folder, and in each
    FOLDER and its subfolders.

    Exit code: 0 done; 2 something could not be removed.
    """
    with exit_codes.exit_on_error():
        cleanup = without_open_log.remove_stored_data(folders, dry_run=dry_run)
    for line in _outcome_lines(cleanup, tr("Would be removed") if dry_run else "Removed"):
        print_text(line)


def _outcome_lines(cleanup: StoredDataRemoval, removed: str) -> Iterator[str]:
    if cleanup.settings:
        yield tr(
            "{removed}: {settings} (window settings, recent files, bookmarks)",
            removed=removed,
            settings=cleanup.settings,
        )
    if cleanup.cache:
        yield tr("{removed}: {cache} (results of checks)", removed=removed, cache=cleanup.cache)
    if cleanup.dialog:
        yield tr("{removed}: the file dialog's recent folders, in {dialog}", removed=removed, dialog=cleanup.dialog)
    yield from (
        tr("{removed}: {path} (left over from saving or opening a log)", removed=removed, path=path)
        for path in cleanup.unfinished
    )
    if not (cleanup.settings or cleanup.cache or cleanup.dialog or cleanup.unfinished):
        yield tr("Nothing is stored outside the logs.")
    yield from (tr("Not removed because it is in use or protected: {path}", path=path) for path in cleanup.in_use)
    if cleanup.beside:
        yield tr(
            "These files were not removed, because they contain log content. Delete them if you no longer need them:"
        )
        yield from (f"  {path}" for path in cleanup.beside)
    yield tr(
        "Backups (.backup) and files with damaged bytes (.quarantine) next to logs: {number}, in "
        "{searched_folders}. Other folders are not tracked. To search another folder, specify it as "
        "FOLDER.",
        number=len(cleanup.beside),
        searched_folders=tr_plural("{number:,} searched folder", "{number:,} searched folders", len(cleanup.looked_in)),
    )
