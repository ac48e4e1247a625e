"""How `check` judges each log, and where its report goes, whatever it tells of them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeAlias, TypeVar

from msgspec import Struct

from inspector.cli import exits
from inspector.cli.reading import opened, tell_faults
from inspector.cli.terminal import say, say_json
from inspector.core.engine.faults import faults_told
from inspector.core.engine.folders import holds_logs, names_in
from inspector.core.engine.many import Cancelled, in_order
from inspector.core.engine.open_log import OpenLog
from inspector.core.errors import CannotWrite, InspectorError, NotJudged
from inspector.core.scene.finding import Severity

if TYPE_CHECKING:
    from inspector.core.engine.answers import Report

LEVELS = {"error": Severity.ERROR, "warning": Severity.WARNING}
X = TypeVar("X")


class Judging(Struct, frozen=True):
    """What was asked: `asked` are the profiles that each session is put to besides, `level` is what makes code 1."""

    asked: list[str]
    profile: str
    log_format: str
    level: Severity
    deep: bool
    live: bool

    def code_of(self, report: Report) -> int:
        """The exit code for a log."""
        if not report.is_judged:
            return exits.NOT_JUDGED
        return exits.FINDINGS if report.fails(self.level) else exits.OK


class Task(NamedTuple):
    """A log that was named, or a file of the folder that was; with `is_end`, that this was its last file."""

    path: str
    folder: str = ""
    is_end: bool = False


class Answer(NamedTuple, Generic[X]):
    """What is told of a log, None for a file of a folder that is none; and what formats failed over in it."""

    task: Task
    told: X | None = None
    code: int = exits.OK
    faults: tuple[str, ...] = ()


Answers: TypeAlias = Generator[Answer[X], None, None]


class Teller(Struct, Generic[X], frozen=True):
    """Judges a log and makes of it what is told: `tell` of one that is judged, `refuse` of one that cannot be.

    It is sent to the processes that share the work.
    """

    judging: Judging
    tell: Callable[[OpenLog, Report], X]
    refuse: Callable[[str, InspectorError], X]

    def answer(self, task: Task, cancelled: Cancelled | None = None) -> Answer[X]:
        """What is told of a log."""
        if task.is_end:
            return Answer(task)
        judging, faults = self.judging, list[str]()
        try:
            with faults_told():
                log = self._opened(task)
                if log is None:
                    return Answer(task)
                with log:
                    try:
                        report = log.check(judging.profile, judging.live)
                        told = self.tell(log, report)
                    finally:
                        faults += log.faults
        except InspectorError as error:
            return self.failed(task, error, faults)
        return Answer(task, told, judging.code_of(report), tuple(faults))

    def _opened(self, task: Task) -> OpenLog | None:
        if task.folder:
            return OpenLog.in_folder(task.path, self.judging.log_format, self.judging.deep)
        return opened(task.path, self.judging.log_format, self.judging.deep)

    def failed(self, task: Task, error: InspectorError, faults: Iterable[str] = ()) -> Answer[X]:
        """What is told of a log that cannot be judged."""
        return Answer(task, self.refuse(task.path, error), exits.code_of(error), tuple(faults))

    def died(self, task: Task, sentence: str) -> Answer[X]:
        """What is told of a log over which the process ended that read it."""
        return self.failed(task, InspectorError(sentence))


def answers_of(teller: Teller[X], paths: Sequence[str], others: dict[str, int], jobs: int) -> Answers[X]:
    """What is told of each log that the arguments stand for, in their order, by `jobs` processes; close it.

    `others` are the other files of folders. A folder without a log is told of as a log that cannot be judged.
    """
    files = logs = 0
    jobs = 1 if "-" in paths else jobs  # standard input is read here
    with closing(in_order(teller.answer, _tasks(paths), jobs, teller.died)) as answers:
        for answer in answers:
            folder = answer.task.folder
            if not answer.task.is_end:
                files, logs = files + 1, logs + (answer.told is not None)
            elif logs:
                others |= {folder: files - logs} if files > logs else {}
                files = logs = 0
            else:
                sentence = f"{folder} holds {files} files, none of which is a log of a known format."
                answer, files = teller.failed(Task(folder), NotJudged(sentence)), 0
            if answer.told is not None:
                tell_faults(answer.faults)
                yield answer
            if not folder:
                files = logs = 0


def _tasks(paths: Iterable[str]) -> Iterator[Task]:
    """What the arguments stand for, each as soon as it is found."""
    for path in paths:
        if not holds_logs(path):
            yield Task(path)
            continue
        for name in names_in(path):
            yield Task(name, path)
        yield Task(path, path, is_end=True)


def put_out(pieces: Sequence[bytes | bytearray], output: str, logs: list[str]) -> list[int]:
    """Write the report to the file that was named, else to standard output; the code when that fails."""
    if not output:
        for piece in pieces:
            say_json(piece)
        return []
    from inspector.core.engine.report_file import write_report  # noqa: PLC0415 - a check that prints never needs it

    try:
        write_report(output, pieces, logs)
    except CannotWrite as error:
        say(str(error), err=True)
        return [exits.UNREADABLE]
    return []
