"""The window's side of a child process: requests go out, answers come in as queued signals, the newest wins."""

import importlib
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from inspector.core.engine.faults import fault_sentence
from inspector.gui.answers.big_answers import Kind, Message, Request, pack, receive, unpack
from inspector.gui.process.backend import Backend

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

# How long a child may go on with what nobody wants: once it was told to stop, and while another log waits for it.
_GRACE_MS, _GRACE_WHILE_WAITING_MS = 1500, 400
# Named and not imported: multiprocessing takes longer to import than the first rows may wait for it.
_LAUNCHER = "inspector.gui.process.child_launcher"

Decode = Callable[[msgspec.Raw, dict[str, Any]], Any]


class Failure(msgspec.Struct, frozen=True):
    """A request that came to nothing; `request` is its name. `died` says that the child is gone."""

    request: str
    sentence: str
    died: bool = False


class ChildProcess(QObject):
    """Starts a child when it is first needed and again after its death; it runs `serve` of the module `SERVES`.

    `DECODES` says how the answers of each kind are read, in a thread of their own; those of `PARTS` are followed by
    others to the same request. Requests are named; `ORDER` says which of several is told when the child dies, and those
    of `UNBROKEN` are always let finish, and the answers to those of `HEARD` are heard whatever is asked meanwhile.
    Signals: `failed` (Failure). An answer to a request that a newer one of its name replaced is dropped.
    """

    SERVES: ClassVar[str]
    DECODES: ClassVar[dict[Kind, Decode]]
    PARTS: ClassVar[frozenset[Kind]]
    ORDER: ClassVar[tuple[str, ...]]
    UNBROKEN: ClassVar[tuple[str, ...]] = ()
    HEARD: ClassVar[tuple[str, ...]] = ()

    failed = Signal(object)
    _arrived = Signal(object)

    def __init__(self, backend: Backend, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._backend = backend
        self._process: Any = None
        self._pipe: Connection | None = None
        self._reader: threading.Thread | None = None
        self._serial = 0
        self._newest: dict[str, int] = {}
        self._unanswered: dict[int, tuple[str, Any]] = {}
        self._cancelled = 0
        self._given_up = False
        self._grace = QTimer(self, singleShot=True)
        self._grace.timeout.connect(self._on_grace_timeout)
        self._arrived.connect(self._on_arrived, Qt.ConnectionType.QueuedConnection)

    @property
    def alive(self) -> bool:
        """Whether there is a child that will come to what it is asked next."""
        return self._process is not None and self._process.is_alive() and not self._given_up

    def cancel(self) -> None:
        """Give up what is asked for. A child that does not listen within a moment is ended."""
        self._given_up = self._stop_work(_GRACE_MS)

    def close(self) -> None:
        """End the child; nothing that it may still say is heard."""
        self._grace.stop()
        self._given_up = False
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

    def heard(self, kind: Kind, answer: Any) -> None:
        """An answer to the newest request of its name has come; a subclass makes a signal of it."""

    def last_words(self, request: str, code: int) -> str:
        """What the person is told when the child dies over a request ("" for none)."""
        return f"The part of the program that reads logs ended unexpectedly (exit code {code}). Nothing was changed."

    def request(self, name: str, body: Any) -> None:
        """Ask the child for something; an older request of the same name is forgotten."""
        if not self.alive:
            self.close()
            self._start()
        self._serial += 1
        self._newest[name] = self._serial
        self._unanswered[self._serial] = name, body
        self._send(name, self._serial, body)

    def begin(self, name: str, body: Any) -> None:
        """Ask for something that needs nothing of what was asked before: a child that cannot leave that is replaced."""
        self._stop_work(_GRACE_WHILE_WAITING_MS)
        self.request(name, body)

    def _stop_work(self, grace: int) -> bool:
        """Hear no more answers to what was asked so far; whether the child has to leave something for it."""
        self._newest = {name: serial for name, serial in self._newest.items() if name in self.HEARD}
        self._cancelled = self._serial
        if not self.alive or not self._unanswered or self._must_finish:
            return False
        self._send("cancel", self._serial)
        self._grace.start(grace)
        return True

    @property
    def _must_finish(self) -> bool:
        return any(name in self.UNBROKEN for name, _ in self._unanswered.values())

    def _send(self, name: str, serial: int, body: Any = None) -> None:
        try:
            if self._pipe is not None:
                self._pipe.send_bytes(msgspec.msgpack.encode(Request(name, serial, pack(body))))
        except OSError:
            # The reading thread meets the same broken pipe and reports it once, as a sentence.
            return

    def _start(self) -> None:
        launched = importlib.import_module(_LAUNCHER).launch(self.SERVES, self._backend.engine)
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

    def _decoded(self, message: Message, columns: dict[str, Any]) -> tuple[Message, Any]:
        if message.kind == Kind.FAILED:
            return message, unpack(message.body, str)
        decode = self.DECODES.get(message.kind)
        try:
            return message, decode(message.body, columns) if decode else None
        except Exception as error:  # or nobody would hear of this answer, nor of those that follow
            return Message(Kind.FAILED, message.serial), fault_sentence(error)

    def _report_end(self, process: Any) -> None:
        try:
            self._arrived.emit((process, None, None))
        except RuntimeError:
            # The window is already gone and nobody is left to be told.
            return

    @Slot(object)
    def _on_arrived(self, arrival: tuple[Any, Message | None, Any]) -> None:
        process, message, answer = arrival
        if process is not self._process:
            return
        if message is None:
            self._on_child_died()
            return
        self._note_answer(message)
        name = next((name for name, serial in self._newest.items() if serial == message.serial), "")
        if not name:
            return
        if message.kind not in self.PARTS:
            del self._newest[name]
        if message.kind == Kind.FAILED:
            self.failed.emit(Failure(name, answer))
        else:
            self.heard(message.kind, answer)

    def _note_answer(self, message: Message) -> None:
        """Requests are answered in their order: those before an answered one are done with."""
        last = message.kind not in self.PARTS
        for serial in [each for each in self._unanswered if each < message.serial + last]:
            del self._unanswered[serial]
        if message.serial and (last or message.serial > self._cancelled):
            self._grace.stop()
            self._given_up = False

    def _on_child_died(self) -> None:
        waiting = next((name for name in self.ORDER if name in self._newest), "")
        self._process.join(1)
        code = self._process.exitcode
        self.close()
        self.failed.emit(Failure(waiting, self.last_words(waiting, code), died=True))

    def _on_grace_timeout(self) -> None:
        wanted = [request for serial, request in self._unanswered.items() if serial > self._cancelled]
        self.close()
        for name, body in wanted:
            self.request(name, body)
