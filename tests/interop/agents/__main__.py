"""`python -m tests.interop.agents`: install the agents, let each write, die and resume, and print the table.

With `--fix` the command `fix` is judged instead: see `fixing`.

A cell says of the broken log, then of the repaired one: was what the agent sent what was predicted? Of the repaired log
it says also that the provider took it, that every real result of the log was in it, and that what stands in for the
others is in our words. What a machine lacks is named. The exit code is 1 when a cell is a "no".
"""

import shlex
import signal
import sys
import tempfile
from pathlib import Path

import click
from rich.console import Console
from rich.table import Column, Table

from tests.interop.agents.bench import outcomes
from tests.interop.agents.drivers import AGENTS
from tests.interop.agents.drivers.agent import Agent
from tests.interop.agents.fixing import NAMES as FIX_NAMES
from tests.interop.agents.fixing import Fixed, fixes
from tests.interop.agents.install import CACHE
from tests.interop.agents.outcome import Outcome
from tests.interop.agents.provider import Provider
from tests.interop.agents.recording import record
from tests.interop.agents.scenarios import SCENARIOS, Scenario
from tests.interop.agents.workplace import Workplace
from tests.interop.third_party.environments import NotInstalled


@click.command()
@click.argument("agents", nargs=-1, metavar="[AGENT …]")
@click.option("--scenario", "names", multiple=True, type=click.Choice(list(SCENARIOS)), help="Only these.")
@click.option("--cache", type=click.Path(path_type=Path), default=CACHE, help="Where the agents are installed.")
@click.option("--fix", "fixing", is_flag=True, help="Go through `fix` and the command that it prints instead.")
@click.option("--record", "folder", type=click.Path(path_type=Path), help="Write logs and requests there, as fixtures.")
def main(agents: tuple[str, ...], names: tuple[str, ...], cache: Path, fixing: bool, folder: Path | None) -> None:
    """Let the real AGENTs (beginnings of names; all) judge what is predicted and repaired."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what was started is ended, too
    console = Console(width=210, highlight=False, markup=False)
    chosen = [agent for name, agent in AGENTS.items() if name.startswith(agents or ("",))]
    if fixing:
        sys.exit(not fix_all(chosen, [SCENARIOS[name] for name in names or FIX_NAMES], cache, console))
    scenarios = [SCENARIOS[name] for name in names or SCENARIOS]
    table = Table(
        Column("agent", no_wrap=True),
        *(scenario.name for scenario in scenarios),
        title="Sent as predicted: broken / repaired",
    )
    found: list[Outcome] = []
    for agent in chosen:
        try:
            command = agent.program.installed(cache)
        except NotInstalled as error:
            console.print(f"{agent.name}: not here: {error}")
            table.add_row(agent.name, "not here")
            continue
        row = judged(agent, command, scenarios, console, folder)
        table.add_row(agent.name, *(f"{each.broken.word} / {each.worst.word}" for each in row))
        found += row
    console.print(table)
    sys.exit(any(each.broken.no or each.worst.no for each in found))


def judged(
    agent: Agent, command: list[str], scenarios: list[Scenario], console: Console, folder: Path | None
) -> list[Outcome]:
    """One agent's row; what is not a "yes" is told as it comes."""
    row = []
    with tempfile.TemporaryDirectory(prefix="agents-") as root, Provider() as provider:
        place = Workplace(agent, command, provider, Path(root))
        for outcome in outcomes(place, scenarios):
            row.append(outcome)
            for where, cell in {"broken": outcome.broken, **outcome.repaired}.items():
                console.print(f"{agent.name}, {outcome.scenario.name}, {where}: {cell.word} {cell.why}".rstrip())
            if folder:
                record(folder, agent, outcome, place.home)
    return row


def fix_all(agents: list[Agent], scenarios: list[Scenario], cache: Path, console: Console) -> bool:
    """Print the table of `fix`. Return whether each session went on."""
    columns = "agent", "scenario", "verdict", "written by fix", "last line", "sent by the agent", "judged"
    table = Table(*columns, title="`fix`, and the command that it prints", show_lines=True)
    rows: list[Fixed] = []
    for agent in agents:
        try:
            command = agent.program.installed(cache)
        except NotInstalled as error:
            console.print(f"{agent.name}: not here: {error}")
            continue
        before, after = agent.around("PROMPT")
        how = "at a terminal" if agent.prompted else f"as: {shlex.join([agent.typed, *before, '…', *after])}"
        console.print(f"{agent.name}: `{agent.typed} …` runs {how}")
        with tempfile.TemporaryDirectory(prefix="agents-") as root, Provider() as provider:
            for row in fixes(Workplace(agent, command, provider, Path(root)), scenarios):
                console.print(" | ".join(row.row).replace("\n", ", "))
                if row.cell.no:
                    console.print(row.text)
                rows.append(row)
    for row in rows:
        table.add_row(*row.row)
    console.print(table)
    return not any(row.cell.no for row in rows)


if __name__ == "__main__":
    main()
