"""`restore`: put an original back where it was."""

import click

from inspector.cli import exit_codes
from inspector.cli.terminal import print_text
from inspector.core.engine import without_open_log
from inspector.core.translation import tr


@click.command(short_help=tr("Restore the original log from its backup."))
@click.argument("backup", type=click.Path())
def restore(backup: str) -> None:
    """Restore what BACKUP was made from, which is a log, a database or the files of a folder.

    This undoes an in-place repair. The repaired file is kept under a new name. Close the agent first.

    Exit code: 0 restored; 2 not a backup, or not writable.
    """
    with exit_codes.exit_on_error():
        restored = without_open_log.restore(backup)
    for sentence in restored.sentences:
        print_text(sentence)
    for warning in restored.warnings:
        print_text(f"Note: {warning}")
