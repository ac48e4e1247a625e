"""The engine of the window: it holds one open log, and its methods return plain values.

An Engine is synchronous and does not depend on processes or Qt. The window runs it in a child process and calls its
methods there. They use the same OpenLog as the commands.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from inspector.core.analysis.evidence_search import EvidenceOfOpenCalls
from inspector.core.analysis.finding import Severity
from inspector.core.check.check import Report, SessionReport, Verdict
from inspector.core.check.execution_evidence import (
    calls_with_possible_effects,
    evidence_by_finding,
    unanswered_findings,
)
from inspector.core.convert.convert import conversion_summary
from inspector.core.discovery.opening import open_source
from inspector.core.engine import without_open_log
from inspector.core.engine.activity import GrowthTracker, is_open_for_writing, other_files_to_watch
from inspector.core.engine.log import OpenLog
from inspector.core.engine.log_list import EngineWithoutOpenLog
from inspector.core.engine.shareable_files import (
    make_send_back_package,
    save_send_back_package,
    write_bundle,
    write_derived_file,
)
from inspector.core.error_lookup.report import lookup_answer
from inspector.core.errors import InspectorError
from inspector.core.formats import format_of_log
from inspector.core.formats.base.format import IsCancelled, Progress
from inspector.core.lazy import LazyModule
from inspector.core.presentation.context_series import context_series
from inspector.core.presentation.detail_pieces import DetailsRequest, RecordDetails
from inspector.core.presentation.details import details_of_record
from inspector.core.presentation.diff import diff_records
from inspector.core.presentation.diff_result import DiffRequest, DiffRun, DiffViewOptions
from inspector.core.presentation.engine_results import (
    Acceptance,
    Backup,
    ContextSeries,
    ConversionSummary,
    Facets,
    FilterResult,
    JumpTarget,
    LogComparison,
    LookupAnswer,
    OpenedLogView,
    PredefinedListRow,
    RenderedShareableReport,
    RepairInstructionsPackage,
    RepairPreview,
    RequestPreview,
    RestoreResult,
    ResultInOtherLog,
    RulePage,
    SaveResult,
    SendBackRecipient,
    SessionSummary,
    ShareableReportOptions,
    StoredDataRemoval,
    TextMatches,
    TrimPreview,
)
from inspector.core.presentation.opened_log_facts import opened_log_facts, view_record, working_folder
from inspector.core.presentation.outline_builder import SubagentLog, build_outline
from inspector.core.presentation.plan_preview import preview_rows
from inspector.core.presentation.subagents import read_subagent_logs, spans_with_subagents, subagent_findings
from inspector.core.providers.registry import PROFILES
from inspector.core.repair.choices import Choices
from inspector.core.repair.edit_list import edits_of
from inspector.core.repair.plan import Plan
from inspector.core.report.context_window_usage import context_sentences, context_usage
from inspector.core.report.format_and_rule_tables import build_rule_page, rule_named
from inspector.core.report.one_line_summaries import problem_sentences, repair_button_text
from inspector.core.report.repair import offered_results
from inspector.core.report.sentences import (
    ended_with_too_long_error,
    loss_sentences,
    recovered_sentences,
    session_sentences,
    unused_result_sentences,
)
from inspector.core.report.session_parts import cause_entry
from inspector.core.report.shareable.builder import render_log_report
from inspector.core.resume_request.request import request_json, request_preview
from inspector.core.search.filter_rows import apply_filter
from inspector.core.search.jump_targets import find_jump_target
from inspector.core.search.predefined_lists import compute_facets, predefined_list_rows
from inspector.core.search.raw_text_search import search_text
from inspector.core.search.row_masks import SearchableLog
from inspector.core.storage.archive import SpooledArchiveMember
from inspector.core.storage.source import Source
from inspector.core.translation import joined, tr
from inspector.core.trim.options import Trimming
from inspector.core.trim.report import trim_preview

if TYPE_CHECKING:
    from inspector.core.save import save as saves
else:
    # What saves is needed only for a log that has a command.
    saves = LazyModule("inspector.core.save.save")

_MOST_DIFFERENCES = 2000
_MOST_WITH_COMMANDS = 100  # sessions in a log for which commands are looked up while it is opened


class WindowEngine(EngineWithoutOpenLog):
    """Holds one open log. Every method raises InspectorError with a sentence for the user."""

    def __init__(self) -> None:
        self._log: OpenLog | None = None
        self._search_index: SearchableLog | None = None
        self._growth = GrowthTracker()
        self._assembled: list[Source] = []  # logs of subagents of which the window reads the temporary file

    def open(
        self,
        path: str,
        format_name: str = "",
        progress: Progress | None = None,
        cancelled: IsCancelled | None = None,
        deep: bool = False,
        followed: bool = False,
    ) -> OpenedLogView:
        """Read and judge the log at `path`; `deep` checks every byte.

        `followed` means that it is read again because it changed on disk: the sessions that grew since are at work.
        `progress(done, total)` is called with bytes.
        """
        self.close()
        source = open_source(path, cancelled)
        if source.archive and not source.bytes_path:
            source = SpooledArchiveMember(source)
        log = OpenLog(source, format_name, deep, progress, cancelled)
        try:
            self._growth.update(log.log, followed)
            report = log.check()
        except BaseException:
            log.close()
            raise
        self._log = log
        subagents = read_subagent_logs(report, cancelled)
        try:
            opened = opened_log_view(report, subagents)
            self._search_index = SearchableLog(report, opened, subagents)
            return opened
        finally:
            for side in (subagent.log.source for subagent in subagents):
                if side.bytes_path in ("", side.path):
                    side.close()
                else:
                    self._assembled.append(side)

    def close(self) -> None:
        """Close the log, because an open file cannot be replaced on Windows."""
        if self._log is not None:
            self._log.close()
        self._log = self._search_index = None
        while self._assembled:
            self._assembled.pop().close()

    @property
    def log(self) -> OpenLog:
        """The log that is open. Raises InspectorError if none is."""
        if self._log is None:
            raise InspectorError(tr("No log is open."))
        return self._log

    def is_agent_active(self) -> bool:
        """Return whether the agent of the open log is still known to be at work."""
        return self._growth.is_growing or is_open_for_writing(self.log.source.path)

    @property
    def search_index(self) -> SearchableLog:
        """The index for searches in the open log. Raises InspectorError if no log is open."""
        if self._search_index is None:
            raise InspectorError(tr("No log is open."))
        return self._search_index

    # This machine. The open log stays open.

    def rule_page(self, rule: str) -> RulePage:
        """Return the page about a rule, given by its code or slug."""
        return build_rule_page(rule_named(rule))

    def backup_info(self, path: str) -> Backup:
        """Return what a backup would restore, and where."""
        return without_open_log.read_backup(path)

    def restore(self, backup: str) -> RestoreResult:
        """Restore a backup. The open log is closed, whichever it is."""
        self.close()
        return without_open_log.restore(backup)

    def forget(self, folders: tuple[str, ...] = ()) -> StoredDataRemoval:
        """Remove what is stored outside of the logs, except for the settings of the window, which clears them itself.

        Files next to logs are never removed, only listed. They are looked for in `folders` and below, too.
        """
        return without_open_log.remove_stored_data(folders, settings=False)

    # What is wrong with the log.

    def explain(self, text: str) -> LookupAnswer:
        """Return what a pasted error or request has to do with the open log."""
        return lookup_answer(self.log.explain(text))

    def check_acceptance(self) -> list[dict[str, Acceptance]]:
        """Return what every provider would answer to each session of the open log, as it is stored."""
        return self.log.accepted(list(PROFILES))

    def open_calls(self) -> EvidenceOfOpenCalls:
        """Return what the open log shows about its unanswered calls. The time this takes grows with their number."""
        report = self.log.report
        findings = unanswered_findings(report)
        changing = tuple(call.id for call in calls_with_possible_effects(report, findings))
        return EvidenceOfOpenCalls(evidence_by_finding(report, findings), changing)

    # Search in the log.

    def find(self, text: str, match_case: bool, cancelled: IsCancelled | None = None) -> Iterator[TextMatches]:
        """Yield the records that hold a text as they are found, also in the logs that are shown in the open one."""
        return search_text(self.search_index, text, match_case, cancelled)

    def go_to(self, text: str) -> JumpTarget:
        """Return the row for the number of a line, a record or a message, or for an id."""
        return find_jump_target(self.search_index, text)

    def compare_logs(self, path: str) -> LogComparison:
        """Compare the open log with the one at `path`. Of very many differences only the first are returned."""
        with OpenLog.at(path) as other:
            other.require_judged()
            return self.log.between(other, _MOST_DIFFERENCES)

    def filter(self, line: str, cancelled: IsCancelled | None = None) -> FilterResult:
        """Return the rows that match a filter line. Raises Cancelled."""
        return apply_filter(self.search_index, line, cancelled)

    def content_list(self, name: str, cancelled: IsCancelled | None = None) -> list[PredefinedListRow]:
        """Return the rows of a predefined list (see `search.lists`). Raises Cancelled."""
        return predefined_list_rows(self.search_index, name, cancelled)

    def context_series(self, session: int) -> ContextSeries:
        """Return the tokens of the context over a session of the open log (by number)."""
        return context_series(self.log.report, session)

    def facets(self) -> Facets:
        """Return the facets of the open log."""
        return compute_facets(self.search_index)

    # What can be made of the log.

    def preview(self, choices: Choices) -> RepairPreview:
        """Plan the repair that `choices` ask for. Nothing is written."""
        return repair_preview(self.log.plan(choices), self.log.report, choices)

    def diff_changes(
        self, choices: Choices, wanted: tuple[DiffRequest, ...], manner: DiffViewOptions
    ) -> tuple[tuple[DiffRun, ...], ...]:
        """Return records of the log next to what a planned repair makes of them."""
        return diff_records(self.log.plan(choices), self.log.report, wanted, manner)

    def save(self, choices: Choices, mode: str, target: str = "", progress: Progress | None = None) -> SaveResult:
        """Write the plan. `mode` is one of `Overview.save_modes`: copy, in-place, new-session; or "partial-copy".

        `progress(done, total)` is called with bytes.
        """
        if mode == "partial-copy":
            return self.log.save_partial_copy(self.log.plan(choices), target, progress)
        return self.log.save(self.log.plan(choices), target, mode, progress)

    def trim(self, trimming: Trimming) -> TrimPreview:
        """Plan a trimming. Nothing is written."""
        return trim_preview(self.log.trim(trimming))

    def save_trimmed(self, trimming: Trimming, target: str, progress: Progress | None = None) -> SaveResult:
        """Write a trimmed copy, or without a `target` a new session where the format has one.

        `progress(done, total)` is called with bytes.
        """
        trimmed = self.log.trim(trimming)
        new_session = not target and "new-session" in self.log.save_modes
        return self.log.save_trimmed(trimmed, target, "new-session" if new_session else "copy", progress)

    def convert(self, to: str, session: str = "", repairs: Choices | None = None) -> ConversionSummary:
        """Return what the conversion of a session (its id or number) skips and adapts. Nothing is written.

        `repairs` are the choices of the repair whose outcome is converted, None to convert the log as it is.
        """
        return conversion_summary(self.log.convert(to, session, repairs), self.log.source)

    def save_converted(self, to: str, session: str, repairs: Choices | None, target: str) -> SaveResult:
        """Write a converted history."""
        return self.log.save_converted(self.log.convert(to, session, repairs), target)

    def details(self, wanted: list[DetailsRequest]) -> dict[int, RecordDetails]:
        """Return the details of records, by their numbers."""
        return {request.record: self._details(request) for request in wanted}

    def _details(self, wanted: DetailsRequest) -> RecordDetails:
        log = self.log.report.log
        if wanted.path:
            with Source.open(wanted.path) as source:
                raw = source.read(*wanted.span)
        else:
            raw = log.raw(wanted.record)
        name = format_of_log(log).name
        return details_of_record(name, view_record(name, raw), raw, wanted.reads)

    def resume_request(self, repairs: Choices | None, session: str = "") -> RequestPreview:
        """Return what the agent will send when it resumes a session (its id or number).

        `repairs` are the choices of the repair that is resumed, None for the log as it is.
        """
        return request_preview(self.log.report, self.log.sent(repairs, session))

    def resume_request_json(self, repairs: Choices | None, session: str = "") -> bytes:
        """Return the resume request as the command prints it."""
        log = self.log
        return request_json(log.source.path, log.report.format.name, log.sent(repairs, session))

    def save_resume_request(self, repairs: Choices | None, session: str, target: str) -> str:
        """Write the resume request to `target`, and return `target`."""
        write_derived_file(target, self.resume_request_json(repairs, session), self.log.source)
        return target

    def share_report(self, wish: ShareableReportOptions) -> RenderedShareableReport:
        """Return a report on the open log to pass on."""
        return render_log_report(self.log.report, self.log.evidence(), wish)

    def save_share_report(self, wish: ShareableReportOptions, target: str) -> str:
        """Write the report to `target`, and return `target`."""
        write_derived_file(target, self.share_report(wish).text.encode(), self.log.source)
        return target

    def send_back(self, choices: Choices, wish: SendBackRecipient) -> RepairInstructionsPackage:
        """Return the repair for `choices` as a page of instructions and a plan, to be done where the log is.

        Both hold nothing of the log's content. Nothing is written. Raises NotVerified if there is nothing to repair or
        the repair does not verify, ReadOnlyFormat if it adds words or results, which a plan without content cannot
        hold.
        """
        return make_send_back_package(self.log, choices, wish)

    def save_send_back(self, choices: Choices, wish: SendBackRecipient, target: str) -> str:
        """Write the page and the plan as a zip archive to `target`, and return `target`."""
        save_send_back_package(self.log, choices, wish, target)
        return target

    def save_bundle(self, language: str, target: str) -> int:
        """Write a bundle of the open log: a log without content that yields the same findings, and reports on it.

        Returns the number of findings. Raises NotVerified if the bundle would yield others, ReadOnlyFormat if no bundle
        can be made of such a log.
        """
        return write_bundle(self.log, target, language)

    def result_offers(self, paths: tuple[str, ...]) -> tuple[ResultInOtherLog, ...]:
        """Return the results that the logs at `paths` hold for the open calls of the open log."""
        return offered_results(self.log.offers(paths), self.log.report.log)


def opened_log_view(report: Report, subagents: list[SubagentLog]) -> OpenedLogView:
    """Return the view of a judged log, with the logs of subagents that are shown in it."""
    log = report.log
    findings = [finding for session in report.sessions for finding in session.findings]
    threads = [judged for session in report.sessions for judged in session.threads]
    outline, nodes = build_outline(log, threads, findings, subagents)
    findings += subagent_findings(log, subagents)
    overview = opened_log_facts(log, tuple(_summary(report, session) for session in report.sessions))
    overview.checks_skipped = tuple(report.checks_skipped.items())
    overview.followed = other_files_to_watch(report.log, subagents)
    starts, ends, overview.attached = spans_with_subagents(log, subagents)
    return OpenedLogView(overview, tuple(findings), tuple(nodes), outline, starts, ends)


def _summary(report: Report, session_report: SessionReport) -> SessionSummary:
    session, sentences = session_report.session, session_sentences(session_report)
    cause = cause_entry(session_report)
    return SessionSummary(
        number=session.number,
        id=session.id,
        title=session.title,
        format=report.format.name,
        verdict=session_report.verdict.word,
        sentence=joined(" ", sentences),
        headline=sentences[0],
        remarks=sentences[1:],
        problems=problem_sentences(session_report) if session_report.verdict.is_trouble else "",
        cause=cause.happened if cause else "",
        advice=cause.advice if cause else "",
        cause_url=cause.source if cause else "",
        command=_resume_command(report, session_report),
        profile=session.profile,
        agent=session.agent,
        on_resume=session_report.on_resume.sentence,
        loses=session_report.on_resume.losses,
        records=len(session.records),
        messages=session_report.messages,
        calls=session_report.calls,
        results=session_report.results,
        errors=session_report.count(Severity.ERROR),
        warnings=session_report.count(Severity.WARNING),
        infos=session_report.count(Severity.INFO),
        recorded_error=session_report.recorded_error,
        context=tuple(context_sentences(context_usage(report, session_report)))
        if ended_with_too_long_error(session_report)
        else (),
        # Past: an error about the history that nothing in it explains any more. Otherwise it would be a finding.
        error_is_past=session_report.error_kind is None
        and session_report.verdict in (Verdict.HEALTHY, Verdict.WAITING),
        memory=session.memory,
    )


def _resume_command(report: Report, session_report: SessionReport) -> str:
    """Return the command that resumes a session which needs no repair, "" where there is none."""
    needs_none = session_report.verdict in (Verdict.HEALTHY, Verdict.HEALS_ITSELF) and session_report.messages
    if not needs_none or len(report.sessions) > _MOST_WITH_COMMANDS:
        return ""
    session = session_report.session
    return saves.resume_command(report, session, working_folder(report.log, session.number))


def repair_preview(planned: Plan, report: Report, choices: Choices) -> RepairPreview:
    """Return the preview of a planned repair; `choices` are what the user chose for it."""
    rejected = [finding for finding, strategy in choices.findings.items() if strategy == "leave"]
    changes = tuple(preview_rows(planned, report, rejected))
    return RepairPreview(
        changes=changes,
        losses=tuple(loss_sentences(planned.draft.losses, report.log)),
        accepted=planned.refusals,
        on_resume=planned.on_resume,
        verified=planned.verified,
        reason=planned.reason,
        chosen=planned.chosen,
        edits=len(edits_of(planned, with_values=False)),
        effects=_effects(planned),
        caveat=planned.caveat,
        unmet=tuple(choice.sentence for choice in planned.unused_choices),
        not_run=planned.not_run,
        faults=tuple(report.log.all_faults),
        recovered=tuple(recovered_sentences(planned)),
        unused_results=tuple(unused_result_sentences(planned)),
        button=repair_button_text(planned),
    )


def _effects(planned: Plan) -> tuple[str, ...]:
    """Return what a repair entails, every effect once. With several sessions, an effect says which it concerns."""
    titles = {session.number: session.title or session.id for session in planned.sessions}
    sessions_by_effect: dict[str, list[int]] = {}
    for number, effects in planned.effects.items():
        for effect in effects:
            sessions_by_effect.setdefault(effect, []).append(number)
    if len(titles) == 1:
        return tuple(sessions_by_effect)
    return tuple(
        tr("In {number} sessions: {effect}", number=len(numbers), effect=effect)
        if len(numbers) > 1
        else tr("In {titles}: {effect}", titles=titles[numbers[0]], effect=effect)
        for effect, numbers in sessions_by_effect.items()
    )
