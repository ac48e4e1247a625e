"""The child processes that list logs, judge and search them while the window does other things."""

from typing import Any

from PySide6.QtCore import Signal

from inspector.core.showing.machine_answers import LogEntry, LogVerdict, PastedAnswer
from inspector.gui.answers.big_answers import Kind, unpack
from inspector.gui.process.child_process import ChildProcess


class SurveyProcess(ChildProcess):
    """Signals: `listed` (a list of LogEntry), `judged` ((number of the log asked for, LogVerdict)), `done`."""

    SERVES = "inspector.gui.process.survey_child"
    DECODES = {
        Kind.LISTED: lambda body, columns: unpack(body, list[LogEntry]),
        Kind.JUDGED: lambda body, columns: unpack(body, tuple[int, LogVerdict]),
    }
    PARTS = frozenset({Kind.LISTED, Kind.JUDGED})
    ORDER = ("list", "judge")

    listed = Signal(object)
    judged = Signal(object)
    done = Signal()

    def list_logs(self, folders: tuple[str, ...]) -> None:
        self.begin("list", folders)

    def judge(self, logs: list[tuple[str, str]]) -> None:
        """Judge logs, each a path and the name of its format, in their order."""
        self.request("judge", logs)

    def heard(self, kind: Kind, answer: Any) -> None:
        if kind == Kind.LISTED:
            self.listed.emit(answer)
        elif kind == Kind.JUDGED:
            self.judged.emit(answer)
        else:
            self.done.emit()


class SearchProcess(ChildProcess):
    """Another of these, for a pasted error: the list of logs goes on meanwhile.

    Signals: `explained` (PastedAnswer), `progressed` (done, total), in logs.
    """

    SERVES = "inspector.gui.process.survey_child"
    DECODES = {
        Kind.EXPLAINED: lambda body, columns: unpack(body, PastedAnswer),
        Kind.PROGRESS: lambda body, columns: unpack(body, tuple[int, int]),
    }
    PARTS = frozenset({Kind.PROGRESS})
    ORDER = ("search",)

    explained = Signal(object)
    progressed = Signal(object)

    def search(self, text: str) -> None:
        self.begin("search", text)

    def heard(self, kind: Kind, answer: Any) -> None:
        (self.progressed if kind == Kind.PROGRESS else self.explained).emit(answer)
