"""What every way of `fix` does with a log: show the problem and its repair, ask, save, and print the command."""

from __future__ import annotations

import sys
import time
from operator import attrgetter
from typing import TYPE_CHECKING

import click

from inspector.cli import exit_codes, options
from inspector.cli.log_input import open_log_at
from inspector.cli.outcome_printing import save_result_lines
from inspector.cli.terminal import print_text
from inspector.core.discovery.log_entry import LogEntry
from inspector.core.engine.activity import JUST_CHANGED_SECONDS, may_be_running
from inspector.core.engine.error_repair import plan_for_findings, session_of_findings
from inspector.core.engine.log import OpenLog
from inspector.core.engine.project_sessions import earlier_repair, worst_session_of_project
from inspector.core.engine.saving import without_steps_of_command
from inspector.core.presentation.engine_results import SaveResult
from inspector.core.repair.choices import Choices
from inspector.core.report.context_window_usage import too_long_context_lines
from inspector.core.report.one_line_summaries import problems_line, repair_lines
from inspector.core.report.sentences import one_line
from inspector.core.report.session_parts import cause_lines, may_have_run_sentence
from inspector.core.report.text import headline
from inspector.core.translation import tr

if TYPE_CHECKING:
    from inspector.core.engine.result_types import Plan, SessionReport
    from inspector.core.engine.shareable_files import PortablePlan

_BROKEN, _HEALS_ITSELF, _UNEXPLAINED = "broken", "heals-itself", "unexplained"
_TITLE = 60


def fix_log(
    log: OpenLog, path: str, project: str, yes: bool, dry_run: bool, findings: frozenset[str] | None = None,
    portable: PortablePlan | None = None,
) -> int:  # fmt: skip
    """Report on a log, save its repair where it is broken and the person agrees, and return the exit code.

    `findings` are those that an error is about, None for all. If their repair is not enough, everything is repaired.
    With a `portable` plan, only that is done.
    """
    report = log.check()
    session = worst_session_of_project(report, project) if findings is None else session_of_findings(report, findings)
    print_text(headline(one_line(path, len(path)), session))
    log.require_judged()
    verdict = session.verdict.word
    if verdict == _HEALS_ITSELF or (verdict != _BROKEN and not findings):
        _show_resume_command(log, session)
        return exit_codes.OK
    repair = earlier_repair(log) if verdict == _BROKEN else None
    if repair is not None:
        show_earlier_repairs({path: repair}, project)
        return exit_codes.OK
    mode = "new-session" if "new-session" in log.save_modes else "copy"
    to_repair = log.to_repair_as_new_session(Choices()) if mode == "new-session" and portable is None else log
    if portable is not None:
        planned, is_enough = log.apply_portable_plan(portable), True
    elif findings is None or to_repair is not log:
        planned, is_enough = to_repair.plan(), findings is None
    else:
        planned, is_enough = plan_for_findings(log, findings)
    if planned.changes_nothing and planned.verified:
        _show_resume_command(log, session)
        return exit_codes.OK
    _show_repair(log, session, planned)
    if not is_enough:
        print_text(
            tr("  Other findings are also repaired, because otherwise the provider would still reject the history.")
        )
    to_repair.rehearse(planned)
    if dry_run:
        print_text(options.DRY_RUN_REASON)
        return exit_codes.FINDINGS
    if not _may_save(log, mode, yes):
        return exit_codes.FINDINGS
    _show_saved(log, session, to_repair.save(planned, "", mode))
    return exit_codes.OK


def _show_repair(log: OpenLog, session: SessionReport, planned: Plan) -> None:
    recovered = {call_id for _, call_id in planned.draft.recovered}
    problems = " ".join(filter(None, (*problems_line(session), may_have_run_sentence(log.report, session, recovered))))
    print_text("\n".join(filter(None, (problems, *cause_lines(session), *repair_lines(planned)))))


def _show_saved(log: OpenLog, session: SessionReport, written: SaveResult) -> None:
    print_text(tr("The repaired session was saved and checked."))
    lines = [*save_result_lines(without_steps_of_command(written))]
    command = written.command
    if not command and (command := log.repair_and_resume_command(session)):
        lines.append(
            tr("To back up the log, repair it in place, and then resume the session, close the agent and run:")
        )
    if command and lines[-1].strip() != command:  # the last line is the command, also where a step names it
        lines.append(f"\n{command}")
    print_text("\n".join(lines))


def show_earlier_repairs(repairs: dict[str, LogEntry], project: str) -> None:
    """Name the new sessions that logs were repaired as before, by path, and show how to resume the newest of them."""
    for path, repair in repairs.items():
        print_text(tr("  {path} was repaired and saved as this session:", path=one_line(path, len(path))))
        print_text(f"    {log_entry_line(repair)}")
    print_text(tr("To repair a session again, run: transcript-inspector repair --new-session PATH"))
    newest = max(repairs.values(), key=attrgetter("modified"))
    with open_log_at(newest.path) as opened:
        print_text(resume_command(opened, worst_session_of_project(opened.check(), project)))


def log_entry_line(entry: LogEntry) -> str:
    """Return a line on a log: when it was changed, its agent, its title and its path."""
    changed = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.modified))
    return f"{changed}  {entry.agent}  {one_line(entry.title, _TITLE)}  {one_line(entry.path, len(entry.path))}"


def _show_resume_command(log: OpenLog, session: SessionReport) -> None:
    """Say what the agent does with a session that is not repaired, and how to resume it."""
    if session.verdict.word == _UNEXPLAINED and (lines := [*too_long_context_lines(log.report, session)]):
        print_text("\n".join(lines))
        return
    if session.verdict.word == _UNEXPLAINED:
        print_text(tr("  No rule explains the error, so there is nothing to repair. Nothing was written."))
        return
    if session.verdict.word == _HEALS_ITSELF:
        print_text(f"  {session.on_resume.sentence}")
    print_text(tr("  No repair is needed, and nothing was written."))
    print_text(resume_command(log, session))


def resume_command(log: OpenLog, session: SessionReport) -> str:
    """Return the command that resumes a session, or that there is none."""
    return log.resume_command(session) or tr("No command can resume the session from the current location of its log.")


def can_ask() -> bool:
    """Return whether there is a terminal at which a person answers."""
    return sys.stdin is not None and sys.stdin.isatty()


def _may_save(log: OpenLog, mode: str, yes: bool) -> bool:
    """Return whether the repair may be saved: the person says so, and no agent is at work if nobody is asked."""
    running, asks = may_be_running(log.source), not yes and can_ask()
    if running:
        print_text(tr("The log was changed a moment ago, so the agent may still be using this session."))
        if not asks:
            print_text(
                tr(
                    "Nothing was written. Close the agent, wait {seconds} seconds, and run this command again.",
                    seconds=JUST_CHANGED_SECONDS,
                )
            )
            return False
        print_text(tr("Close the agent before you save."))
    if yes:
        return True
    if asks:
        question = (
            tr("Save the repaired history as a new session?") if mode == "new-session" else tr("Save a repaired copy?")
        )
        if click.confirm(question, err=True):
            return True
    print_text(tr("Nothing was written.") if asks else tr("Nothing was written. Add --yes to save the repair."))
    return False
