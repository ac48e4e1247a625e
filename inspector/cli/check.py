"""`check`: judge logs and say what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from inspector.cli import exits
from inspector.cli.reading import opened, tell_faults
from inspector.cli.terminal import say, say_json, visible
from inspector.core.engine.faults import faults_told
from inspector.core.engine.folders import holds_logs, names_in
from inspector.core.engine.many import Cancelled, cores, in_order
from inspector.core.engine.names import profiles_in, require_profile
from inspector.core.engine.open_log import OpenLog
from inspector.core.errors import CannotWrite, InspectorError, NotJudged, UnknownName
from inspector.core.later import Later
from inspector.core.reports import evidence as evidence_report
from inspector.core.reports import text as text_report
from inspector.core.scene.finding import Severity

if TYPE_CHECKING:
    from inspector.core.reports import accepted
    from inspector.core.reports import json as json_report
else:
    accepted = Later("inspector.core.reports.accepted")
    json_report = Later("inspector.core.reports.json")

LEVELS = {"error": Severity.ERROR, "warning": Severity.WARNING}


class Task(NamedTuple):
    """A log that was named, or a file of the folder that was; with `is_end`, that this was its last file."""

    path: str
    folder: str = ""
    is_end: bool = False


class Told(NamedTuple):
    """What is told of a log: `text`, or its `sessions` as JSON, each in pieces; and what formats failed over in it."""

    task: Task
    is_log: bool = False
    code: int = exits.OK
    text: bytes = b""
    sessions: tuple[list[bytes | bytearray], ...] = ()
    faults: tuple[str, ...] = ()


class Judge(NamedTuple):
    """Judges logs as the options say, in whichever process."""

    asked: list[str]
    is_json: bool
    profile: str
    log_format: str
    deep: bool
    live: bool
    level: Severity

    def judged(self, task: Task, cancelled: Cancelled | None = None) -> Told:
        """What is told of a log; a file of a folder that is none has nothing to tell."""
        if task.is_end:
            return Told(task)
        faults: list[str] = []
        try:
            with faults_told():
                log = self._opened(task)
                if log is None:
                    return Told(task)
                with log:
                    try:
                        report = log.check(self.profile, self.live)
                        told = self._of(task, log)
                    finally:
                        faults += log.faults
        except InspectorError as error:
            return self.failed(task, error)._replace(faults=tuple(faults))
        code = exits.NOT_JUDGED if not report.is_judged else exits.FINDINGS if report.fails(self.level) else exits.OK
        return told._replace(code=code, faults=tuple(faults))

    def _opened(self, task: Task) -> OpenLog | None:
        if task.folder:
            return OpenLog.in_folder(task.path, self.log_format, self.deep)
        return opened(task.path, self.log_format, self.deep)

    def _of(self, task: Task, log: OpenLog) -> Told:
        report, answers = log.report, log.accepted(self.asked)
        if not self.is_json:
            lines = [*text_report.report_lines(report), *evidence_report.lines(report)]
            return Told(task, True, text=_encoded([*lines, *accepted.lines(report, answers)] if self.asked else lines))
        sessions = json_report.sessions_of(report, log.evidence())
        for session, answer in zip(sessions, answers, strict=False):
            session["accepted_by"] = accepted.as_fields(answer)
        return Told(task, True, sessions=tuple(map(json_report.pieces_of, sessions)))

    def failed(self, task: Task, error: InspectorError) -> Told:
        """What is told of a log that cannot be judged."""
        word, code = "not-judged" if isinstance(error, NotJudged) else "unreadable", exits.code_of(error)
        if not self.is_json:
            return Told(task, True, code, _encoded([f"{task.path}: {word}: {error}"]))
        entry = json_report.unreadable(task.path, str(error)) | {"verdict": word}
        return Told(task, True, code, sessions=(json_report.pieces_of(entry),))

    def died(self, task: Task, sentence: str) -> Told:
        """What is told of a log over which the process ended that read it."""
        return self.failed(task, InspectorError(sentence))


class Outcome:
    """What is told of all logs, put together in their order: a text is told at once, unless it goes to a file."""

    def __init__(self, judge: Judge, output: str) -> None:
        self._judge, self._output = judge, output
        self.codes: list[int] = []
        self.logs: list[str] = []
        self._logs = self._others = 0  # of the folder that is told of
        self._beside: dict[str, int] = {}
        self._faults: dict[str, None] = {}
        self._sessions: list[list[bytes | bytearray]] = []
        self._texts: list[bytes] = []

    def add(self, told: Told) -> None:
        """What is told of the next log, file or folder."""
        if told.task.is_end:
            self._end_folder(told.task.folder)
        elif told.is_log:
            self._logs += bool(told.task.folder)
            self._add_log(told)
        else:
            self._others += 1

    def _end_folder(self, folder: str) -> None:
        if not self._logs:
            error = NotJudged(f"{folder} holds {self._others} files, none of which is a log of a known format.")
            self._add_log(self._judge.failed(Task(folder), error))
        elif self._others:
            self._beside[folder] = self._others
        self._logs = self._others = 0

    def _add_log(self, told: Told) -> None:
        tell_faults(told.faults)
        self._faults |= dict.fromkeys(told.faults)
        self.codes.append(told.code)
        self.logs.append(told.task.path)
        self._sessions += told.sessions
        if self._output:
            self._texts.append(told.text)
        elif told.text:
            click.echo(told.text, nl=False)

    def finish(self) -> None:
        """Tell what waited for the last log."""
        if self._judge.is_json:
            # What is no log stands before the sessions.
            self._put_out(json_report.pieces(self._sessions, **_fields(self._beside, self._faults)))
            return
        rest = [
            f"{name}: {count} other files in it are no logs of a known format" for name, count in self._beside.items()
        ]
        if self._output:
            self._put_out([*self._texts, _encoded(rest)])
        elif rest:
            click.echo(_encoded(rest), nl=False)

    def _put_out(self, pieces: list[bytes | bytearray]) -> None:
        """Write to the file that was named, else, as JSON, to standard output."""
        if not self._output:
            for piece in pieces:
                say_json(piece)
            return
        from inspector.core.engine.report_file import write_report  # noqa: PLC0415 - a check that prints never needs it

        try:
            write_report(self._output, pieces, self.logs)
        except CannotWrite as error:
            say(str(error), err=True)
            self.codes.append(exits.UNREADABLE)


@click.command()
@click.argument("paths", nargs=-1, required=True)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to report.")
@click.option("--profile", default="", help="Judge by this provider's rules instead of the session's own.")
@click.option(
    "--accepted-by",
    metavar="NAME,…|all",
    default="",
    help="Say also whether these providers would accept each session.",
)
@click.option("--log-format", default="", help="Read the log as this format instead of detecting it.")
@click.option("--fail-on", type=click.Choice(list(LEVELS)), default="error", help="What makes the exit code 1.")
@click.option("-o", "--output", default="", help="Write the report to a file instead of standard output.")
@click.option("--deep", is_flag=True, help="Judge every byte of every line, also of large logs.")
@click.option("--live", is_flag=True, help="An unanswered call at the end is pending: the agent is running.")
@click.option("--jobs", type=click.IntRange(1), help="Judge so many logs at a time; as many as there are cores.")
def check(
    paths: tuple[str, ...], form: str, profile: str, accepted_by: str, log_format: str, fail_on: str, output: str,
    deep: bool, live: bool, jobs: int | None,
) -> None:  # fmt: skip
    """Judge logs. Exit code: 0 no finding, 1 findings, 2 unreadable, 3 not judged; the worst of all paths."""
    try:
        if profile:
            require_profile(profile)
        asked = profiles_in(accepted_by)
    except UnknownName as error:
        raise click.UsageError(str(error)) from error
    judge = Judge(asked, form == "json", profile, log_format, deep, live, LEVELS[fail_on])
    outcome = Outcome(judge, output)
    at_once = 1 if "-" in paths else jobs or cores()  # standard input is read here
    with closing(in_order(judge.judged, _tasks(paths), at_once, judge.died)) as answers:
        for told in answers:
            outcome.add(told)
    outcome.finish()
    raise SystemExit(exits.worst(outcome.codes))


def _tasks(paths: Iterable[str]) -> Iterator[Task]:
    """What the arguments stand for, each as soon as it is found."""
    for path in paths:
        if not holds_logs(path):
            yield Task(path)
            continue
        for name in names_in(path):
            yield Task(name, path)
        yield Task(path, path, is_end=True)


def _encoded(lines: list[str]) -> bytes:
    """Lines as they are written: a name that is not UTF-8 shows its odd bytes as escapes."""
    return "".join(f"{visible(line)}\n" for line in lines).encode(errors="backslashreplace")


def _fields(others: dict[str, int], faults: dict[str, None]) -> dict[str, Any]:
    told = {"not_logs": [{"path": path, "files": count} for path, count in others.items()], "faults": list(faults)}
    return {name: each for name, each in told.items() if each}
