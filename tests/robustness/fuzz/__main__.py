"""`python -m tests.robustness.fuzz`: many trials with a table of what failed, or one trial and all that was seen of it.

A failure is told when its kind and place are new; --into keeps the smallest log of each. The exit code is 1 when
anything failed.
"""

from __future__ import annotations

import signal
import sys
import time
from collections import Counter
from pathlib import Path

import click
from rich.console import Console

from tests.robustness.fuzz.asking import ask
from tests.robustness.fuzz.groups import Groups, again, write_files
from tests.robustness.fuzz.properties import failures
from tests.robustness.fuzz.smaller import TRIES
from tests.robustness.fuzz.trial import trial
from tests.robustness.fuzz.workers import in_processes

_OFTEN = 1000  # trials between two signs of life


@click.command()
@click.option("--seed", default=0, help="Another number gives other trials.")
@click.option("--trials", default=2000, help="How many.")
@click.option("--first", default=0, help="The number of the first one.")
@click.option("--jobs", default=2, help="How many processes.")
@click.option("--trial", "number", type=int, help="Show this one alone.")
@click.option("--into", type=click.Path(path_type=Path), help="Write logs that fail there (of one trial: its log).")
@click.option("--tries", default=TRIES, help="How often to try for a smaller log, for each group; 0 is never.")
def main(seed: int, trials: int, first: int, jobs: int, number: int | None, into: Path | None, tries: int) -> None:
    """Put mutated logs to the product."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what was started is ended, and told, on either
    console = Console(highlight=False, markup=False, soft_wrap=True)
    if number is not None:
        sys.exit(_show(seed, number, into, console))
    groups, verdicts, count, began = Groups(seed), Counter[str](), 0, time.monotonic()
    try:
        for count, done in enumerate(in_processes(seed, range(first, first + trials), jobs), 1):
            verdicts.update(done.verdicts)
            for new in groups.add(done.number, done.size, done.failures):
                console.print(f"{new.kind}: {new.place}\n  {again(seed, done.number)}")
            if count % _OFTEN == 0:
                console.print(f"{count:,} trials, {time.monotonic() - began:.0f} s, {len(groups.found)} groups")
    except KeyboardInterrupt:
        console.print("Stopped before the end.")
    console.print(f"{count:,} trials: " + ", ".join(f"{times:,} {word}" for word, times in verdicts.most_common()))
    console.print(groups.table() if groups.found else "Nothing failed.")
    if into:
        groups.write(into, tries)
    sys.exit(bool(groups.found))


def _show(seed: int, number: int, into: Path | None, console: Console) -> int:
    shown = trial(seed, number)
    if into:
        write_files(shown, into)
    seen = ask(shown)
    console.print(f"seed log   {shown.seed_log.name}\nmutations  {' '.join(shown.did)}")
    for name, said in seen.said.items():
        told = said.hung or (said.fault or ("",))[0] or said.code
        console.print(f"{name:10} {' '.join(said.words)}: {told}")
    console.print(f"verdicts   {' '.join(sorted(seen.verdicts))}\nformat     {seen.format}")
    found = failures(seen)
    for failure in found:
        console.print(f"\n{failure.kind}: {failure.place}\n{failure.what}")
    return bool(found)


if __name__ == "__main__":
    main()
