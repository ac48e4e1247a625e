"""The child process: it owns the Engine, answers requests over a pipe, and imports no Qt."""

from __future__ import annotations

import os
import time
from array import array
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

from inspector.core.answers import Opened
from inspector.core.repair.choices import Choices
from inspector.gui.child_loop import ChildLoop
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
    _EngineChild(pipe, make_engine()).run()


class _EngineChild(ChildLoop):
    def __init__(self, pipe: Connection, engine: Engine) -> None:
        super().__init__(pipe, engine)
        self._newest_preview = -1
        self._ids: list[str] = []

    def announced(self, request: Request) -> None:
        if request.name == "preview":
            self._newest_preview = request.serial

    def answer(self, request: Request) -> None:
        if request.name == "open":
            self._open(request.serial, unpack(request.body, OpenBody))
        elif request.name == "preview" and request.serial >= self._newest_preview:
            preview = self.engine.preview(unpack(request.body, Choices))
            summary, columns = pack_preview(preview, self._ids)
            send(self.pipe, Kind.PREVIEW, request.serial, summary, columns)
        elif request.name == "save":
            save: SaveBody = unpack(request.body, SaveBody)
            send(self.pipe, Kind.SAVED, request.serial, self.engine.save(save.choices, save.mode, save.target))

    def _open(self, serial: int, body: OpenBody) -> None:
        told = [-1, 0.0]

        def progress(done: int, total: int) -> None:
            step, now = done * _STEPS // max(total, 1), time.monotonic()
            if step != told[0] and now - told[1] >= _PAUSE:
                told[:] = step, now
                send(self.pipe, Kind.PROGRESS, serial, (done, total))

        opened = self.engine.open(body.path, body.format_name, progress, lambda: self.is_cancelled(serial))
        order = worst_first(opened.findings)
        self._ids = [opened.findings[number].id for number in order]
        small, columns = pack_opened(opened, order, _lines(opened))
        send(self.pipe, Kind.OPENED, serial, small, columns)


def _lines(opened: Opened) -> array[int]:
    """The line of each record, or nothing where lines are no places in the log. Reads the log once, in pieces."""
    overview = opened.overview
    starts, path = as_array(opened.starts), Path(overview.bytes_at or overview.path)
    lines = array("q")
    if not overview.has_lines or not path.is_file():
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
