"""The child process that holds the open log: it reads it, plans its repair, and writes it."""

from typing import Any

from PySide6.QtCore import Signal

from inspector.core.answers import Saved
from inspector.core.repair.choices import Choices
from inspector.gui.child_process import ChildProcess
from inspector.gui.packing import unpack_opened, unpack_preview
from inspector.gui.wire import Kind, OpenBody, SaveBody, unpack


class EngineProcess(ChildProcess):
    """Signals: `opened` (OpenedLog), `previewed` (PlannedRepair), `saved` (Saved), `progressed` (done, total)."""

    SERVES = "inspector.gui.engine_child"
    DECODES = {
        Kind.OPENED: unpack_opened,
        Kind.PREVIEW: unpack_preview,
        Kind.SAVED: lambda body, columns: unpack(body, Saved),
        Kind.PROGRESS: lambda body, columns: unpack(body, tuple[int, int]),
    }
    PARTS = frozenset({Kind.PROGRESS})
    ORDER = ("save", "open", "preview")

    opened = Signal(object)
    previewed = Signal(object)
    saved = Signal(object)
    progressed = Signal(object)

    def open(self, path: str, format_name: str = "") -> None:
        self.forget_requests()
        self.request("open", OpenBody(path, format_name))

    def preview(self, choices: Choices) -> None:
        self.request("preview", choices)

    def save(self, choices: Choices, mode: str, target: str = "") -> None:
        self.request("save", SaveBody(choices, mode, target))

    def heard(self, kind: Kind, answer: Any) -> None:
        signals = {
            Kind.OPENED: self.opened,
            Kind.PREVIEW: self.previewed,
            Kind.SAVED: self.saved,
            Kind.PROGRESS: self.progressed,
        }
        signals[kind].emit(answer)

    def last_words(self, request: str, code: int) -> str:
        if request != "save":
            return super().last_words(request, code)
        return (
            f"The part of the program that writes logs ended unexpectedly (exit code {code}). "
            "The original is unchanged unless you saved in place; a backup exists in that case."
        )
