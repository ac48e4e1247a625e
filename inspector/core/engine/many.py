"""The same work for many logs, by several processes where that pays; the answers come in the order of the logs."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from inspector.core.errors import Cancelled as CancelledError
from inspector.core.formats.bases.terms import Cancelled
from inspector.core.later import Later

if TYPE_CHECKING:
    from inspector.core.engine import workers
else:
    workers = Later("inspector.core.engine.workers")

T = TypeVar("T")
R = TypeVar("R")
Work: TypeAlias = Callable[[T, Cancelled | None], R]
# So many logs are done with before another process has begun with its first, a fork or one that starts anew.
_FEW, _FEW_ANEW = 12, 100


def cores() -> int:
    """How many processes can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_order(
    work: Work[T, R],
    tasks: Iterable[T],
    jobs: int,
    died: Callable[[T, str], R],
    cancelled: Cancelled | None = None,
) -> Generator[R, None, None]:
    """What `work` makes of each task, in their order. Close it, or go through all of it: no process is left then.

    `work` is told by whom it is cancelled. `died` makes an answer of a task over which a process ended, and of a
    sentence on that. Both are sent to the other processes, as are tasks and answers. Raises Cancelled.
    """
    # A fork copies other threads half, and not every system's own libraries survive one.
    forks = sys.platform == "linux" and threading.active_count() == 1
    waiting, few = iter(tasks), _FEW if forks else _FEW_ANEW
    first = list(islice(waiting, few + 1)) if jobs > 1 else []
    if len(first) > few:
        yield from workers.shared_out(work, chain(first, waiting), jobs, died, cancelled, forks)
    else:
        yield from one_by_one(work, chain(first, waiting), cancelled)


def one_by_one(work: Work[T, R], tasks: Iterable[T], cancelled: Cancelled | None) -> Iterator[R]:
    """The same by this process alone."""
    for task in tasks:
        if cancelled is not None and cancelled():
            raise CancelledError("The work was cancelled.")
        yield work(task, cancelled)
