"""The child process: it owns the Engine, answers requests over a pipe, and imports no Qt."""

from __future__ import annotations

import os
import queue
import threading
import time
from array import array
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from inspector.core.answers import Opened
from inspector.core.errors import Cancelled, InspectorError
from inspector.core.repair.choices import Choices
from inspector.gui.opened_log import as_array
from inspector.gui.packing import pack_opened, pack_preview, worst_first
from inspector.gui.wire import Kind, OpenBody, Request, SaveBody, send, unpack

if TYPE_CHECKING:
    from inspector.core.engine import Engine

_STEPS = 200
_PAUSE = 0.05
_NICE = 5


def serve(pipe: Connection, make_engine: Callable[[], Engine]) -> None:
    """Answer requests until the window closes the pipe."""
    if hasattr(os, "nice"):
        os.nice(_NICE)
    _Child(pipe, make_engine()).run()


class _Child:
    def __init__(self, pipe: Connection, engine: Engine) -> None:
        self._pipe = pipe
        self._engine = engine
        self._requests: queue.Queue[Request] = queue.Queue()
        self._cancelled = -1
        self._newest_preview = -1
        self._ids: list[str] = []

    def run(self) -> None:
        threading.Thread(target=self._read, daemon=True, name="requests").start()
        send(self._pipe, Kind.READY, 0)
        while (request := self._requests.get()).name != "quit":
            try:
                self._answer(request)
            except Cancelled:
                # Any word tells the window that this process still listens and need not be ended.
                send(self._pipe, Kind.READY, request.serial)
            except InspectorError as error:
                send(self._pipe, Kind.FAILED, request.serial, str(error))
            except (BrokenPipeError, ConnectionError):
                return
            except Exception as error:  # a fault of ours must reach the person as a sentence, too
                sentence = (
                    f"The program met a fault of its own while working on this log ({type(error).__name__}: {error})."
                )
                send(self._pipe, Kind.FAILED, request.serial, sentence)

    def _read(self) -> None:
        """Runs in a thread: a cancellation must be seen while the engine works."""
        try:
            while True:
                request = msgspec.msgpack.decode(self._pipe.recv_bytes(), type=Request)
                if request.name == "cancel":
                    self._cancelled = max(self._cancelled, request.serial)
                    continue
                if request.name == "preview":
                    self._newest_preview = request.serial
                self._requests.put(request)
        except (EOFError, OSError):
            # The window is gone: nobody waits for what the engine may still be doing.
            os._exit(0)

    def _answer(self, request: Request) -> None:
        if request.serial <= self._cancelled:
            raise Cancelled
        if request.name == "open":
            self._open(request.serial, unpack(request.body, OpenBody))
        elif request.name == "preview" and request.serial >= self._newest_preview:
            preview = self._engine.preview(unpack(request.body, Choices))
            summary, columns = pack_preview(preview, self._ids)
            send(self._pipe, Kind.PREVIEW, request.serial, summary, columns)
        elif request.name == "save":
            save: SaveBody = unpack(request.body, SaveBody)
            send(self._pipe, Kind.SAVED, request.serial, self._engine.save(save.choices, save.mode, save.target))

    def _open(self, serial: int, body: OpenBody) -> None:
        told = [-1, 0.0]

        def progress(done: int, total: int) -> None:
            step, now = done * _STEPS // max(total, 1), time.monotonic()
            if step != told[0] and now - told[1] >= _PAUSE:
                told[:] = step, now
                send(self._pipe, Kind.PROGRESS, serial, (done, total))

        opened = self._engine.open(body.path, body.format_name, progress, lambda: self._cancelled >= serial)
        order = worst_first(opened.findings)
        self._ids = [opened.findings[number].id for number in order]
        small, columns = pack_opened(opened, order, _lines(opened))
        send(self._pipe, Kind.OPENED, serial, small, columns)


def _lines(opened: Opened) -> array[int]:
    """The line of each record, or nothing where the log is no file. Reads the log once, in pieces."""
    starts, path = as_array(opened.starts), Path(opened.overview.path)
    lines = array("q")
    if not path.is_file():
        return lines
    with path.open("rb") as file:
        line, before = 1, 0
        piece, base = b"", 0
        for start in starts:
            while start > base + len(piece):
                line += piece.count(b"\n", before - base)
                base += len(piece)
                before = base
                file.seek(base)
                piece = file.read(4 << 20)
                if not piece:
                    return lines
            line += piece.count(b"\n", before - base, start - base)
            before = start
            lines.append(line)
    return lines
