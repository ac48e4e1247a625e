"""How soon a pasted id is found: `python -m tests.benchmarks.lookup [--sessions 5000] [--keep FOLDER]`.

A home folder with sessions of 0.4 MB in the manner of Claude Code is made, 2 GB in all. In turns, `explain --error` is
asked for the id of a session, for the ids of calls in the newest session, in one in the middle and in the oldest, for
an id that is nowhere, and for errors with these ids; and ripgrep for the same words in the same files, where it is
installed. Every run is a whole process, start-up included; the first is a warm-up. What is measured is the time until
the line with the session is there; where there is none, for ripgrep, and for the commands at the end of the table,
which go through all sessions, it is the whole time. `--beside TREE` measures another checkout in the same run.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.generate import generate
from tests.benchmarks.main_job import head, row
from tests.benchmarks.processes import installed_environment

DISTINCT = 50
SMALLEST, STEP = 0.02, 0.002  # megabytes; each log ends with its turn, which makes it longer
NEWEST = 1_780_000_000
NOWHERE = "toolu_01NoSessionHasThisCall9"
ERROR = (
    "API Error: 400 messages.132: `tool_use` ids were found without `tool_result` blocks immediately after: {id}. "
    "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
)


class Row(NamedTuple):
    """A command. `word` is what ripgrep searches for, and `session` the name of the session that is found, if any."""

    what: str
    command: tuple[str, ...]
    word: str = ""
    session: str = ""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sessions", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="keep what is made in this folder, and use what is there")
    parser.add_argument("--beside", default="", metavar="TREE", help="another checkout, to be measured in the same run")
    parser.add_argument("--only", default="", metavar="WORDS", help="only the rows whose name contains these words")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="inspector-bench-") as temporary:
        folder = options.keep or Path(temporary)
        home = make_home(folder, options.sessions)
        logs = sorted(home.rglob("*.jsonl"), key=lambda path: -path.stat().st_mtime)
        print(f"{len(logs)} sessions, {sum(path.stat().st_size for path in logs) / 1e6:.0f} MB")
        trees = {"ours": os.getcwd()} | ({"beside": options.beside} if options.beside else {})
        head("Seconds, medians", "what", "rg", *trees, "ours ÷ rg")
        for wanted in rows(logs):
            if options.only in wanted.what:
                measure(wanted, folder, home, trees, options.runs)
    return 0


def measure(wanted: Row, folder: Path, home: Path, trees: dict[str, str], runs: int) -> None:
    commands = {tree: [sys.executable, "-P", "-m", "inspector", *wanted.command] for tree in trees}
    if wanted.word and (ripgrep := shutil.which("rg")):
        commands = {"rg": [ripgrep, "-uu", "-l", wanted.word, str(home)]} | commands
    seconds: dict[str, list[float]] = {key: [] for key in commands}
    environment = installed_environment(folder / "bytecode") | {"HOME": str(home)}
    for name in ("CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        environment.pop(name, None)
    for _ in range(runs + 1):  # the first compiles the bytecode and warms the page cache
        for key, words in commands.items():
            tree = {"PYTHONPATH": trees[key]} if key in trees else {}
            shown = wanted.session if key in trees else ""
            seconds[key].append(seconds_to_line(shown, words, home, environment | tree))
    found = {key: statistics.median(each[1:]) for key, each in seconds.items()}
    ratio = f"{found['ours'] / found['rg']:.2f}" if "rg" in found else ""
    row(wanted.what, *(f"{found[key]:.2f}" if key in found else "" for key in ("rg", *trees)), ratio)


def seconds_to_line(word: str, command: list[str], folder: Path, environment: dict[str, str]) -> float:
    """How long it takes until a command prints a line that holds the word; until its end if that is empty."""
    start, seconds = time.perf_counter(), 0.0
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if word and not seconds and word.encode() in line:
                seconds = time.perf_counter() - start
    assert seconds or not word, f"{command} does not find {word}"
    return seconds or time.perf_counter() - start


def rows(logs: list[Path]) -> list[Row]:
    named = {"newest": logs[0], "middle": logs[len(logs) // 2], "oldest": logs[-1]}
    rows = [explain("session id", named["middle"].stem, named["middle"].stem, named["middle"].stem)]
    rows += [explain(f"call id, {age}", call_id_in(log), call_id_in(log), log.stem) for age, log in named.items()]
    rows += [explain("call id, nowhere", NOWHERE, NOWHERE)]
    rows += [
        explain(f"error, {age}", ERROR.format(id=call_id_in(log)), call_id_in(log), log.stem)
        for age, log in named.items()
    ]
    rows += [explain("error, nowhere", ERROR.format(id=NOWHERE), NOWHERE)]
    rows += [Row(" ".join(words), words) for words in (("sessions",), ("fix", "--dry-run"), ("doctor",))]
    return rows


def explain(what: str, text: str, word: str, session: str = "") -> Row:
    return Row(what, ("explain", "--error", text), word, session)


def call_id_in(log: Path) -> str:
    ids = re.findall(rb'"tool_use","id":"(\w+)"', log.read_bytes())
    return str(ids[len(ids) // 2], "ascii")


def make_home(folder: Path, sessions: int) -> Path:
    """A home with sessions in forty projects, a minute apart, the first one the newest.

    They are copies of `DISTINCT` logs, with ids of their own for the session and its calls.
    """
    home = folder.resolve() / "home"
    if home.exists():
        return home
    folder.mkdir(parents=True, exist_ok=True)
    patterns = []
    for seed in range(min(DISTINCT, sessions)):
        generate(folder / "session.jsonl", "mixed", SMALLEST + STEP * seed, seed)
        patterns.append((folder / "session.jsonl").read_bytes())
    for number in range(sessions):
        work = home / "work" / f"project-{number % 40}"
        project = home / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(work))
        for made in (work, project):
            made.mkdir(parents=True, exist_ok=True)
        name = str(uuid.uuid5(uuid.NAMESPACE_OID, str(number)))
        data = patterns[(number * 7) % len(patterns)].replace(b'"toolu_01', b'"toolu_01%04d' % number)
        data = re.sub(rb'"sessionId":"[^"]*"', b'"sessionId":"%s"' % name.encode(), data)
        data = data.replace(b'"cwd":"/home/ana/harbour"', b'"cwd":"%s"' % str(work).encode())
        path = project / f"{name}.jsonl"
        path.write_bytes(data)
        os.utime(path, (NEWEST - 60 * number,) * 2)
    return home


if __name__ == "__main__":
    started = time.perf_counter()
    code = main()
    print(f"{time.perf_counter() - started:.0f} s in all")
    sys.exit(code)
