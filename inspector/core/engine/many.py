"""The same work for many logs, by several processes where that pays; the answers come in the order of the logs."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from inspector.core.errors import Cancelled
from inspector.core.formats.bases.reading import IsCancelled
from inspector.core.later import LazyModule

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
