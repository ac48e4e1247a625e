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
from functools import partial
from itertools import chain, repeat
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import msgspec

from inspector.core.discovery.log_entry import LogEntry, UnreadFile
from inspector.core.engine.program_faults import program_fault_sentence
from inspector.core.engine.without_open_log import discard_temporary_files, raise_recursion_limit
from inspector.core.errors import Cancelled, InspectorError
from inspector.core.lazy import LazyModule
from inspector.core.presentation.engine_results import (
    FoundLogs,
    LogProduct,
    LogVerdict,
    LogWriteOutcome,
    OpenedLogView,
    TextMatches,
)
from inspector.core.presentation.outline import ByteColumn, Numbers
from inspector.core.repair.choices import Choices
from inspector.gui.worker import requests
from inspector.gui.worker.packed_answers import (
    OpenedLog,
    pack_evidence,
    pack_opened_log,
    pack_planned_repair,
    pack_resume_request,
    severity_order,
)
from inspector.gui.worker.protocol import EncodedValue, MessageKind, RequestMessage, decode_value, send_response
from inspector.gui.worker.requests import REQUESTS_BY_NAME, A, AnyRequest, Q, RequestSpec
from inspector.gui.worker.syntax_colours import CodeText, highlight_code

if TYPE_CHECKING:
    from inspector.core.batch import judging, repairing
    from inspector.core.engine.window_engine import WindowEngine
    from inspector.core.presentation import hide_content
    from inspector.core.presentation.hide_content import ContentHider
else:
    judging = LazyModule("inspector.core.batch.judging")
    repairing = LazyModule("inspector.core.batch.repairing")
    hide_content = LazyModule("inspector.core.presentation.hide_content")

if TYPE_CHECKING:
    Progress: TypeAlias = Callable[[int, int], None]
    IsCancelled: TypeAlias = Callable[[], bool]

# The first batches are small, so that the first rows are painted at once.
_FIRST_BATCH_SIZES, _BATCH_SIZE = (10, 10, 20), 400
_NICE_WHILE_CHECKING = 5
_MIN_BATCH_INTERVAL = 0.04
R = TypeVar("R")


class Dispatcher:
    """Answers each request with a method of the engine.

    With a salt, the texts of a log do not leave the child: every answer is hidden unless its request is declared safe.
    Large answers are packed after that. `log` is the path of the log that was opened last.
    """

    def __init__(self, engine: WindowEngine) -> None:
        self._engine = engine
        self._ids: list[str] = []
        self._salt = ""
        self._hider: ContentHider | None = None
        self._progress: Progress
        self._cancelled: IsCancelled
        self.log = ""
        self._methods: dict[AnyRequest, Callable[..., Any]] = {}
        self._packers: dict[AnyRequest, Callable[[Any], Any]] = {}
        self._add(
            requests.SAVE_REPAIR,
            lambda choices, mode, target: engine.save(choices, mode, target, self._progress),
        )
        self._add(requests.SAVE_TRIMMED, lambda trimming, target: engine.save_trimmed(trimming, target, self._progress))
        self._add(requests.SAVE_CONVERTED, engine.save_converted)
        self._add(requests.BACKUP_INFO, engine.backup_info)
        self._add(requests.RESTORE, engine.restore)
        self._add(requests.SAVE_RESUME_REQUEST, engine.save_resume_request)
        self._add(requests.SAVE_REPORT, engine.save_share_report)
        self._add(requests.SAVE_LOGS_REPORT, engine.save_logs_report)
        self._add(requests.SAVE_BUNDLE, engine.save_bundle)
        self._add(requests.SAVE_SEND_BACK_REPAIR, engine.save_send_back)
        self._add(requests.FORGET_STORED_DATA, engine.forget)
        self._add_packed(requests.OPEN_LOG, self._open, self._pack_opened)
        self._add(requests.IS_AGENT_ACTIVE, engine.is_agent_active)
        self._add_packed(
            requests.PREVIEW_REPAIR, engine.preview, lambda preview: pack_planned_repair(preview, self._ids)
        )
        self._add(requests.DIFF_CHANGES, engine.diff_changes)
        self._add(requests.EXPLAIN_ERROR, engine.explain)
        self._add(requests.CHECK_ACCEPTANCE, engine.check_acceptance)
        self._add(requests.RULE_PAGE, engine.rule_page)
        self._add_packed(requests.OPEN_CALL_EVIDENCE, engine.open_calls, lambda calls: pack_evidence(calls, self._ids))
        self._add(requests.PREVIEW_TRIM, engine.trim)
        self._add(requests.PREVIEW_CONVERSION, engine.convert)
        self._add(requests.RESULT_OFFERS, engine.result_offers)
        self._add(requests.COMPARE_LOGS, engine.compare_logs)
        self._add_packed(requests.RESUME_REQUEST_JSON, engine.resume_request_json, ByteColumn)
        self._add(requests.REPORT, engine.share_report)
        self._add(requests.RECORD_DETAILS, engine.details)
        self._add(requests.SYNTAX_COLOURS, _colours)
        self._add_packed(requests.RESUME_REQUEST, engine.resume_request, pack_resume_request)
        self._add(requests.PREVIEW_SEND_BACK_REPAIR, engine.send_back)
        self._add_stream(requests.FIND_TEXT, self._find)
        self._add(requests.FILTER_ROWS, lambda line: engine.filter(self._reveal(line), self._cancelled))
        self._add(requests.CONTENT_LIST, lambda name: engine.content_list(name, self._cancelled))
        self._add(requests.COMPUTE_FACETS, engine.facets)
        self._add(requests.CONTEXT_SERIES, engine.context_series)
        self._add(requests.GO_TO, lambda text: engine.go_to(self._reveal(text)))
        self._add_stream(requests.LIST_LOGS, self._list_logs)
        self._add_stream(requests.CHECK_LOGS, self._check_logs)
        self._add(requests.FIND_DUPLICATES, self._find_duplicates)
        self._add(requests.LOGS_REPORT, lambda logs, wish: engine.logs_report(logs, wish, self._cancelled))
        self._add(requests.WRITE_LOGS, _write_logs)
        self._add(requests.LOOK_UP_ERROR_IN_SESSIONS, lambda text: engine.search(text, self._progress, self._cancelled))

    def _add(self, request: RequestSpec[A, *Q], method: Callable[[*Q], A]) -> None:
        self._methods[request] = method

    def _add_packed(self, request: RequestSpec[A, *Q], method: Callable[[*Q], R], packer: Callable[[R], A]) -> None:
        self._methods[request], self._packers[request] = method, packer

    def _add_stream(self, request: RequestSpec[A, *Q], method: Callable[[*Q], Iterator[A]]) -> None:
        self._methods[request] = method

    def set_salt(self, salt: str) -> None:
        """Hide the content of answers from now on with this salt. "" shows it."""
        if salt != self._salt:
            self._salt, self._hider = salt, hide_content.ContentHider(salt) if salt else None

    def answer(
        self, request: RequestSpec[A, *Q], question: tuple[*Q], progress: Progress, cancelled: IsCancelled
    ) -> Any:
        """Return the answer to a request, or an iterator over its parts."""
        self._progress, self._cancelled = progress, cancelled
        answer = self._methods[request](*question)
        if self._hider is not None and not request.safe:
            answer = hide_content.hide_engine_result_content(answer, self._hider)
        return self._packers[request](answer) if request in self._packers else answer

    def hide_in_sentence(self, sentence: str) -> str:
        """Hide the content in an error message."""
        return sentence if self._hider is None else self._hider.sentence(sentence)

    def _reveal(self, line: str) -> str:
        """Return a typed line with the names for the pseudonyms that the person was shown."""
        return line if self._hider is None else self._hider.reveal_names(line)

    def _open(self, path: str, format_name: str, deep: bool, followed: bool) -> OpenedLogView:
        self.log = path
        return self._engine.open(path, format_name, self._progress, self._cancelled, deep, followed)

    def _pack_opened(self, opened: OpenedLogView) -> OpenedLog:
        order = severity_order(opened.findings)
        self._ids = [opened.findings[number].id for number in order]
        return pack_opened_log(opened, order)

    def _find(self, text: str, match_case: bool) -> Iterator[TextMatches]:
        """Yield the matches in batches, at most about 25 a second, as a person cannot see more."""
        batch, sent = TextMatches(), 0.0
        for match in self._engine.find(text, match_case, self._cancelled):
            batch.records.extend(match.records)
            batch.done, batch.total, batch.outside_matches = match.done, match.total, match.outside_matches
            if batch.records and time.monotonic() - sent >= _MIN_BATCH_INTERVAL:
                yield batch
                batch, sent = TextMatches(), time.monotonic()
        yield batch

    def _list_logs(self, paths: tuple[str, ...]) -> Iterator[FoundLogs]:
        """Yield the logs in batches, with the paths of other files that were found next to them."""
        batch: list[LogEntry] = []
        others: list[UnreadFile] = []
        sizes = chain(_FIRST_BATCH_SIZES, repeat(_BATCH_SIZE))
        most = next(sizes)
        for entry in self._engine.list_logs(paths, others):
            if self._cancelled():
                raise Cancelled
            batch.append(entry)
            if len(batch) >= most:
                yield FoundLogs(batch, others[:])
                batch, most = [], next(sizes)
                others.clear()
        yield FoundLogs(batch, others)

    def _find_duplicates(self, files: list[str]) -> dict[str, str]:
        """Return the files with the same bytes as an earlier one, with that one. Only files of equal size are read."""
        sizes = {file: _file_size(file) for file in files}
        counts = Counter(sizes.values())
        alike = [file for file, size in sizes.items() if size and counts[size] > 1]
        first: dict[str, str] = {}
        digests = zip(alike, self._engine.digests(alike), strict=True)
        earlier = {file: first.setdefault(digest, file) for file, digest in digests if digest}
        return {file: one for file, one in earlier.items() if one != file}

    def _check_logs(self, logs: list[tuple[str, str]]) -> Iterator[tuple[int, LogVerdict]]:
        """Yield the verdict of each log, given as path and format name, with its index.

        The process runs with low priority from now on.
        """
        if hasattr(os, "nice"):
            os.nice(max(_NICE_WHILE_CHECKING - os.nice(0), 0))
        with closing(self._engine.check_logs(logs, self._cancelled)) as verdicts:
            yield from enumerate(verdicts)


def _write_logs(logs: list[tuple[str, str]], folder: str, product: LogProduct, language: str) -> list[LogWriteOutcome]:
    """Write something of each log (path, path of its ticket) below a folder, as `LogProduct` says."""
    options = repairing.RepairOptions(folder, Choices(), product=product, language=language)
    tasks = [judging.LogTask(path, ticket) for path, ticket in logs]
    with closing(repairing.repair_tasks(tasks, options, jobs=1)) as answers:
        return [LogWriteOutcome(row.source, row.outcome, row.target, row.reason) for rows in answers for row in rows]


def _colours(serial: int, texts: list[CodeText]) -> tuple[int, list[Numbers]]:
    """Return the colours of texts, with the serial number of the question that they answer."""
    return serial, [highlight_code(text) for text in texts]


def _file_size(file: str) -> int:
    """Return the size in bytes, 0 when the path is not a file or no longer exists."""
    try:
        return os.path.getsize(file) if os.path.isfile(file) else 0
    except OSError:
        return 0


_PROGRESS_STEPS = 200
_MIN_PROGRESS_INTERVAL = 0.05


def serve(pipe: Connection, make_engine: Callable[[], WindowEngine], nice: int) -> None:
    """Answer requests until the window closes the pipe. `nice` lowers the priority of the child."""
    if hasattr(os, "nice"):
        os.nice(nice)
    # multiprocessing does not let a daemon have children. The child may have some, and they end when it does.
    multiprocessing.current_process().daemon = False
    raise_recursion_limit()
    _RequestLoop(pipe, make_engine()).run()


class _RequestLoop:
    """The loop that answers one request at a time, in their order."""

    def __init__(self, pipe: Connection, engine: WindowEngine) -> None:
        self._pipe = pipe
        self._dispatcher = Dispatcher(engine)
        self._waiting: queue.Queue[RequestMessage] = queue.Queue()
        self._newest: dict[str, int] = {}
        self._cancelled = -1

    def run(self) -> None:
        """Answer requests until the window is gone."""
        threading.Thread(target=self._read, daemon=True, name="requests").start()
        send_response(self._pipe, MessageKind.READY, RequestMessage("", 0))
        while True:
            asked = self._waiting.get()
            try:
                self._answer(asked)
            except Cancelled:
                # Any message shows the window that this process still listens and need not be terminated.
                send_response(self._pipe, MessageKind.READY, asked)
            except InspectorError as error:
                send_response(self._pipe, MessageKind.FAILED, asked, self._dispatcher.hide_in_sentence(str(error)))
            except (BrokenPipeError, ConnectionError):
                return
            except Exception as error:  # an internal error is reported to the person as well
                sentence, log = program_fault_sentence(error), self._dispatcher.log
                send_response(
                    self._pipe,
                    MessageKind.FAILED,
                    asked,
                    self._dispatcher.hide_in_sentence(f"{log}: {sentence}" if log else sentence),
                )

    def _answer(self, asked: RequestMessage) -> None:
        """Run a request and send the result. Raises InspectorError."""
        if self._is_cancelled(asked):
            raise Cancelled
        request = REQUESTS_BY_NAME[asked.name]
        self._dispatcher.set_salt(asked.salt)  # before anything can fail, because error messages are hidden as well
        question = decode_value(EncodedValue(asked.arguments, []), request.argument_types)
        progress, is_cancelled = self._progress_of(asked), partial(self._is_cancelled, asked)
        answer = self._dispatcher.answer(request, question, progress, is_cancelled)
        if request.streams:
            for part in answer:
                send_response(self._pipe, MessageKind.PART, asked, part)
            answer = None
        send_response(self._pipe, MessageKind.ANSWER, asked, answer)

    def _progress_of(self, asked: RequestMessage) -> Callable[[int, int], None]:
        """Return a function that reports progress to the window, at most 20 times a second, and always its end."""
        last_report = [-1, 0.0]

        def progress(done: int, total: int) -> None:
            step, now = done * _PROGRESS_STEPS // max(total, 1), time.monotonic()
            is_due = done >= total or now - last_report[1] >= _MIN_PROGRESS_INTERVAL
            if step != last_report[0] and is_due:
                last_report[:] = step, now
                send_response(self._pipe, MessageKind.PROGRESS, asked, (done, total))

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
                if REQUESTS_BY_NAME[asked.name].latest_only:
                    self._newest[asked.name] = asked.serial
                self._waiting.put(asked)
        except (EOFError, OSError):
            # The window is gone, so nothing needs the result that the engine may still be working on.
            discard_temporary_files()
            os._exit(0)


def launch_child(make_engine: Callable[[], WindowEngine], nice: int) -> tuple[SpawnProcess, Connection]:
    """Start a child that answers requests. Return it and this process's end of the pipe.

    It is spawned, because a fork would copy only a part of Qt's threads.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs, make_engine, nice), daemon=True)
    process.start()
    theirs.close()
    return process, ours
