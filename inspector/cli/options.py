"""The options that several commands have: each means the same, and says the same, wherever it stands."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import click

Option: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]

log_format = click.option("--log-format", default="", help="Read the log as this format instead of detecting it.")
session = click.option(
    "--session", default="", help="Which session of a log that holds several: its id, or its number from 0."
)
output = click.option("-o", "--output", default="", help="Where to write; - is standard output.")
dry_run = click.option("--dry-run", is_flag=True, help="Say what would be done, and write nothing.")

DRY_RUN = "A dry run writes nothing."


def form(forms: Sequence[str] = ("text", "json"), help: str = "How to report.") -> Option:
    """In which form a command tells what it did or found."""
    return click.option("--format", "form", type=click.Choice(forms), default="text", help=help)
