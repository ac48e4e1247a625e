"""The values of a shareable report: none of them comes from a log's content, except for redacted excerpts.

An id is a salted hash, logs and unknown tools are pseudonyms, a time is a clock's, and a version has the shape of one.
A renderer may write every value in this model.

The choices of a report (format, language, operating system) are named here, so that a front can list them cheaply.
"""

from msgspec import Struct

from inspector.core.analysis.finding import Severity
from inspector.core.model.views import RecordLocation


class ReportedTrace(Struct, frozen=True):
    """A trace that a call ran: where it is, and how much it proves."""

    record: int | None
    line: int | None
    weight: str


class ReportedFinding(Struct, frozen=True, kw_only=True):
    """One anomaly. `title` is the rule in words.

    `ran` says whether the log shows that an unanswered call ran, and `effect` what such a tool changes. `says` and
    `excerpt` are redacted content, "" without content.
    """

    id: str
    rule: str
    slug: str
    title: str
    severity: Severity
    place: RecordLocation
    call_id: str | None
    tool: str | None
    refused_by: dict[str, str]
    strategies: tuple[str, ...]
    default: str
    costs: dict[str, str]
    ran: str = ""
    effect: str = ""
    traces: tuple[ReportedTrace, ...] = ()
    says: str = ""
    excerpt: str = ""

    @property
    def excerpt_text(self) -> str:
        """The redacted content of the finding."""
        return "\n".join(filter(None, (self.says, self.excerpt)))


class ReportedAnswer(Struct, frozen=True):
    """A provider's answer to a session. `accepts` is None where checks that it needs did not run."""

    accepts: bool | None
    rule: str
    refusals: int
    not_run: tuple[str, ...]


class ReportedCause(Struct, frozen=True):
    """The likely cause, in the words of its table. `advice` is a sentence with a {version} to fill in."""

    id: str
    happened: str
    advice: str
    upgrade_to: str
    url: str


class ReportedSession(Struct, frozen=True, kw_only=True):
    """One session. `loses` and `answers` count what its agent drops, and what it answers itself, on resume.

    `begins` and `ends` are its first and newest time, ISO 8601 in UTC, "" where the log has none. `error_kind` says
    what the recorded error is about, where it is no fault of the history; `error` is its redacted text. `in_memory` is
    how many messages the agent would hold, and how many the log holds, where they differ.
    """

    number: int
    id: str
    verdict: str
    profile: str
    profile_label: str
    assumed: bool
    records: int
    messages: int
    calls: int
    results: int
    dangling: int
    orphans: int
    error_kind: str
    has_error: bool
    outcome: str
    loses: int
    answers: int
    begins: str
    ends: str
    in_memory: tuple[int, int] | None
    subagents: int
    findings: tuple[ReportedFinding, ...]
    accepted_by: dict[str, ReportedAnswer]
    cause: ReportedCause | None = None
    fingerprint: str = ""
    error: str = ""

    def count(self, severity: Severity) -> int:
        return sum(finding.severity == severity for finding in self.findings)


class ReportedLog(Struct, frozen=True, kw_only=True):
    """One log. `name` is its pseudonym ("log-3"), `size` its bytes, `reason` why it was not read, in our words."""

    name: str
    verdict: str
    format: str = ""
    label: str = ""
    agent: str = ""
    version: str = ""
    size: int = 0
    reason: str = ""
    sessions: tuple[ReportedSession, ...] = ()
    checks_run: tuple[str, ...] = ()
    checks_skipped: dict[str, str] = {}


class ShareableReport(Struct, frozen=True):
    """A whole report: the logs in the requested order, and the number of other files.

    `unread` counts the files of archives that were not read, and `duplicates` those with the same bytes as another.
    """

    logs: tuple[ReportedLog, ...]
    other_files: int = 0
    unread: int = 0
    duplicates: int = 0

    @property
    def groups(self) -> list[tuple[ReportedSession, list[str]]]:
        """The logs with the same fingerprint, the largest group first: a session that has it, and the logs' names."""
        found: dict[str, tuple[ReportedSession, dict[str, None]]] = {}
        for log in self.logs:
            for session in log.sessions:
                if session.fingerprint:
                    found.setdefault(session.fingerprint, (session, {}))[1][log.name] = None
        return sorted(((session, [*names]) for session, names in found.values()), key=lambda each: -len(each[1]))


FORMAT_SUFFIXES = {
    "text": ".txt",
    "json": ".json",
    "markdown": ".md",
    "html": ".html",
    "sarif": ".sarif",
    "junit": ".xml",
    "github": ".txt",
}
REPORT_FORMATS = tuple(FORMAT_SUFFIXES)
LANGUAGES = ("en", "zh")
OPERATING_SYSTEMS = ("linux", "macos", "windows")
