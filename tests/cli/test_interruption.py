"""Ctrl+C, SIGTERM and a full disk while many logs are worked on: what is there is valid, and one sentence says why."""

import json
import os
import re
import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import pytest

from inspector.cli.interruption import Interruption
from tests.core.batch.folders import BROKEN
from tests.support.paths import ROOT
from tests.support.thorough import one_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals, and workers by a fork")

Done = subprocess.CompletedProcess[bytes]
LOGS = [f"logs/{number}.jsonl" for number in range(8)]
# Whoever checks the fifth log sends a signal to the command (Ctrl+C to all its processes), and waits for its end.
SIGNALLING = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from inspector.core.batch import many
from inspector.core.engine.log import OpenLog
command, number, check = os.getpid(), int(sys.argv.pop(1)), OpenLog.check
many._WORKER_CHUNK_LOGS = 1
def check_or_signal(log, *args, **options):
    if log.source.path.endswith("4.jsonl"):
        time.sleep(0.3)  # the others are done by then
        (os.killpg if number == signal.SIGINT else os.kill)(command, number)
        time.sleep(60)
    return check(log, *args, **options)
OpenLog.check = check_or_signal
from inspector.__main__ import main
main()
"""


def run(folder: Path, program: list[str], *arguments: str, before: Callable[[], None] | None = None) -> Done:
    """Run a command in `folder`, which has some broken logs, and `before` in its process."""
    for log in LOGS:
        (folder / log).parent.mkdir(exist_ok=True)
        (folder / log).write_bytes(BROKEN)
    own = {name: str(folder / name) for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME")}
    return subprocess.run(
        [sys.executable, "-B", *program, *arguments, "logs"],
        cwd=folder,
        env={**os.environ, **own, "TMPDIR": str(folder), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=60,
        check=False,
        start_new_session=True,
        preexec_fn=before,
    )


def temporary_files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.suffix == ".part" or path.parent.name == "unfinished"]


def table(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "rows.sqlite")) as database:
        count: int = database.execute("select count(*) from files").fetchone()[0]
    return count


def parquet(folder: Path) -> int:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as database:
        counts = [
            len(database.execute(f"select * from '{folder}/rows.{name}.parquet'").fetchall())
            for name in ("files", "sessions", "findings")
        ]
    assert len(set(counts)) == 1
    return counts[0]


def sarif(data: bytes) -> int:
    return len(json.loads(data)["runs"][0]["artifacts"])


def lines(data: bytes) -> list[str]:
    assert data.endswith(b"\n")
    return data.decode().splitlines()


def written(folder: Path, printed: bytes) -> int:
    targets = re.findall(r"^written .* -> (\S+)", printed.decode(), re.MULTILINE)
    assert all((folder / target).stat().st_size for target in targets)
    return len(targets)


# Each command, and how many logs are in what it wrote and printed.
CASES: dict[str, Callable[[Path, bytes], int]] = {
    "check -q": lambda folder, printed: len(lines(printed)),
    "check -q -o report": lambda folder, printed: len(lines((folder / "report").read_bytes())),
    "check --format json": lambda folder, printed: len(json.loads(printed)["sessions"]),
    "check --format json -o report": lambda folder, printed: len(
        json.loads((folder / "report").read_bytes())["sessions"]
    ),
    "check --format json --content-free": lambda folder, printed: len(json.loads(printed)["sessions"]),
    "check --format sarif": lambda folder, printed: sarif(printed),
    "check --format sarif -o report": lambda folder, printed: sarif((folder / "report").read_bytes()),
    "check --format junit": lambda folder, printed: len(ElementTree.fromstring(printed)),
    "check --format github": lambda folder, printed: len(re.findall(rb"\n::error ", b"\n" + printed)),
    "check --format markdown": lambda folder, printed: len(re.findall(rb"\n## log-", printed)),
    "check --format ndjson": lambda folder, printed: sum(
        json.loads(line)["table"] == "files" for line in lines(printed)
    ),
    "check --summary": lambda folder, printed: int(lines(printed)[0].split()[0]),
    "check --summary --no-cache": lambda folder, printed: int(lines(printed)[0].split()[0]),
    "check --to rows.sqlite": lambda folder, printed: table(folder),
    "check --to rows.parquet": lambda folder, printed: parquet(folder),
    "repair --output-dir out --yes": written,
    "repair --output-dir out --yes --format json": lambda folder, printed: len(list(map(json.loads, lines(printed)))),
    "bundle -o out": written,
}  # fmt: skip
RUNS = [
    pytest.param(command, number, jobs, marks=one_of(7, at), id=f"{command} {number.name} {jobs}")
    for at, (command, number, jobs) in enumerate(product(CASES, (signal.SIGINT, signal.SIGTERM), ("1", "2")))
    if jobs == "1" or command.startswith("check")
]


@pytest.mark.parametrize(("command", "number", "jobs"), RUNS)
def test_what_was_done_is_valid_and_one_sentence_says_how_much(
    command: str, number: signal.Signals, jobs: str, tmp_path: Path
) -> None:
    options = ["--jobs", jobs] if command.startswith("check") else []
    done = run(tmp_path, ["-c", SIGNALLING, str(int(number))], *command.split(), *options)
    said = re.fullmatch(r"Stopped after (\d) (of 8 files|logs?)\. [^\n]*\n", done.stderr.decode())
    assert (done.returncode, bool(said)) == (130, True), done.stderr
    assert said is not None
    assert 0 < CASES[command](tmp_path, done.stdout) == int(said[1]) <= 4
    assert "--no-cache" not in command or "the next run" not in said[0]
    assert temporary_files(tmp_path) == []


def is_cut_short() -> bool:
    """Whether Ctrl+C interrupts what is done."""
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        return True
    return False


@pytest.fixture
def ctrl_c_is_heard() -> Iterator[None]:
    """Tests may run in the background of a shell, where Ctrl+C is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c_is_heard")
def test_what_is_being_written_is_finished_and_the_mark_of_ctrl_c_erased(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("inspector.cli.progress._is_watched", lambda: True)
    happened: list[str | bool] = []
    with Interruption() as interruption:
        for result in interruption.until_signal(iter("abc")):
            happened += [result, is_cut_short(), is_cut_short()]
            monkeypatch.setattr("inspector.cli.interruption._SAME_SECONDS", 0)
            happened += [is_cut_short()]
    assert happened == ["a", False, False, True]  # the second may be the first once more
    assert capsys.readouterr().err == "\r"  # the rest of the sequence is only for terminals


def fill_disk() -> None:
    """Let no file grow beyond a kilobyte."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("check --to rows.sqlite", "rows.sqlite could not be written: .*"),
        ("check --to rows.parquet", "rows.parquet could not be written: File too large."),
        ("check -o report", "report could not be written: File too large."),
        ("check --format json -o report", "report could not be written: File too large."),
        ("check --format junit -o report", "report could not be written: File too large."),
        ("check --summary", ""),  # without a cache
        ("repair --output-dir out --yes", ""),  # the reason is in the row of each log
    ],
)
def test_a_full_disk_is_one_sentence_and_leaves_nothing(command: str, said: str, tmp_path: Path) -> None:
    done = run(tmp_path, ["-m", "inspector"], *command.split(), before=fill_disk)
    assert re.fullmatch(f"(.*/)?{said}\n" if said else "", done.stderr.decode())
    assert (done.returncode, temporary_files(tmp_path)) == (1 if "summary" in command else 2, [])
    assert {path.name for path in tmp_path.iterdir()} <= {"logs", "out", "XDG_CACHE_HOME", "XDG_STATE_HOME"}
    assert [*tmp_path.rglob("out/logs/*")] == []
