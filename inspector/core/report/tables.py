"""The result of a check as rows of three tables without log content: files, sessions and findings.

The rows come from a shareable report, whose fields say why they may leave. Only `source` and `member`, the names that
the person gave or that a folder or an archive holds, are not from there: `NameHider` replaces them.

The JSON schemas in `resources/schemas` are made from these structs. Columns may be added, never changed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from itertools import chain
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from inspector.core.analysis.finding import Severity
from inspector.core.check.check import Verdict
from inspector.core.report.shareable.model import ReportedFinding, ReportedLog, ReportedSession
from inspector.version import __version__

Status: TypeAlias = Literal["judged", "not-judged", "unreadable", "no-log", "duplicate", "fault"]
_VERDICTS = {verdict.word: verdict for verdict in Verdict}
_FILE_VERDICTS = {
    "judged": Verdict.HEALTHY,
    "not-judged": Verdict.NOT_JUDGED,
    "fault": Verdict.NOT_JUDGED,
    "unreadable": Verdict.UNREADABLE,
}


class FileRow(Struct, frozen=True, kw_only=True, tag_field="table", tag="files"):
    """A file, or a log in an archive. `log` is the key of the log in the other tables.

    `source` is the path as it was given or found, and `member` the name in an archive, "" for a file itself. `mtime` is
    ISO 8601 in UTC and `seconds` the time that the check took. `reason` says why a log was not judged, and
    `read_from` names the wrapper, such as a Markdown fence, that it was read from. A *fault* is a
    failure of this program or of its surroundings, and proves nothing about the log.
    """

    log: str
    source: str
    member: str = ""
    sha256: str | None = None
    size: int | None = None
    mtime: str | None = None
    status: Status
    reason: str = ""
    seconds: float = 0.0
    read_from: str = ""


class SessionRow(Struct, frozen=True, kw_only=True, tag_field="table", tag="sessions"):
    """A session of a log that was judged. `id` is a salted hash, the same for the same log.

    `errors`, `warnings` and `notes` count findings. `outcome` is what the agent does on resume; `loses` counts what it
    drops, and `answers` the calls that it answers itself. `upgrade_to` is the version of the agent that repairs the log
    on resume. `begins` and `ends` are ISO 8601 in UTC. `tool` is the version of this program.
    """

    log: str
    session: int
    id: str
    format: str
    agent: str
    version: str
    verdict: str
    profile: str
    profile_assumed: bool
    records: int
    messages: int
    calls: int
    results: int
    dangling: int
    orphans: int
    errors: int
    warnings: int
    notes: int
    error_kind: str
    outcome: str
    loses: int
    answers: int
    cause: str
    fingerprint: str
    upgrade_to: str
    begins: str
    ends: str
    tool: str = __version__


class FindingRow(Struct, frozen=True, kw_only=True, tag_field="table", tag="findings"):
    """A finding and its place. `tool` is null for a tool that only the log names; `begin` and `end` are in bytes.

    `strategy` is the default repair. `ran` says whether the log shows that a call without a result ran, and `effect`
    what such a tool changes.
    """

    log: str
    session: int
    id: str
    rule: str
    severity: str
    record: int
    line: int | None
    begin: int | None
    end: int | None
    pointer: str
    tool: str | None
    strategy: str
    ran: str
    effect: str


Row: TypeAlias = FileRow | SessionRow | FindingRow
TABLES: dict[str, type[Row]] = {"files": FileRow, "sessions": SessionRow, "findings": FindingRow}


class LogResult(Struct, frozen=True):
    """The result of a check of one source: a log, or an archive or a folder of logs."""

    files: tuple[FileRow, ...]
    sessions: tuple[SessionRow, ...] = ()
    findings: tuple[FindingRow, ...] = ()

    @property
    def verdict(self) -> str:
        """The worst verdict of the sessions and the files, `not-judged` where there is no log at all."""
        verdicts = [_VERDICTS[session.verdict] for session in self.sessions]
        verdicts += [_FILE_VERDICTS[file.status] for file in self.files if file.status in _FILE_VERDICTS]
        return max(verdicts, default=Verdict.NOT_JUDGED).word

    @property
    def cause(self) -> str:
        """The id of the known cause of the worst session, "" for none."""
        worst = self._worst
        return worst.cause if worst else ""

    @property
    def fingerprint(self) -> str:
        """A text that is the same for all sessions with the bug of the worst session, "" if nothing is wrong."""
        worst = self._worst
        return worst.fingerprint if worst else ""

    @property
    def _worst(self) -> SessionRow | None:
        return max(self.sessions, key=lambda session: _VERDICTS[session.verdict], default=None)

    def tables(self) -> dict[str, tuple[Row, ...]]:
        """Return the rows by the name of their table."""
        return {"files": self.files, "sessions": self.sessions, "findings": self.findings}

    def rows(self) -> Iterator[Row]:
        """Yield the rows of all tables: the files, their sessions, and the findings of these."""
        return chain(self.files, self.sessions, self.findings)

    def to_dict(self) -> dict[str, list[dict[str, Any]]]:
        """Return the rows as plain dicts, by table."""
        return {name: [asdict(row) for row in rows] for name, rows in self.tables().items()}


def encode_row(row: Row) -> bytes:
    """Return a row as a line of JSON. Its member `table` names the table."""
    return msgspec.json.encode(row) + b"\n"


def log_key(source: str, member: str, digest: bytes) -> str:
    """Return the key of a log. Without the bytes of the log, nobody can find out its path from the key."""
    name = f"{source}\0{member}".encode("utf-8", "backslashreplace")
    return blake2b(name, key=digest[:64], digest_size=8).hexdigest()


def merge_check_results(results: Iterable[LogResult]) -> LogResult:
    """Return the results as one."""
    kept = list(results)
    return LogResult(
        tuple(file for result in kept for file in result.files),
        tuple(session for result in kept for session in result.sessions),
        tuple(finding for result in kept for finding in result.findings),
    )


def session_rows(log: str, reported: ReportedLog) -> Iterator[SessionRow]:
    """Yield the sessions of a log."""
    return (_session_row(log, reported, session) for session in reported.sessions)


def finding_rows(log: str, reported: ReportedLog) -> Iterator[FindingRow]:
    """Yield the findings of a log."""
    return (_finding_row(log, session.number, finding) for session in reported.sessions for finding in session.findings)


def _session_row(log: str, reported: ReportedLog, session: ReportedSession) -> SessionRow:
    cause = session.cause
    return SessionRow(
        log=log,
        session=session.number,
        id=session.id,
        format=reported.format,
        agent=reported.agent,
        version=reported.version,
        verdict=session.verdict,
        profile=session.profile,
        profile_assumed=session.assumed,
        records=session.records,
        messages=session.messages,
        calls=session.calls,
        results=session.results,
        dangling=session.dangling,
        orphans=session.orphans,
        errors=session.count(Severity.ERROR),
        warnings=session.count(Severity.WARNING),
        notes=session.count(Severity.INFO),
        error_kind=session.error_kind,
        outcome=session.outcome,
        loses=session.loses,
        answers=session.answers,
        cause=cause.id if cause else "",
        fingerprint=session.fingerprint,
        upgrade_to=cause.upgrade_to if cause else "",
        begins=session.begins,
        ends=session.ends,
    )


def _finding_row(log: str, session: int, finding: ReportedFinding) -> FindingRow:
    begin, end = finding.place.bytes or (None, None)
    return FindingRow(
        log=log,
        session=session,
        id=finding.id,
        rule=finding.rule,
        severity=finding.severity.word,
        record=finding.place.record,
        line=finding.place.line,
        begin=begin,
        end=end,
        pointer=finding.place.pointer,
        # The pseudonyms of a report are numbers, which mean nothing beside other reports.
        tool=None if finding.tool is None or finding.tool.startswith("tool-") else finding.tool,
        strategy=finding.default,
        ran=finding.ran,
        effect=finding.effect,
    )


def renamed(result: LogResult, rename: Callable[[FileRow], tuple[str, str]]) -> LogResult:
    """Return the result with other names for `source` and `member` of its files."""
    files = []
    for file in result.files:
        source, member = rename(file)
        files.append(replace(file, source=source, member=member))
    return LogResult(tuple(files), result.sessions, result.findings)


class NameHider:
    """Replaces the names of sources in the results of one run, as `--names` says.

    With `ticket` a source is the name of the file or folder that was given, and a member a number; with `none` both are
    numbers.
    """

    def __init__(self, names: str) -> None:
        self._names = names
        self._sources: dict[str, str] = {}
        self._members: dict[tuple[str, str], str] = {}

    def hide(self, result: LogResult, ticket: str) -> LogResult:
        """Return the result with the names that may be shown. `ticket` is the path that the person gave."""
        return result if self._names == "path" else renamed(result, lambda file: self._names_of(file, ticket))

    def _names_of(self, file: FileRow, ticket: str) -> tuple[str, str]:
        if self._names == "ticket":
            source, is_whole = os.path.basename(os.path.normpath(ticket)), (file.source, file.member) == (ticket, "")
        else:
            source, is_whole = (
                self._sources.setdefault(file.source, f"source-{len(self._sources) + 1}"),
                not file.member,
            )
        if is_whole:
            return source, ""
        number = f"member-{len(self._members) + 1}"
        return source, self._members.setdefault((file.source, file.member), number)
