"""`restore`: put an original back where it was."""

import click

from inspector.cli import exit_codes
from inspector.cli.terminal import print_text
from inspector.core.engine import without_open_log


@click.command()
@click.argument("backup", type=click.Path())
def restore(backup: str) -> None:
    """Put back what BACKUP is of: the log, the database or the files of a folder that a save in place replaced.

    What lies there now is kept first, under a name of its own. Close the agent before.

    Exit code: 0 restored; 2 no backup, or not writable.
    """
    with exit_codes.exit_on_error():
        restored = without_open_log.restore(backup)
    for sentence in restored.sentences:
        print_text(sentence)
    for warning in restored.warnings:
        print_text(f"Note: {warning}")
