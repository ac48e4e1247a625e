"""The child process: it runs the engine and answers requests over a pipe. Imports no Qt.

It can hide the content of logs in its answers, packs large answers for the window, and accepts cancellations while it
works.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial, wraps
from itertools import chain, repeat
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from inspector.core.discovery.log_entry import LogEntry
from inspector.core.engine.faults import fault_sentence
from inspector.core.engine.without_open_log import discard_all_spools, let_walks_be_deep
from inspector.core.errors import Cancelled, InspectorError
from inspector.core.lazy import LazyModule
from inspector.core.presentation.outline import ByteColumn, Numbers
from inspector.core.presentation.results import LogVerdict, TextMatches
from inspector.core.repair.choices import Choices
from inspector.gui.worker.answers import (
    OpenedLog,
    PackedEvidence,
    PackedResumeRequest,
    PlannedRepair,
    order_by_severity,
    pack_evidence,
    pack_opened_log,
    pack_planned_repair,
    pack_resume_request,
)
from inspector.gui.worker.protocol import EncodedValue, MessageKind, RequestMessage, send, unpack
from inspector.gui.worker.requests import REQUESTS
from inspector.gui.worker.syntax_colours import CodeText, colour_code

if TYPE_CHECKING:
    from inspector.core.engine.engine import Engine
    from inspector.core.presentation import hide_content
    from inspector.core.presentation.hide_content import ContentHider
else:
    hide_content = LazyModule("inspector.core.presentation.hide_content")
    hide_content = LazyModule("inspector.core.presentation.hide_content")

_TYPED_TEXT_REQUESTS = ("filter", "go_to")  # their line may contain names that were shown hidden


class HidingEngine:
    """An engine that hides content: with a salt, the texts of a log do not leave the child."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._salt = ""
        self._hider: ContentHider | None = None

    def set_salt(self, salt: str) -> None:
        """Hide the content of answers from now on with this salt. "" shows it."""
        if salt != self._salt:
            self._salt, self._hider = salt, hide_content.ContentHider(salt) if salt else None

    def hide_in_sentence(self, sentence: str) -> str:
        """Hide the content in an error message."""
        return sentence if self._hider is None else self._hider.sentence(sentence)

    def __getattr__(self, name: str) -> Any:
        method: Callable[..., Any] = getattr(self._engine, name)
        hides = self._hider
        if hides is None or not callable(method):
            return method

        @wraps(method)
        def hidden(*question: Any) -> Any:
            typed = tuple(map(hides.reveal_names, question[:1])) if name in _TYPED_TEXT_REQUESTS else question[:1]
            return hide_content.hide_content(method(*typed, *question[1:]), hides)

        return hidden


if TYPE_CHECKING:
    Progress: TypeAlias = Callable[[int, int], None]
    IsCancelled: TypeAlias = Callable[[], bool]

# The first batches are small, so that the first rows are painted at once.
_FIRST_BATCH_SIZES, _BATCH_SIZE = (10, 10, 20), 400
_NICE_WHILE_CHECKING = 15
_MIN_BATCH_INTERVAL = 0.04


class PackingEngine:
    """An engine that packs large answers. It passes on all other methods.

    `log` is the path of the log that was opened last.
    """

    def __init__(self, engine: Engine | HidingEngine) -> None:
        self._engine = engine
        self._ids: list[str] = []
        self.log = ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def open(
        self, path: str, format_name: str, deep: bool, followed: bool, progress: Progress, cancelled: IsCancelled
    ) -> OpenedLog:
        self.log = path
        opened = self._engine.open(path, format_name, progress, cancelled, deep, followed)
        order = order_by_severity(opened.findings)
        self._ids = [opened.findings[number].id for number in order]
        return pack_opened_log(opened, order)

    def preview(self, choices: Choices) -> PlannedRepair:
        return pack_planned_repair(self._engine.preview(choices), self._ids)

    def open_calls(self) -> PackedEvidence:
        return pack_evidence(self._engine.open_calls(), self._ids)

    def sent(self, repairs: Choices | None, session: str) -> PackedResumeRequest:
        return pack_resume_request(self._engine.sent(repairs, session))

    def sent_as_json(self, repairs: Choices | None, session: str) -> ByteColumn:
        return ByteColumn(self._engine.sent_as_json(repairs, session))

    def colours(self, serial: int, texts: list[CodeText]) -> tuple[int, list[Numbers]]:
        """Return the colours of texts, with the serial number of the question that they answer."""
        return serial, [colour_code(text) for text in texts]

    def find(self, text: str, match_case: bool, cancelled: IsCancelled) -> Iterator[TextMatches]:
        """Yield the matches in batches, at most about 25 a second, as a person cannot see more."""
        batch, sent = TextMatches(), 0.0
        for match in self._engine.find(text, match_case, cancelled):
            batch.records.extend(match.records)
            batch.done, batch.total, batch.outside_matches = match.done, match.total, match.outside_matches
            if batch.records and time.monotonic() - sent >= _MIN_BATCH_INTERVAL:
                yield batch
                batch, sent = TextMatches(), time.monotonic()
        yield batch

    def logs(self, paths: tuple[str, ...], cancelled: IsCancelled) -> Iterator[tuple[list[LogEntry], list[str]]]:
        """Yield the logs in batches, with the paths of other files that were found next to them."""
        batch: list[LogEntry] = []
        others: list[str] = []
        sizes = chain(_FIRST_BATCH_SIZES, repeat(_BATCH_SIZE))
        most = next(sizes)
        for entry in self._engine.logs(paths, others):
            if cancelled():
                raise Cancelled
            batch.append(entry)
            if len(batch) >= most:
                yield batch, others[:]
                batch, most = [], next(sizes)
                others.clear()
        yield batch, others

    def same(self, files: list[str]) -> set[str]:
        """Return the files with the same bytes as an earlier one. Only files of equal size are read."""
        sizes = {file: _file_size(file) for file in files}
        counts = Counter(sizes.values())
        alike = [file for file, size in sizes.items() if size and counts[size] > 1]
        first: dict[str, str] = {}
        digests = zip(alike, self._engine.digests(alike), strict=True)
        return {file for file, digest in digests if digest and first.setdefault(digest, file) != file}

    def judge(self, logs: list[tuple[str, str]], cancelled: IsCancelled) -> Iterator[tuple[int, LogVerdict]]:
        """Yield the verdict of each log, given as path and format name, with its index.

        The process runs with low priority from now on.
        """
        if hasattr(os, "nice"):
            os.nice(max(_NICE_WHILE_CHECKING - os.nice(0), 0))
        with closing(self._engine.judge(logs, cancelled)) as verdicts:
            yield from enumerate(verdicts)


def _file_size(file: str) -> int:
    """Return the size in bytes, 0 when the path is not a file or no longer exists."""
    try:
        return os.path.getsize(file) if os.path.isfile(file) else 0
    except OSError:
        return 0


_PROGRESS_STEPS = 200
_MIN_PROGRESS_INTERVAL = 0.05


def serve(pipe: Connection, make_engine: Callable[[], Engine], nice: int) -> None:
    """Answer requests until the window closes the pipe. `nice` lowers the priority of the child."""
    if hasattr(os, "nice"):
        os.nice(nice)
    # multiprocessing does not let a daemon have children. The child may have some, and they end when it does.
    multiprocessing.current_process().daemon = False
    let_walks_be_deep()
    _RequestLoop(pipe, make_engine()).run()


class _RequestLoop:
    """The loop that answers one request at a time, in their order."""

    def __init__(self, pipe: Connection, engine: Engine) -> None:
        self._pipe = pipe
        self._hiding = HidingEngine(engine)
        self._engine = PackingEngine(self._hiding)
        self._waiting: queue.Queue[RequestMessage] = queue.Queue()
        self._newest: dict[str, int] = {}
        self._cancelled = -1

    def run(self) -> None:
        """Answer requests until the window is gone."""
        threading.Thread(target=self._read, daemon=True, name="requests").start()
        send(self._pipe, MessageKind.READY, RequestMessage("", 0))
        while True:
            asked = self._waiting.get()
            try:
                self._answer(asked)
            except Cancelled:
                # Any message shows the window that this process still listens and need not be terminated.
                send(self._pipe, MessageKind.READY, asked)
            except InspectorError as error:
                send(self._pipe, MessageKind.FAILED, asked, self._hiding.hide_in_sentence(str(error)))
            except (BrokenPipeError, ConnectionError):
                return
            except Exception as error:  # an internal error is reported to the person as well
                sentence, log = fault_sentence(error), self._engine.log
                send(
                    self._pipe,
                    MessageKind.FAILED,
                    asked,
                    self._hiding.hide_in_sentence(f"{log}: {sentence}" if log else sentence),
                )

    def _answer(self, asked: RequestMessage) -> None:
        """Run a request and send the result. Raises InspectorError."""
        if self._is_cancelled(asked):
            raise Cancelled
        request = REQUESTS[asked.name]
        self._hiding.set_salt(asked.salt)
        question: tuple[Any, ...] = unpack(EncodedValue(asked.arguments, []), request.argument_types)
        progress_arguments = (self._progress_of(asked),) if request.reports_progress else ()
        cancel_arguments = (partial(self._is_cancelled, asked),) if request.cancellable else ()
        answer = getattr(self._engine, request.name)(*question, *progress_arguments, *cancel_arguments)
        if request.streams:
            for part in answer:
                send(self._pipe, MessageKind.PART, asked, part)
            answer = None
        send(self._pipe, MessageKind.ANSWER, asked, answer)

    def _progress_of(self, asked: RequestMessage) -> Callable[[int, int], None]:
        """Return a function that reports progress to the window, at most 20 times a second."""
        last_report = [-1, 0.0]

        def progress(done: int, total: int) -> None:
            step, now = done * _PROGRESS_STEPS // max(total, 1), time.monotonic()
            if step != last_report[0] and now - last_report[1] >= _MIN_PROGRESS_INTERVAL:
                last_report[:] = step, now
                send(self._pipe, MessageKind.PROGRESS, asked, (done, total))

        return progress

    def _is_cancelled(self, asked: RequestMessage) -> bool:
        return self._cancelled >= asked.serial or asked.serial < self._newest.get(asked.name, -1)

    def _read(self) -> None:
        """Read requests in a thread of its own, so that a cancellation is seen while the engine works."""
        try:
            while True:
                asked = msgspec.msgpack.decode(self._pipe.recv_bytes(), type=RequestMessage)
                if asked.name == "cancel":
                    self._cancelled = max(self._cancelled, asked.serial)
                    continue
                if REQUESTS[asked.name].latest_only:
                    self._newest[asked.name] = asked.serial
                self._waiting.put(asked)
        except (EOFError, OSError):
            # The window is gone, so nothing needs the result that the engine may still be working on.
            discard_all_spools()
            os._exit(0)


def launch(make_engine: Callable[[], Engine], nice: int) -> tuple[SpawnProcess, Connection]:
    """Start a child that answers requests. Return it and this process's end of the pipe.

    It is spawned, because a fork would copy only a part of Qt's threads.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs, make_engine, nice), daemon=True)
    process.start()
    theirs.close()
    return process, ours
