"""`formats`, `rules`, `strategies`, `presets`, `wordings`, `profiles`: what there is, as tables."""

import click
from rich.console import Console
from rich.table import Table as Grid

from inspector.cli import options
from inspector.cli.terminal import print_json, print_text
from inspector.core.errors import UnknownName
from inspector.core.report.format_and_rule_tables import (
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
from inspector.core.translation import tr


def _print_table(printed: TextTable) -> None:
    console = Console(highlight=False)
    table = Grid(*printed.titles, box=None, pad_edge=False, header_style="bold")
    for row in printed.rows:
        table.add_row(*(cell.replace("[", "\\[") for cell in row))
    if not console.is_terminal:
        # Piped output keeps whole words: nothing is cut to the width of a terminal that is not there.
        console = Console(highlight=False, width=200)
    console.print(table)


@click.command(short_help=tr("List the supported log formats, or show one of them."))
@click.argument("name", required=False, default="")
@options.output_format_option(help=tr("Format of the list."))
def formats(name: str, form: str) -> None:
    """List the supported log formats, or show the details of the format NAME.

    Installed packages can add formats. Formats that cannot be loaded are reported on standard error.
    """
    for fault in unusable_formats():
        print_text(fault, err=True)
    if form == "json":
        print_json(formats_json())
        return
    if not name:
        _print_table(formats_table())
        click.echo(
            tr("\n`formats NAME` shows how a format is detected, what is read from it, and what is not supported.")
        )
        return
    try:
        _print_table(table_of_format(name))
    except UnknownName as error:
        raise click.UsageError(str(error)) from error


@click.command()
def rules() -> None:
    """List the rules: the kinds of problems that are detected."""
    _print_table(rules_table())


@click.command(short_help=tr("List the presets, or show one of them."))
@click.argument("name", required=False, default="")
def presets(name: str) -> None:
    """List the presets, or show the strategies of the preset NAME for every rule."""
    if not name:
        _print_table(presets_table())
        click.echo(
            tr(
                "\n`presets NAME` shows what a preset does for each rule, what each action costs, and what the "
                "preset does not repair."
            )
        )
        return
    try:
        click.echo("\n".join(preset_lines(name)))
    except UnknownName as error:
        raise click.UsageError(str(error)) from error


@click.command()
def strategies() -> None:
    """List the repair strategies and what each one costs."""
    _print_table(strategies_table())


@click.command()
def wordings() -> None:
    """List the placeholder texts for `repair --wording NAME`. Any other text can be used as well."""
    _print_table(placeholder_wordings_table())
    click.echo(
        tr(
            "\n{name} is the name of the tool, and {id} is the id of the call. The built-in presets use "
            "the `honest` wording by default."
        )
    )


@click.command()
def profiles() -> None:
    """List the profiles: the providers whose rules are known."""
    _print_table(profiles_table())
