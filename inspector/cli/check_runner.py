"""The work of `check`: it finds logs, judges them, and writes a report. Its options are in `check`."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeAlias, TypeVar

from msgspec import Struct, field

from inspector.cli import exit_codes
from inspector.cli.compressed_buffer import CompressedBuffer
from inspector.cli.interruption import Interruption
from inspector.cli.log_input import print_faults, read_standard_input
from inspector.cli.progress import ProgressLine, reading_progress_line
from inspector.cli.terminal import color_report, escape_controls, print_json, print_text, write_stdout
from inspector.core.analysis.finding import Severity
from inspector.core.engine.find_logs_at_path import LogCandidate, OtherFilesAndArchives, find_log_candidates
from inspector.core.engine.log import OpenLog
from inspector.core.engine.program_faults import raise_as_program_fault
from inspector.core.engine.workers import IsCancelled, available_cores, map_in_order
from inspector.core.errors import CannotWrite, InspectorError, NotDivisible, NotJudged
from inspector.core.report import json as json_report
from inspector.core.report import session_parts
from inspector.core.report import text as text_report
from inspector.core.report.sentences import HEADINGS_BY_WORD, USUAL_WIDTH
from inspector.core.translation import tr, tr_plural

if TYPE_CHECKING:
    from inspector.core.engine.result_types import Report

FAIL_ON_LEVELS = {"error": Severity.ERROR, "warning": Severity.WARNING}
X = TypeVar("X")


class CheckOptions(Struct, frozen=True):
    """The options of `check` that say how logs are judged.

    `accepted_by` are the profiles of --accepted-by, and `level` is the lowest severity for which the exit code is 1.
    `is_only_log`: there is one log, whose reading is shown. `verbosity` is -1, 0 or 1, `width` that of the terminal,
    and `color` whether it shows colors. `jobs` is the number of processes that share the work.
    """

    accepted_by: list[str] = []
    profile: str = ""
    log_format: str = ""
    level: Severity = Severity.ERROR
    deep: bool = False
    live: bool = False
    is_only_log: bool = False
    verbosity: int = 0
    width: int = USUAL_WIDTH
    color: bool = False
    jobs: int = field(default_factory=available_cores)

    def code_of(self, report: Report) -> int:
        """Return the exit code for a log."""
        if not report.is_judged:
            return exit_codes.NOT_JUDGED
        return exit_codes.FINDINGS if report.fails(self.level) else exit_codes.OK


class OutputAndExitCode(NamedTuple, Generic[X]):
    """The output for a log, with its exit code. `output` is None for a file of a folder that is no log.

    `faults` are sentences on formats that failed while they read it.
    """

    found: LogCandidate
    output: X | None = None
    code: int = exit_codes.OK
    faults: tuple[str, ...] = ()


JudgedParts: TypeAlias = "Iterable[tuple[OpenLog, Report]]"
CheckResults: TypeAlias = Generator[OutputAndExitCode[X], None, None]


class LogChecker(Struct, Generic[X], frozen=True):
    """Judges a log and makes its output: `format_log` for a judged log, `format_error` for one that cannot be judged.

    A log is judged in parts, if it is large and holds very many conversations and `in_parts` is set, while `format_log`
    goes through them. The checker is sent to the processes that share the work.
    """

    options: CheckOptions
    format_log: Callable[[JudgedParts], X]
    format_error: Callable[[str, InspectorError], X]
    in_parts: bool = False

    def check(self, found: LogCandidate, cancelled: IsCancelled | None = None) -> OutputAndExitCode[X]:
        """Return the output for a log."""
        if found.archives is not None:
            return OutputAndExitCode(found)
        codes, faults = list[int](), list[str]()
        try:
            with raise_as_program_fault():
                log = self._opened(found)
                if log is None:
                    return OutputAndExitCode(found)
                with log:
                    try:
                        output = self.format_log(self._judged(log.parts() if self.in_parts else [log], codes, faults))
                    except NotDivisible:
                        codes.clear()
                        output = self.format_log(self._judged([log], codes, faults))
        except InspectorError as error:
            return self.error_result(found, error, faults)
        return OutputAndExitCode(found, output, exit_codes.worst_code(codes), tuple(dict.fromkeys(faults)))

    def _judged(self, parts: Iterable[OpenLog], codes: list[int], faults: list[str]) -> JudgedParts:
        """Yield the parts of a log with their reports. Add the exit code and the faults of each."""
        for part in parts:
            try:
                report = part.check(self.options.profile, self.options.live, release=True)
                codes.append(self.options.code_of(report))
                yield part, report
            finally:
                faults += part.faults

    def _opened(self, found: LogCandidate) -> OpenLog | None:
        format, deep = self.options.log_format, self.options.deep
        if found.path == "-":
            return OpenLog.of_bytes(read_standard_input(), format, deep)
        return found.log(
            format, deep, self.options.jobs, reading_progress_line(found.path) if self.options.is_only_log else None
        )

    def error_result(
        self, found: LogCandidate, error: InspectorError, faults: Iterable[str] = ()
    ) -> OutputAndExitCode[X]:
        """Return the output for a log that cannot be judged."""
        return OutputAndExitCode(
            LogCandidate(found.path, folder=found.folder),
            self.format_error(found.path, error),
            exit_codes.code_of_error(error),
            tuple(faults),
        )

    def crash_result(self, found: LogCandidate, sentence: str) -> OutputAndExitCode[X]:
        """Return the output for a log whose reader process ended unexpectedly."""
        return self.error_result(found, InspectorError(sentence))


def check_logs(
    checker: LogChecker[X], paths: Sequence[str], skipped: OtherFilesAndArchives, jobs: int
) -> CheckResults[X]:
    """Yield the results for the logs at `paths`, in their order, judged by `jobs` processes. Close the generator.

    A folder without a log is reported as a log that cannot be judged.
    """
    candidates, faults = (found for path in paths for found in find_log_candidates(path, skipped)), set[str]()
    jobs = 1 if "-" in paths else jobs  # standard input is read here
    line = ProgressLine(tr("Checked {done:,} files"))
    try:
        with closing(
            map_in_order(checker.check, candidates, jobs, checker.crash_result, runs_here=attrgetter("stays"))
        ) as results:
            for number, result in enumerate(results, 1):
                line(number, 0)
                refused = skipped.note(result.found, result.output is not None)
                if refused is not None:
                    result = checker.check(refused)
                if result.output is not None:
                    line.erase()
                    print_faults(result.faults, faults)
                    yield result
    finally:
        line.erase()


def write_check_report(pieces: Iterable[bytes | bytearray], output: str, logs: list[str]) -> list[int]:
    """Write the report to a file, or to standard output if `output` is "". Return the exit code if that fails.

    `logs` need not name all logs of the report before its last piece.
    """
    if not output:
        for piece in pieces:
            print_json(piece)
        return []
    from inspector.core.engine.shareable_files import write_report  # noqa: PLC0415 - a check that prints never needs it

    try:
        write_report(output, pieces, logs)
    except CannotWrite as error:
        print_text(str(error), err=True)
        return [exit_codes.UNREADABLE]
    return []


class LogOutput(NamedTuple):
    """The output for a log: `text` in blocks of lines, or its `sessions` as JSON in pieces.

    `fingerprints` are pairs of its path and a fingerprint, without duplicates.
    """

    text: Iterable[bytes] = ()
    sessions: tuple[json_report.JsonChunks, ...] = ()
    fingerprints: tuple[tuple[str, str], ...] = ()


def check_and_report(paths: tuple[str, ...], judging: CheckOptions, form: str, output: str) -> list[int]:
    """Report on every log as soon as it is judged, or in a file on all of them. Return the exit codes."""
    report, as_json = _CheckReport(judging), form == "json"
    format_log = partial(_format_as_json if as_json else _format_as_text, judging)
    checker = LogChecker(judging, format_log, partial(_format_error, as_json), in_parts=True)
    with Interruption() as interruption, closing(check_logs(checker, paths, report.skipped, judging.jobs)) as results:
        outputs = report.outputs(interruption.until_signal(results))
        if output or as_json:
            pieces = report.json_pieces(outputs) if as_json else report.text_pieces(outputs)
            report.codes |= dict.fromkeys(write_check_report(pieces, output, report.logs))
        else:
            for block in report.text_pieces(outputs):
                write_stdout(block)
    exit_if_interrupted(interruption, len(report.logs))
    return [*report.codes]


def exit_if_interrupted(interruption: Interruption, logs: int) -> None:
    """Say how many logs are in the report, and exit, if the check was interrupted."""
    interruption.exit_if_happened(
        tr_plural(
            "Stopped after {number:,} log. The report covers only this log.",
            "Stopped after {number:,} logs. The report covers only these logs.",
            logs,
        )
    )


class _CheckReport:
    """A report on many logs in pieces: each log as soon as it is judged, and at the end what concerns all of them.

    Of each log only what the end needs is kept.
    """

    def __init__(self, judging: CheckOptions) -> None:
        self._judging = judging
        self._gap = b""  # the empty line between the reports on two logs
        self._faults: dict[str, None] = {}
        self._fingerprints: list[tuple[str, str]] = []
        self.skipped = OtherFilesAndArchives()
        self.codes: dict[int, None] = {}
        self.logs: list[str] = []

    def outputs(self, results: Iterable[OutputAndExitCode[LogOutput]]) -> Iterator[LogOutput]:
        """Yield the output for each log, and note the rest of its result."""
        for result in results:
            assert result.output is not None
            yield result.output
            self.codes[result.code] = None
            self.logs.append(result.found.path)
            self._faults |= dict.fromkeys(result.faults)
            self._fingerprints += result.output.fingerprints

    def text_pieces(self, outputs: Iterable[LogOutput]) -> Iterator[bytes]:
        """Yield the report as text, in blocks of lines."""
        for output in outputs:
            for block in output.text:
                yield self._take_gap() + color_report(block, self._judging.color)
            self._gap = b"\n" if self._judging.verbosity >= 0 else b""
        if last := _encode_lines(self._last_lines()):
            yield self._take_gap() + last

    def _take_gap(self) -> bytes:
        gap, self._gap = self._gap, b""
        return gap

    def _last_lines(self) -> Iterator[str]:
        for folder, count in self.skipped.others.items():
            yield tr(
                "{folder}: {other_files} in unsupported formats",
                folder=folder,
                other_files=tr_plural("{number:,} other file", "{number:,} other files", count),
            )
        for archive in self.skipped.archives:
            yield from archive.report_lines()
        if len(self._fingerprints) > 1 and self._judging.verbosity >= 0:
            yield from session_parts.fingerprint_group_lines(self._fingerprints)

    def json_pieces(self, outputs: Iterable[LogOutput]) -> json_report.JsonChunks:
        """Yield the report as JSON."""
        sessions = (session for output in outputs for session in output.sessions)
        return json_report.report_chunks_sessions_first(sessions, self._document)

    def _document(self) -> json_report.CheckDocument:
        return json_report.check_report_without_sessions(
            self.skipped.others, self.skipped.archives, [*self._faults], self._fingerprints
        )


def _format_as_text(options: CheckOptions, parts: JudgedParts) -> LogOutput:
    text, body, acceptance = (
        text_report.TextReport(options.verbosity, options.width),
        CompressedBuffer(),
        CompressedBuffer(),
    )
    fingerprints: dict[tuple[str, str], None] = {}
    for log, report in parts:
        body.write(_encode_lines(text.part_lines(report)))
        if options.accepted_by and options.verbosity >= 0:
            answers = log.accepted(options.accepted_by)
            acceptance.write(_encode_lines(session_parts.acceptance_lines(report, answers)))
        fingerprints |= _fingerprints(report)
    body.first = _encode_lines([text.headline])
    body.write(_encode_lines(text.last_lines()))
    for block in acceptance:
        body.write(block)
    return LogOutput(body, fingerprints=tuple(fingerprints))


def _format_as_json(options: CheckOptions, parts: JudgedParts) -> LogOutput:
    fingerprints: dict[tuple[str, str], None] = {}
    kept: list[json_report.JsonChunks] = []
    compressed = CompressedBuffer()
    for log, report in parts:
        sessions = json_report.chunked_session_entries(report, json_report.SessionEntry, log.evidence())
        for chunks, answer in zip(sessions, log.accepted(options.accepted_by), strict=False):
            chunks.session.accepted_by = session_parts.acceptance_entries(answer)
        fingerprints |= _fingerprints(report)
        if not report.log.is_part:
            kept += sessions
        for session in sessions if report.log.is_part else ():
            compressed.write(b"".join(chain((b",",) if compressed else (), session)))
    return LogOutput(sessions=(*kept, compressed) if compressed else tuple(kept), fingerprints=tuple(fingerprints))


def _fingerprints(report: Report) -> dict[tuple[str, str], None]:
    """Return the fingerprints of a part of a log, as keys."""
    return dict.fromkeys(session_parts.session_fingerprints(report)) if report.verdict.is_trouble else {}


def _format_error(as_json: bool, path: str, error: InspectorError) -> LogOutput:
    word = "not-judged" if isinstance(error, NotJudged) else "unreadable"
    if not as_json:
        return LogOutput((_encode_lines([f"{path}  {HEADINGS_BY_WORD[word]}  {error}"]),))
    return LogOutput(sessions=(json_report.unreadable_session(json_report.SessionEntry, path, str(error), word),))


def _encode_lines(lines: Iterable[str]) -> bytes:
    """Encode lines. Line ends and odd bytes in a name are written as escapes, so that a name cannot forge a verdict."""
    shown = (escape_controls(line).replace("\n", "\\n") for line in lines)
    return "".join(f"{line}\n" for line in shown).encode(errors="backslashreplace")
