"""`python -m tests.core.redaction.bundles [FOLDER …]`: the properties of a bundle over many logs, with figures.

Tried are the samples, the smallest log of each rule, as many generated ones as --logs says, half of them histories in
every format that met accidents, half trials of the fuzzer; and every file of the folders. Each refusal and each failure
is told. The exit code is 1 when anything failed.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import click
from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.core.formats import FORMATS, WRITABLE
from tests.core.redaction.bundles.properties import Tried, tried
from tests.core.repair.every_format import write
from tests.core.rules.each_rule import EACH_RULE
from tests.robustness.fuzz.groups import write_files
from tests.robustness.fuzz.trial import trial
from tests.robustness.properties.histories import damaged
from tests.support.notation import History, show
from tests.support.paths import SAMPLES

EVERY = FORMATS | WRITABLE


class Figures:
    """How many logs of a kind were tried, and what came of them."""

    def __init__(self, kind: str) -> None:
        self.kind, self.found = kind, Counter[str]()

    def add(self, name: str, done: Tried) -> None:
        came = "failed" if done.faults else "refused" if done.refusal else "bundled"
        self.found[came] += 1
        for line in filter(None, [done.refusal, *done.faults]):
            print(f"{came}: {name}: {line[:600]}", flush=True)

    def __str__(self) -> str:
        told = ", ".join(f"{self.found[came]:,} {came}" for came in ("bundled", "refused", "failed"))
        return f"{self.kind}: {self.found.total():,} logs, {told}"


@contextmanager
def room() -> Iterator[Path]:
    with TemporaryDirectory() as folder:
        yield Path(folder)


def of_folder(folder: Path, figures: Figures) -> None:
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        with room() as beside:
            figures.add(str(path.relative_to(folder)), tried(path, beside / "b.zip"))


def of_rules(figures: Figures) -> None:
    for code, example in EACH_RULE.items():
        with room() as beside:
            figures.add(code, tried(example.written(beside), beside / "b.zip", example.profile))


def of_histories(name: str, count: int, number: int, figures: Figures) -> None:
    """Those of one format."""

    @seed(number)
    @settings(
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(damaged())
    def each(history: History) -> None:
        with room() as beside:
            path = write(EVERY[name], history, beside / "log")
            figures.add(f"{name}: {show(history)}", tried(path, beside / "b.zip"))

    each()


def of_trials(count: int, number: int, figures: Figures) -> None:
    for at in range(count):
        with room() as beside:
            made = trial(number, at)
            write_files(made, beside)
            figures.add(f"--seed {number} --trial {at}", tried(beside / made.log, beside / "b.zip"))


@click.command()
@click.option("--logs", default=1000, help="How many generated ones.")
@click.option("--seed", "number", default=0, help="Another number gives others.")
@click.argument("folders", nargs=-1, type=click.Path(exists=True, path_type=Path))
def main(logs: int, number: int, folders: tuple[Path, ...]) -> None:
    """Bundle many logs, and hold the bundles to what is promised of them."""
    kinds = [Figures(name) for name in ("samples", "rules", "histories", "trials", *map(str, folders))]
    # Whether another program has a log open is no matter of this.
    with patch("inspector.core.engine.activity.is_open_for_writing", return_value=False):
        of_folder(SAMPLES, kinds[0])
        of_rules(kinds[1])
        for name in EVERY:
            of_histories(name, logs // 2 // len(EVERY) + 1, number, kinds[2])
        of_trials(logs // 2, number, kinds[3])
        for folder, figures in zip(folders, kinds[4:], strict=True):
            of_folder(folder, figures)
    print("\n".join(map(str, kinds)))
    sys.exit(any(each.found["failed"] for each in kinds))


if __name__ == "__main__":
    main()
