"""What an outward report says of logs: values of which none comes from what a log says, but for redacted excerpts.

An id is a salted hash, a log and a tool that no known agent has are pseudonyms, a time is a clock's, a version has the
shape of one. Whatever a writer finds here it may write.

Merged; to be rewritten:
`names`: What a person may choose of an outward report, named before anything of it is imported.
"""

from msgspec import Struct

from inspector.core.analysis.finding import Severity
from inspector.core.model.views import RecordLocation


class ReportedTrace(Struct, frozen=True):
    """What shows that a call ran: where it stands, and how much it proves."""

    record: int | None
    line: int | None
    weight: str


class ReportedFinding(Struct, frozen=True, kw_only=True):
    """One anomaly. `title` is the rule in words; `ran` and `effect` tell of an unanswered call whether the log shows
    that it ran, and what such a tool changes. `says` and `excerpt` are redacted content, "" without content."""

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
        """Its redacted content."""
        return "\n".join(filter(None, (self.says, self.excerpt)))


class ReportedAnswer(Struct, frozen=True):
    """What one provider would answer to a session: None where checks that it needs did not run."""

    accepts: bool | None
    rule: str
    refusals: int
    not_run: tuple[str, ...]


class ReportedCause(Struct, frozen=True):
    """The likely cause, in the words of its table; `advice` is a sentence in which the {version} is to be put."""

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
    """A whole report: the logs in the order in which they were asked for, how many other files lay beside them, and of
    those in archives how many were not read, and how many hold the same bytes as another."""

    logs: tuple[ReportedLog, ...]
    other_files: int = 0
    unread: int = 0
    duplicates: int = 0

    @property
    def groups(self) -> list[tuple[ReportedSession, list[str]]]:
        """The logs that have a fingerprint in common, the most first: a session that has it, and the logs' names."""
        found: dict[str, tuple[ReportedSession, dict[str, None]]] = {}
        for log in self.logs:
            for session in log.sessions:
                if session.fingerprint:
                    found.setdefault(session.fingerprint, (session, {}))[1][log.name] = None
        return sorted(((session, [*names]) for session, names in found.values()), key=lambda each: -len(each[1]))


# What a person may choose of an outward report, named before anything of it is imported.

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
