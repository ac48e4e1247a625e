"""`completion`: the script that completes commands, options and paths in a shell."""

import click
from click.shell_completion import get_completion_class

from inspector.cli.command_table import COMPLETION_VARIABLE


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that completes commands in SHELL.

    For bash add `eval "$(transcript-inspector completion bash)"` to ~/.bashrc, for zsh the same with zsh to ~/.zshrc,
    and for fish write its output to ~/.config/fish/completions/transcript-inspector.fish.
    """
    group = context.find_root()
    kind = get_completion_class(shell)
    assert kind is not None  # click has all three
    click.echo(kind(group.command, {}, str(group.info_name), COMPLETION_VARIABLE).source())
