"""Reports as JSON: of checked logs, of repairs, and of a list of logs. Schema 1: fields may be added, never changed.

Each report is a struct, and the JSON schemas in `resources/schemas` are made from these structs. A field that is UNSET
is left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Generic, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from inspector.core.analysis.evidence_search import Evidence
from inspector.core.analysis.finding import Finding, Severity
from inspector.core.check.causes import bug_fingerprint
from inspector.core.check.check import Report, SessionReport, Verdict
from inspector.core.check.strategy_costs import cost_labels
from inspector.core.discovery.log_entry import LogEntry
from inspector.core.formats.base.agent_behavior import ResumeBehavior
from inspector.core.model.session import HistoryInMemory
from inspector.core.report.context_window_usage import ContextUsageEntry, too_long_context_entry
from inspector.core.report.sentences import is_profile_assumed
from inspector.core.report.session_parts import (
    AcceptanceEntry,
    CauseEntry,
    CauseGroup,
    EvidenceEntry,
    cause_entry,
    evidence_entry,
    group_logs_by_fingerprint,
)
from inspector.core.translation import encode_sentence_in_english
from inspector.version import __version__

if TYPE_CHECKING:
    from inspector.core.discovery.archives import LogArchive  # an archive needs tarfile and zipfile
    from inspector.core.report.shareable.model import ReportedFinding

JsonChunks: TypeAlias = Iterable[bytes | bytearray]
_PIECE = 64 * 1024
VerdictWord: TypeAlias = Annotated[str, Meta(extra_json_schema={"enum": [verdict.word for verdict in Verdict]})]
_SeverityWord: TypeAlias = Annotated[str, Meta(extra_json_schema={"enum": [each.word for each in Severity]})]


class ReportDocument(Struct, kw_only=True):
    """The beginning of every report."""

    schema: Literal[1] = 1
    tool: str = f"transcript-inspector {__version__}"


class FindingEntry(Struct, kw_only=True):
    """A finding and its place. `refused_by` has the answer of each provider, `costs` the cost of each strategy."""

    id: str
    rule: str
    slug: str
    severity: _SeverityWord
    message: str
    record: int
    member: str | None
    line: int | None
    bytes: tuple[int, int] | None
    pointer: str
    index: int | None
    document_pointer: str | None
    call_id: str | None
    tool: str | None
    refused_by: dict[str, str]
    strategies: tuple[str, ...]
    default: str
    costs: dict[str, str]
    result_in: str | UnsetType = UNSET
    evidence: EvidenceEntry | UnsetType = UNSET
    excerpt: str | UnsetType = UNSET


class ReadingDifferenceEntry(Struct):
    """Something that the agent reads differently from the log."""

    record: int
    note: str


class HistoryInMemoryEntry(Struct):
    """What the agent has in memory: how many messages, and how many are in the log."""

    messages: int
    logged: int
    notes: list[ReadingDifferenceEntry] = []
    disagreements: tuple[str, ...] = ()


class SubagentEntry(Struct):
    """The log of a subagent beside a session."""

    path: str | None
    label: str | None
    call_id: str | None


class ResumeEntry(Struct):
    """What the agent does when it resumes a session: as-is, mends, refuses or unknown."""

    agent: str
    outcome: str
    loses: Sequence[str] = ()
    answers: Sequence[str] | UnsetType = UNSET
    writes: str | UnsetType = UNSET
    error: str | UnsetType = UNSET


class SkippedCheck(Struct):
    """A rule that did not see every byte, and the reason."""

    rule: str
    why: str


class SessionEntry(Struct, kw_only=True):
    """A session of a checked log. Of a log that cannot be read, or not be judged, there is a `reason` instead.

    `context` is there if the log ends with the provider's error that the history is too long. `read_from` is there if
    the log was read from a wrapper, such as a Markdown fence: lines and bytes are counted in its content.
    """

    path: str
    id: str | None = None
    format: str | None = None
    verdict: VerdictWord
    reason: str | UnsetType = UNSET
    read_from: str | UnsetType = UNSET
    profile: str | UnsetType | None = UNSET
    profile_assumed: bool | UnsetType = UNSET
    records: int = 0
    messages: int = 0
    calls: int = 0
    results: int = 0
    dangling: int | UnsetType = UNSET
    orphans: int | UnsetType = UNSET
    recorded_error: str | UnsetType | None = UNSET
    recorded_error_kind: str | UnsetType | None = UNSET
    context: ContextUsageEntry | UnsetType | None = UNSET
    state: str | UnsetType | None = UNSET
    memory: HistoryInMemoryEntry | UnsetType | None = UNSET
    subagents: list[SubagentEntry] | UnsetType = UNSET
    findings: list[FindingEntry] = []
    on_resume: ResumeEntry
    checks_run: Sequence[str] = ()
    checks_skipped: list[SkippedCheck] = []
    has_recorded_error: bool | UnsetType = UNSET
    size: int | UnsetType = UNSET
    begins: str | UnsetType | None = UNSET
    ends: str | UnsetType | None = UNSET
    likely_cause: CauseEntry | UnsetType | None = UNSET
    fingerprint: str | UnsetType | None = UNSET
    accepted_by: dict[str, AcceptanceEntry] | UnsetType = UNSET


S = TypeVar("S", bound=SessionEntry)


class OtherFiles(Struct):
    """The number of files of a folder or an archive that are no logs, and their names in an archive."""

    path: str | None
    files: int
    names: list[str] | UnsetType = UNSET


class UnreadArchiveMember(Struct):
    """A file of an archive that was not read, and the reason."""

    path: str
    name: str
    why: str


class DuplicateArchiveMember(Struct, rename={"first": "as"}):
    """A file of an archive that has the same bytes as an earlier one."""

    path: str
    name: str
    first: str


class CheckDocument(ReportDocument, kw_only=True):
    """The report of `check`."""

    not_logs: list[OtherFiles] | UnsetType = UNSET
    not_read: list[UnreadArchiveMember] | UnsetType = UNSET
    same_bytes: list[DuplicateArchiveMember] | UnsetType = UNSET
    faults: list[str] | UnsetType = UNSET
    causes: list[CauseGroup] | UnsetType = UNSET
    sessions: list[SessionEntry] = []


class ContentFreeDocument(ReportDocument, kw_only=True):
    """The report of `check --content-free`: a field that would hold content is null, and files are only counted."""

    content_free: bool = True
    not_logs: list[OtherFiles]
    not_read: int
    same_bytes: int
    redaction_limits: str | UnsetType = UNSET
    sessions: list[SessionEntry] = []


def check_report_without_sessions(
    others: dict[str, int], archives: Iterable[LogArchive], faults: list[str], fingerprints: list[tuple[str, str]]
) -> CheckDocument:
    """Return the report of `check` without its sessions. `others` counts the files that are no logs, by folder."""
    not_logs = [OtherFiles(path, count) for path, count in others.items()]
    not_read, same_bytes = list[UnreadArchiveMember](), list[DuplicateArchiveMember]()
    for archive in archives:
        path, names = archive.path, archive.other_members
        not_logs += [OtherFiles(path, len(names), names)] if names else []
        not_read += [UnreadArchiveMember(path, *each) for each in archive.unread_members.items()]
        same_bytes += [DuplicateArchiveMember(path, *each) for each in archive.duplicate_members.items()]
    causes = group_logs_by_fingerprint(fingerprints) if len(fingerprints) > 1 else []
    return CheckDocument(
        not_logs=not_logs or UNSET,
        not_read=not_read or UNSET,
        same_bytes=same_bytes or UNSET,
        faults=faults or UNSET,
        causes=causes or UNSET,
    )


def encode(part: Struct) -> bytes:
    """Return a part of a report as compact JSON, in English. The standard writer takes halves of surrogate pairs."""
    try:
        return msgspec.json.encode(part, enc_hook=encode_sentence_in_english)
    except UnicodeEncodeError:
        return json.dumps(
            msgspec.to_builtins(part, enc_hook=encode_sentence_in_english), separators=(",", ":")
        ).encode()


def encode_document(document: ReportDocument) -> bytes:
    """Return a report without sessions, on one line."""
    return encode(document) + b"\n"


def report_chunks(document: ReportDocument, sessions: Iterable[JsonChunks]) -> JsonChunks:
    """Yield a report whose last field is `sessions` in chunks, from those of its sessions."""
    yield encode(document).removesuffix(b"]}")
    for number, session in enumerate(sessions):
        yield from chain((b",",), session) if number else session
    yield b"]}\n"


def report_chunks_sessions_first(sessions: Iterable[JsonChunks], document: Callable[[], ReportDocument]) -> JsonChunks:
    """Yield a report in chunks, in which `sessions` come first, and then the other fields of the `document`.

    The document is made when the last session is known. Its last field is `sessions`, which is empty.
    """
    head = encode(ReportDocument())[:-1]
    between = head + b',"sessions":['
    for session in sessions:
        yield between
        yield from session
        between = b","
    if between != b",":  # there is no session
        yield between
    yield b"]" + encode(document()).removeprefix(head).removesuffix(b',"sessions":[]}') + b"}\n"


def whole_report(document: ReportDocument, sessions: Iterable[JsonChunks]) -> bytes:
    """Return a report whose last field is `sessions`."""
    return b"".join(report_chunks(document, sessions))


class ChunkedSessionEntry(Generic[S]):
    """One session of the report in chunks, which can be iterated once.

    Its findings are encoded only then, some at a time: a hundred thousand of them can take twice the memory of their
    log. When it is sent to another process, the chunks themselves are sent.
    """

    def __init__(self, session: S, findings: Iterable[FindingEntry] = ()) -> None:
        self.session, self._findings = session, findings

    def __iter__(self) -> Iterator[bytes | bytearray]:
        # The findings go last. No string can be mistaken for the empty list, since quotes in it are escaped.
        head, _, tail = encode(self.session).partition(b'"findings":[],')
        yield head + tail[:-1]
        piece = bytearray(b',"findings":[')
        for number, finding in enumerate(self._findings):
            piece += b"," + encode(finding) if number else encode(finding)
            if len(piece) >= _PIECE:
                yield piece
                piece = bytearray()
        yield piece + b"]}"

    def __reduce__(self) -> tuple[type[list[bytes | bytearray]], tuple[list[bytes | bytearray]]]:
        return list, (list(self),)


def chunked_session_entries(
    report: Report, kind: type[S], evidence: Mapping[str, Evidence] | None = None
) -> list[ChunkedSessionEntry[S]]:
    """Return the sessions of a checked log as entries. `evidence` is keyed by the id of a call's finding."""
    return [
        ChunkedSessionEntry(_session(report, session, kind), _findings(session.findings, evidence or {}))
        for session in report.sessions
    ]


def unreadable_session(kind: type[S], path: str, reason: str, verdict: str = "unreadable") -> ChunkedSessionEntry[S]:
    """Return the entry of a log that could not be read, or not be judged."""
    unknown = ResumeEntry("unknown", "unknown")
    return ChunkedSessionEntry(kind(path=path, verdict=verdict, reason=reason, on_resume=unknown))


def _session(report: Report, session: SessionReport, kind: type[S]) -> S:
    beside = report.subagents if session is report.sessions[0] else []
    return kind(
        path=report.log.source.path,
        id=session.session.id,
        format=None if report.format.name == "unknown" else report.format.name,
        verdict=session.verdict.word,
        read_from=report.log.source.read_from or UNSET,
        profile=session.profile.name if session.profile else None,
        profile_assumed=is_profile_assumed(session),
        records=len(session.session.records),
        messages=session.messages,
        calls=session.calls,
        results=session.results,
        dangling=session.dangling,
        orphans=session.orphans,
        recorded_error=session.recorded_error or None,
        recorded_error_kind=session.error_kind.name if session.error_kind else None,
        context=too_long_context_entry(report, session),
        state=session.session.state or None,
        memory=_memory(session.session.memory),
        subagents=[SubagentEntry(each.path, each.label, each.call_id or None) for each in beside],
        on_resume=resume_entry(session.on_resume),
        checks_run=report.checks_run,
        checks_skipped=skipped_checks(report.checks_skipped),
        likely_cause=cause_entry(session),
        fingerprint=bug_fingerprint(session) or None,
    )


def resume_entry(behavior: ResumeBehavior) -> ResumeEntry:
    """Return what the agent does on resume."""
    return ResumeEntry(
        behavior.agent,
        behavior.outcome,
        behavior.losses,
        behavior.answered_calls,
        behavior.file_changes,
        behavior.error,
    )


def skipped_checks(reasons: dict[str, str]) -> list[SkippedCheck]:
    """Return the rules that did not see every byte, with their reasons."""
    return [SkippedCheck(*each) for each in reasons.items()]


def _memory(memory: HistoryInMemory | None) -> HistoryInMemoryEntry | None:
    """Return what the agent has in memory, None where its log is not folded into messages."""
    if memory is None:
        return None
    notes = [ReadingDifferenceEntry(*note) for note in memory.notes]
    return HistoryInMemoryEntry(memory.messages, memory.messages_in_log, notes, memory.disagreements)


def _findings(findings: Iterable[Finding], evidence: Mapping[str, Evidence]) -> Iterator[FindingEntry]:
    for finding in findings:
        entry = unredacted_finding_entry(finding)
        if finding.id in evidence:
            entry.evidence = evidence_entry(evidence[finding.id])
        yield entry


def unredacted_finding_entry(finding: Finding) -> FindingEntry:
    """Return the entry of a finding of a log."""
    entry = finding_entry(finding, finding.message, cost_labels(finding.strategies, finding.rule))
    entry.result_in = finding.recovers or UNSET
    return entry


def finding_entry(finding: Finding | ReportedFinding, message: str, costs: dict[str, str]) -> FindingEntry:
    """Return the entry of a finding of a log or of a shareable report. `costs` are by strategy name."""
    place = finding.place
    return FindingEntry(
        id=finding.id,
        rule=finding.rule,
        slug=finding.slug,
        severity=finding.severity.word,
        message=message,
        record=place.record,
        member=place.member,
        line=place.line,
        bytes=place.bytes,
        pointer=place.pointer,
        index=place.index,
        document_pointer=place.document,
        call_id=finding.call_id,
        tool=finding.tool,
        refused_by=finding.refused_by,
        strategies=finding.strategies,
        default=finding.default,
        costs=costs,
    )


# The logs of a machine or a folder as JSON.


class LogListRow(Struct):
    """A log in a list of logs. `modified` is ISO 8601 in UTC, `size` is in bytes."""

    path: str
    format: str
    agent: str
    project: str | None
    title: str | None
    modified: str
    size: int


class LogListDocument(ReportDocument, kw_only=True):
    """The list of `sessions`."""

    logs: list[LogListRow]


def log_list_json(logs: Iterable[LogEntry]) -> bytes:
    """Return a list of logs as JSON."""
    rows = [
        LogListRow(
            entry.path, entry.format, entry.agent, entry.project or None, entry.title or None,
            datetime.fromtimestamp(entry.modified, UTC).isoformat(timespec="seconds"), entry.size,
        )
        for entry in logs
    ]  # fmt: skip
    return encode_document(LogListDocument(logs=rows))
