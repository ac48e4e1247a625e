"""The long run: `python -m tests.robustness.faults --trials 10000 [--seed N] [--only WORD]`.

Every scenario is run once as it should be, its operations are counted, and then one of them fails in each trial. What
is printed is a table of trials by operation and fault, then every broken rule with the point that shows it again.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import inspector.cli
import inspector.core
from tests.robustness.faults.rules import broken_rules
from tests.robustness.faults.scenarios import SCENARIOS
from tests.robustness.faults.shim import FAULTS, OPERATIONS, Shim, applies, built, why_not
from tests.robustness.faults.trial import Files, Outcome, Place, Point, run
from tests.support.paths import ROOT
from tests.support.room import ROOM

_MARK = "FAULTS_BELOW"  # in the environment of the process that has the library: where its files lie


def main() -> int:
    """Start the process that has the library, and wait for it."""
    reason = why_not()
    if reason:
        print(f"Not run: {reason}.")
        return 0
    with tempfile.TemporaryDirectory(dir=ROOM) as folder:
        environment = os.environ | {"LD_PRELOAD": str(built(Path(folder))), _MARK: folder, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-B", "-m", "tests.robustness.faults", *sys.argv[1:]]
        return subprocess.run(command, env=environment, check=False).returncode


def trials(folder: Path, arguments: argparse.Namespace) -> int:
    """Run them all and print what came of them; the exit code."""
    for package in (inspector.core, inspector.cli):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    shim, place, started = Shim(), Place(folder / "root"), time.monotonic()
    scenarios = [number for number, each in enumerate(SCENARIOS) if arguments.only in each.name]
    whole = {number: _whole(number, place, shim) for number in scenarios}
    points = [point for number in scenarios for point in _points(number, whole[number][1])]
    random.Random(arguments.seed).shuffle(points)
    done: Counter[tuple[str, str]] = Counter()
    broken: defaultdict[str, list[Point]] = defaultdict(list)
    outcomes: Counter[str] = Counter()
    print(f"{len(scenarios)} scenarios with {len(points)} points, of which {min(len(points), arguments.trials)} fail")
    for point in points[: arguments.trials]:
        before, as_it_should_be = whole[point.scenario]
        told = run(place.prepared(SCENARIOS[point.scenario]), place, shim, point)
        done[point.operation, point.fault] += 1
        outcomes[_word(told, as_it_should_be)] += 1
        for rule in broken_rules(before, as_it_should_be, told, point) + _not_restored(before, told, place, shim):
            broken[rule].append(point)
            if arguments.verbose:
                print(rule, point, SCENARIOS[point.scenario].name, told.said, told.crash, told.left, sep="\n   ")
    _print_table(done, outcomes, time.monotonic() - started)
    for rule, where in sorted(broken.items(), key=lambda item: -len(item[1])):
        first = where[0]
        print(
            f"{len(where)} x {rule}: {SCENARIOS[first.scenario].name}, {first.operation} {first.number} {first.fault}"
        )
    return 1 if broken else 0


def _whole(number: int, place: Place, shim: Shim) -> tuple[Files, Outcome]:
    """The files before a scenario, and its outcome when nothing fails."""
    arguments = place.prepared(SCENARIOS[number])
    before = place.files()
    outcome = run(arguments, place, shim, None)
    assert not outcome.crash, (SCENARIOS[number].name, outcome.crash)
    return before, outcome


def _points(number: int, outcome: Outcome) -> Iterator[Point]:
    for operation in OPERATIONS:
        for each in range(1, outcome.counts[operation] + 1):
            for fault in FAULTS:
                if applies(fault, operation):
                    yield Point(number, operation, each, fault)


def _word(outcome: Outcome, whole: Outcome) -> str:
    if outcome.code is None:
        return "killed"
    if not outcome.tripped:
        return "not met"
    return "done all the same" if outcome.code == whole.code else "refused"


def _not_restored(before: Files, told: Outcome, place: Place, shim: Shim) -> list[str]:
    """Where a store was left half changed, `restore` brings it back; what was changed whole has its backup."""
    changed = [name for name, content in before.items() if told.files.get(name) != content]
    kept = sorted(place.work.rglob("*.backup"))
    if told.code == 0 or not changed or len(kept) != 1 or any(".backup" in name for name in before):
        return []
    answer = run(["restore", str(kept[0])], place, shim, None)
    wrong = [name for name in changed if answer.files.get(name) != before[name] and not _is_beside(name)]
    return [f"not restored: {name}" for name in wrong]


def _is_beside(name: str) -> bool:
    """What is changed with a log has a backup of its own."""
    return "state/" in name


def _print_table(done: Counter[tuple[str, str]], outcomes: Counter[str], seconds: float) -> None:
    print(f"{'':10}" + "".join(f"{fault:>14}" for fault in FAULTS))
    for operation in OPERATIONS:
        print(f"{operation:10}" + "".join(f"{done[operation, fault]:14}" for fault in FAULTS))
    told = ", ".join(f"{number} {word}" for word, number in outcomes.most_common())
    print(f"{sum(done.values())} trials in {seconds:.0f} s: {told}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.robustness.faults", description=__doc__)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="the scenarios with this word in their names")
    parser.add_argument("--verbose", action="store_true", help="what was said, for every broken rule")
    return parser.parse_args()


if __name__ == "__main__":
    arguments = _arguments()
    sys.exit(trials(Path(os.environ[_MARK]), arguments) if _MARK in os.environ else main())
