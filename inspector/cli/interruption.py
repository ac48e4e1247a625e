"""Ctrl+C and SIGTERM while a command works on many logs: it completes its output, and exits with 130."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from types import FrameType
from typing import TypeVar

from inspector.cli.exit_codes import INTERRUPTED
from inspector.cli.progress import erase_line
from inspector.cli.terminal import print_text

T = TypeVar("T")
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_SAME_SECONDS = 0.5  # one Ctrl+C may come twice: from the terminal, and from the program that started this one


class Interruption:
    """Listens to the signals in a `with` block.

    A signal ends the results of `until_signal`, and interrupts only the wait for the next one, so that what is being
    written is never cut short. A second signal raises KeyboardInterrupt at once.
    """

    def __init__(self) -> None:
        self.happened = self._is_waiting = False
        self._time = 0.0  # of the first signal

    def __enter__(self) -> Interruption:
        # A command in the background of a shell ignores Ctrl+C, and goes on doing so.
        heard = (number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN)
        self._before = {number: signal.signal(number, self._hear) for number in heard}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self.happened:
            erase_line()

    def _hear(self, number: int, frame: FrameType | None) -> None:
        is_first, self.happened, now = not self.happened, True, time.monotonic()
        if is_first:
            self._time = now
        elif now < self._time + _SAME_SECONDS:
            return
        if self._is_waiting or not is_first:
            # An object that is only half made, such as a ZipFile, would report an error when it is discarded.
            sys.unraisablehook = lambda _: None
            raise KeyboardInterrupt

    def until_signal(self, results: Iterator[T]) -> Iterator[T]:
        """Yield results until the first signal. Raises KeyboardInterrupt if no result came before it."""
        is_first = True
        while not self.happened:
            try:
                self._is_waiting = True
                result = next(results)
                self._is_waiting = False
            except (KeyboardInterrupt, StopIteration):
                self._is_waiting = False
                break
            is_first = False
            yield result
        if self.happened and is_first:
            raise KeyboardInterrupt

    def exit_if_happened(self, sentence: str) -> None:
        """Print a sentence on how far the command got, and exit, if there was a signal."""
        if self.happened:
            print_text(sentence, err=True)
            raise SystemExit(INTERRUPTED)
