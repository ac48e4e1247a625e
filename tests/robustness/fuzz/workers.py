"""Trials in processes of their own: one that hangs or dies is told as a failure, and the others go on."""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from tests.robustness.fuzz.asking import ask
from tests.robustness.fuzz.properties import Failure, failures
from tests.robustness.fuzz.trial import trial

SILENCE = 120.0  # seconds without a sign after which a process is taken for hung in a place that cannot be stopped
MEMORY = 4 * 1024**3  # bytes that a process may ask for
LIFE = 10_000  # trials after which the next process goes on: click keeps what every command of one printed

_SPAWN = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class Done:
    """A trial that was carried out."""

    number: int
    size: int
    verdicts: tuple[str, ...]
    failures: list[Failure]


def carried_out(seed: int, number: int) -> Done:
    """One trial, in this process."""
    made = trial(seed, number)
    seen = ask(made)
    return Done(number, made.size, tuple(sorted(seen.verdicts)), failures(seen))


def in_processes(seed: int, numbers: range, jobs: int) -> Iterator[Done]:
    """All the trials, as they are done."""
    working = [_Worker(seed, numbers[first::jobs]) for first in range(jobs)]
    try:
        while working:
            wait([worker.connection for worker in working], timeout=1)
            for worker in [*working]:
                yield from worker.news()
                if worker.is_over:
                    worker.end()
                    working.remove(worker)
                    if worker.left:
                        working.append(_Worker(seed, worker.left))
    finally:
        for worker in working:
            worker.end()


@dataclass
class _Worker:
    seed: int
    left: range
    due: int = field(init=False)
    is_over: bool = False
    heard: float = field(default_factory=time.monotonic)
    connection: Connection = field(init=False)
    process: SpawnProcess = field(init=False)

    def __post_init__(self) -> None:
        self.connection, theirs = _SPAWN.Pipe(duplex=False)
        own = self.left[:LIFE]
        self.due = len(own)
        self.process = _SPAWN.Process(target=_work, args=(self.seed, own, theirs), daemon=True)
        self.process.start()
        theirs.close()

    def news(self) -> Iterator[Done]:
        """What was done since, and the trial that this process did not survive."""
        try:
            while self.connection.poll():
                done: Done = self.connection.recv()
                self.heard, self.left, self.due = time.monotonic(), self.left[1:], self.due - 1
                yield done
        except EOFError:
            self.is_over = True
            if self.due:
                self.process.join()
                yield self._lost("no_fault_of_its_own", f"the process died with {self.process.exitcode}")
            return
        if time.monotonic() - self.heard > SILENCE:
            self.is_over = True
            yield self._lost("no_hang", "where it cannot be stopped")

    def _lost(self, kind: str, place: str) -> Done:
        number, self.left = self.left[0], self.left[1:]
        return Done(number, trial(self.seed, number).size, (), [Failure(kind, place, "")])

    def end(self) -> None:
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        self.connection.close()


def _work(seed: int, numbers: range, connection: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for number in numbers:
        connection.send(carried_out(seed, number))
