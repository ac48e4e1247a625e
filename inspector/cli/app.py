"""The command group. The module of a command is imported when it runs, so that `check` starts without the others."""

import signal
from importlib import import_module

import click

from inspector.cli.command_table import COMMANDS
from inspector.cli.exit_codes import INTERRUPTED
from inspector.core.translation import tr
from inspector.version import __version__

PROGRAM = "transcript-inspector"


class LazyCommandGroup(click.Group):
    """A group that knows only the names of its commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = getattr(import_module(COMMANDS[cmd_name]), cmd_name)
        assert isinstance(command, click.Command)
        return command


@click.group(cls=LazyCommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name=PROGRAM)
def main() -> None:
    """Find and repair what keeps an LLM agent's session from resuming.

    If you pass paths instead of a command, they are opened in the window. `--screenshot OUT.png PATH` saves a picture
    of the window. On Linux, `--install-desktop` adds the window to the application menu, and `--uninstall-desktop`
    removes it.
    """


def run() -> None:
    """Run a command, or print the words that complete it. Raises SystemExit."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that it cleans up as after Ctrl+C
    try:
        raise SystemExit(main(prog_name=PROGRAM, standalone_mode=False))
    except click.ClickException as error:
        error.show()
        raise SystemExit(error.exit_code) from error
    except click.Abort as stopped:
        click.echo(tr("Interrupted."), err=True)
        raise SystemExit(INTERRUPTED) from stopped
