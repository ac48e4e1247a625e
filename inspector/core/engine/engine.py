"""The one door between a front and the core: open a log, judge it, preview a repair, save it.

An Engine is synchronous and knows neither processes nor Qt. The window runs it in a child process and sends it
the requests below; the command line calls it directly.
"""

from collections.abc import Iterable, Iterator

from inspector.core.convert.converting import Conversion, conversion
from inspector.core.engine.verdicts import verdict_of
from inspector.core.errors import Cancelled as CancelledError
from inspector.core.errors import InspectorError
from inspector.core.evidence.evidence import OpenCalls
from inspector.core.formats.bases.terms import Cancelled, Progress, Reading
from inspector.core.index.columns import Columns
from inspector.core.judging.check import Report, SessionReport, check
from inspector.core.opening.opening import open_log, open_source
from inspector.core.pasted.answering import answer_in, answer_on
from inspector.core.profiles import PROFILES
from inspector.core.repair.choices import Choices
from inspector.core.repair.edit_list import edits_of
from inspector.core.repair.offers import Offers
from inspector.core.repair.other_logs import offers_in
from inspector.core.repair.plan import Plan, plan
from inspector.core.reports.convert_report import convert_preview
from inspector.core.reports.evidence import changing
from inspector.core.reports.offers import offered_results
from inspector.core.reports.pages import page_of, rule_named
from inspector.core.reports.pasted_places import pasted_answer
from inspector.core.reports.sent_json import sent_json
from inspector.core.reports.sent_preview import sent_preview
from inspector.core.reports.trim_report import trim_preview
from inspector.core.reports.words import sentence
from inspector.core.save.beside import save_beside
from inspector.core.save.converted import save_conversion
from inspector.core.save.next_steps import next_steps
from inspector.core.save.restore import backup_at, restore
from inspector.core.save.save import Written, save_copy, save_in_place, save_new_session
from inspector.core.scene.finding import Severity
from inspector.core.sent.sending import Sending, sending_of, session_number
from inspector.core.showing.acceptance import accepted_by
from inspector.core.showing.answers import (
    Acceptance,
    Backup,
    ConvertPreview,
    LogEntry,
    LogVerdict,
    OfferedResult,
    Opened,
    PastedAnswer,
    Preview,
    Restored,
    RulePage,
    Saved,
    SentPreview,
    SessionSummary,
    TrimPreview,
)
from inspector.core.showing.changes import changes_of
from inspector.core.showing.judged_outline import Beside, outline_of
from inspector.core.showing.overview import overview_of
from inspector.core.showing.subagents import read_beside, spans_with
from inspector.core.showing.unanswered import evidence_of
from inspector.core.stores.found import entries, found_in_stores, this_machine
from inspector.core.trim.trimming import Trimmed, trim
from inspector.core.trim.wish import Trimming


class Engine:
    """Holds one open log. Every method raises InspectorError with a sentence for the person."""

    def __init__(self) -> None:
        self._report: Report | None = None
        self._plan: tuple[Choices, Plan] | None = None
        self._trimmed: tuple[Trimming, Trimmed] | None = None
        self._offers: tuple[tuple[str, ...], Offers] = ((), {})

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

    def explain(self, text: str) -> PastedAnswer:
        """What a pasted error or request has to do with the open log."""
        return pasted_answer(answer_in(text, self._opened_report()))

    def search(self, text: str, progress: Progress | None = None, cancelled: Cancelled | None = None) -> PastedAnswer:
        """What a pasted error or request has to do with the sessions of this machine; the open log stays open.

        `progress(done, total)` is called with logs.
        """

        def go_on(done: int, total: int) -> None:
            if cancelled is not None and cancelled():
                raise CancelledError("The search was stopped.")
            if progress is not None:
                progress(done, total)

        return pasted_answer(answer_on(text, found_in_stores(this_machine()), go_on))

    def accepted(self) -> list[dict[str, Acceptance]]:
        """What every provider would answer to each session of the open log, as it is stored."""
        return accepted_by(self._opened_report(), list(PROFILES))

    def open_calls(self) -> OpenCalls:
        """What the open log shows of its unanswered calls; the time it takes grows with their number."""
        report = self._opened_report()
        evidence = evidence_of(report)
        return OpenCalls(evidence, tuple(finding.id for finding, _ in changing(report, evidence)))

    def rule_page(self, rule: str) -> RulePage:
        """What there is to say about a class of anomaly, by its code or slug."""
        return page_of(rule_named(rule))

    def close(self) -> None:
        """Let go of the log: on Windows an open file cannot be replaced."""
        if self._report is not None:
            self._report.log.source.close()
        self._report = self._plan = self._trimmed = None
        self._offers = ((), {})

    def preview(self, choices: Choices) -> Preview:
        """Plan the repair that `choices` ask for. Nothing is written."""
        planned = self._planned(choices)
        report = self._opened_report()
        return Preview(
            changes=tuple(changes_of(planned, report)),
            losses=tuple(loss.sentence for loss in planned.draft.losses),
            accepted=planned.refusals,
            on_resume=planned.on_resume,
            verified=planned.verified,
            reason=planned.reason,
            chosen=planned.chosen,
            edits=len(edits_of(planned, valued=False)),
            effects=_effects(planned),
            caveat=planned.caveat,
            unmet=tuple(each.sentence for each in planned.unmet),
            not_run=planned.not_run,
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
        return _saved(report, written, "repaired")

    def backup_at(self, path: str) -> Backup:
        """What a backup would put back, and where."""
        return backup_at(path)

    def restore(self, backup: str) -> Restored:
        """Put it back; the open log is let go of, whichever it is."""
        self.close()
        return restore(backup)

    def trim(self, trimming: Trimming) -> TrimPreview:
        """Plan a trimming. Nothing is written."""
        return trim_preview(self._trimmed_by(trimming))

    def save_trimmed(self, trimming: Trimming, target: str) -> Saved:
        """Write a trimmed copy."""
        return _saved(self._opened_report(), save_copy(self._trimmed_by(trimming).plan, target), "trimmed")

    def convert(self, to: str, session: str = "", repairs: Choices | None = None) -> ConvertPreview:
        """What the conversion of a session (its id or number) skips and adapts. Nothing is written.

        `repairs` are the choices of the repair whose outcome is converted, None to convert what the log holds.
        """
        converted = self._conversion(to, session, repairs)
        return convert_preview(converted, self._opened_report().log.source)

    def save_converted(self, to: str, session: str, repairs: Choices | None, target: str) -> Saved:
        """Write a converted history."""
        converted = self._conversion(to, session, repairs)
        written = save_conversion(converted, target, self._opened_report().log.source.path)
        return Saved(
            path=written.path,
            backup="",
            quarantine="",
            steps=(f"The converted history lies at {written.path}.", "To undo: delete it. The log is untouched."),
            command="",
            verdict=written.verdict,
            made="converted",
            is_log=bool(converted.target.reads_as),
        )

    def sent(self, repairs: Choices | None, session: str = "") -> SentPreview:
        """What the agent will send when it resumes a session (its id or number).

        `repairs` are the choices of the repair that is resumed, None for the log as it is.
        """
        return sent_preview(self._opened_report(), *self._sending(repairs, session))

    def sent_as_json(self, repairs: Choices | None, session: str = "") -> bytes:
        """The same as the command prints it."""
        report = self._opened_report()
        return sent_json(report.log.source.path, report.format.name, *self._sending(repairs, session))

    def save_sent(self, repairs: Choices | None, session: str, target: str) -> None:
        """Write that to `target`."""
        save_beside(self.sent_as_json(repairs, session), target, self._opened_report().log.source.path)

    def offers(self, paths: tuple[str, ...]) -> tuple[OfferedResult, ...]:
        """The results that the logs at `paths` hold for the open calls of the open log."""
        return offered_results(self._offers_of(paths), self._opened_report().log)

    def _opened_report(self) -> Report:
        if self._report is None:
            raise InspectorError("No log is open.")
        return self._report

    def _planned(self, choices: Choices) -> Plan:
        """The plan for `choices`; the newest one is kept, since a save follows a preview."""
        if self._plan is None or self._plan[0] != choices:
            planned = plan(self._opened_report(), choices, offers=self._offers_of(choices.results_from))
            self._plan = (choices, planned)
        return self._plan[1]

    def _trimmed_by(self, trimming: Trimming) -> Trimmed:
        """The newest trimming is kept, since a save follows a preview."""
        if self._trimmed is None or self._trimmed[0] != trimming:
            offers = self._offers_of(trimming.repairs.results_from if trimming.repairs else ())
            self._trimmed = (trimming, trim(self._opened_report(), trimming, offers))
        return self._trimmed[1]

    def _sending(self, repairs: Choices | None, session: str) -> tuple[Sending, Columns]:
        """What is sent, and the columns in which it tells of blocks."""
        report = self._opened_report()
        planned = self._planned(repairs) if repairs is not None else None
        sending = sending_of(report, session_number(report, session), planned)
        return sending, planned.draft.columns if planned is not None else report.log.columns

    def _conversion(self, to: str, session: str, repairs: Choices | None) -> Conversion:
        planned = self._planned(repairs) if repairs is not None else None
        return conversion(self._opened_report(), to, session, planned)

    def _offers_of(self, paths: tuple[str, ...]) -> Offers:
        """What other logs offer, read once: what was previewed is what is saved."""
        if self._offers[0] != paths:
            self._offers = (paths, offers_in(self._opened_report(), list(paths)))
        return self._offers[1]


def _opened(report: Report, beside: list[Beside]) -> Opened:
    log = report.log
    findings = [finding for session in report.sessions for finding in session.findings]
    threads = [judged for session in report.sessions for judged in session.threads]
    outline, nodes = outline_of(log, threads, findings, beside)
    overview = overview_of(log, tuple(_summary(report, each) for each in report.sessions))
    overview.checks_skipped = tuple(report.checks_skipped.items())
    starts, ends, overview.attached = spans_with(log, beside)
    return Opened(overview, tuple(findings), tuple(nodes), outline, starts, ends)


def _effects(planned: Plan) -> tuple[str, ...]:
    """What a repair entails, each thing once; of several sessions with those that it is said of."""
    titles = {session.number: session.title or session.id for session in planned.sessions}
    said: dict[str, list[int]] = {}
    for number, effects in planned.effects.items():
        for effect in effects:
            said.setdefault(effect, []).append(number)
    if len(titles) == 1:
        return tuple(said)
    return tuple(
        f"In {len(numbers)} sessions: {effect}" if len(numbers) > 1 else f"In {titles[numbers[0]]}: {effect}"
        for effect, numbers in said.items()
    )


def _saved(report: Report, written: Written, made: str) -> Saved:
    steps, command = next_steps(report, written, made)
    return Saved(
        path=written.path,
        backup=written.backup,
        quarantine=written.quarantine,
        steps=steps,
        command=command,
        verdict=written.verdict,
        made=made,
        warnings=written.warnings,
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
        memory=session.memory,
    )
