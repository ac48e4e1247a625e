"""How `check` goes through logs, checks each of them, and writes its report; its options are in `check`."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, NoReturn, TypeAlias, TypeVar

from msgspec import Struct, field

from inspector.cli import exit_codes
from inspector.cli.log_input import print_faults, read_standard_input
from inspector.cli.terminal import escape_controls, print_json, print_text, write_stdout
from inspector.core.analysis.finding import Severity
from inspector.core.engine.faults import raise_as_program_fault
from inspector.core.engine.find_logs import LogCandidate, SkippedFiles, find_logs
from inspector.core.engine.log import OpenLog
from inspector.core.engine.workers import IsCancelled, available_cores, map_in_order
from inspector.core.errors import CannotWrite, InspectorError, NotJudged
from inspector.core.lazy import LazyModule
from inspector.core.report import session_parts as evidence_report
from inspector.core.report import text as text_report

if TYPE_CHECKING:
    from inspector.core.engine.answers import Report


FAIL_ON_LEVELS = {"error": Severity.ERROR, "warning": Severity.WARNING}
X = TypeVar("X")


class CheckOptions(Struct, frozen=True):
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
            return exit_codes.NOT_JUDGED
        return exit_codes.FINDINGS if report.fails(self.level) else exit_codes.OK


class CheckResult(NamedTuple, Generic[X]):
    """What is told of a log, with its exit code; `told` is None for a file of a folder that is no log.

    `faults` are sentences on formats that failed over it.
    """

    found: LogCandidate
    output: X | None = None
    code: int = exit_codes.OK
    faults: tuple[str, ...] = ()


CheckResults: TypeAlias = Generator[CheckResult[X], None, None]


class LogChecker(Struct, Generic[X], frozen=True):
    """Judges a log and makes of it what is told: `tell` of one that is judged, `refuse` of one that cannot be.

    It is sent to the processes that share the work.
    """

    options: CheckOptions
    format_log: Callable[[OpenLog, Report], X]
    format_error: Callable[[str, InspectorError], X]

    def check(self, found: LogCandidate, cancelled: IsCancelled | None = None) -> CheckResult[X]:
        """What is told of a log."""
        if found.archives is not None:
            return CheckResult(found)
        judging, faults = self.options, list[str]()
        try:
            with raise_as_program_fault():
                log = self._opened(found)
                if log is None:
                    return CheckResult(found)
                with log:
                    try:
                        report = log.check(judging.profile, judging.live)
                        told = self.format_log(log, report)
                    finally:
                        faults += log.faults
        except InspectorError as error:
            return self.error_result(found, error, faults)
        return CheckResult(found, told, judging.code_of(report), tuple(faults))

    def _opened(self, found: LogCandidate) -> OpenLog | None:
        format, deep = self.options.log_format, self.options.deep
        if found.path == "-":
            return OpenLog.of_bytes(read_standard_input(), format, deep)
        return found.log(format, deep, self.options.jobs)

    def error_result(self, found: LogCandidate, error: InspectorError, faults: Iterable[str] = ()) -> CheckResult[X]:
        """What is told of a log that cannot be judged."""
        return CheckResult(
            LogCandidate(found.path, folder=found.folder),
            self.format_error(found.path, error),
            exit_codes.code_of_error(error),
            tuple(faults),
        )

    def crash_result(self, found: LogCandidate, sentence: str) -> CheckResult[X]:
        """What is told of a log over which the process ended that read it."""
        return self.error_result(found, InspectorError(sentence))


def check_logs(teller: LogChecker[X], paths: Sequence[str], beside: SkippedFiles, jobs: int) -> CheckResults[X]:
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
                print_faults(answer.faults, faults)
                yield answer


def write_check_report(pieces: Iterable[bytes | bytearray], output: str, logs: list[str]) -> list[int]:
    """Write the report to the file that was named, else to standard output; the code when that fails."""
    if not output:
        for piece in pieces:
            print_json(piece)
        return []
    from inspector.core.engine.export import write_report  # noqa: PLC0415 - a check that prints never needs it

    try:
        write_report(output, pieces, logs)
    except CannotWrite as error:
        print_text(str(error), err=True)
        return [exit_codes.UNREADABLE]
    return []


if TYPE_CHECKING:
    from inspector.core.engine.answers import Report
    from inspector.core.engine.log import OpenLog
    from inspector.core.report import json as json_report
    from inspector.core.report import session_parts as accepted
    from inspector.core.report import session_parts as causes
else:
    accepted = LazyModule("inspector.core.report.session_parts")
    causes = LazyModule("inspector.core.report.session_parts")
    json_report = LazyModule("inspector.core.report.json")


class LogOutput(NamedTuple):
    """What is told of a log: `text`, or its `sessions` as JSON, each in pieces.

    `marks` are its path and the fingerprint of each of its sessions with which something is wrong.
    """

    text: bytes = b""
    sessions: tuple[json_report.JsonChunks, ...] = ()
    fingerprints: tuple[tuple[str, str], ...] = ()


def check_paths(paths: tuple[str, ...]) -> NoReturn:
    """`check` of paths without an option: click is not needed, which takes a fifth of the time of a small check."""
    raise SystemExit(exit_codes.worst_code(report(paths, CheckOptions(), "text", "")))


def report(paths: tuple[str, ...], judging: CheckOptions, form: str, output: str) -> list[int]:
    """Tell all that there is to tell, of each log as soon as it is judged; the exit codes."""
    as_json, beside, faults = form == "json", SkippedFiles(), dict[str, None]()
    codes: list[int] = []
    logs: list[str] = []
    told: list[LogOutput] = []
    teller = LogChecker(judging, partial(_format_log, judging.accepted_by, as_json), partial(_format_error, as_json))
    with closing(check_logs(teller, paths, beside, judging.jobs)) as answers:
        for answer in answers:
            assert answer.output is not None
            codes.append(answer.code)
            logs.append(answer.found.path)
            faults |= dict.fromkeys(answer.faults)
            if answer.output.text and not output:
                write_stdout(answer.output.text)
                told.append(answer.output._replace(text=b""))
            else:
                told.append(answer.output)
    marks = [mark for each in told for mark in each.fingerprints]
    counts = beside.others.items()
    rest = [f"{folder}: {count} other files in it are no logs of a known format" for folder, count in counts]
    rest += (line for ticket in beside.archives for line in ticket.report_lines())
    if len(marks) > 1:
        rest += causes.group_lines(marks)
    # What is no log stands before the sessions in JSON, so that it waits for the last of them; text does not.
    if as_json:
        sessions = [session for each in told for session in each.sessions]
        codes += write_check_report(
            json_report.report_chunks(sessions, **_other_fields(beside, faults, marks)), output, logs
        )
    elif output:
        codes += write_check_report([*(each.text for each in told), _encode_lines(rest)], output, logs)
    elif rest:
        write_stdout(_encode_lines(rest))
    return codes


def _format_log(asked: list[str], as_json: bool, log: OpenLog, report: Report) -> LogOutput:
    answers = log.accepted(asked)
    marks = tuple(causes.session_fingerprints(report)) if report.verdict.is_trouble else ()
    if not as_json:
        lines = [*text_report.report_lines(report), *evidence_report.evidence_lines(report)]
        return LogOutput(
            _encode_lines([*lines, *accepted.acceptance_lines(report, answers)] if asked else lines), fingerprints=marks
        )
    sessions = json_report.session_entries(report, log.evidence())
    for session, answer in zip(sessions, answers, strict=False):
        session["accepted_by"] = accepted.acceptance_fields(answer)
    return LogOutput(sessions=tuple(map(json_report.SessionChunks, sessions)), fingerprints=marks)


def _format_error(as_json: bool, path: str, error: InspectorError) -> LogOutput:
    word = "not-judged" if isinstance(error, NotJudged) else "unreadable"
    if not as_json:
        return LogOutput(_encode_lines([f"{path}: {word}: {error}"]))
    return LogOutput(
        sessions=(json_report.SessionChunks(json_report.unreadable_entry(path, str(error)) | {"verdict": word}),)
    )


def _encode_lines(lines: list[str]) -> bytes:
    """Lines as they are written: a name shows its line ends, and odd bytes, as escapes, and so forges no verdict."""
    shown = (escape_controls(line).replace("\n", "\\n") for line in lines)
    return "".join(f"{line}\n" for line in shown).encode(errors="backslashreplace")


def _other_fields(beside: SkippedFiles, faults: dict[str, None], marks: list[tuple[str, str]]) -> dict[str, Any]:
    told: dict[str, list[Any]] = {
        "not_logs": [{"path": path, "files": count} for path, count in beside.others.items()],
        "not_read": [],
        "same_bytes": [],
        "faults": list(faults),
        "causes": causes.group_by_fingerprint(marks) if len(marks) > 1 else [],
    }
    for ticket in beside.archives:
        for name, fields in ticket.report_fields().items():
            told[name] += fields
    return {name: each for name, each in told.items() if each}
