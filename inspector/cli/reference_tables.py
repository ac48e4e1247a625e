"""`formats`, `rules`, `strategies`, `presets`, `wordings`, `profiles`: what there is, as tables."""

import click
from rich.console import Console
from rich.table import Table as Grid

from inspector.cli import options
from inspector.cli.terminal import print_json, print_text
from inspector.core.errors import UnknownName
from inspector.core.report.catalogue import (
    TextTable,
    formats_json,
    formats_table,
    placeholder_wordings_table,
    preset_lines,
    presets_table,
    profiles_table,
    rules_table,
    strategies_table,
    table_of_format,
    unusable_formats,
)


def _print_table(printed: TextTable) -> None:
    console = Console(highlight=False)
    table = Grid(*printed.titles, box=None, pad_edge=False, header_style="bold")
    for row in printed.rows:
        table.add_row(*(cell.replace("[", "\\[") for cell in row))
    if not console.is_terminal:
        # Piped output keeps whole words: nothing is cut to the width of a terminal that is not there.
        console = Console(highlight=False, width=200)
    console.print(table)


@click.command()
@click.argument("name", required=False, default="")
@options.output_format_option(help="How to print all of them.")
def formats(name: str, form: str) -> None:
    """The logs that can be read, and how they are written back; all that is known of one, when it is named.

    Installed packages can add formats. One that cannot be used is left out, and named on standard error.
    """
    for fault in unusable_formats():
        print_text(fault, err=True)
    if form == "json":
        print_json(formats_json())
        return
    if not name:
        _print_table(formats_table())
        click.echo("\n`formats NAME` says how one is recognised, what is read, and what is not supported.")
        return
    try:
        _print_table(table_of_format(name))
    except UnknownName as error:
        raise click.UsageError(str(error)) from error


@click.command()
def rules() -> None:
    """The classes of anomaly that are judged."""
    _print_table(rules_table())


@click.command()
@click.argument("name", required=False, default="")
def presets(name: str) -> None:
    """The named tables of strategies; what one does about every class, when it is named."""
    if not name:
        _print_table(presets_table())
        click.echo("\n`presets NAME` says what one does about every class, what it loses, and what it leaves.")
        return
    try:
        click.echo("\n".join(preset_lines(name)))
    except UnknownName as error:
        raise click.UsageError(str(error)) from error


@click.command()
def strategies() -> None:
    """What can be done about a finding, by what it costs."""
    _print_table(strategies_table())


@click.command()
def wordings() -> None:
    """The texts of placeholders to choose from with `repair --wording NAME`; any other text will do as well."""
    _print_table(placeholder_wordings_table())
    click.echo("\n{name} and {id} stand for the tool and the call. `honest` is the default of our own presets.")


@click.command()
def profiles() -> None:
    """The providers whose rules are known."""
    _print_table(profiles_table())
