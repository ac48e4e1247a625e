"""What a child process does: it answers requests over a pipe, hears cancellations meanwhile, imports no Qt."""

from __future__ import annotations

import multiprocessing
import os
import queue
import threading
import time
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

import msgspec

from inspector.core.engine.faults import fault_sentence
from inspector.core.engine.machine import discard_all_spools, let_walks_be_deep
from inspector.core.errors import Cancelled, InspectorError
from inspector.gui.answers.pipe import Asked, Kind, Parcel, send, unpack
from inspector.gui.process.hiding_engine import HidingEngine
from inspector.gui.process.packed_engine import PackedEngine
from inspector.gui.process.requests import REQUESTS

if TYPE_CHECKING:
    from inspector.core.engine.engine import Engine

_STEPS = 200
_PAUSE = 0.05


def serve(pipe: Connection, make_engine: Callable[[], Engine], nice: int) -> None:
    """Answer requests until the window closes the pipe; `nice` is how much the child gives way to it."""
    if hasattr(os, "nice"):
        os.nice(nice)
    # It may have workers of its own, which multiprocessing refuses to a daemon; they end when it does.
    multiprocessing.current_process().daemon = False
    let_walks_be_deep()
    _Child(pipe, make_engine()).run()


class _Child:
    """One request at a time, in their order."""

    def __init__(self, pipe: Connection, engine: Engine) -> None:
        self._pipe = pipe
        self._hiding = HidingEngine(engine)
        self._engine = PackedEngine(self._hiding)
        self._waiting: queue.Queue[Asked] = queue.Queue()
        self._newest: dict[str, int] = {}
        self._cancelled = -1

    def run(self) -> None:
        """Until the window is gone."""
        threading.Thread(target=self._read, daemon=True, name="requests").start()
        send(self._pipe, Kind.READY, Asked("", 0))
        while True:
            asked = self._waiting.get()
            try:
                self._answer(asked)
            except Cancelled:
                # Any word tells the window that this process still listens and need not be ended.
                send(self._pipe, Kind.READY, asked)
            except InspectorError as error:
                send(self._pipe, Kind.FAILED, asked, self._hiding.hide_in_sentence(str(error)))
            except (BrokenPipeError, ConnectionError):
                return
            except Exception as error:  # a fault of ours must reach the person as a sentence, too
                sentence, log = fault_sentence(error), self._engine.log
                send(
                    self._pipe,
                    Kind.FAILED,
                    asked,
                    self._hiding.hide_in_sentence(f"{log}: {sentence}" if log else sentence),
                )

    def _answer(self, asked: Asked) -> None:
        """Work on a request and send what comes of it. Raises InspectorError."""
        if self._is_cancelled(asked):
            raise Cancelled
        request = REQUESTS[asked.name]
        self._hiding.set_salt(asked.salt)
        question: tuple[Any, ...] = unpack(Parcel(asked.arguments, []), request.argument_types)
        tells = (self._progress_of(asked),) if request.reports_progress else ()
        stops = (partial(self._is_cancelled, asked),) if request.cancellable else ()
        answer = getattr(self._engine, request.name)(*question, *tells, *stops)
        if request.streams:
            for part in answer:
                send(self._pipe, Kind.PART, asked, part)
            answer = None
        send(self._pipe, Kind.ANSWER, asked, answer)

    def _progress_of(self, asked: Asked) -> Callable[[int, int], None]:
        """Tells the window how far a request is, and not more often than a person can see."""
        told = [-1, 0.0]

        def progress(done: int, total: int) -> None:
            step, now = done * _STEPS // max(total, 1), time.monotonic()
            if step != told[0] and now - told[1] >= _PAUSE:
                told[:] = step, now
                send(self._pipe, Kind.PROGRESS, asked, (done, total))

        return progress

    def _is_cancelled(self, asked: Asked) -> bool:
        return self._cancelled >= asked.serial or asked.serial < self._newest.get(asked.name, -1)

    def _read(self) -> None:
        """Runs in a thread: a cancellation must be seen while the engine works."""
        try:
            while True:
                asked = msgspec.msgpack.decode(self._pipe.recv_bytes(), type=Asked)
                if asked.name == "cancel":
                    self._cancelled = max(self._cancelled, asked.serial)
                    continue
                if REQUESTS[asked.name].latest_only:
                    self._newest[asked.name] = asked.serial
                self._waiting.put(asked)
        except (EOFError, OSError):
            # The window is gone: nobody waits for what the engine may still be doing.
            discard_all_spools()
            os._exit(0)
