"""A limit on the processor's time, in this process: what takes longer is left where it is."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath
from types import FrameType

LIMIT = 10.0  # seconds of processor time for one command on a log of a few kilobytes


class Hangs(BaseException):
    """No Exception, so that nobody takes it for a fault of the log. `place` is where in the product it was."""

    def __init__(self, place: str) -> None:
        super().__init__(place)
        self.place = place


@contextmanager
def watched() -> Iterator[None]:
    """Raises Hangs when what runs in it takes longer than LIMIT. Only the main thread can be watched."""

    def stop(_: int, frame: FrameType | None) -> None:
        raise Hangs(_place(frame))

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _place(frame: FrameType | None) -> str:
    """The innermost frame of the product."""
    while frame is not None:
        path = PurePath(frame.f_code.co_filename)
        if "inspector" in path.parts:
            return f"{path.name}, {frame.f_code.co_name}"
        frame = frame.f_back
    return "outside of the product"
