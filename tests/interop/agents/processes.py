"""Child processes that end when they are told to, with everything that they started.

An agent's tools, daemons and helpers leave its process group. Each run therefore carries a mark in its environment,
which children inherit; on Linux they are found by it. Elsewhere only the group of processes is ended.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

MARK = "TRANSCRIPT_INSPECTOR_BENCH"
PAUSE = 0.1  # seconds between two looks
STROKES = 50  # how often processes are looked for that are still there
LAST_WORDS = 2000  # bytes of an agent's output that are kept


@dataclass
class Child:
    """A program in a folder, with only the environment that is given; what it says goes into `said`."""

    command: Sequence[str]
    folder: Path
    environment: dict[str, str]
    said: Path
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)

    def __enter__(self) -> Self:
        nice = [found, "-n", "10"] if (found := shutil.which("nice")) else []
        self.said.write_bytes(b"")
        streams = self.open()
        self._process = subprocess.Popen(
            [*nice, *self.command],
            cwd=self.folder,
            env=self.environment | {MARK: self.mark},
            stdin=streams[0],
            stdout=streams[1],
            stderr=streams[2],
            start_new_session=True,
        )
        for stream in {*streams} - {subprocess.DEVNULL}:
            os.close(stream)
        return self

    def open(self) -> tuple[int, int, int]:
        """Its three streams."""
        out = os.open(self.said, os.O_WRONLY)
        return subprocess.DEVNULL, out, out

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def runs(self) -> bool:
        return self._process.poll() is None

    @property
    def last_words(self) -> str:
        return self.said.read_bytes()[-LAST_WORDS:].decode(errors="replace").strip()

    def wait_until(self, done: Callable[[], bool], seconds: float) -> bool:
        """Whether it is done in time; a program that has ended has had its last chance."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            runs = self.runs
            if done():
                return True
            if not runs:
                return False
            time.sleep(PAUSE)
        return False

    def wait(self, seconds: float) -> bool:
        """Whether it ends by itself in time."""
        return self.wait_until(lambda: not self.runs, seconds)

    def kill(self) -> None:
        """SIGKILL, all at once: each is stopped first, so that none sees another die, nor starts one more."""
        for _ in range(STROKES):
            if not (running := _marked(self.mark)):
                break
            for stroke in (signal.SIGSTOP, signal.SIGKILL):
                for number in running:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(number, stroke)
            time.sleep(PAUSE)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


def _marked(mark: str) -> list[int]:
    """The processes that carry a mark."""
    sought = f"{MARK}={mark}".encode()
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if sought in path.read_bytes().split(b"\0"):
                found.append(int(path.parent.name))
    return found
