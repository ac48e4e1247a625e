"""The window's side of a child process: requests go out, answers come in as queued signals, the newest wins."""

import importlib
import threading
from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtCore import QObject, Qt, QTimer, Signal, SignalInstance, Slot

from inspector.core.engine.faults import fault_sentence
from inspector.gui.common.content_hiding import hiding
from inspector.gui.worker.backend import Backend
from inspector.gui.worker.protocol import (
    EncodedValue,
    MessageKind,
    RequestMessage,
    ResponseMessage,
    pack,
    receive,
    unpack,
)
from inspector.gui.worker.requests import REQUESTS, AnyRequest, EngineRequest, Q

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

# How long a child may go on with what nobody wants: once it was told to stop, and while another log waits for it.
_GRACE_MS, _REPLACE_GRACE_MS = 1500, 400
# Named and not imported: multiprocessing takes longer to import than the first rows may wait for it.
_LAUNCHER = "inspector.gui.worker.child"


class RequestFailure(msgspec.Struct, frozen=True):
    """A request that came to nothing, None where the child died over none. `died` says that the child is gone."""

    request: AnyRequest | None
    sentence: str
    died: bool = False


class _AnswerSignal(QObject):
    """Those to one request."""

    received = Signal(object)


class ChildProcess(QObject):
    """Starts a child when it is first needed and again after its death, and asks it what `requests` lists.

    Answers are read in a thread of their own; `answered` is the signal that brings those to a request. One to a request
    that a newer one of its name replaced is dropped. Signals: `progressed` (done, total), `done` (an answer in parts is
    whole), `failed` (Failure). `salt` tells what answers are hidden with.
    """

    progressed = Signal(object)
    done = Signal()
    failed = Signal(object)
    _arrived = Signal(object)

    def __init__(self, backend: Backend, parent: QObject | None = None, nice: int = 0) -> None:
        """`nice` is how much the child gives way to the window."""
        super().__init__(parent)
        self._backend, self._nice = backend, nice
        self.salt: Callable[[], str] = hiding.salt
        self._answers = {name: _AnswerSignal(self) for name in REQUESTS}
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
        """Whether there is a child that will come to what it is asked next."""
        return self._process is not None and self._process.is_alive() and not self._abandoned

    def cancel(self) -> None:
        """Give up what is asked for. A child that does not listen within a moment is ended."""
        self._abandoned = self._cancel_pending(_GRACE_MS)

    def close(self) -> None:
        """End the child; nothing that it may still say is heard."""
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
            # The child's death ends the thread. It must not speak to this object when that is gone.
            reader.join(2)
        if pipe is not None:
            pipe.close()

    def answer_signal(self, request: EngineRequest[*Q]) -> SignalInstance:
        """The signal that brings the answers to a request, or the parts of them."""
        return self._answers[request.name].received

    def ask(self, request: EngineRequest[*Q], *question: *Q) -> None:
        """Ask the child for something; an older request of the same name is forgotten, unless it is `unbroken`.

        A child that cannot leave what nobody wants any more, where something is begun anew, is replaced.
        """
        if request.starts_over:
            self._cancel_pending(_REPLACE_GRACE_MS)
        if not self.alive:
            self.close()
            self._start()
        self._serial += 1
        self._newest[request.name] = self._serial
        self._unanswered[self._serial] = request, question
        self._send(request.name, self._serial, question)

    def _cancel_pending(self, grace: int) -> bool:
        """Hear no more answers to what was asked so far; whether the child has to leave something for it."""
        self._newest.clear()
        self._cancelled = self._serial
        must_finish = any(request.uninterruptible for request, _ in self._unanswered.values())
        if not self.alive or not self._unanswered or must_finish:
            return False
        self._send("cancel", self._serial)
        self._grace.start(grace)
        return True

    def _send(self, name: str, serial: int, question: tuple[Any, ...] = ()) -> None:
        try:
            if self._pipe is not None:
                self._pipe.send_bytes(
                    msgspec.msgpack.encode(RequestMessage(name, serial, pack(question).body, self.salt()))
                )
        except OSError:
            # The reading thread meets the same broken pipe and reports it once, as a sentence.
            return

    def _start(self) -> None:
        launched = importlib.import_module(_LAUNCHER).launch(self._backend.engine, self._nice)
        self._process, self._pipe = launched
        self._reader = threading.Thread(target=self._read, args=(*launched,), daemon=True, name="answers")
        self._reader.start()

    def _read(self, process: Any, pipe: "Connection") -> None:
        """Runs in a thread of its own, so that the window never waits for the pipe."""
        try:
            while True:
                self._arrived.emit((process, *self._decoded(*receive(pipe))))
        except (EOFError, OSError, TypeError):
            # TypeError: the pipe was closed by this process while the thread was reading it.
            self._report_end(process)

    def _decoded(self, told: ResponseMessage, parcel: EncodedValue) -> tuple[ResponseMessage, Any]:
        try:
            return told, unpack(parcel, _answer_type(told))
        except Exception as error:  # or nobody would hear of this answer, nor of those that follow
            return ResponseMessage(MessageKind.FAILED, told.name, told.serial), fault_sentence(error)

    def _report_end(self, process: Any) -> None:
        try:
            self._arrived.emit((process, None, None))
        except RuntimeError:
            # The window is already gone and nobody is left to be told.
            return

    @Slot(object)
    def _on_arrived(self, arrival: tuple[Any, ResponseMessage | None, Any]) -> None:
        process, told, answer = arrival
        if process is not self._process:
            return
        if told is None:
            self._on_child_died()
            return
        heard = self._is_wanted(told.serial)
        self._note_answer(told.serial, last=told.kind not in (MessageKind.PROGRESS, MessageKind.PART))
        if not heard or told.kind == MessageKind.READY:
            return
        request = REQUESTS[told.name]
        if told.kind == MessageKind.FAILED:
            self.failed.emit(RequestFailure(request, answer))
        elif told.kind == MessageKind.PROGRESS:
            self.progressed.emit(answer)
        elif told.kind == MessageKind.ANSWER and request.streams:
            self.done.emit()
        else:
            self._answers[told.name].received.emit(answer)

    def _is_wanted(self, serial: int) -> bool:
        """Whether an answer to this one is still wanted."""
        request = self._unanswered[serial][0] if serial in self._unanswered else None
        return request is not None and (request.uninterruptible or self._newest.get(request.name) == serial)

    def _note_answer(self, serial: int, last: bool) -> None:
        """Requests are answered in their order: those before an answered one are done with."""
        for before in [each for each in self._unanswered if each < serial + last]:
            del self._unanswered[before]
        if serial and (last or serial > self._cancelled):
            self._grace.stop()
            self._abandoned = False

    def _on_child_died(self) -> None:
        heard = {request.name for serial, (request, _) in self._unanswered.items() if self._is_wanted(serial)}
        waiting = next((request for name, request in REQUESTS.items() if name in heard), None)
        self._process.join(1)
        code = self._process.exitcode
        self.close()
        does, left = (
            ("writes", waiting.if_interrupted)
            if waiting and waiting.if_interrupted
            else ("reads", "Nothing was changed.")
        )
        sentence = f"The part of the program that {does} logs ended unexpectedly (exit code {code}). {left}"
        self.failed.emit(RequestFailure(waiting, sentence, died=True))

    def _on_grace_timeout(self) -> None:
        wanted = [asked for n, asked in self._unanswered.items() if n > self._cancelled or asked[0].uninterruptible]
        self.close()
        for request, question in wanted:
            self.ask(request, *question)


def _answer_type(told: ResponseMessage) -> Any:
    """As what the body of a message is read."""
    match told.kind:
        case MessageKind.FAILED:
            return str
        case MessageKind.PROGRESS:
            return tuple[int, int]
        case MessageKind.READY:
            return None
    request = REQUESTS[told.name]
    return None if request.streams and told.kind == MessageKind.ANSWER else request.answer_type
