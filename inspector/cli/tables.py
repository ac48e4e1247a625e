"""`formats`, `rules`, `presets`, `profiles`: what there is, as tables."""

from collections.abc import Iterable

import click
from rich.console import Console
from rich.table import Table

from inspector.core.check import NOT_BUILT
from inspector.core.formats import FORMATS
from inspector.core.profiles import PROFILES
from inspector.core.repair.presets import PRESETS
from inspector.core.rules import RULES


def _print(titles: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    console = Console(highlight=False)
    table = Table(*titles, box=None, pad_edge=False, header_style="bold")
    for row in rows:
        table.add_row(*(cell.replace("[", "\\[") for cell in row))
    if not console.is_terminal:
        # Piped output keeps whole words: nothing is cut to the width of a terminal that is not there.
        console = Console(highlight=False, width=200)
    console.print(table)


@click.command()
def formats() -> None:
    """The logs that can be read, and how they are written back."""
    rows = [(f.name, f.label, f.container, f.detection, f.write_back, f.profile, f.source) for f in FORMATS.values()]
    _print(("name", "what", "container", "recognised by", "written back", "profile", "facts from"), rows)


@click.command()
def rules() -> None:
    """The classes of anomaly that are judged, and those that are not judged yet."""
    rows = [
        (code, rule.SLUG, (rule.__doc__ or "").splitlines()[0], rule.DEFAULT, ", ".join(rule.STRATEGIES))
        for code, rule in RULES.items()
    ]
    _print(("code", "slug", "what", "default", "repairs"), rows)
    click.echo(f"\nNot judged yet: {', '.join(NOT_BUILT)}")


@click.command()
def presets() -> None:
    """The named tables of strategies."""
    _print(("name", "what it does", "caveat"), [(p.name, p.summary, p.caveat) for p in PRESETS.values()])


@click.command()
def profiles() -> None:
    """The providers whose rules are known."""
    rows = [(p.name, p.label, ", ".join(sorted(p.refusals)), p.source) for p in PROFILES.values()]
    _print(("name", "what", "refuses", "facts from"), rows)
