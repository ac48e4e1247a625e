"""`restore`: put an original back where it was."""

import click

from inspector.cli import exits
from inspector.cli.terminal import say
from inspector.core.engine import machine


@click.command()
@click.argument("backup")
def restore(backup: str) -> None:
    """Put back what BACKUP is of: the log, the database or the files of a folder that a save in place replaced.

    What lies there now is kept first, under a name of its own. Close the agent before.

    Exit code: 0 restored; 2 no backup, or not writable.
    """
    with exits.at_errors():
        restored = machine.restore(backup)
    for sentence in restored.sentences:
        say(sentence)
    for warning in restored.warnings:
        say(f"Note: {warning}")
