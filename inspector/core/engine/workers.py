"""Worker processes that share work on many tasks; the answers come in the order of the tasks.

Each worker is sent some tasks ahead, answers them one by one, and ends with the process that started it.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess, SpawnProcess
from operator import itemgetter
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from inspector.core.engine.faults import fault_sentence
from inspector.core.errors import Cancelled
from inspector.core.formats.base.format import IsCancelled
from inspector.core.lazy import LazyModule
from inspector.core.storage.nesting import let_walks_be_deep
from inspector.core.storage.temporary import discard_all_spools, remove_leftovers

if TYPE_CHECKING:
    from inspector.core.engine import workers
else:
    workers = LazyModule("inspector.core.engine.workers")

T = TypeVar("T")
R = TypeVar("R")
Work: TypeAlias = Callable[[T, IsCancelled | None], R]
# Seconds of work in this process after which others are worth their start, by a fork or anew.
FORK_AFTER_SECONDS, SPAWN_AFTER_SECONDS = 0.1, 0.3


def available_cores() -> int:
    """How many processes can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def can_fork() -> bool:
    """Whether processes are forked, which is faster: on Linux alone, where its libraries survive that, and while there
    is one thread, since a fork copies the locks of others but not the threads.
    """
    return sys.platform == "linux" and threading.active_count() == 1


def map_in_order(
    work: Work[T, R],
    tasks: Iterable[T],
    jobs: int,
    on_crash: Callable[[T, str], R],
    cancelled: IsCancelled | None = None,
    runs_here: Callable[[T], bool] = lambda task: False,
) -> Generator[R, None, None]:
    """What `work` makes of each task, in their order, by `jobs` processes once that pays. Raises Cancelled.

    Close it, or go through all of it: no process is left then. `work` is given a task and what tells that it is
    cancelled (None in another process, which is ended instead). Where a process ends unexpectedly, `died` makes the
    answer of its task and of a sentence on that. Both functions, tasks and answers are sent between the processes, but
    for tasks of which `stays` says that they are worked on here.
    """
    waiting, until = iter(tasks), time.monotonic() + (FORK_AFTER_SECONDS if can_fork() else SPAWN_AFTER_SECONDS)
    for task in waiting:
        if jobs > 1 and time.monotonic() >= until and not runs_here(task):
            yield from workers.run_in_workers(
                work, chain([task], waiting), jobs, on_crash, cancelled, runs_here, can_fork()
            )
            return
        raise_if_cancelled(cancelled)
        yield work(task, cancelled)


def raise_if_cancelled(cancelled: IsCancelled | None) -> None:
    """Raises Cancelled."""
    if cancelled is not None and cancelled():
        raise Cancelled("The work was cancelled.")


# How many tasks a worker is given ahead, and how many answers may wait for that of an earlier task.
_TASKS_AHEAD, _MAX_WAITING_ANSWERS = 4, 500
# Seconds between two looks at whether the work is cancelled, and until a worker that does not end is killed.
_PAUSE, _GRACE = 0.1, 5.0


def run_in_workers(
    work: Work[T, R],
    tasks: Iterable[T],
    jobs: int,
    on_crash: Callable[[T, str], R],
    cancelled: IsCancelled | None,
    runs_here: Callable[[T], bool],
    forks: bool,
) -> Generator[R, None, None]:
    """See `many.in_order`. `cancelled` is asked ten times a second."""
    crew = _Crew(work, enumerate(tasks), jobs, on_crash, cancelled, runs_here, forks)
    try:
        yield from crew.answers()
    finally:
        crew.close()


class _Crew(Generic[T, R]):
    """The workers, the tasks that are with them, and the answers that cannot be told yet."""

    def __init__(
        self,
        work: Work[T, R],
        tasks: Iterator[tuple[int, T]],
        jobs: int,
        died: Callable[[T, str], R],
        cancelled: IsCancelled | None,
        stays: Callable[[T], bool],
        forks: bool,
    ) -> None:
        self._work, self._tasks, self._died = work, tasks, died
        # A worker of somebody else's pool may have no processes of its own.
        self._jobs = 0 if multiprocessing.current_process().daemon else jobs
        self._cancelled, self._stays, self._forks = cancelled, stays, forks
        self._workers: list[_Worker[T]] = []
        self._answers: dict[int, R] = {}
        self._told = 0  # the number of the next answer to be told
        self._given_back: deque[tuple[int, T]] = deque()  # by a worker that ended, or taken too early

    def answers(self) -> Iterator[R]:
        """The answers to the tasks, in their order."""
        self._hire()
        while self._workers and (self._hand_out() or any(worker.tasks for worker in self._workers)):
            self._listen()
            raise_if_cancelled(self._cancelled)
            yield from self._next()
        # Where no process can be started, this one does it.
        for number, task in chain(sorted(self._given_back, key=itemgetter(0)), self._tasks):
            raise_if_cancelled(self._cancelled)
            self._answers[number] = self._work(task, self._cancelled)
            yield from self._next()

    def _next(self) -> Iterator[R]:
        while self._told in self._answers:
            yield self._answers.pop(self._told)
            self._told += 1

    def _hire(self) -> None:
        with _interrupts_later():
            try:
                while len(self._workers) < self._jobs:
                    # What a fork copies of our ends of the pipes would keep them open when we are gone.
                    copied = [worker.pipe for worker in self._workers] if self._forks else None
                    self._workers.append(_Worker(self._work, self._died, copied))
            except OSError:
                self._jobs = len(self._workers)

    def _hand_out(self) -> bool:
        """Give every worker tasks, some of them ahead, and do here those that stay here; whether there were any."""
        given = False
        for _ in range(_TASKS_AHEAD):
            for worker in [each for each in self._workers if len(each.tasks) < _TASKS_AHEAD]:
                task = self._given_back.popleft() if self._given_back else next(self._tasks, None)
                if task is None or task[0] >= self._told + _MAX_WAITING_ANSWERS:
                    self._given_back.extendleft([task] if task else [])
                    return given
                given = True
                if self._stays(task[1]):
                    raise_if_cancelled(self._cancelled)
                    self._answers[task[0]] = self._work(task[1], self._cancelled)
                else:
                    worker.give(task)
        return given

    def _listen(self) -> None:
        busy = [worker for worker in self._workers if worker.tasks]
        for pipe in wait([worker.pipe for worker in busy], None if self._cancelled is None else _PAUSE) if busy else ():
            worker = next(each for each in busy if each.pipe is pipe)
            try:
                answer = worker.pipe.recv()
            except (EOFError, OSError):
                self._replace(worker)
                continue
            if worker.ready:
                self._answers[worker.tasks.popleft()[0]] = answer
            worker.ready = True

    def _replace(self, worker: _Worker[T]) -> None:
        """A worker is gone: another one takes its place, and does what it had not begun with."""
        self._workers.remove(worker)
        sentence = worker.ended()
        if worker.ready:
            number, task = worker.tasks.popleft()
            self._answers[number] = self._died(task, sentence)
        else:
            # It never began: nor would another one.
            self._jobs -= 1
        self._given_back.extend(worker.tasks)
        self._hire()

    def close(self) -> None:
        """End the workers, whatever they are doing, and remove the temporary files that they leave."""
        for worker in self._workers:
            worker.pipe.close()
        for worker in self._workers:
            worker.end()
        remove_leftovers()


class _Worker(Generic[T]):
    """A process, our end of the pipe to it, and the tasks that it has, each with its number. `ready`: it has begun."""

    def __init__(self, work: Work[T, R], died: Callable[[T, str], R], copied: list[Connection] | None) -> None:
        """By a fork, which closes what it `copied`; None for a process that starts anew. Raises OSError."""
        self.pipe, theirs = multiprocessing.Pipe()
        process: type[SpawnProcess] | type[ForkProcess]
        if copied is None:
            process, ours = multiprocessing.get_context("spawn").Process, []
        else:
            process, ours = multiprocessing.get_context("fork").Process, [*copied, self.pipe]
        self._process = process(target=_serve, args=(theirs, work, died, ours), daemon=True)
        self._process.start()
        theirs.close()
        self.ready = False
        self.tasks: deque[tuple[int, T]] = deque()

    def give(self, task: tuple[int, T]) -> None:
        self.tasks.append(task)
        # Where it is gone, that is found out when its answer is waited for.
        with suppress(OSError):
            self.pipe.send(task[1])

    def ended(self) -> str:
        """A sentence on how it ended by itself."""
        self.pipe.close()
        self.end()
        code = self._process.exitcode
        return f"The process that read it ended unexpectedly (exit code {code}). Nothing was changed; try it by itself."

    def end(self) -> None:
        self._process.join(_GRACE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


@contextmanager
def _interrupts_later() -> Iterator[None]:
    """Keep Ctrl+C, which reaches every process of a terminal, from those that are started meanwhile: we end them.

    Our own process hears of it afterwards.
    """
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection, work: Work[T, R], died: Callable[[T, str], R], copied: list[Connection]) -> None:
    """Runs in a worker: answer tasks until the other end of the pipe is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    let_walks_be_deep()
    for each in copied:
        each.close()
    tasks: queue.SimpleQueue[T] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(pipe, tasks), daemon=True, name="tasks").start()
    try:
        pipe.send(None)
        while True:
            task = tasks.get()
            try:
                answer = work(task, None)
            except Exception as error:  # of one log, and no reason to leave the others
                answer = died(task, fault_sentence(error))
            pipe.send(answer)
    except OSError:
        _leave()


def _read(pipe: Connection, tasks: queue.SimpleQueue[T]) -> None:
    """Take tasks in a thread of the worker, which so ends even in the middle of its work when nobody waits for it."""
    try:
        while True:
            tasks.put(pipe.recv())
    except (EOFError, OSError):
        _leave()


def _leave() -> None:
    discard_all_spools()
    os._exit(0)
