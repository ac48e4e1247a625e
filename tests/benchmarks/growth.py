"""How the time of `check` and `repair` grows from 5,000 anomalies of a kind to 10,000, in every format.

    python -m tests.benchmarks.growth [WORD …] [--count 5000] [--runs 1] [--keep FOLDER]

With words, only the cases of that format and that kind, such as `pi` and `unanswered_calls`. Seconds are processor time
of whole processes without what they take for a log of two anomalies. Twice the anomalies should take twice the time;
the exit code is 1 when a command takes more than 2.3 times as long. Repeat what was missed with `--runs 5`, which takes
the least of its runs: another program on the machine can double a time. `tests/robustness/properties/test_growth.py`
counts steps, and so sees no loop within one step of the interpreter.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.main_job import TOOL, head, row
from tests.benchmarks.processes import installed_environment, run
from tests.core.formats import WRITABLE
from tests.robustness.properties.test_growth import HISTORIES

MOST = 2.3
LEAST = 0.2  # seconds below which a ratio says nothing
FEW = 2
COMMANDS = {"check": ["check", "--format", "json", "--jobs", "1"], "repair": ["repair", "--format", "json", "-o"]}


class Bench:
    """Measures cases; `missed` are those that grow too fast."""

    def __init__(self, folder: Path, runs: int, count: int) -> None:
        self.folder, self.runs, self.count = folder, runs, count
        self.environment = installed_environment(folder / "bytecode")
        self.missed: list[str] = []

    def measure(self, name: str, history: str) -> None:
        cells: list[object] = []
        verdict = "met"
        commands = {
            "check": ["check", "--format", "json", "--jobs", "1"],
            "repair": ["repair", "--format", "json", "-o"],
        }
        for command, arguments in commands.items():
            few, once, twice = (
                self.seconds(arguments, self.log(name, history, count)) for count in (FEW, self.count, 2 * self.count)
            )
            ratio = (twice - few) / max(once - few, LEAST)
            cells += [f"{once:.2f}", f"{twice:.2f}", f"{ratio:.1f}"]
            if ratio > MOST:
                verdict = "MISSED"
                self.missed.append(f"{name} {history} {command}")
        row(f"{name} {history}", *cells, verdict)

    def log(self, name: str, history: str, count: int) -> Path:
        folder = self.folder / f"{name}-{history}-{count}"
        if not folder.exists():
            folder.mkdir()
            make = next(each for each in HISTORIES if each.__name__ == history)
            WRITABLE[name].write(make(count), folder)
        (log,) = folder.iterdir()
        return log

    def seconds(self, arguments: list[str], log: Path) -> float:
        """The least processor time of the runs of a command."""
        found = []
        repaired = self.folder / f"repaired{log.suffix}"
        for _ in range(self.runs):
            repaired.unlink(missing_ok=True)
            output = [str(repaired)] if arguments[-1] == "-o" else []
            found.append(run([*TOOL, *arguments, *output, str(log)], self.folder / "report", self.environment).cpu)
        return min(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("words", nargs="*")
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="keep the logs in this folder, and use what is there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="inspector-bench-") as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        bench = Bench(folder, options.runs, options.count)
        bench.seconds(["check"], Path(__file__))  # compiles the bytecode
        sizes = (options.count, 2 * options.count)
        columns = [f"{command} {size}" for command in ("check", "repair") for size in (*sizes, "ratio")]
        head("Seconds of processor time", "case", *columns, "")
        for name in WRITABLE:
            for history in (each.__name__ for each in HISTORIES):
                if all(word in (name, history) for word in options.words):
                    bench.measure(name, history)
    return 1 if bench.missed else 0


if __name__ == "__main__":
    sys.exit(main())
