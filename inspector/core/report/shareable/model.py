"""The values of a shareable report: none of them comes from a log's content, except for redacted excerpts.

An id is a salted hash, logs and unknown tools are pseudonyms, a time is a clock's, and a version has the shape of one.
A renderer may write every value in this model. The model is an allow-list: the type of each field says why the field
may leave, and a struct with a field that does not say so cannot be defined.

The choices of a report (format, language, operating system) are named here, so that a front can list them cheaply.
"""

import os
from enum import Enum, auto
from typing import Annotated, TypeAlias, get_args

from msgspec import Struct

from inspector.core.analysis.finding import Severity
from inspector.core.translation import tr


class DisclosureReason(Enum):
    """Why a field of a report may leave."""

    COUNT = auto()
    """It is a number, an offset or a yes or no."""
    OURS = auto()
    """It is from a table of this program: a rule, a format, a provider, a sentence."""
    HASH = auto()
    """It is a salted hash of what the log says, or is made of one."""
    PSEUDONYM = auto()
    """It stands for a log, or for a tool that no known agent has."""
    SHAPE = auto()
    """It is of the log, but can only be a time, a version, or a pointer of well-known keys."""
    REQUESTED = auto()
    """It is the path of a log that the person asked to show."""
    REDACTED = auto()
    """It is content with secrets, people and places replaced. It is "" in a report without content."""
    PARTS = auto()
    """It holds structs of this module, whose fields say it."""


Count: TypeAlias = Annotated[int, DisclosureReason.COUNT]
Flag: TypeAlias = Annotated[bool, DisclosureReason.COUNT]
Ours: TypeAlias = Annotated[str, DisclosureReason.OURS]
Redacted: TypeAlias = Annotated[str, DisclosureReason.REDACTED]


class ShareableStruct(Struct, frozen=True):
    """The base of all structs of a shareable report: a field without a reason to leave cannot be defined."""

    def __init_subclass__(cls) -> None:
        for field, kind in cls.__annotations__.items():
            if not any(isinstance(each, DisclosureReason) for each in get_args(kind)):
                raise TypeError(
                    tr(
                        "{name}.{field} has no annotation that states why it may be shared",
                        name=cls.__name__,
                        field=field,
                    )
                )


class ReportedPlace(ShareableStruct, frozen=True, kw_only=True):
    """A RecordLocation, with a hash for `member`, and with pointers without keys that a log may have chosen."""

    record: Count
    line: Annotated[int | None, DisclosureReason.COUNT]
    bytes: Annotated[tuple[int, int] | None, DisclosureReason.COUNT]
    pointer: Annotated[str, DisclosureReason.SHAPE]
    member: Annotated[str | None, DisclosureReason.HASH]
    index: Annotated[int | None, DisclosureReason.COUNT]
    document: Annotated[str | None, DisclosureReason.SHAPE]


class ReportedEvidenceItem(ShareableStruct, frozen=True):
    """A trace that a call ran: where it is, and how much it proves."""

    record: Annotated[int | None, DisclosureReason.COUNT]
    line: Annotated[int | None, DisclosureReason.COUNT]
    weight: Ours


class ReportedFinding(ShareableStruct, frozen=True, kw_only=True):
    """One anomaly. `title` is the rule in words.

    `ran` says whether the log shows that an unanswered call ran, and `effect` what such a tool changes. `says` and
    `excerpt` are redacted content, "" without content.
    """

    id: Annotated[str, DisclosureReason.HASH]
    rule: Ours
    slug: Ours
    title: Ours
    severity: Annotated[Severity, DisclosureReason.OURS]
    place: Annotated[ReportedPlace, DisclosureReason.PARTS]
    call_id: Annotated[str | None, DisclosureReason.HASH]
    tool: Annotated[str | None, DisclosureReason.PSEUDONYM]
    refused_by: Annotated[dict[str, str], DisclosureReason.OURS]
    strategies: Annotated[tuple[str, ...], DisclosureReason.OURS]
    default: Ours
    costs: Annotated[dict[str, str], DisclosureReason.OURS]
    ran: Ours = ""
    effect: Ours = ""
    traces: Annotated[tuple[ReportedEvidenceItem, ...], DisclosureReason.PARTS] = ()
    says: Redacted = ""
    excerpt: Redacted = ""

    @property
    def excerpt_text(self) -> str:
        """The redacted content of the finding."""
        return "\n".join(filter(None, (self.says, self.excerpt)))


class ReportedAcceptance(ShareableStruct, frozen=True):
    """A provider's answer to a session. `accepts` is None where checks that it needs did not run."""

    accepts: Annotated[bool | None, DisclosureReason.COUNT]
    rule: Ours
    refusals: Count
    not_run: Annotated[tuple[str, ...], DisclosureReason.OURS]


class ReportedCause(ShareableStruct, frozen=True):
    """The likely cause, in the words of its table. `advice` is a sentence with a {version} to fill in."""

    id: Ours
    happened: Ours
    advice: Ours
    upgrade_to: Ours
    url: Ours


class ReportedSession(ShareableStruct, frozen=True, kw_only=True):
    """One session. `loses` and `answers` count what its agent drops, and what it answers itself, on resume.

    `begins` and `ends` are its first and newest time, ISO 8601 in UTC, "" where the log has none. `error_kind` says
    what the recorded error is about, where it is no fault of the history; `error` is its redacted text. `in_memory` is
    how many messages the agent would hold, and how many the log holds, where they differ.
    """

    number: Count
    id: Annotated[str, DisclosureReason.HASH]
    verdict: Ours
    profile: Ours
    profile_label: Ours
    assumed: Flag
    records: Count
    messages: Count
    calls: Count
    results: Count
    dangling: Count
    orphans: Count
    error_kind: Ours
    has_error: Flag
    outcome: Ours
    loses: Count
    answers: Count
    begins: Annotated[str, DisclosureReason.SHAPE]
    ends: Annotated[str, DisclosureReason.SHAPE]
    in_memory: Annotated[tuple[int, int] | None, DisclosureReason.COUNT]
    subagents: Count
    findings: Annotated[tuple[ReportedFinding, ...], DisclosureReason.PARTS]
    accepted_by: Annotated[dict[str, ReportedAcceptance], DisclosureReason.PARTS]
    cause: Annotated[ReportedCause | None, DisclosureReason.PARTS] = None
    fingerprint: Ours = ""
    error: Redacted = ""

    def count(self, severity: Severity) -> int:
        return sum(finding.severity == severity for finding in self.findings)


class ReportedLog(ShareableStruct, frozen=True, kw_only=True):
    """One log. `name` is that of its ticket, else its pseudonym ("log-3"), and `size` its bytes.

    `ticket` is the name of its ticket. `path` is where it lies, "" if paths are not shown. `reason` says in our words
    why it was not read, and `read_from` names the wrapper that it was read from.
    """

    name: Annotated[str, DisclosureReason.PSEUDONYM]
    verdict: Ours
    ticket: Annotated[str | None, DisclosureReason.PSEUDONYM] = None
    path: Annotated[str, DisclosureReason.REQUESTED] = ""
    format: Ours = ""
    label: Ours = ""
    agent: Ours = ""
    version: Annotated[str, DisclosureReason.SHAPE] = ""
    size: Count = 0
    reason: Ours = ""
    read_from: Ours = ""
    sessions: Annotated[tuple[ReportedSession, ...], DisclosureReason.PARTS] = ()
    checks_run: Annotated[tuple[str, ...], DisclosureReason.OURS] = ()
    checks_skipped: Annotated[dict[str, str], DisclosureReason.OURS] = {}

    @property
    def title(self) -> str:
        """What the log is called: its path if that is shown, else its name."""
        return self.path or self.name


class ShareableReport(ShareableStruct, frozen=True):
    """A whole report: the logs in the requested order, and the number of other files.

    `unread` counts the files of archives that were not read, and `duplicates` those with the same bytes as another.
    """

    logs: Annotated[tuple[ReportedLog, ...], DisclosureReason.PARTS]
    other_files: Count = 0
    unread: Count = 0
    duplicates: Count = 0

    @property
    def has_excerpts(self) -> bool:
        """Whether redacted content is in it."""
        sessions = (session for log in self.logs for session in log.sessions)
        return any(each.error or any(finding.excerpt_text for finding in each.findings) for each in sessions)

    @property
    def groups(self) -> list[tuple[ReportedSession, list[str]]]:
        """The logs with the same fingerprint, the largest group first: a session that has it, and the logs' names."""
        found: dict[str, tuple[ReportedSession, dict[str, None]]] = {}
        for log in self.logs:
            for session in log.sessions:
                if session.fingerprint:
                    found.setdefault(session.fingerprint, (session, {}))[1][log.title] = None
        return sorted(((session, [*names]) for session, names in found.values()), key=lambda each: -len(each[1]))


REPORT_FORMAT_SUFFIXES = {
    "text": ".txt",
    "json": ".json",
    "markdown": ".md",
    "html": ".html",
    "sarif": ".sarif",
    "junit": ".xml",
    "github": ".txt",
}
REPORT_FORMATS = tuple(REPORT_FORMAT_SUFFIXES)
REPORT_LANGUAGES = ("en", "zh")
OPERATING_SYSTEMS = ("linux", "macos", "windows")
_PACKED_SUFFIXES = (".zip", ".tar", ".gz", ".tgz", ".zst", ".tzst")


def ticket_name_from_path(path: str) -> str:
    """Return the name of a ticket from the path of its archive or folder: its last part, without what packed it."""
    name = os.path.basename(path.rstrip(os.sep))
    while (stem := os.path.splitext(name))[1].lower() in _PACKED_SUFFIXES:
        name = stem[0]
    return name
