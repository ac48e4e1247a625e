"""The main job on large logs: how long it takes and how much memory, against a bare loop of `orjson.loads`.

    python -m tests.benchmarks.main_job [--sizes 10,100,1000] [--runs 5] [--thousands 100] [--keep FOLDER]

Everything is measured as whole processes, start-up included, interleaved, bytecode compiled as pip does it, page cache
warm; times are medians. What `check` says is compared with what the generator knows. The exit code is 1 when a count is
wrong or a target is missed.
"""

import argparse
import importlib.util
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from tests.benchmarks.documents import SPELLINGS, generate_document, spell
from tests.benchmarks.generate import Facts, generate
from tests.benchmarks.processes import MEGABYTE, Run, installed_environment, run
from tests.benchmarks.rollouts import generate_rollout

BARE_LOOP = "import sys, orjson\nwith open(sys.argv[1], 'rb') as log:\n    for line in log: orjson.loads(line)"
BARE_DOCUMENT = "import sys, orjson\nwith open(sys.argv[1], 'rb') as document: orjson.loads(document.read())"
TOOL = [sys.executable, "-m", "inspector"]

# From this size in megabytes on: the most that check may take of the bare loop.
CHECK_RATIOS = ((1000, 0.75), (0, 0.9))
# Most of a rollout is long strings, which orjson only copies: the start of the program weighs more than elsewhere.
ROLLOUT_RATIO = 1.1
DOCUMENT_RATIO = 1.0
# repair may take this many times cp and this many times check.
REPAIR_COPIES, REPAIR_CHECKS = 2.0, 2.5
# Planning a repair of a log with half a percent of broken pairs, and verifying it, may take this many times check.
PLAN_RATIO, BROKEN = 1.0, 0.5
# What it may need of memory beyond check: megabytes a finding, and a megabyte of the log (the index of the repaired
# history beside the log's file mode, and its pairing).
PLAN_A_FINDING, PLAN_A_MEGABYTE = 0.02, 0.05
# Four times the calls may cost at most this much more than the bare loop's own growth.
LINEAR_SLACK = 1.15
FAULTS = {
    "unanswered": {"D1", "D2", "D3", "D4"},
    "orphans": {"R1", "R8", "R12"},
    "duplicates": {"R5", "R6", "R7"},
    "displaced": {"R3", "R4"},
    "reused": {"K1"},
}


class FindingHead(msgspec.Struct):
    rule: str


class SessionHead(msgspec.Struct):
    records: int
    calls: int
    results: int
    findings: list[FindingHead]


class Report(msgspec.Struct):
    sessions: list[SessionHead]


class Measured(NamedTuple):
    """Medians in seconds, and peaks of anonymous memory in bytes. `cpu_ratio` is check / bare in processor time."""

    size: int
    bare: float
    check: float
    copy: float
    repair: float
    cpu_ratio: float
    anonymous: int
    repair_anonymous: int


class PlanMeasured(NamedTuple):
    """Medians of processor time in seconds, and the megabytes that the plan needs beyond check."""

    check: float
    plan: float
    extra: float


class Bench:
    """Measures logs one after another and remembers whether everything was as it should be."""

    def __init__(self, folder: Path, runs: int) -> None:
        self.folder = folder
        self.runs = runs
        self.environment = installed_environment(folder / "bytecode")
        self.failures: list[str] = []

    def make(self, name: str, mode: str, size: float, broken: float = 0) -> tuple[Path, Facts]:
        path = self.folder / f"{name}.jsonl"
        beside = path.with_suffix(".json")
        if path.exists() and beside.exists():
            return path, msgspec.json.decode(beside.read_bytes(), type=Facts)
        return path, generate(path, mode, size, broken=broken)

    def measure(self, log: Path, facts: Facts, with_repair: bool = True, bare: str = BARE_LOOP) -> Measured:
        report, repaired = self.folder / "report.json", self.folder / "repaired.jsonl"
        jobs = {
            "bare": [sys.executable, "-c", bare, str(log)],
            "check": [*TOOL, "check", str(log), "--format", "json"],
        }
        if with_repair:
            jobs["copy"] = ["cp", str(log), str(repaired)]
            jobs["repair"] = [*TOOL, "repair", str(log), "-o", str(repaired)]
        for name, command in jobs.items():
            self._run(name, command, report, log)  # warms the page cache, compiles the bytecode
        done: dict[str, list[Run]] = {name: [] for name in jobs}
        for _ in range(self.runs):
            for name, command in jobs.items():
                repaired.unlink(missing_ok=True)
                done[name].append(self._run(name, command, report, log))
        repaired.unlink(missing_ok=True)
        anonymous = self._run("check", jobs["check"], report, log, watch_memory=True).anonymous
        self._compare(report, facts, log)
        repair_anonymous = 0
        if with_repair:
            repair_anonymous = self._run("repair", jobs["repair"], report, log, watch_memory=True).anonymous
            repaired.unlink(missing_ok=True)
        report.unlink()
        median = {name: statistics.median(run.seconds for run in runs) for name, runs in done.items()}
        cpu = {name: statistics.median(run.cpu for run in runs) for name, runs in done.items()}
        return Measured(
            log.stat().st_size,
            median["bare"],
            median["check"],
            median.get("copy", 0.0),
            median.get("repair", 0.0),
            cpu["check"] / cpu["bare"],
            anonymous,
            repair_anonymous,
        )

    def measure_plan(self, log: Path, facts: Facts) -> PlanMeasured:
        """A dry run checks, plans and verifies, and writes nothing: what it takes beyond check is the plan."""
        report = self.folder / "report.json"
        jobs = {
            "check": [*TOOL, "check", str(log), "--format", "json"],
            "plan": [*TOOL, "repair", str(log), "--dry-run"],
        }
        peaks = {name: self._run(name, job, report, log, watch_memory=True).anonymous for name, job in jobs.items()}
        cpu: dict[str, list[float]] = {name: [] for name in jobs}
        for _ in range(self.runs):
            for name, job in jobs.items():
                cpu[name].append(self._run(name, job, report, log).cpu)
        self._run("check", jobs["check"], report, log)
        self._compare(report, facts, log)
        report.unlink()
        check, plan = (statistics.median(cpu[name]) for name in ("check", "plan"))
        return PlanMeasured(check, plan - check, (peaks["plan"] - peaks["check"]) / MEGABYTE)

    def _run(self, name: str, command: list[str], output: Path, log: Path, watch_memory: bool = False) -> Run:
        done = run(command, output, self.environment, watch_memory)
        allowed = (0, 1) if name == "check" else (0,)
        if done.code not in allowed:
            self.fail(f"{name} of {log.name} left with exit code {done.code}")
        return done

    def _compare(self, report: Path, facts: Facts, log: Path) -> None:
        """What `check` says against what is true."""
        try:
            (session,) = msgspec.json.decode(report.read_bytes(), type=Report).sessions
        except (msgspec.DecodeError, ValueError) as error:
            self.fail(f"check of {log.name}: {error}")
            return
        rules = Counter(finding.rule for finding in session.findings)
        seen = {fault: sum(rules[rule] for rule in rules_of) for fault, rules_of in FAULTS.items()}
        seen |= {"records": session.records, "calls": session.calls, "results": session.results}
        for name, value in seen.items():
            if value != (true := getattr(facts, name)):
                self.fail(f"check of {log.name}: {name} {value}, in truth {true} ({dict(rules)})")

    def target(self, value: float, limit: float, what: str) -> str:
        if value <= limit:
            return "met"
        self.fail(f"target missed: {what} {value:.2f}, at most {limit:.2f}")
        return "MISSED"

    def fail(self, sentence: str) -> None:
        if sentence not in self.failures:
            self.failures.append(sentence)


def row(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def head(title: str, *columns: str) -> None:
    print(f"\n{title}\n")
    row(*columns)
    row(*("---" for _ in columns))


def sizes_table(bench: Bench, sizes: list[float]) -> None:
    head(
        "Realistic logs (medians, seconds; whole processes)",
        *("MB", "orjson loop", "check", "ratio", "at most", "", "CPU ratio", "anon MB", "at most", ""),
        *("cp", "repair -o", "at most", "", "repair anon MB"),
    )
    for size in sizes:
        log, facts = bench.make(f"mixed-{size:g}", "mixed", size)
        m = bench.measure(log, facts)
        ratio, ratio_limit = m.check / m.bare, next(limit for least, limit in CHECK_RATIOS if size >= least)
        memory, memory_limit = m.anonymous / MEGABYTE, max(60.0, 0.15 * size)
        repair_limit = REPAIR_COPIES * m.copy + REPAIR_CHECKS * m.check
        row(
            f"{size:g}",
            f"{m.bare:.2f}",
            f"{m.check:.2f}",
            f"{ratio:.2f}",
            f"{ratio_limit:.2f}",
            bench.target(ratio, ratio_limit, f"check / orjson loop at {size:g} MB") if size >= 100 else "not set",
            f"{m.cpu_ratio:.2f}",
            f"{memory:.0f}",
            f"{memory_limit:.0f}",
            bench.target(memory, memory_limit, f"anonymous megabytes of check at {size:g} MB"),
            f"{m.copy:.2f}",
            f"{m.repair:.2f}",
            f"{repair_limit:.2f}",
            bench.target(m.repair, repair_limit, f"seconds of repair at {size:g} MB") if size >= 100 else "not set",
            f"{m.repair_anonymous / MEGABYTE:.0f}",
        )


def growth_table(bench: Bench, thousands: float) -> None:
    head(
        "Growth: four times the calls",
        *("log", "thousand calls", "MB", "orjson loop", "check", "ratio", "anon MB"),
        *("4x: orjson loop", "4x: check", "at most", ""),
    )
    for mode in ("dangling", "results-last", "reused"):
        before: Measured | None = None
        for size in (thousands, 4 * thousands):
            log, facts = bench.make(f"{mode}-{size:g}", mode, size)
            m = bench.measure(log, facts, with_repair=False)
            cells: list[object] = [mode, f"{size:g}", f"{m.size / MEGABYTE:.0f}", f"{m.bare:.2f}", f"{m.check:.2f}"]
            cells += [f"{m.check / m.bare:.2f}", f"{m.anonymous / MEGABYTE:.0f}"]
            if before is None:
                row(*cells, "", "", "", "")
            else:
                bare, check = m.bare / before.bare, m.check / before.check
                limit = LINEAR_SLACK * max(bare, 4.0)
                verdict = bench.target(check, limit, f"growth of check, {mode}")
                row(*cells, f"{bare:.2f}", f"{check:.2f}", f"{limit:.2f}", verdict)
            before = m


def plan_table(bench: Bench, size: float) -> None:
    """A tenth of the log with ten times the share of broken pairs has as many; the whole with it, ten times as many."""
    head(
        "Planning and verifying a repair in memory (medians of processor time)",
        *("MB", "broken %", "faults", "check", "plan", "ratio", "at most", ""),
        *("MB beyond check", "at most", ""),
    )
    for megabytes, broken in ((size, BROKEN), (size / 10, 10 * BROKEN), (size, 10 * BROKEN)):
        log, facts = bench.make(f"broken-{megabytes:g}-{broken:g}", "mixed", megabytes, broken)
        faults = facts.unanswered + facts.orphans + facts.duplicates + facts.displaced
        m = bench.measure_plan(log, facts)
        ratio, most = m.plan / m.check, PLAN_A_FINDING * faults + PLAN_A_MEGABYTE * megabytes
        asked = broken == BROKEN and megabytes >= 100
        row(
            *(f"{megabytes:g}", f"{broken:g}", faults, f"{m.check:.2f}", f"{m.plan:.2f}", f"{ratio:.2f}"),
            *(f"{PLAN_RATIO:.2f}", bench.target(ratio, PLAN_RATIO, "plan / check") if asked else "not set"),
            *(f"{m.extra:.0f}", f"{most:.0f}"),
            bench.target(m.extra, most, f"megabytes of the plan beyond check at {megabytes:g} MB, {broken:g} %"),
        )


def plan_growth_table(bench: Bench, thousands: float) -> None:
    """A quarter of the calls first: the plan of four times as many takes four times as long."""
    head("Growth of the plan: four times the calls", "log", "thousand calls", "plan", "4x: plan", "at most", "")
    for mode in ("dangling", "results-last", "reused"):
        before = 0.0
        for size in (thousands / 4, thousands):
            log, facts = bench.make(f"{mode}-{size:g}", mode, size)
            plan = bench.measure_plan(log, facts).plan
            growth, limit = plan / before if before else 0.0, 4 * LINEAR_SLACK
            if before:
                verdict = bench.target(growth, limit, f"growth of the plan, {mode}")
                row(mode, f"{size:g}", f"{plan:.2f}", f"{growth:.2f}", f"{limit:.2f}", verdict)
            else:
                row(mode, f"{size:g}", f"{plan:.2f}", "", "", "")
            before = plan


def rollout_table(bench: Bench, size: float) -> None:
    """A rollout of Codex."""
    path = bench.folder / f"rollout-{size:g}.jsonl"
    beside = path.with_suffix(".facts")
    known = path.exists() and beside.exists()
    facts = msgspec.json.decode(beside.read_bytes(), type=Facts) if known else generate_rollout(path, size)
    m = bench.measure(path, facts, with_repair=False)
    ratio = m.check / m.bare
    head("A Codex rollout", "MB", "orjson loop", "check", "ratio", "at most", "", "CPU ratio", "anon MB")
    verdict = bench.target(ratio, ROLLOUT_RATIO, f"check / orjson loop of a rollout of {size:g} MB")
    cells = (f"{m.bare:.2f}", f"{m.check:.2f}", f"{ratio:.2f}", f"{ROLLOUT_RATIO:.2f}", verdict)
    row(f"{size:g}", *cells, f"{m.cpu_ratio:.2f}", f"{m.anonymous / MEGABYTE:.0f}")


def document_table(bench: Bench, size: float) -> None:
    """One JSON document of chat messages."""
    path = bench.folder / f"document-{size:g}.json"
    beside = path.with_suffix(".facts")
    known = path.exists() and beside.exists()
    facts = msgspec.json.decode(beside.read_bytes(), type=Facts) if known else generate_document(path, size)
    head(
        "One JSON document of chat messages, as programs spell it",
        *("spelling", "MB", "orjson.loads", "check", "ratio", "at most", "", "CPU ratio", "anon MB", "cp", "repair -o"),
    )
    for spelling in ("compact", *SPELLINGS):
        spelled = path if spelling == "compact" else path.with_suffix(f".{spelling}.json")
        if not spelled.exists():
            spell(path, spelled, spelling)
        m = bench.measure(spelled, facts, bare=BARE_DOCUMENT)
        ratio = m.check / m.bare
        verdict = bench.target(ratio, DOCUMENT_RATIO, f"check / orjson.loads of a document of {size:g} MB, {spelling}")
        cells = (f"{m.bare:.2f}", f"{m.check:.2f}", f"{ratio:.2f}", f"{DOCUMENT_RATIO:.2f}", verdict)
        memory = f"{m.anonymous / MEGABYTE:.0f}"
        times = (f"{m.cpu_ratio:.2f}", memory, f"{m.copy:.2f}", f"{m.repair:.2f}")
        row(spelling, f"{m.size / MEGABYTE:.0f}", *cells, *times)


def window_table(bench: Bench, size: float) -> None:
    """The window's own benchmark, where it is there."""
    if importlib.util.find_spec("tests.benchmarks.window_gaps") is None:
        return
    log, _ = bench.make(f"mixed-{size:g}", "mixed", size)
    print(f"\nThe window, {size:g} MB\n", flush=True)
    command = [sys.executable, "-m", "tests.benchmarks.window_gaps", str(log)]
    for _ in range(2):  # the first compiles the bytecode
        done = subprocess.run(command, env=bench.environment, capture_output=True, text=True, check=False)
    print(done.stdout, flush=True)
    if done.returncode:
        bench.fail(f"the window's benchmark left with exit code {done.returncode}")


@contextmanager
def work_folder(keep: Path | None) -> Iterator[Path]:
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="inspector-bench-") as name:
            yield Path(name)
    else:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure the main job on large logs.")
    parser.add_argument("--sizes", default="10,100,1000", help="megabytes, separated by commas")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument(
        "--thousands", type=float, default=100, help="thousand calls of the growth rows; 0 leaves them out"
    )
    parser.add_argument("--rollout", type=float, default=100, help="megabytes of the Codex rollout; 0 leaves it out")
    parser.add_argument("--document", type=float, default=100, help="megabytes of the JSON document; 0 leaves it out")
    parser.add_argument("--keep", type=Path, help="keep the logs in this folder, and use what is there")
    options = parser.parse_args()
    sizes = [float(word) for word in options.sizes.split(",") if word]
    with work_folder(options.keep) as folder:
        bench = Bench(folder, options.runs)
        if sizes:
            sizes_table(bench, sizes)
            plan_table(bench, max(sizes))
        if options.thousands:
            growth_table(bench, options.thousands)
            plan_growth_table(bench, options.thousands)
        if options.rollout:
            rollout_table(bench, options.rollout)
        if options.document:
            document_table(bench, options.document)
        if sizes:
            window_table(bench, max(sizes))
    print()
    print("\n".join(bench.failures) or "Every count is right and every target is met.")
    return 1 if bench.failures else 0


if __name__ == "__main__":
    sys.exit(main())
