"""What the engine found, as values that another process can be sent and a window shows."""

from inspector.core.engine.followed import files_to_watch
from inspector.core.judging.check import Report, SessionReport, Verdict
from inspector.core.repair.choices import Choices
from inspector.core.repair.edit_list import edits_of
from inspector.core.repair.plan import Plan
from inspector.core.reports.losses import loss_sentences
from inspector.core.reports.words import session_sentence
from inspector.core.save.converted import Converted
from inspector.core.save.next_steps import next_steps
from inspector.core.save.save import Written
from inspector.core.scene.finding import Severity
from inspector.core.showing.answers import OpenedLogView, RepairPreview, SaveResult, SessionSummary
from inspector.core.showing.changes import preview_rows
from inspector.core.showing.judged_outline import SubagentLog, build_outline
from inspector.core.showing.overview import log_overview
from inspector.core.showing.subagents import spans_with_subagents, subagent_findings


def opened_log_view(report: Report, beside: list[SubagentLog]) -> OpenedLogView:
    """A judged log, with the logs of subagents that are shown in it."""
    log = report.log
    findings = [finding for session in report.sessions for finding in session.findings]
    threads = [judged for session in report.sessions for judged in session.threads]
    outline, nodes = build_outline(log, threads, findings, beside)
    findings += subagent_findings(log, beside)
    overview = log_overview(log, tuple(_summary(report, each) for each in report.sessions))
    overview.checks_skipped = tuple(report.checks_skipped.items())
    overview.followed = files_to_watch(report, beside)
    starts, ends, overview.attached = spans_with_subagents(log, beside)
    return OpenedLogView(overview, tuple(findings), tuple(nodes), outline, starts, ends)


def _summary(report: Report, each: SessionReport) -> SessionSummary:
    session = each.session
    return SessionSummary(
        number=session.number,
        id=session.id,
        title=session.title,
        format=report.format.name,
        verdict=each.verdict.word,
        sentence=session_sentence(each),
        profile=session.profile,
        agent=session.agent,
        on_resume=each.on_resume.sentence,
        loses=each.on_resume.losses,
        records=len(session.records),
        messages=each.messages,
        calls=each.calls,
        results=each.results,
        errors=each.count(Severity.ERROR),
        warnings=each.count(Severity.WARNING),
        infos=each.count(Severity.INFO),
        recorded_error=each.recorded_error,
        # An error about the history that is found nowhere in it any more would else be a finding.
        error_is_past=each.error_kind is None and each.verdict in (Verdict.HEALTHY, Verdict.WAITING),
        memory=session.memory,
    )


def repair_preview(planned: Plan, report: Report, choices: Choices) -> RepairPreview:
    """A planned repair; `choices` are what the person chose for it."""
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
        unmet=tuple(each.sentence for each in planned.unused_choices),
        not_run=planned.not_run,
        faults=tuple(report.log.all_faults),
    )


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


def save_result(report: Report, written: Written, made: str) -> SaveResult:
    """What a save left on disk; `made` says what was done to the log."""
    steps, command = next_steps(report, written, made)
    return SaveResult(
        path=written.path,
        backup=written.backup,
        quarantine=written.quarantine,
        steps=steps,
        command=command,
        verdict=written.verdict,
        made=made,
        warnings=written.warnings,
    )


def conversion_save_result(written: Converted, is_log: bool) -> SaveResult:
    """What the save of a converted history left; `is_log`: it can be opened again."""
    return SaveResult(
        path=written.path,
        steps=(f"The converted history lies at {written.path}.", "To undo: delete it. The log is untouched."),
        verdict=written.verdict,
        made="converted",
        is_log=is_log,
    )
