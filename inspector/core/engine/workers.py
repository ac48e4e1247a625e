"""Worker processes that share work on many tasks. The answers come in the order of the tasks.

Each worker is sent some tasks ahead and answers them one by one. It ends with the process that started it.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeAlias, TypeVar

from inspector.core.engine.program_faults import program_fault_sentence
from inspector.core.engine.work_limits import exceeded_limit_sentence
from inspector.core.errors import Cancelled
from inspector.core.formats.base.format import IsCancelled
from inspector.core.lazy import LazyModule
from inspector.core.storage.nesting_limits import raise_recursion_limit
from inspector.core.storage.temporary_files import discard_temporary_files, remove_leftovers
from inspector.core.translation import tr

if TYPE_CHECKING:
    import multiprocessing
    import queue
    import signal
    from multiprocessing import connection
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkProcess, SpawnProcess
else:
    multiprocessing, connection = LazyModule("multiprocessing"), LazyModule("multiprocessing.connection")
    queue, signal = LazyModule("queue"), LazyModule("signal")

T = TypeVar("T")
R = TypeVar("R")
Work: TypeAlias = Callable[[T, IsCancelled | None], R]
# Seconds of work in this process after which it pays to start others, by a fork or by a spawn.
FORK_AFTER_SECONDS, SPAWN_AFTER_SECONDS = 0.1, 0.3
# How many tasks a worker is given ahead, and how many answers may wait for that of an earlier task.
_TASKS_AHEAD, _MAX_WAITING_ANSWERS = 4, 500
# Seconds between two checks for cancellation, and until a worker that does not end is killed.
_PAUSE, _GRACE = 0.1, 5.0
_parent: Connection | None = None  # in a worker: the pipe to the process that started it


def available_cores() -> int:
    """Return how many processes can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def can_fork() -> bool:
    """Return whether new processes are forked, which is faster than a spawn.

    That is so only on Linux, whose libraries survive a fork, and only while there is one thread: a fork copies the
    locks of other threads but not the threads.
    """
    return sys.platform == "linux" and threading.active_count() == 1


class _Progress(NamedTuple):
    """What a worker sends while it is at work: what is to be told of its task if it ends now."""

    task: Any


def in_worker() -> bool:
    """Return whether this process is a worker."""
    return _parent is not None


def report_current_task(task: object) -> None:
    """In a worker, replace the task that `on_crash` is called with if the process ends before the task is done."""
    if _parent is not None:
        _parent.send(_Progress(task))


def map_in_order(
    work: Work[T, R],
    tasks: Iterable[T],
    jobs: int,
    on_crash: Callable[[T, str], R],
    cancelled: IsCancelled | None = None,
    runs_here: Callable[[T], bool] = lambda task: False,
) -> Generator[R, None, None]:
    """Yield the answer of `work` to each task, in the order of the tasks. Raises Cancelled.

    Work starts in this process and moves to `jobs` processes once that pays. Close the generator or exhaust it: then no
    process is left. `work` is called with a task and a function that returns whether the work is cancelled; that is
    None in another process, which is ended instead. If a process ends unexpectedly, `on_crash` makes the answer from
    its task and a sentence about the crash. Both functions, the tasks and the answers are sent between the processes,
    except for tasks that `runs_here` keeps in this one.
    """
    waiting, until = iter(tasks), time.monotonic() + (FORK_AFTER_SECONDS if can_fork() else SPAWN_AFTER_SECONDS)
    for task in waiting:
        if jobs > 1 and time.monotonic() >= until and not runs_here(task):
            yield from run_in_workers(work, chain([task], waiting), jobs, on_crash, cancelled, runs_here, can_fork())
            return
        raise_if_cancelled(cancelled)
        yield work(task, cancelled)


def raise_if_cancelled(cancelled: IsCancelled | None) -> None:
    """Raise Cancelled if `cancelled` returns True."""
    if cancelled is not None and cancelled():
        raise Cancelled(tr("The operation was canceled."))


def run_in_workers(
    work: Work[T, R],
    tasks: Iterable[T],
    jobs: int,
    on_crash: Callable[[T, str], R],
    cancelled: IsCancelled | None,
    runs_here: Callable[[T], bool],
    forks: bool,
) -> Generator[R, None, None]:
    """Yield the answers to tasks as `map_in_order` does, all of them from workers.

    `forks` says how the workers start. `cancelled` is called ten times a second.
    """
    crew = _Crew(work, enumerate(tasks), jobs, on_crash, cancelled, runs_here, forks)
    try:
        yield from crew.answers()
    finally:
        crew.close()


class _Crew(Generic[T, R]):
    """The workers, the tasks they were given, and the answers that cannot be yielded yet."""

    def __init__(
        self,
        work: Work[T, R],
        tasks: Iterator[tuple[int, T]],
        jobs: int,
        on_crash: Callable[[T, str], R],
        cancelled: IsCancelled | None,
        runs_here: Callable[[T], bool],
        forks: bool,
    ) -> None:
        self._work, self._tasks, self._on_crash = work, tasks, on_crash
        # A daemon process, for instance a worker of another pool, may not start processes.
        self._jobs = 0 if multiprocessing.current_process().daemon else jobs
        self._cancelled, self._runs_here, self._forks = cancelled, runs_here, forks
        self._workers: list[_Worker[T]] = []
        self._answers: dict[int, R] = {}
        self._next_number = 0  # of the next answer to yield
        self._given_back: deque[tuple[int, T]] = deque()  # from a worker that ended, or taken too early

    def answers(self) -> Iterator[R]:
        """Yield the answers to the tasks, in the order of the tasks."""
        self._hire()
        while self._workers and (self._hand_out() or any(worker.tasks for worker in self._workers)):
            self._listen()
            raise_if_cancelled(self._cancelled)
            yield from self._next()
        # If no process can be started, this one does the work.
        for number, task in chain(sorted(self._given_back, key=itemgetter(0)), self._tasks):
            raise_if_cancelled(self._cancelled)
            self._answers[number] = self._work(task, self._cancelled)
            yield from self._next()

    def _next(self) -> Iterator[R]:
        while self._next_number in self._answers:
            yield self._answers.pop(self._next_number)
            self._next_number += 1

    def _hire(self) -> None:
        with _interrupts_later():
            try:
                while len(self._workers) < self._jobs:
                    # A fork copies our ends of the pipes. Left open, they would outlive this process.
                    copied = [worker.pipe for worker in self._workers] if self._forks else None
                    self._workers.append(_Worker(self._work, self._on_crash, copied))
            except OSError:
                self._jobs = len(self._workers)

    def _hand_out(self) -> bool:
        """Give tasks to every worker, some of them ahead, and do those that run here. Return whether there were any."""
        given = False
        for _ in range(_TASKS_AHEAD):
            for worker in [candidate for candidate in self._workers if len(candidate.tasks) < _TASKS_AHEAD]:
                task = self._given_back.popleft() if self._given_back else next(self._tasks, None)
                if task is None or task[0] >= self._next_number + _MAX_WAITING_ANSWERS:
                    self._given_back.extendleft([task] if task else [])
                    return given
                given = True
                if self._runs_here(task[1]):
                    raise_if_cancelled(self._cancelled)
                    self._answers[task[0]] = self._work(task[1], self._cancelled)
                else:
                    worker.give(task)
        return given

    def _listen(self) -> None:
        busy = [worker for worker in self._workers if worker.tasks]
        for pipe in (
            connection.wait([worker.pipe for worker in busy], None if self._cancelled is None else _PAUSE)
            if busy
            else ()
        ):
            worker = next(candidate for candidate in busy if candidate.pipe is pipe)
            try:
                answer = worker.pipe.recv()
            except (EOFError, OSError):
                self._replace(worker)
                continue
            if isinstance(answer, _Progress):
                worker.tasks[0] = (worker.tasks[0][0], answer.task)
                continue
            if worker.ready:
                self._answers[worker.tasks.popleft()[0]] = answer
            worker.ready = True

    def _replace(self, worker: _Worker[T]) -> None:
        """Replace a worker that is gone with another one, which does the tasks that the first had not begun."""
        self._workers.remove(worker)
        sentence = worker.ended()
        if worker.ready:
            number, task = worker.tasks.popleft()
            self._answers[number] = self._on_crash(task, sentence)
        else:
            # It never began, so another one would not begin either.
            self._jobs -= 1
        self._given_back.extend(worker.tasks)
        self._hire()

    def close(self) -> None:
        """End the workers, whatever they are doing, and remove the temporary files that they left."""
        for worker in self._workers:
            worker.pipe.close()
        for worker in self._workers:
            worker.end()
        remove_leftovers()


class _Worker(Generic[T]):
    """A process, our end of the pipe to it, and its tasks with their numbers. `ready` means that it has begun."""

    def __init__(self, work: Work[T, R], on_crash: Callable[[T, str], R], copied: list[Connection] | None) -> None:
        """Start the process. Raises OSError.

        It is forked and closes the pipes that the fork `copied`, or spawned if `copied` is None.
        """
        self.pipe, theirs = multiprocessing.Pipe()
        process: type[SpawnProcess] | type[ForkProcess]
        if copied is None:
            process, ours = multiprocessing.get_context("spawn").Process, []
        else:
            process, ours = multiprocessing.get_context("fork").Process, [*copied, self.pipe]
        self._process = process(target=_serve, args=(theirs, work, on_crash, ours), daemon=True)
        self._process.start()
        theirs.close()
        self.ready = False
        self.tasks: deque[tuple[int, T]] = deque()

    def give(self, task: tuple[int, T]) -> None:
        self.tasks.append(task)
        # If it is gone, that is found when its answer is waited for.
        with suppress(OSError):
            self.pipe.send(task[1])

    def ended(self) -> str:
        """Return a sentence on how it ended by itself."""
        self.pipe.close()
        self.end()
        code = self._process.exitcode
        return exceeded_limit_sentence(code) or tr(
            "The process that read the log exited unexpectedly (exit code {code}). Nothing was changed. Try "
            "opening this log on its own.",
            code=code,
        )

    def end(self) -> None:
        self._process.join(_GRACE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


@contextmanager
def _interrupts_later() -> Iterator[None]:
    """Delay Ctrl+C and SIGTERM for this process, and keep them from the processes that are started meanwhile.

    They may reach every process of a terminal or a job, but the workers are ended by this process.
    """
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection, work: Work[T, R], on_crash: Callable[[T, str], R], copied: list[Connection]) -> None:
    """Answer tasks in a worker until the other end of the pipe is gone."""
    global _parent
    _parent = pipe
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda number, _: _leave(128 + number))
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    raise_recursion_limit()
    for connection in copied:
        connection.close()
    tasks: queue.SimpleQueue[T] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(pipe, tasks), daemon=True, name="tasks").start()
    try:
        pipe.send(None)
        while True:
            task = tasks.get()
            try:
                answer = work(task, None)
            except Exception as error:  # concerns one log and must not stop the others
                answer = on_crash(task, program_fault_sentence(error))
            pipe.send(answer)
    except OSError:
        _leave()


def _read(pipe: Connection, tasks: queue.SimpleQueue[T]) -> None:
    """Receive tasks in a thread of the worker, so that it ends in the middle of its work when nothing waits for it."""
    try:
        while True:
            tasks.put(pipe.recv())
    except (EOFError, OSError):
        _leave()


def _leave(code: int = 0) -> None:
    discard_temporary_files()
    os._exit(code)
