"""`fix`: find the broken session of a project, repair it as a new session, and print the command that resumes it."""

from __future__ import annotations

import os
import sys
import time
from operator import attrgetter
from typing import TYPE_CHECKING

import click

from inspector.cli import exit_codes, options
from inspector.cli.log_input import open_log_at
from inspector.cli.outcome_printing import save_report_lines
from inspector.cli.progress import ProgressLine
from inspector.cli.terminal import print_text
from inspector.core.discovery.log_entry import LogEntry
from inspector.core.engine.activity import JUST_CHANGED_SECONDS, may_be_running
from inspector.core.engine.log import OpenLog
from inspector.core.engine.path_checks import contains_logs
from inspector.core.engine.project_sessions import (
    MOST_CHECKED,
    JudgedLog,
    judge_logs_of_project,
    repaired_sessions,
    session_to_fix,
)
from inspector.core.engine.saving import without_command_in_steps
from inspector.core.report.one_line_summaries import problem_lines, repair_lines
from inspector.core.report.sentences import one_line, session_sentence
from inspector.core.report.session_parts import cause_lines, may_have_run_sentence
from inspector.core.report.text import headline
from inspector.core.translation import tr

if TYPE_CHECKING:
    from inspector.core.engine.result_types import SessionReport

_BROKEN, _HEALS_ITSELF, _UNEXPLAINED = "broken", "heals-itself", "unexplained"
_TITLE, _MOST_LISTED = 60, 3


@click.command(short_help=tr("Repair a broken session, and print how to resume it."))
@click.argument("path", default="", type=click.Path())
@click.option("--agent", default="", help=tr("Only sessions of this agent: its name, or a part of it."))
@click.option("--yes", is_flag=True, help=tr("Save without asking, unless the agent may still be running."))
@options.dry_run
def fix(path: str, agent: str, yes: bool, dry_run: bool) -> None:
    """Repair a broken session, and print the command that resumes it.

    PATH is a log or a project folder (default: the current folder). For a project, the sessions of all agents are
    searched for broken ones: those that cannot be resumed, or not without loss. If there are several, they are listed,
    and you are asked which one to repair. The repaired history is saved as a new session, or as a copy if the format
    does not support new sessions. The original does not change.

    At a terminal, you are asked before anything is saved. Elsewhere, nothing is saved without --yes. A log that was
    written less than 30 seconds ago may still be in use: close the agent and wait that long.

    A session that the agent resumes without loss is left as it is.

    Exit code: 0 saved, or nothing to repair; 1 declined, a dry run with changes, or no verified repair; 2 usage,
    unreadable, or several sessions to choose from; 3 not checked.
    """
    if yes and dry_run:
        raise click.UsageError(tr("Use only one of --yes and --dry-run."))
    folder = os.path.abspath(path or os.curdir)
    is_project = not path or (os.path.isdir(path) and contains_logs(path))
    if agent and not is_project:
        raise click.UsageError(tr("--agent applies only to the sessions of a project, not to a log."))
    with exit_codes.exit_on_error():
        log_path, project = (_choose_log(folder, agent), folder) if is_project else (path, "")
        with open_log_at(log_path) as log:
            raise SystemExit(_fix(log, log_path, project, yes, dry_run))


def _choose_log(folder: str, agent: str) -> str:
    """Return the log of a project to repair: the broken one. Exits if there is none, or several and nobody to ask."""
    line = ProgressLine(tr("Checking the sessions of the project: {done} done"))
    judged = judge_logs_of_project(folder, agent, line)
    line.erase()
    if not judged:
        print_text(
            tr(
                "No agent has a session for {folder} on this machine. `sessions` lists those of other folders, and "
                "`check FOLDER` checks the logs in a folder.",
                folder=folder,
            )
        )
        raise SystemExit(exit_codes.OK)
    repaired = repaired_sessions(judged)
    broken = [log.entry for log in judged if log.is_broken and log.entry.path not in repaired]
    if not broken:
        if repaired:
            _report_repaired(repaired, folder)
        else:
            _report_no_repair(judged, folder)
        raise SystemExit(exit_codes.OK)
    return broken[0].path if len(broken) == 1 else _ask_which(broken)


def _report_repaired(repaired: dict[str, LogEntry], folder: str) -> None:
    """Name the broken sessions that were repaired before, and show how to resume the newest repair."""
    print_text(tr("Nothing to repair: each broken session of {folder} was saved as a repaired one.", folder=folder))
    for path, repair in repaired.items():
        print_text(tr("  {path} was repaired as:", path=one_line(path, len(path))))
        print_text(f"    {_described(repair)}")
    print_text(tr("To repair one again: transcript-inspector fix PATH"))
    newest = max(repaired.values(), key=attrgetter("modified"))
    with open_log_at(newest.path) as opened:
        print_text(_resume_command(opened, session_to_fix(opened.check(), folder)))


def _report_no_repair(judged: list[JudgedLog], folder: str) -> None:
    """List the newest of the sessions, none of which is broken, and show how to resume the newest that can be."""
    print_text(tr("Nothing to repair: no session of {folder} is broken. Checked sessions:", folder=folder))
    for log in judged[:_MOST_LISTED]:
        print_text(f"  {log.verdict:14} {_described(log.entry)}")
    if len(judged) > _MOST_LISTED:
        older = tr(" Still older ones were not checked: use `fix PATH`.") if len(judged) == MOST_CHECKED else ""
        print_text(tr("  … and {number} older ones.{older}", number=len(judged) - _MOST_LISTED, older=older))
    newest = next((log.entry for log in judged if log.is_resumable), None)
    if newest is not None:
        with open_log_at(newest.path) as opened:
            session = session_to_fix(opened.check(), folder)
            repairs_itself = session.verdict.word == _HEALS_ITSELF
            sentence = session.on_resume.sentence if repairs_itself else session_sentence(session)
            print_text(tr("The newest one: {sentence}", sentence=sentence))
            print_text(_resume_command(opened, session))


def _ask_which(broken: list[LogEntry]) -> str:
    print_text(tr("{number} sessions are broken, newest first:", number=len(broken)), err=True)
    for number, entry in enumerate(broken, 1):
        print_text(f"  {number}. {_described(entry)}", err=True)
    if not _can_ask():
        print_text(tr("Choose one of them: transcript-inspector fix PATH"), err=True)
        raise SystemExit(exit_codes.UNREADABLE)
    number = click.prompt(tr("Which one"), type=click.IntRange(1, len(broken)), default=1, err=True)
    return broken[number - 1].path


def _described(entry: LogEntry) -> str:
    changed = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.modified))
    return f"{changed}  {entry.agent}  {one_line(entry.title, _TITLE)}  {one_line(entry.path, len(entry.path))}"


def _can_ask() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _fix(log: OpenLog, path: str, project: str, yes: bool, dry_run: bool) -> int:
    """Report on a log, save its repair where it is broken and the person agrees, and return the exit code."""
    report = log.check()
    session = session_to_fix(report, project)
    print_text(headline(one_line(path, len(path)), session))
    log.require_judged()
    if session.verdict.word != _BROKEN:
        _show_resume_command(log, session)
        return exit_codes.OK
    planned = log.plan()
    recovered = {call_id for _, call_id in planned.draft.recovered}
    problems = " ".join(filter(None, (*problem_lines(session), may_have_run_sentence(report, session, recovered))))
    print_text("\n".join((problems, *cause_lines(session), *repair_lines(planned))))
    log.rehearse(planned)
    mode = "new-session" if "new-session" in log.save_modes else "copy"
    if dry_run:
        print_text(options.DRY_RUN_REASON)
        return exit_codes.FINDINGS
    if not _may_save(log, mode, yes):
        return exit_codes.FINDINGS
    written = log.save(planned, "", mode)
    print_text(tr("Saved and checked."))
    lines = [*save_report_lines(without_command_in_steps(written))]
    command = written.command
    if not command and (command := log.repair_and_resume_command(session)):
        lines.append(tr("To repair the log itself after a backup, and resume the session, close the agent and run:"))
    if command and lines[-1].strip() != command:  # the last line is the command, also where a step names it
        lines.append(f"\n{command}")
    print_text("\n".join(lines))
    return exit_codes.OK


def _show_resume_command(log: OpenLog, session: SessionReport) -> None:
    """Say what the agent does with a session that is not repaired, and how to resume it."""
    if session.verdict.word == _UNEXPLAINED:
        print_text(tr("  No rule explains the error, so there is nothing to repair. Nothing was written."))
        return
    if session.verdict.word == _HEALS_ITSELF:
        print_text(f"  {session.on_resume.sentence}")
    print_text(tr("  No repair is needed, and nothing was written."))
    print_text(_resume_command(log, session))


def _resume_command(log: OpenLog, session: SessionReport) -> str:
    return log.resume_command(session) or tr("No command can resume the log from its current location.")


def _may_save(log: OpenLog, mode: str, yes: bool) -> bool:
    """Return whether the repair may be saved: the person says so, and no agent is at work if nobody is asked."""
    running, asks = may_be_running(log.source), not yes and _can_ask()
    if running:
        print_text(tr("The log has just changed, so the agent may still be using this session."))
        if not asks:
            print_text(
                tr(
                    "Nothing was written. Close the agent, wait {seconds} seconds, and run this again.",
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
    print_text(tr("Nothing was written.") if asks else tr("Nothing was written: add --yes to save the repair."))
    return False
