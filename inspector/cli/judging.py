"""How `check` judges each log, and where its report goes, whatever it tells of them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from operator import attrgetter
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeAlias, TypeVar

from msgspec import Struct, field

from inspector.cli import exits
from inspector.cli.reading import standard_input, tell_faults
from inspector.cli.terminal import say, say_json
from inspector.core.engine.faults import raise_as_program_fault
from inspector.core.engine.found_logs import LogCandidate, SkippedFiles, find_logs
from inspector.core.engine.many import IsCancelled, available_cores, map_in_order
from inspector.core.engine.open_log import OpenLog
from inspector.core.errors import CannotWrite, InspectorError
from inspector.core.scene.finding import Severity

if TYPE_CHECKING:
    from inspector.core.engine.answers import Report

LEVELS = {"error": Severity.ERROR, "warning": Severity.WARNING}
X = TypeVar("X")


class Judging(Struct, frozen=True):
    """The options of `check` that say how logs are judged.

    `asked` are the profiles of --accepted-by, `level` is the least severity for which the exit code is 1, and `jobs`
    processes share the work.
    """

    accepted_by: list[str] = []
    profile: str = ""
    log_format: str = ""
    level: Severity = Severity.ERROR
    deep: bool = False
    live: bool = False
    jobs: int = field(default_factory=available_cores)

    def code_of(self, report: Report) -> int:
        """The exit code for a log."""
        if not report.is_judged:
            return exits.NOT_JUDGED
        return exits.FINDINGS if report.fails(self.level) else exits.OK


class Answer(NamedTuple, Generic[X]):
    """What is told of a log, with its exit code; `told` is None for a file of a folder that is no log.

    `faults` are sentences on formats that failed over it.
    """

    found: LogCandidate
    output: X | None = None
    code: int = exits.OK
    faults: tuple[str, ...] = ()


Answers: TypeAlias = Generator[Answer[X], None, None]


class Teller(Struct, Generic[X], frozen=True):
    """Judges a log and makes of it what is told: `tell` of one that is judged, `refuse` of one that cannot be.

    It is sent to the processes that share the work.
    """

    options: Judging
    format_log: Callable[[OpenLog, Report], X]
    format_error: Callable[[str, InspectorError], X]

    def check(self, found: LogCandidate, cancelled: IsCancelled | None = None) -> Answer[X]:
        """What is told of a log."""
        if found.archives is not None:
            return Answer(found)
        judging, faults = self.options, list[str]()
        try:
            with raise_as_program_fault():
                log = self._opened(found)
                if log is None:
                    return Answer(found)
                with log:
                    try:
                        report = log.check(judging.profile, judging.live)
                        told = self.format_log(log, report)
                    finally:
                        faults += log.faults
        except InspectorError as error:
            return self.error_result(found, error, faults)
        return Answer(found, told, judging.code_of(report), tuple(faults))

    def _opened(self, found: LogCandidate) -> OpenLog | None:
        format, deep = self.options.log_format, self.options.deep
        if found.path == "-":
            return OpenLog.of_bytes(standard_input(), format, deep)
        return found.log(format, deep, self.options.jobs)

    def error_result(self, found: LogCandidate, error: InspectorError, faults: Iterable[str] = ()) -> Answer[X]:
        """What is told of a log that cannot be judged."""
        return Answer(
            LogCandidate(found.path, folder=found.folder),
            self.format_error(found.path, error),
            exits.code_of(error),
            tuple(faults),
        )

    def crash_result(self, found: LogCandidate, sentence: str) -> Answer[X]:
        """What is told of a log over which the process ended that read it."""
        return self.error_result(found, InspectorError(sentence))


def answers_of(teller: Teller[X], paths: Sequence[str], beside: SkippedFiles, jobs: int) -> Answers[X]:
    """What is told of each log that the arguments stand for, in their order, by `jobs` processes; close it.

    A folder without a log is told of as a log that cannot be judged.
    """
    found, faults = (found for path in paths for found in find_logs(path, beside)), set[str]()
    jobs = 1 if "-" in paths else jobs  # standard input is read here
    with closing(
        map_in_order(teller.check, found, jobs, teller.crash_result, runs_here=attrgetter("stays"))
    ) as answers:
        for answer in answers:
            refused = beside.note(answer.found, answer.output is not None)
            if refused is not None:
                answer = teller.check(refused)
            if answer.output is not None:
                tell_faults(answer.faults, faults)
                yield answer


def put_out(pieces: Iterable[bytes | bytearray], output: str, logs: list[str]) -> list[int]:
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
