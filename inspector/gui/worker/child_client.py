"""The window's side of a child process: it sends requests, and emits the answers as queued signals."""

import importlib
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtCore import QObject, Qt, QTimer, Signal, SignalInstance, Slot

from inspector.core.engine.program_faults import program_fault_sentence
from inspector.core.translation import tr
from inspector.gui.common.content_hiding import hiding
from inspector.gui.worker.core_dependencies import CoreDependencies
from inspector.gui.worker.protocol import (
    EncodedValue,
    MessageKind,
    RequestMessage,
    ResponseMessage,
    decode_value,
    encode_value,
    receive_response,
)
from inspector.gui.worker.requests import REQUESTS_BY_NAME, AnyRequest, Q, RequestSpec

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

# How long a child may take to abandon a request: after it was cancelled, and while another log waits.
_GRACE_MS, _REPLACE_GRACE_MS = 1500, 400
# Given by name, because importing multiprocessing would delay the first rows.
_LAUNCHER = "inspector.gui.worker.child_main"


class RequestFailure(msgspec.Struct, frozen=True):
    """A failed request. `request` is None when the child ended without one. `died`: the child process ended."""

    request: AnyRequest | None
    sentence: str
    died: bool = False


class _AnswerSignal(QObject):
    """The signal for the answers to one request."""

    received = Signal(object)


class ChildProcess(QObject):
    """A child process that answers the requests in `requests`.

    It is started when first needed, and again after it ended. Answers are read in a thread. `answer_signal` returns the
    signal for the answers to a request. An answer is dropped when a newer request of the same name was sent. Signals:
    `progressed` (done, total), `done` (an answer in parts is complete), `failed` (RequestFailure), `written` (the last
    request that writes has been answered, or has failed). `salt` returns what answers are hidden with.
    """

    progressed = Signal(object)
    done = Signal()
    failed = Signal(object)
    written = Signal()
    _arrived = Signal(object)

    def __init__(self, core: CoreDependencies, parent: QObject | None = None, nice: int = 0) -> None:
        """Create the object, without starting a child. `nice` lowers the priority of the child."""
        super().__init__(parent)
        self._core, self._nice = core, nice
        self.salt: Callable[[], str] = hiding.salt
        self._answers = {name: _AnswerSignal(self) for name in REQUESTS_BY_NAME}
        self._process: Any = None
        self._pipe: Connection | None = None
        self._reader: threading.Thread | None = None
        self._serial = 0
        self._newest: dict[str, int] = {}
        self._unanswered: dict[int, tuple[AnyRequest, tuple[Any, ...]]] = {}
        self._cancelled = 0
        self._abandoned = False
        self._grace = QTimer(self, singleShot=True)
        self._grace.timeout.connect(self._on_grace_timeout)
        self._arrived.connect(self._on_arrived, Qt.ConnectionType.QueuedConnection)

    @property
    def alive(self) -> bool:
        """Whether a child is running that can answer the next request."""
        return self._process is not None and self._process.is_alive() and not self._abandoned

    @property
    def is_writing(self) -> bool:
        """Whether a request that writes is not answered yet."""
        return any(request.if_interrupted for request, _ in self._unanswered.values())

    def cancel(self) -> None:
        """Give up the open requests. A child that does not react within a moment is terminated."""
        self._abandoned = self._cancel_pending(_GRACE_MS)

    def close(self) -> None:
        """Terminate the child. Answers that still arrive are ignored."""
        self._grace.stop()
        self._abandoned = False
        self._newest.clear()
        self._unanswered.clear()
        process, pipe, reader = self._process, self._pipe, self._reader
        self._process = self._pipe = self._reader = None
        if process is not None:
            process.terminate()
            process.join(2)
            if process.is_alive():
                process.kill()
                process.join()
        if reader is not None:
            # The end of the child ends the thread. It must not use this object after that is gone.
            reader.join(2)
        if pipe is not None:
            pipe.close()

    def answer_signal(self, request: RequestSpec[Any, *Q]) -> SignalInstance:
        """Return the signal that emits the answers to a request, or the parts of them."""
        return self._answers[request.name].received

    def ask(self, request: RequestSpec[Any, *Q], *question: *Q) -> None:
        """Send a request to the child.

        An older request of the same name is forgotten, unless it is `uninterruptible`. A request that `starts_over`
        cancels all open ones, and the child is replaced when it does not react.
        """
        if request.starts_over:
            self._cancel_pending(_REPLACE_GRACE_MS)
        if not self.alive:
            self.close()
            self._start()
        self._serial += 1
        self._newest[request.name] = self._serial
        self._unanswered[self._serial] = request, question
        message = RequestMessage(request.name, self._serial, encode_value(question).body, self.salt())
        # The reading thread finds a broken pipe, too, and reports it once.
        with suppress(OSError):
            if self._pipe is not None:
                self._pipe.send_bytes(msgspec.msgpack.encode(message))

    def _cancel_pending(self, grace: int) -> bool:
        """Ignore the answers to all open requests. Return whether the child has to abandon one of them."""
        self._newest.clear()
        self._cancelled = self._serial
        must_finish = any(request.uninterruptible for request, _ in self._unanswered.values())
        if not self.alive or not self._unanswered or must_finish:
            return False
        with suppress(OSError):
            if self._pipe is not None:
                self._pipe.send_bytes(msgspec.msgpack.encode(RequestMessage("cancel", self._serial)))
        self._grace.start(grace)
        return True

    def _start(self) -> None:
        launched = importlib.import_module(_LAUNCHER).launch_child(self._core.engine, self._nice)
        self._process, self._pipe = launched
        self._reader = threading.Thread(target=self._read, args=(*launched,), daemon=True, name="answers")
        self._reader.start()

    def _read(self, process: Any, pipe: "Connection") -> None:
        """Read answers in a thread of its own, so that the window never waits for the pipe."""
        try:
            while True:
                self._arrived.emit((process, *self._decoded(*receive_response(pipe))))
        except (EOFError, OSError, TypeError):
            # TypeError: the pipe was closed by this process while the thread was reading it.
            self._report_end(process)

    def _decoded(self, message: ResponseMessage, parcel: EncodedValue) -> tuple[ResponseMessage, Any]:
        try:
            return message, decode_value(parcel, _answer_type(message))
        except Exception as error:  # else this answer and all later ones would be lost
            return ResponseMessage(MessageKind.FAILED, message.name, message.serial), program_fault_sentence(error)

    def _report_end(self, process: Any) -> None:
        try:
            self._arrived.emit((process, None, None))
        except RuntimeError:
            # The window is already gone, so there is nothing to report to.
            return

    @Slot(object)
    def _on_arrived(self, arrival: tuple[Any, ResponseMessage | None, Any]) -> None:
        process, message, answer = arrival
        if process is not self._process:
            return
        was_writing = self.is_writing
        if message is None:
            self._on_child_died()
        else:
            self._pass_on(message, answer)
        if was_writing and not self.is_writing:
            self.written.emit()

    def _pass_on(self, message: ResponseMessage, answer: Any) -> None:
        wanted = self._is_wanted(message.serial)
        self._note_answer(message.serial, last=message.kind not in (MessageKind.PROGRESS, MessageKind.PART))
        if not wanted or message.kind == MessageKind.READY:
            return
        request = REQUESTS_BY_NAME[message.name]
        if message.kind == MessageKind.FAILED:
            self.failed.emit(RequestFailure(request, answer))
        elif message.kind == MessageKind.PROGRESS:
            self.progressed.emit(answer)
        elif message.kind == MessageKind.ANSWER and request.streams:
            self.done.emit()
        else:
            self._answers[message.name].received.emit(answer)

    def _is_wanted(self, serial: int) -> bool:
        """Return whether an answer to the request with this number is still wanted."""
        request = self._unanswered[serial][0] if serial in self._unanswered else None
        return request is not None and (request.uninterruptible or self._newest.get(request.name) == serial)

    def _note_answer(self, serial: int, last: bool) -> None:
        """Remove answered requests. They are answered in order, so all before an answered one are done."""
        for answered in [number for number in self._unanswered if number < serial + last]:
            del self._unanswered[answered]
        if serial and (last or serial > self._cancelled):
            self._grace.stop()
            self._abandoned = False

    def _on_child_died(self) -> None:
        wanted = {request.name for serial, (request, _) in self._unanswered.items() if self._is_wanted(serial)}
        waiting = next((request for name, request in REQUESTS_BY_NAME.items() if name in wanted), None)
        self._process.join(1)
        code = self._process.exitcode
        self.close()
        if waiting and waiting.if_interrupted:
            sentence = tr(
                "The process that writes logs exited unexpectedly (exit code {code}). {consequence}",
                code=code,
                consequence=waiting.if_interrupted,
            )
        else:
            sentence = tr(
                "The process that reads logs exited unexpectedly (exit code {code}). Nothing was changed.",
                code=code,
            )
        self.failed.emit(RequestFailure(waiting, sentence, died=True))

    def _on_grace_timeout(self) -> None:
        wanted = [asked for n, asked in self._unanswered.items() if n > self._cancelled or asked[0].uninterruptible]
        self.close()
        for request, question in wanted:
            self.ask(request, *question)


def _answer_type(message: ResponseMessage) -> Any:
    """Return the type of the body of a message."""
    match message.kind:
        case MessageKind.FAILED:
            return str
        case MessageKind.PROGRESS:
            return tuple[int, int]
        case MessageKind.READY:
            return None
    request = REQUESTS_BY_NAME[message.name]
    return None if request.streams and message.kind == MessageKind.ANSWER else request.answer_type
