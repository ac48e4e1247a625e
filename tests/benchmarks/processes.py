"""Whole processes, measured: wall time from start to end, and the peak of anonymous memory."""

import os
import subprocess
import threading
import time
from pathlib import Path
from typing import NamedTuple

POLL_SECONDS = 0.004
MEGABYTE = 1_000_000


class Run(NamedTuple):
    """`cpu` are the seconds of processor time, which other work on the machine disturbs less than `seconds`."""

    seconds: float
    cpu: float
    anonymous: int
    code: int


def installed_environment(cache: Path) -> dict[str, str]:
    """The environment of an installed program: its bytecode is compiled, here into the folder `cache`."""
    return {n: v for n, v in os.environ.items() if n != "PYTHONDONTWRITEBYTECODE"} | {"PYTHONPYCACHEPREFIX": str(cache)}


def run(
    command: list[str], output: Path, environment: dict[str, str], watch_memory: bool = False, quiet: bool = False
) -> Run:
    """Run `command`, its standard output going to the file `output`; with `quiet`, its errors to nobody.

    `anonymous` is the largest sum of RssAnon, in bytes, over the process and its children; 0 unless `watch_memory`.
    It is polled, so it slows the run a little: measure time in runs without it.
    """
    with output.open("wb") as out:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL if quiet else None, env=environment)
        watcher = MemoryWatcher(process.pid) if watch_memory else None
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
    cpu = usage.ru_utime + usage.ru_stime
    return Run(seconds, cpu, watcher.finish() if watcher else 0, process.returncode)


class MemoryWatcher:
    """Polls the anonymous memory of a process and of its children until `finish`, which returns the peak."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._peak = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._poll, daemon=True)
        self._thread.start()

    def _poll(self) -> None:
        while not self._done.wait(POLL_SECONDS):
            self._peak = max(self._peak, anonymous_of_family(self._pid))

    def finish(self) -> int:
        self._done.set()
        self._thread.join()
        return self._peak


def anonymous_of_family(pid: int) -> int:
    return anonymous_memory(pid) + sum(anonymous_of_family(child) for child in children(pid))


def anonymous_memory(pid: int) -> int:
    """RssAnon of /proc/PID/status in bytes; 0 when the process has gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text("ascii", "replace")
    except (FileNotFoundError, ProcessLookupError):
        return 0
    _, found, rest = status.partition("RssAnon:")
    return int(rest.split(None, 1)[0]) * 1024 if found else 0


def children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            found += map(int, Path(f"/proc/{pid}/task/{task}/children").read_text("ascii").split())
    except (FileNotFoundError, ProcessLookupError):
        pass
    return found
