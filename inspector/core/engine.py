"""The one door between a front and the core: open a log, judge it, preview a repair, save it.

An Engine is synchronous and knows neither processes nor Qt. The window runs it in a child process and sends it
the requests below; the command line calls it directly.
"""

from msgspec import Struct

from inspector.core.changes import Change, changes_of
from inspector.core.check import Report, SessionReport, check, format_of, judge_nothing, open_log
from inspector.core.errors import InspectorError
from inspector.core.finding import Finding, Severity
from inspector.core.formats import FORMATS, RAW, format_named
from inspector.core.formats.format import Cancelled, Format, Progress, Reading
from inspector.core.outline import Outline, outline_of
from inspector.core.repair.edit_list import edits_of
from inspector.core.repair.plan import Choices, Plan, plan
from inspector.core.repair.presets import PRESETS
from inspector.core.reports.words import sentence
from inspector.core.save.next_steps import next_steps
from inspector.core.save.save import save_copy, save_in_place, save_new_session
from inspector.core.session import Log
from inspector.core.source import Source
from inspector.core.views import BlockKind, BlockView, RecordView

__all__ = [
    "Change",
    "Choices",
    "Engine",
    "Opened",
    "Overview",
    "Preview",
    "Saved",
    "SessionSummary",
    "view_record",
]


class SessionSummary(Struct, frozen=True, kw_only=True):
    """The head of one session, as the verdict line and the lists show it.

    `verdict` is one of broken, unexplained, waiting, healthy, not-judged, unreadable; `sentence` says it in words.
    """

    number: int
    id: str
    title: str
    format: str
    verdict: str
    sentence: str
    profile: str
    agent: str
    on_resume: str
    loses: tuple[str, ...]
    records: int
    messages: int
    calls: int
    results: int
    errors: int
    warnings: int
    infos: int
    recorded_error: str = ""


class Overview(Struct, kw_only=True):
    """What `Engine.open` found, all but the findings and the tree. `spans` are the records' byte offsets."""

    path: str
    format: str
    format_label: str
    size: int
    writable: bool
    why_read_only: str
    formats_to_choose: tuple[tuple[str, str], ...]
    presets: tuple[tuple[str, str], ...]
    save_modes: tuple[str, ...]
    sessions: tuple[SessionSummary, ...]
    checks_skipped: tuple[tuple[str, str], ...]


class Opened(Struct):
    """Everything a front needs to show a log; `starts`/`ends` are the byte spans of the records."""

    overview: Overview
    findings: tuple[Finding, ...]
    nodes_of_findings: tuple[int, ...]
    outline: Outline
    starts: object
    ends: object


class Preview(Struct, frozen=True, kw_only=True):
    """A planned repair. `accepted` maps a profile to None (accepted) or the sentence it would refuse with."""

    changes: tuple[Change, ...]
    losses: tuple[str, ...]
    accepted: dict[str, str | None]
    on_resume: str
    verified: bool
    reason: str
    chosen: dict[str, str]
    edits: int


class Saved(Struct, frozen=True, kw_only=True):
    """What a save did, and what the person does next: numbered `steps`, `command` to copy ("" when there is none)."""

    path: str
    backup: str
    quarantine: str
    steps: tuple[str, ...]
    command: str
    verdict: str


class Engine:
    """Holds one open log. Every method raises InspectorError with a sentence for the person."""

    def __init__(self) -> None:
        self._report: Report | None = None
        self._plan: tuple[Choices, Plan] | None = None

    def open(
        self,
        path: str,
        format_name: str = "",
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
    ) -> Opened:
        """Read and judge the log at `path`. `progress(done, total)` is called with bytes."""
        self.close()
        source = Source.open(path)
        report = check(open_log(source, format_name, Reading(progress=progress, cancelled=cancelled)))
        self._report = report
        return _opened(report)

    def close(self) -> None:
        """Let go of the log: on Windows an open file cannot be replaced."""
        if self._report is not None:
            self._report.log.source.close()
        self._report = self._plan = None

    def head(self, path: str, limit: int = 65536) -> Opened:
        """The same over the first `limit` bytes only, without findings: the first rows, at once."""
        source = Source.open(path)
        try:
            log = open_log(source, "", Reading(limit=min(limit, source.size)))
            format = format_of(log)
            threads = [] if format is RAW else [judge_nothing(log, session) for session in log.sessions]
            outline, _ = outline_of(log, threads, [])
            overview = _overview(log, format, ())
            return Opened(overview, (), (), outline, log.columns.starts, log.columns.ends)
        finally:
            source.close()

    def preview(self, choices: Choices) -> Preview:
        """Plan the repair that `choices` ask for. Nothing is written."""
        planned = self._planned(choices)
        report = self._opened_report()
        errors = planned.remaining
        resume = [report.format.on_resume(session, errors).sentence for session in planned.sessions[:1]]
        return Preview(
            changes=tuple(changes_of(planned, report)),
            losses=tuple(loss.sentence for loss in planned.draft.losses),
            accepted=planned.refusals,
            on_resume="".join(resume),
            verified=planned.verified,
            reason=planned.reason,
            chosen=planned.chosen,
            edits=len(edits_of(planned)),
        )

    def save(self, choices: Choices, mode: str, target: str = "") -> Saved:
        """Write the plan. `mode` is one of `Overview.save_modes`: copy, in-place, new-session."""
        planned = self._planned(choices)
        report = self._opened_report()
        if mode == "copy":
            written = save_copy(planned, target)
        elif mode == "in-place":
            written = save_in_place(planned)
        else:
            written = save_new_session(planned, target)
        steps, command = next_steps(report, written)
        return Saved(
            path=written.path,
            backup=written.backup,
            quarantine=written.quarantine,
            steps=steps,
            command=command,
            verdict=written.verdict,
        )

    def _opened_report(self) -> Report:
        if self._report is None:
            raise InspectorError("No log is open.")
        return self._report

    def _planned(self, choices: Choices) -> Plan:
        """The plan for `choices`; the newest one is kept, since a save follows a preview."""
        if self._plan is None or self._plan[0] != choices:
            self._plan = (choices, plan(self._opened_report(), choices))
        return self._plan[1]


def view_record(format_name: str, raw: bytes) -> RecordView:
    """Parse one record for showing; never raises, an unreadable one has a summary that says so."""
    try:
        return format_named(format_name).view(raw)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        text = raw.decode("utf-8", "backslashreplace")
        return RecordView("", "unreadable record", (BlockView(BlockKind.OTHER, text, ""),))


def _opened(report: Report) -> Opened:
    log = report.log
    findings = [finding for session in report.sessions for finding in session.findings]
    threads = [judged for session in report.sessions for judged in session.threads]
    outline, nodes = outline_of(log, threads, findings)
    overview = _overview(log, report.format, tuple(_summary(report, each) for each in report.sessions))
    overview.checks_skipped = tuple(report.checks_skipped.items())
    return Opened(overview, tuple(findings), tuple(nodes), outline, log.columns.starts, log.columns.ends)


def _overview(log: Log, format: Format, sessions: tuple[SessionSummary, ...]) -> Overview:
    known = format is not RAW
    modes = ("copy", "in-place") if known else ()
    if known and format.new_session(log) is not None:
        modes = ("new-session", *modes)
    return Overview(
        path=log.source.path,
        format=format.name,
        format_label=format.label,
        size=log.source.size,
        writable=known,
        why_read_only="" if known else "What the records of this log mean is not known.",
        formats_to_choose=tuple((each.name, each.label) for each in FORMATS.values()),
        presets=tuple((preset.name, preset.summary) for preset in PRESETS.values()),
        save_modes=modes,
        sessions=sessions,
        checks_skipped=(),
    )


def _summary(report: Report, each: SessionReport) -> SessionSummary:
    session = each.session
    return SessionSummary(
        number=session.number,
        id=session.id,
        title=session.title,
        format=report.format.name,
        verdict=each.verdict.word,
        sentence=sentence(each),
        profile=session.profile,
        agent=session.agent,
        on_resume=each.on_resume.sentence,
        loses=each.on_resume.loses,
        records=len(session.members),
        messages=each.messages,
        calls=each.calls,
        results=each.results,
        errors=each.count(Severity.ERROR),
        warnings=each.count(Severity.WARNING),
        infos=each.count(Severity.INFO),
        recorded_error=each.recorded_error,
    )
