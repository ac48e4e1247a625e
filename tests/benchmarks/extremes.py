"""Logs that hold thousands of one anomaly, and nothing else: how long `check` and `repair` take of each.

    python -m tests.benchmarks.extremes [WORD …] [--format json] [--runs 1] [--keep FOLDER]

CASES is the table; with words, only the cases whose names hold one of them. Seconds are processor time of whole
processes, start-up included: the machine may be busy. That nothing grows faster than the log is held by
`tests/robustness/properties/test_growth.py`; here a person sees what it amounts to. The exit code is 1 when a limit is
passed.
"""

import argparse
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.main_job import TOOL, head, row
from tests.benchmarks.processes import MEGABYTE, installed_environment, run
from tests.core.formats import WRITABLE
from tests.robustness.properties import test_growth as growth
from tests.support.notation import Call, History, Result, Text, Turn, claude_code

FILES, FIRST_LINE = 20_000, 1.0


class Case(NamedTuple):
    """`write` puts the log into a folder and returns its path; `limit` are the seconds that each command may take."""

    name: str
    write: Callable[[Path], Path]
    limit: float = 3.0


def of(history: Callable[[int], History], count: int, *formats: str) -> list[Case]:
    """A history of `count` anomalies, in these formats."""

    def write_in(format: str) -> Callable[[Path], Path]:
        return lambda folder: WRITABLE[format].write(history(count), folder)

    return [Case(f"{count} {history.__name__.replace('_', ' ')}, {each}", write_in(each)) for each in formats]


def fragments_of_text(count: int) -> History:
    return [growth.user(), *(Turn("assistant", (Text(f"text {each}"),), "m") for each in range(count))]


def fragments_of_one_message(count: int) -> History:
    return [growth.user(), *(Turn("assistant", (Call(f"call_{each}"),), "m") for each in range(count))]


def own_parents(folder: Path) -> Path:
    return _written(folder, b"".join(growth.said(each, growth.itself(each)) for each in range(200_000)))


def line_ends(folder: Path) -> Path:
    return _written(folder, claude_code([growth.user()]) + 100 * MEGABYTE * b"\n")


def _written(folder: Path, data: bytes) -> Path:
    path = folder / "log.jsonl"
    path.write_bytes(data)
    return path


CASES = [
    *of(growth.results_of_one_call, 4_000, "claude-code", "anthropic-messages"),
    *of(growth.one_id_reused, 10_000, "claude-code", "anthropic-messages"),
    *of(growth.unanswered_calls_of_one_id, 10_000, "claude-code", "anthropic-messages", "openai-chat"),
    *of(growth.unanswered_calls_of_one_id_and_turn, 10_000, "claude-code", "anthropic-messages"),
    *of(fragments_of_text, 100_000, "claude-code"),
    *of(fragments_of_one_message, 100_000, "claude-code"),
    Case("200000 records that are their own parents, claude-code", own_parents),
    Case("100 MB of line ends, claude-code", line_ends, 5.0),
]


class Bench:
    """Runs cases; `missed` are the limits that were passed."""

    def __init__(self, folder: Path, runs: int, form: str) -> None:
        self.folder, self.runs, self.form = folder, runs, form
        self.environment = installed_environment(folder / "bytecode")
        self.missed: list[str] = []

    def measure(self, case: Case) -> None:
        folder = self.folder / case.name.replace(", ", "-").replace(" ", "-")
        if not folder.exists():
            folder.mkdir()
            case.write(folder)
        (log,) = folder.iterdir()
        repaired = self.folder / f"repaired{log.suffix}"
        check = self.seconds(["check", str(log), "--format", self.form])
        repair = self.seconds(["repair", str(log), "-o", str(repaired), "--format", self.form], repaired)
        verdict = "met" if max(check, repair) <= case.limit else "MISSED"
        if verdict == "MISSED":
            self.missed.append(case.name)
        row(case.name, f"{log.stat().st_size / MEGABYTE:.1f}", f"{check:.2f}", f"{repair:.2f}", case.limit, verdict)

    def seconds(self, arguments: list[str], made: Path | None = None) -> float:
        """The least processor time of the runs of a command."""
        found = []
        for _ in range(self.runs):
            if made is not None:
                made.unlink(missing_ok=True)
            found.append(run([*TOOL, *arguments], self.folder / "report", self.environment).cpu)
        return min(found)

    def stream(self, count: int) -> None:
        """How soon the first of many small logs in a folder is told, and how long all of them take."""
        folder = self.folder / "many"
        if not folder.exists():
            folder.mkdir()
            exchange = Turn("assistant", (Call("call"),)), growth.user(Result("call", "output"))
            made = claude_code([growth.user(), *exchange])
            for number in range(count):
                (folder / f"{number:05}.jsonl").write_bytes(made)
        start = time.perf_counter()
        command = [*TOOL, "check", str(folder)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=self.environment) as process:
            assert process.stdout is not None
            select.select([process.stdout], [], [])
            first = time.perf_counter() - start
            process.stdout.read()
        seconds = time.perf_counter() - start
        if first > FIRST_LINE:
            self.missed.append("many logs")
        row(count, f"{first:.2f}", f"{FIRST_LINE:.2f}", f"{seconds:.1f}", "met" if first <= FIRST_LINE else "MISSED")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("words", nargs="*")
    parser.add_argument("--format", choices=["text", "json"], default="text")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="keep the logs in this folder, and use what is there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="inspector-bench-") as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        bench = Bench(folder, options.runs, options.format)
        bench.seconds(["check", __file__])  # compiles the bytecode
        head("Much of one anomaly (seconds of processor time)", "log", "MB", "check", "repair -o", "at most", "")
        for case in CASES:
            if not options.words or any(word in case.name for word in options.words):
                bench.measure(case)
        if not options.words or "many" in options.words:
            head("Many logs in a folder (seconds)", "logs", "first line", "at most", "all", "")
            bench.stream(FILES)
    return 1 if bench.missed else 0


if __name__ == "__main__":
    sys.exit(main())
