"""What is promised of speed, a row a promise, each measured in one interleaved run of whole processes.

    python -m tests.benchmarks [ROW …] [--runs 7] [--logs 2000] [--keep FOLDER] [--beside TREE]

ROWS is the table; without words every row is measured. Processor time tells what the program costs, however busy the
machine is; a wall time tells something on a quiet machine alone. `--beside` measures another checkout of the project
in the same run. What a single large log takes is told by `tests.benchmarks.main_job`. The exit code is 1 when a limit
is passed.
"""

import argparse
import os
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.generate import generate
from tests.benchmarks.main_job import head, row
from tests.benchmarks.processes import Run, installed_environment, run

KILOBYTE, DISTINCT = 1000, 100
SOUND = 25  # a seed whose first kilobytes hold a whole turn
BARE_FOLDER = """
import os, sys, orjson
for name in sorted(os.listdir(sys.argv[1])):
    with open(os.path.join(sys.argv[1], name), 'rb') as log:
        for line in log: orjson.loads(line)
"""
IMPORTS = "import orjson, msgspec"
CHECK_FOLDER = """
import sys; sys.argv.insert(1, 'check')
from inspector.__main__ import main; main()
"""
SURVEY = ("--screenshot", "{folder}/survey.png")


class Row(NamedTuple):
    """`make` puts what is measured into a folder and returns the argument; the command is measured against `bare`,
    code that is given the argument, too. {folder} in the command is for what it writes.

    It is the processor time on one core that is measured, or with `wall` the time on the clock with all of them.
    `limit` is the most of their ratio.
    """

    what: str
    make: Callable[[Path, int], Path]
    bare: str
    command: tuple[str, ...]
    limit: float
    wall: bool = False


def small_log(folder: Path, logs: int) -> Path:
    """A sound log of 20 KB."""
    path = folder / "small.jsonl"
    if not path.exists():
        lines = start_of(folder / "whole.jsonl", SOUND, 20 * KILOBYTE).splitlines(keepends=True)
        while b'"end_turn"' not in lines[-1]:
            lines.pop()
        path.write_bytes(b"".join(lines))
    return path


def folder_of_logs(folder: Path, logs: int) -> Path:
    """Logs of 300 KB, a hundred of them distinct. Most end with an open call, as a killed agent leaves them."""
    made = folder / f"logs-{logs}"
    if not made.exists():
        made.mkdir()
        for seed in range(min(DISTINCT, logs)):
            data = start_of(folder / "whole.jsonl", seed, 300 * KILOBYTE)
            for number in range(seed, logs, DISTINCT):
                (made / f"{number:05}.jsonl").write_bytes(data)
    return made


def start_of(whole: Path, seed: int, size: int) -> bytes:
    """The first lines of a made-up day's work, `size` bytes of them at most; what is longer by itself is left out."""
    generate(whole, "mixed", 2 * size / KILOBYTE**2, seed)
    found = bytearray()
    for line in whole.read_bytes().splitlines(keepends=True):
        if len(found) + len(line) > size:
            break
        found += line
    return bytes(found)


ROWS = {
    "small": Row("check of a log of 20 KB ÷ starting Python with its libraries", small_log, IMPORTS, ("check",), 2.5),
    "folder": Row("check of a folder ÷ orjson over its lines", folder_of_logs, BARE_FOLDER, ("check",), 3.0),
    "folder-jobs": Row("the same by all cores", folder_of_logs, BARE_FOLDER, ("check",), 1.8, wall=True),
    "survey": Row("the window with all its verdicts ÷ that", folder_of_logs, CHECK_FOLDER, SURVEY, 1.2, wall=True),
}


class Bench:
    """Measures rows; `missed` are those whose limit was passed."""

    def __init__(self, folder: Path, runs: int, logs: int, beside: str) -> None:
        self.folder, self.runs, self.logs = folder, runs, logs
        self.trees = {"": os.getcwd()} | ({"beside": beside} if beside else {})
        self.missed: list[str] = []

    def measure(self, name: str, wanted: Row) -> None:
        place = str(wanted.make(self.folder, self.logs))
        commands = {"bare": [sys.executable, "-c", wanted.bare, place]}
        words = [word.format(folder=self.folder) for word in wanted.command]
        for tree in self.trees:
            commands[tree] = [sys.executable, "-P", "-m", "inspector", *words, place]
        runs: dict[str, list[Run]] = {key: [] for key in commands}
        cores = os.sched_getaffinity(0)
        os.sched_setaffinity(0, cores if wanted.wall else {max(cores)})
        for _ in range(self.runs + 1):  # the first compiles the bytecode and warms the page cache
            for key, command in commands.items():
                runs[key].append(self.run(command, self.trees.get(key, "")))
        os.sched_setaffinity(0, cores)
        found = {key: statistics.median(self.seconds(wanted, each) for each in done[1:]) for key, done in runs.items()}
        ratio = found[""] / found["bare"]
        if ratio > wanted.limit:
            self.missed.append(name)
        beside = f"{found['beside'] / found['bare']:.2f}" if "beside" in found else ""
        kind = "wall" if wanted.wall else "CPU"
        cells = (f"{found['bare']:.3f}", f"{found['']:.3f}", f"{ratio:.2f}", beside, f"{wanted.limit:.2f}")
        row(name, wanted.what, kind, *cells, "MISSED" if ratio > wanted.limit else "met")

    @staticmethod
    def seconds(wanted: Row, run: Run) -> float:
        return run.seconds if wanted.wall else run.cpu

    def run(self, command: list[str], tree: str) -> Run:
        environment = installed_environment(self.folder / "bytecode") | ({"PYTHONPATH": tree} if tree else {})
        return run(command, self.folder / "report", environment)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("rows", nargs="*", metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--logs", type=int, default=2000, help="how many logs lie in the folder")
    parser.add_argument("--keep", type=Path, help="keep what is made in this folder, and use what is there")
    parser.add_argument("--beside", default="", metavar="TREE", help="another checkout, to be measured in the same run")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="inspector-bench-") as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        bench = Bench(folder, options.runs, options.logs, options.beside)
        head("Seconds, medians", "row", "what", "of", "bare", "ours", "ratio", "beside", "at most", "")
        for name, wanted in ROWS.items():
            if not options.rows or name in options.rows:
                bench.measure(name, wanted)
    return 1 if bench.missed else 0


if __name__ == "__main__":
    sys.exit(main())
