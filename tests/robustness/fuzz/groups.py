"""Failures by kind and place, each group with how often it was seen and its smallest log."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from rich.table import Table

from tests.robustness.fuzz.asking import ask
from tests.robustness.fuzz.properties import Failure, failures
from tests.robustness.fuzz.smaller import TRIES, Fails, smaller
from tests.robustness.fuzz.trial import Trial, trial

_NO_SMALLER = "no_hang"  # each try would take as long


@dataclass
class Group:
    """How often it was seen, and the trial with the fewest bytes that showed it."""

    count: int
    number: int
    size: int
    what: str


class Groups:
    """Fills up while trials come in."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.found: dict[tuple[str, str], Group] = {}

    def add(self, number: int, size: int, found: list[Failure]) -> list[Failure]:
        """Note the failures of a trial; those of a kind and place that were never seen before."""
        new = []
        for failure in {each.group: each for each in found}.values():
            group = self.found.get(failure.group)
            if group is None:
                new.append(failure)
                self.found[failure.group] = Group(1, number, size, failure.what)
                continue
            group.count += 1
            if size < group.size:
                group.number, group.size, group.what = number, size, failure.what
        return new

    def table(self) -> Table:
        table = Table("property", "place", "times", "trial", "bytes", title=f"Failures, seed {self.seed}")
        for (kind, place), group in sorted(self.found.items(), key=lambda each: (each[0][0], -each[1].count)):
            table.add_row(kind, place, str(group.count), str(group.number), str(group.size))
        return table

    def write(self, into: Path, tries: int = TRIES) -> None:
        """A folder a group: the log of its smallest trial, one that was made smaller, and what was seen."""
        for (kind, place), group in self.found.items():
            folder = into / kind / re.sub(r"\W+", "-", place)[:80].strip("-")
            original = trial(self.seed, group.number)
            write_files(original, folder / "log")
            (folder / "seen.txt").write_text(
                f"{kind}: {place}\nseen {group.count} times\nto see it again: {again(self.seed, group.number)}\n"
                f"seed log: {original.seed_log.name}\nmutations: {' '.join(original.did)}\n"
                f"choices: {' '.join(original.choices)}\n\n{group.what}\n",
                errors="backslashreplace",
            )
            if kind != _NO_SMALLER and tries:
                write_files(smaller(original, fails_in(kind, place), tries), folder / "smaller")


def fails_in(kind: str, place: str) -> Fails:
    """Whether a trial fails in this way."""
    return lambda tried: any(failure.group == (kind, place) for failure in failures(ask(tried)))


def write_files(shown: Trial, folder: Path) -> None:
    for name, data in shown.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def again(seed: int, number: int) -> str:
    """The command that shows a trial again."""
    return f"python -m tests.robustness.fuzz --seed {seed} --trial {number}"
