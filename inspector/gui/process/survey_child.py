"""The child process that lists logs, searches them, and judges them with the lowest priority; it imports no Qt."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import chain, repeat
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from inspector.core.engine.faults import fault_sentence
from inspector.core.errors import Cancelled
from inspector.core.showing.machine_answers import LogEntry, LogVerdict
from inspector.gui.answers.big_answers import Kind, Request, send, unpack
from inspector.gui.process.child_loop import ChildLoop

if TYPE_CHECKING:
    from inspector.core.engine.engine import Engine

# The first rows come at once and a few at a time, since what is seen must be painted; the others many at a time.
_FIRST_BATCHES, _BATCH = (10, 10, 20), 400
_NICE_WHILE_JUDGING = 15


def serve(pipe: Connection, make_engine: Callable[[], Engine]) -> None:
    """Answer requests until the window closes the pipe."""
    _SurveyChild(pipe, make_engine()).run()


class _SurveyChild(ChildLoop):
    def answer(self, request: Request) -> None:
        if request.name == "list":
            self._list(request.serial, unpack(request.body, tuple[str, ...]))
        elif request.name == "judge":
            self._judge(request.serial, unpack(request.body, tuple[tuple[str, str], ...]))
        elif request.name == "search":
            self._search(request.serial, unpack(request.body, str))
        send(self.pipe, Kind.DONE, request.serial)

    def _list(self, serial: int, folders: tuple[str, ...]) -> None:
        batch: list[LogEntry] = []
        sizes = chain(_FIRST_BATCHES, repeat(_BATCH))
        most = next(sizes)
        for entry in self.engine.logs(folders):
            if self.is_cancelled(serial):
                raise Cancelled
            batch.append(entry)
            if len(batch) >= most:
                send(self.pipe, Kind.LISTED, serial, batch)
                batch, most = [], next(sizes)
        send(self.pipe, Kind.LISTED, serial, batch)

    def _judge(self, serial: int, logs: tuple[tuple[str, str], ...]) -> None:
        if hasattr(os, "nice"):
            os.nice(max(_NICE_WHILE_JUDGING - os.nice(0), 0))
        for number, (path, format_name) in enumerate(logs):
            if self.is_cancelled(serial):
                raise Cancelled
            send(self.pipe, Kind.JUDGED, serial, (number, self._verdict(path, format_name, serial)))

    def _search(self, serial: int, text: str) -> None:
        answer = self.engine.search(text, self.progress_of(serial), lambda: self.is_cancelled(serial))
        send(self.pipe, Kind.EXPLAINED, serial, answer)

    def _verdict(self, path: str, format_name: str, serial: int) -> LogVerdict:
        try:
            return self.engine.judge(path, format_name, lambda: self.is_cancelled(serial))
        except Cancelled:
            raise
        except Exception as error:  # one log that we cannot cope with must not keep the others from being judged
            return LogVerdict("unreadable", f"{path}: {fault_sentence(error)}")
