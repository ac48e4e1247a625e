"""The one door between a front and the core: open a log, judge it, preview a repair, save it.

An Engine is synchronous and knows neither processes nor Qt. The window runs it in a child process and sends it
the requests below; the command line calls it directly.
"""

from collections.abc import Iterable, Iterator

from inspector.core.answers import LogEntry, LogVerdict, Opened, Preview, Saved, SessionSummary
from inspector.core.beside import read_beside, spans_with
from inspector.core.changes import changes_of
from inspector.core.check import Report, SessionReport, check
from inspector.core.errors import InspectorError
from inspector.core.finding import Severity
from inspector.core.formats.bases.terms import Cancelled, Progress, Reading
from inspector.core.opening import open_log, open_source
from inspector.core.outlining import Beside, outline_of
from inspector.core.overview import overview_of
from inspector.core.repair.choices import Choices
from inspector.core.repair.edit_list import edits_of
from inspector.core.repair.plan import Plan, plan
from inspector.core.reports.words import sentence
from inspector.core.save.next_steps import next_steps
from inspector.core.save.save import save_copy, save_in_place, save_new_session
from inspector.core.stores import entries, this_machine
from inspector.core.verdicts import verdict_of


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
        source = open_source(path, cancelled)
        reading = Reading(progress=progress, cancelled=cancelled)
        try:
            self._report = check(open_log(source, format_name, reading))
        except BaseException:
            source.close()
            raise
        beside = read_beside(self._report, reading)
        try:
            return _opened(self._report, beside)
        finally:
            for each in beside:
                each.log.source.close()

    def logs(self, folders: Iterable[str] = ()) -> Iterator[LogEntry]:
        """The logs in `folders`, or in the stores of this machine when none is named, the newest first."""
        return entries(this_machine(), folders)

    def judge(self, path: str, format_name: str = "", cancelled: Cancelled | None = None) -> LogVerdict:
        """What a log of a list comes to; the open log stays open."""
        return verdict_of(path, format_name, cancelled)

    def close(self) -> None:
        """Let go of the log: on Windows an open file cannot be replaced."""
        if self._report is not None:
            self._report.log.source.close()
        self._report = self._plan = None

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


def _opened(report: Report, beside: list[Beside]) -> Opened:
    log = report.log
    findings = [finding for session in report.sessions for finding in session.findings]
    threads = [judged for session in report.sessions for judged in session.threads]
    outline, nodes = outline_of(log, threads, findings, beside)
    overview = overview_of(log, tuple(_summary(report, each) for each in report.sessions))
    overview.checks_skipped = tuple(report.checks_skipped.items())
    starts, ends, overview.attached = spans_with(log, beside)
    return Opened(overview, tuple(findings), tuple(nodes), outline, starts, ends)


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
        memory=session.memory,
    )
