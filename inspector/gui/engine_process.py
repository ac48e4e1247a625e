"""The window's side of the child process: requests go out, answers come in as queued signals, the newest wins."""

import importlib
import threading
from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from inspector.core.answers import Saved
from inspector.core.repair.choices import Choices
from inspector.gui.backend import Backend
from inspector.gui.packing import unpack_opened, unpack_preview
from inspector.gui.wire import Kind, Message, OpenBody, Request, SaveBody, pack, receive, unpack

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_GRACE_MS = 1500
# Named and not imported: multiprocessing takes longer to import than the first rows may wait for it.
_LAUNCHER = "inspector.gui.child_launcher"


class Failure(msgspec.Struct, frozen=True):
    """A request that came to nothing. `request` is open, preview or save; `died` says that the child is gone."""

    request: str
    sentence: str
    died: bool = False


class EngineProcess(QObject):
    """Runs the engine in a child process, which is started when it is first needed and again after its death.

    Signals: `opened` (OpenedLog), `previewed` (PlannedRepair), `saved` (Saved), `failed` (Failure), `progressed`
    (done, total). An answer to a request that a newer one of its kind replaced is dropped.
    """

    opened = Signal(object)
    previewed = Signal(object)
    saved = Signal(object)
    failed = Signal(object)
    progressed = Signal(object)
    _arrived = Signal(object)

    def __init__(self, backend: Backend, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._backend = backend
        self._process: Any = None
        self._pipe: Connection | None = None
        self._reader: threading.Thread | None = None
        self._serial = 0
        self._newest: dict[str, int] = {}
        self._grace = QTimer(self, singleShot=True, interval=_GRACE_MS)
        self._grace.timeout.connect(self._on_grace_timeout)
        self._arrived.connect(self._on_arrived, Qt.ConnectionType.QueuedConnection)

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.is_alive()

    def open(self, path: str, format_name: str = "") -> None:
        self._newest.clear()
        self._request("open", OpenBody(path, format_name))

    def preview(self, choices: Choices) -> None:
        self._request("preview", choices)

    def save(self, choices: Choices, mode: str, target: str = "") -> None:
        self._request("save", SaveBody(choices, mode, target))

    def cancel(self) -> None:
        """Give up what is asked for. A child that does not listen within a moment is ended."""
        self._newest.clear()
        if self.alive:
            self._send("cancel", self._serial)
            self._grace.start()

    def close(self) -> None:
        """End the child; nothing that it may still say is heard."""
        self._grace.stop()
        self._newest.clear()
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

    def _request(self, name: str, body: Any) -> None:
        if not self.alive:
            self.close()
            self._start()
        self._serial += 1
        self._newest[name] = self._serial
        self._send(name, self._serial, body)

    def _send(self, name: str, serial: int, body: Any = None) -> None:
        try:
            if self._pipe is not None:
                self._pipe.send_bytes(msgspec.msgpack.encode(Request(name, serial, pack(body))))
        except OSError:
            # The reading thread meets the same broken pipe and reports it once, as a sentence.
            return

    def _start(self) -> None:
        self._process, ours = importlib.import_module(_LAUNCHER).launch(self._backend.engine)
        self._pipe = ours
        self._reader = threading.Thread(target=self._read, args=(ours, self._process), daemon=True, name="answers")
        self._reader.start()

    def _read(self, pipe: "Connection", process: Any) -> None:
        """Runs in a thread of its own, so that the window never waits for the pipe."""
        try:
            while True:
                message, columns = receive(pipe)
                self._arrived.emit((process, message, _decode(message, columns)))
        except (EOFError, OSError, TypeError):
            # TypeError: the pipe was closed by this process while the thread was reading it.
            self._report_end(process)

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
        self._grace.stop()
        name = next((name for name, serial in self._newest.items() if serial == message.serial), "")
        if not name:
            return
        if message.kind == Kind.PROGRESS:
            self.progressed.emit(answer)
            return
        del self._newest[name]
        if message.kind == Kind.FAILED:
            self.failed.emit(Failure(name, answer))
        else:
            {Kind.OPENED: self.opened, Kind.PREVIEW: self.previewed, Kind.SAVED: self.saved}[message.kind].emit(answer)

    def _on_child_died(self) -> None:
        waiting = [name for name in ("save", "open", "preview") if name in self._newest]
        self._process.join(1)
        code = self._process.exitcode
        self.close()
        sentence = (
            f"The part of the program that reads logs ended unexpectedly (exit code {code}). Nothing was changed."
        )
        if waiting[:1] == ["save"]:
            sentence = (
                f"The part of the program that writes logs ended unexpectedly (exit code {code}). "
                "The original is unchanged unless you saved in place; a backup exists in that case."
            )
        self.failed.emit(Failure(waiting[0] if waiting else "", sentence, died=True))

    def _on_grace_timeout(self) -> None:
        self.close()


def _decode(message: Message, columns: dict[str, Any]) -> Any:
    match message.kind:
        case Kind.OPENED:
            return unpack_opened(message.body, columns)
        case Kind.PREVIEW:
            return unpack_preview(message.body, columns)
        case Kind.SAVED:
            return unpack(message.body, Saved)
        case Kind.PROGRESS:
            return unpack(message.body, tuple[int, int])
        case Kind.FAILED:
            return unpack(message.body, str)
    return None
