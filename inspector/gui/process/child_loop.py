"""What every child process does: it answers requests over a pipe, hears cancellations meanwhile, imports no Qt."""

from __future__ import annotations

import os
import queue
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

import msgspec

from inspector.core.engine.faults import fault_sentence
from inspector.core.engine.machine import discard_all
from inspector.core.errors import Cancelled, InspectorError
from inspector.gui.answers.big_answers import Kind, Request, send

if TYPE_CHECKING:
    from inspector.core.engine.engine import Engine

_STEPS = 200
_PAUSE = 0.05


class ChildLoop(ABC):
    """One request at a time, in their order. A subclass answers them."""

    def __init__(self, pipe: Connection, engine: Engine) -> None:
        self.pipe = pipe
        self.engine = engine
        self._requests: queue.Queue[Request] = queue.Queue()
        self._cancelled = -1
        # The path of the log that is worked on, which the sentence on a fault names.
        self.log = ""

    def run(self) -> None:
        """Until the window asks to quit, or is gone."""
        threading.Thread(target=self._read, daemon=True, name="requests").start()
        send(self.pipe, Kind.READY, 0)
        while (request := self._requests.get()).name != "quit":
            try:
                if self.is_cancelled(request.serial):
                    raise Cancelled
                self.answer(request)
            except Cancelled:
                # Any word tells the window that this process still listens and need not be ended.
                send(self.pipe, Kind.READY, request.serial)
            except InspectorError as error:
                send(self.pipe, Kind.FAILED, request.serial, str(error))
            except (BrokenPipeError, ConnectionError):
                return
            except Exception as error:  # a fault of ours must reach the person as a sentence, too
                sentence = fault_sentence(error)
                send(self.pipe, Kind.FAILED, request.serial, f"{self.log}: {sentence}" if self.log else sentence)

    @abstractmethod
    def answer(self, request: Request) -> None:
        """Work on a request and send what comes of it. Raises InspectorError."""

    def announced(self, request: Request) -> None:
        """A request has come in; it is called in the reading thread, while another may be worked on."""

    def progress_of(self, serial: int) -> Callable[[int, int], None]:
        """Tells the window how far a request is, and not more often than a person can see."""
        told = [-1, 0.0]

        def progress(done: int, total: int) -> None:
            step, now = done * _STEPS // max(total, 1), time.monotonic()
            if step != told[0] and now - told[1] >= _PAUSE:
                told[:] = step, now
                send(self.pipe, Kind.PROGRESS, serial, (done, total))

        return progress

    def is_cancelled(self, serial: int) -> bool:
        return self._cancelled >= serial

    def _read(self) -> None:
        """Runs in a thread: a cancellation must be seen while the engine works."""
        try:
            while True:
                request = msgspec.msgpack.decode(self.pipe.recv_bytes(), type=Request)
                if request.name == "cancel":
                    self._cancelled = max(self._cancelled, request.serial)
                    continue
                self.announced(request)
                self._requests.put(request)
        except (EOFError, OSError):
            # The window is gone: nobody waits for what the engine may still be doing.
            discard_all()
            os._exit(0)
