"""A scheduler and two workers of Dask, as processes that a test can kill."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path


class LocalCluster:
    """`environment` is added to that of the processes."""

    def __init__(self, folder: Path, workers: int = 2) -> None:
        folder.mkdir(exist_ok=True)
        self._folder, self._workers = folder, workers
        self._processes: list[subprocess.Popen[bytes]] = []
        self.environment: dict[str, str] = {}

    def start(self) -> str:
        """Start it, and return the address of the scheduler."""
        file = self._folder / f"scheduler-{len(self._processes)}.json"
        self.scheduler = self._run(
            "dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file), "--no-dashboard"
        )
        for _ in range(self._workers):
            self._run("dask_worker", "--scheduler-file", str(file), "--nthreads", "1", "--no-dashboard")
        until = time.monotonic() + 60
        while not file.exists():
            assert time.monotonic() < until, "the scheduler did not start"
            time.sleep(0.1)
        self.address = str(json.loads(file.read_text())["address"])
        return self.address

    def _run(self, program: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.{program}", *arguments]
        log = (self._folder / f"{program}-{len(self._processes)}.log").open("wb")
        with log:
            process = subprocess.Popen(
                command,
                cwd=self._folder,
                env=os.environ | self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._processes.append(process)
        return process

    def processes(self) -> dict[str, int]:
        """Return the ids of the processes by name."""
        names = ("scheduler", *(f"worker {number + 1}" for number in range(self._workers)))
        return {name: process.pid for name, process in zip(names, self._processes, strict=True)}

    def kill(self) -> None:
        """Kill the scheduler, and end the workers."""
        for process in self._processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def __enter__(self) -> "LocalCluster":
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
