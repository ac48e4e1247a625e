"""`python -m tests.fleet.measuring LOGS [KB]`: a cluster of two workers beside two processes of this machine.

It makes logs of about so many kilobytes, checks them in both ways, and prints seconds, the seconds of all CPUs, and the
peak of the memory of the command, the scheduler and each worker, with their processes. Each way is measured twice, in
turns: the first time, the workers of the cluster also import the program and start the processes that judge. It needs
the libraries that `python -m tests.fleet` installs on the PYTHONPATH.
"""

import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import distributed
import psutil

from tests.fleet.local_cluster import LocalCluster
from tests.support.notation import claude_code, parse

BROKEN_EVERY = 50


def rounds_of(count: int) -> str:
    return "".join(f"u | a{{A{number}}} | r(A{number}=x) | a | " for number in range(count))


def make(folder: Path, count: int, kilobytes: int) -> None:
    one = len(claude_code(parse(rounds_of(10) + "u"))) / 10
    rounds = rounds_of(max(1, round(kilobytes * 1000 / one)))
    sound, broken = claude_code(parse(rounds + "u")), claude_code(parse(rounds + "u | a{B} | u"))
    for number in range(count):
        place = folder / f"{number % 200:03}" / f"{number:07}.jsonl"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(sound if number % BROKEN_EVERY else broken)


class Memory(threading.Thread):
    """Watches processes and their children, and keeps the peak of the memory of each, in MB."""

    def __init__(self, roots: dict[str, int]) -> None:
        super().__init__(daemon=True)
        self._roots = {name: psutil.Process(number) for name, number in roots.items()}
        self.peaks = dict.fromkeys(roots, 0.0)
        self.start()

    def run(self) -> None:
        while True:
            for name, root in self._roots.items():
                used = 0
                for process in (root, *_children(root)):
                    try:
                        used += process.memory_info().rss
                    except psutil.Error:
                        continue
                self.peaks[name] = max(self.peaks[name], used / 1e6)
            time.sleep(0.2)


def _children(root: psutil.Process) -> list[psutil.Process]:
    try:
        return [*root.children(recursive=True)]
    except psutil.Error:
        return []


def _cpu(roots: dict[str, int]) -> float:
    """The seconds of processes, their children, and of children of this process that have ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    trees = [process for root in roots.values() for process in (psutil.Process(root), *_children(psutil.Process(root)))]
    return sum((sum(process.cpu_times()[:4]) for process in trees), ended.ru_utime + ended.ru_stime)


def timed(arguments: list[str], roots: dict[str, int]) -> tuple[float, float, dict[str, float]]:
    start, cpu = time.monotonic(), _cpu(roots)
    process = subprocess.Popen([sys.executable, "-m", "inspector", "check", *arguments], stdout=subprocess.DEVNULL)
    memory = Memory({"command": process.pid, **roots})
    process.wait()
    return time.monotonic() - start, _cpu(roots) - cpu, memory.peaks


def main(count: int, kilobytes: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        logs = Path(folder, "logs")
        make(logs, count, kilobytes)
        local = ["--to", f"{folder}/logs.parquet", "--no-cache", "--jobs", "2"]
        with LocalCluster(Path(folder, "cluster")) as cluster:
            address = cluster.start()
            with distributed.Client(address) as client:
                client.wait_for_workers(2, timeout=60)
            dask = ["--engine", "dask", "--scheduler", address, "--run"]
            for name, options, roots in (
                ("dask", [*dask, f"{folder}/first"], cluster.processes()),
                ("processes", local, {}),
                ("dask again", [*dask, f"{folder}/second"], cluster.processes()),
                ("processes again", local, {}),
            ):
                seconds, cpu, peaks = timed([str(logs), *options], roots)
                told = ", ".join(f"{process} {peak:.0f} MB" for process, peak in peaks.items())
                print(
                    f"{count:,} logs of {kilobytes} KB, {name}: {seconds:.1f} s, CPU {cpu:.1f} s ({told})", flush=True
                )


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else 1)
