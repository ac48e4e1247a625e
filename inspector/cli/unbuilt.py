"""Commands that are planned, refused with a sentence until they are there."""

import click

from inspector.cli import exits

_SETTINGS = {"ignore_unknown_options": True}


def _refused(name: str) -> None:
    click.echo(f"`{name}` is not built yet in this version.", err=True)
    raise SystemExit(exits.UNREADABLE)


@click.command(context_settings=_SETTINGS)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def convert(arguments: tuple[str, ...]) -> None:
    """(not built yet) Convert a log to OpenAI or Anthropic messages, or to Markdown."""
    _refused("convert")


@click.command(context_settings=_SETTINGS)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def trim(arguments: tuple[str, ...]) -> None:
    """(not built yet) Shorten a history without cutting a pair."""
    _refused("trim")
