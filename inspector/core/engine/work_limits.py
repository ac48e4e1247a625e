"""Limits of time and memory for the work of a worker process, which ends when it exceeds one of them.

The time is that of the operating system, so that a process ends also where it does not come back to Python. The memory
is measured five times a second. Neither is limited on Windows, and memory only on Linux.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from inspector.core.lazy import LazyModule
from inspector.core.storage.temporary_files import discard_temporary_files
from inspector.core.translation import tr

if TYPE_CHECKING:
    import signal
else:
    signal = LazyModule("signal")

_MEMORY_EXIT_CODE = 86
_PAUSE = 0.2  # seconds between two measurements of memory
_STATM = "/proc/self/statm"


@contextmanager
def work_limits(seconds: float, memory: int) -> Iterator[Callable[[], None]]:
    """Limit the work in this process, which must be a worker. Yields a function that starts the time anew.

    `seconds` and `memory`, in bytes, are 0 for no limit.
    """
    has_timer, done = bool(seconds) and hasattr(signal, "setitimer"), threading.Event()
    if has_timer:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # ends the process
    if memory and resident_bytes():
        threading.Thread(target=_watch_memory, args=(memory, done), daemon=True, name="memory").start()

    def restart() -> None:
        if has_timer:
            signal.setitimer(signal.ITIMER_REAL, seconds)

    restart()
    try:
        yield restart
    finally:
        done.set()
        if has_timer:
            signal.setitimer(signal.ITIMER_REAL, 0)


def exceeded_limit_sentence(exit_code: int | None) -> str:
    """Return a sentence on the limit that a process exceeded, "" if it ended for another reason."""
    if hasattr(signal, "SIGALRM") and exit_code == -signal.SIGALRM:
        return tr("The check of this log exceeded the time limit and was stopped. Try checking this log on its own.")
    if exit_code == _MEMORY_EXIT_CODE:
        return tr("The check of this log exceeded the memory limit and was stopped. Try checking this log on its own.")
    return ""


def resident_bytes() -> int:
    """Return how much memory this process uses, 0 where that is not known."""
    if not os.path.exists(_STATM):
        return 0
    with open(_STATM, "rb") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _watch_memory(limit: int, done: threading.Event) -> None:
    while not done.wait(_PAUSE):
        if resident_bytes() > limit:
            discard_temporary_files()
            os._exit(_MEMORY_EXIT_CODE)
