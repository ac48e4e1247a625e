"""What other programs take for the same log: `python -m tests.benchmarks.peers [PEER …] [--size 100] [--runs 5]`.

Whole processes on one core, interleaved, as processor time against a loop of `orjson.loads` over the lines. What the
programs do differs: some search or parse alone, some judge, one writes a page. Those of Python are installed into an
environment of their own; who is not on this machine, and cannot be installed, is named and left out.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.generate import generate
from tests.benchmarks.main_job import head, row
from tests.benchmarks.processes import Run, installed_environment, run
from tests.interop.third_party.environments import Environment, NotInstalled
from tests.support.paths import ROOT

BARE, SIMDJSON = "orjson.loads", "simdjson.Parser().parse"
OURS = ("python", "-P", "-m", "inspector")
LOOP = "import sys, {module}\nparse = {parse}\nfor line in open(sys.argv[1], 'rb'): parse(line)"
VERSION = "import importlib.metadata, sys; print(importlib.metadata.version({package!r}))"


class Peer(NamedTuple):
    """`command` is run with the log behind it, and with {out} as a file to write; `version` prints the version.

    A program of Python's is installed as `package`, and run by its own interpreter or one of its scripts.
    """

    does: str
    command: tuple[str, ...]
    version: tuple[str, ...] = ()
    package: str = ""


def _loop(module: str, parse: str) -> tuple[str, ...]:
    return ("python", "-c", LOOP.format(module=module, parse=parse))


PEERS = {
    BARE: Peer("parses every line", _loop("orjson", BARE), ("python", "-c", VERSION.format(package="orjson"))),
    "this program": Peer("judges", (*OURS, "check"), (*OURS, "--version")),
    "ripgrep": Peer("counts the lines with a word", ("rg", "-c", "tool_use"), ("rg", "--version")),
    "simdjson": Peer("parses, builds nothing", _loop("simdjson", SIMDJSON), package="pysimdjson==7.0.2"),
    "json.loads": Peer("parses every line", _loop("json", "json.loads"), ("python", "--version")),
    "jq": Peer("prints a field of every line", ("jq", ".type"), ("jq", "--version")),
    "sesslint": Peer("judges", ("sesslint", "check"), package="sesslint==0.2.0"),
    "claude-code-log": Peer("writes a page", ("claude-code-log", "-o", "{out}"), package="claude-code-log==1.7.0"),
}


class Ready(NamedTuple):
    """A peer that can be run here."""

    command: list[str]
    version: str


def made_ready(name: str, peer: Peer, out: str) -> Ready:
    """Raises NotInstalled."""
    places = ""
    python = sys.executable
    if peer.package:
        environment = Environment(f"peer-{name}", (peer.package,))
        environment.install()
        python, places = str(environment.python), str(environment.python.parent)

    def found(words: tuple[str, ...]) -> list[str]:
        program, *rest = words
        path = python if program == "python" else os.path.join(places, program) if places else program
        return [path, *(each.format(out=out) if each == "{out}" else each for each in rest)]

    version = peer.package.partition("==")[2]
    if peer.version:
        try:
            version = subprocess.run(found(peer.version), capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError) as error:
            raise NotInstalled(f"{peer.version[0]} is not on this machine") from error
    return Ready(found(peer.command), version.splitlines()[0].split(",")[-1].split()[-1])


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("peers", nargs="*", metavar="PEER", help=", ".join(PEERS))
    parser.add_argument("--size", type=float, default=100, help="of the log, in MB")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="inspector-bench-") as temporary:
        folder = Path(temporary)
        log, environment = folder / "log.jsonl", installed_environment(folder / "bytecode") | {"PYTHONPATH": str(ROOT)}
        generate(log, "mixed", options.size)
        ready: dict[str, Ready] = {}
        for name, peer in PEERS.items():
            if name == BARE or not options.peers or name in options.peers:
                try:
                    ready[name] = made_ready(name, peer, str(folder / "page.html"))
                except NotInstalled as error:
                    print(f"{name} is left out: {error}.")
        found: dict[str, list[Run]] = {name: [] for name in ready}
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        for _ in range(options.runs + 1):  # the first compiles the bytecode and warms the page cache
            for name, each in ready.items():
                found[name].append(run([*each.command, str(log)], folder / "told", environment, quiet=True))
    head(f"A log of {options.size:g} MB", "program", "version", "what it does", "CPU seconds", f"÷ {BARE}", "exit code")
    seconds = {name: statistics.median(each.cpu for each in runs[1:]) for name, runs in found.items()}
    for name, each in ready.items():
        ratio = f"{seconds[name] / seconds[BARE]:.2f}"
        row(name, each.version, PEERS[name].does, f"{seconds[name]:.2f}", ratio, found[name][-1].code)
    return 0


if __name__ == "__main__":
    sys.exit(main())
