"""`fix`: find the broken session of a project, repair it as a new session, and print the command that resumes it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from inspector.cli import exit_codes, options
from inspector.cli.fix_error import fix_error
from inspector.cli.fix_log import can_ask, fix_log, log_entry_line, resume_command, show_earlier_repairs
from inspector.cli.log_input import find_log_for_plan, open_log_at
from inspector.cli.progress import ProgressLine
from inspector.cli.terminal import print_text
from inspector.core.discovery.log_entry import LogEntry
from inspector.core.engine.path_checks import contains_logs
from inspector.core.engine.project_sessions import (
    MOST_CHECKED,
    JudgedLog,
    judge_logs_of_project,
    repairs_by_broken_log,
    worst_session_of_project,
)
from inspector.core.lazy import LazyModule
from inspector.core.report.sentences import session_sentence
from inspector.core.translation import tr

if TYPE_CHECKING:
    from inspector.core.engine import shareable_files
else:
    shareable_files = LazyModule("inspector.core.engine.shareable_files")

_HEALS_ITSELF = "heals-itself"
_MOST_LISTED = 3


@click.command(short_help=tr("Repair a broken session, and print how to resume it."))
@click.argument("path", default="", type=click.Path())
@click.option(
    "--agent", default="", help=tr("Consider only sessions of this agent. NAME is the agent's name or part of it.")
)
@click.option(
    "--yes", is_flag=True, help=tr("Save without asking for confirmation, unless the agent may still be running.")
)
@click.option(
    "--error",
    metavar="TEXT",
    help=tr(
        "Repair the problem described in this error message from an agent. Use - to read the message from "
        "standard input."
    ),
)
@options.plan
@options.dry_run
def fix(path: str, agent: str, yes: bool, error: str | None, passed_on: str, dry_run: bool) -> None:
    """Repair a broken session, and print the command that resumes it.

    PATH is a log or a project folder (default: the current folder). For a project, the command searches the sessions of
    all agents for broken sessions, which are those that cannot be resumed at all or only with losses. If there are
    several, they are listed, and you are asked which one to repair. The repaired history is saved as a new session, or
    as a copy if the format does not support new sessions. The original does not change.

    On a terminal, you are asked before anything is saved. Otherwise, nothing is saved without --yes. A log that was
    written less than 30 seconds ago may still be in use, so close the agent and wait 30 seconds.

    A session that the agent can resume without loss is not changed. If a session was already repaired as a new session,
    it is not repaired again, and the command that resumes the repaired session is printed.

    With --error TEXT, the command repairs the session that the error is about. It looks for this session in PATH, in a
    log that the text names, in the project, and then in all stores. Only the problem that the error is about is
    repaired, unless that is not enough. If the agent does not find its session, the command that opens the session is
    printed. If the error is not about the history, a message says that a repair cannot help.

    With --plan, the command carries out a plan that was made for this log elsewhere, and finds the log in the stores.

    Exit code: 0 saved, or nothing to repair; 1 declined, a dry run with changes, or no verified repair; 2 usage,
    unreadable, or several sessions to choose from; 3 not checked. With --error also: 0 the error is not about the
    history, or the command that opens the session was printed; 1 no finding matches, the history is too long, or there
    is no such session; 3 the error is unknown.
    """
    if yes and dry_run:
        raise click.UsageError(tr("Use only one of --yes and --dry-run."))
    if passed_on:
        if agent or error is not None:
            raise click.UsageError(
                tr("--plan already specifies the log and the repair, so it cannot be combined with --agent or --error.")
            )
        raise SystemExit(_fix_by_plan(passed_on, path, yes, dry_run))
    folder = os.path.abspath(path or os.curdir)
    is_project = not path or (os.path.isdir(path) and contains_logs(path))
    if agent and not is_project:
        raise click.UsageError(tr("--agent applies only to a project's sessions, so it cannot be used with PATH."))
    with exit_codes.exit_on_error():
        if error is not None:
            log_path, project = ("", folder) if is_project else (path, "")
            raise SystemExit(fix_error(error, log_path, project, agent, yes, dry_run))
        log_path, project = (_choose_log(folder, agent), folder) if is_project else (path, "")
        with open_log_at(log_path) as log:
            raise SystemExit(fix_log(log, log_path, project, yes, dry_run))


def _fix_by_plan(file: str, path: str, yes: bool, dry_run: bool) -> int:
    """Carry out a plan on its log, and return the exit code."""
    with exit_codes.exit_on_error():
        plan = shareable_files.read_plan(file)
        path = path or find_log_for_plan(plan)
        with open_log_at(path, plan.format, plan.deep) as log:
            return fix_log(log, path, "", yes, dry_run, portable=plan)


def _choose_log(folder: str, agent: str) -> str:
    """Return the log of a project to repair: the broken one. Exits if there is none, or several and nobody to ask."""
    line = ProgressLine(tr("Checking the project's sessions: {done} done"))
    judged = judge_logs_of_project(folder, agent, line)
    line.erase()
    if not judged:
        print_text(
            tr(
                "No sessions for {folder} were found on this machine. `sessions` lists the sessions for other "
                "folders, and `check FOLDER` checks the logs in a folder.",
                folder=folder,
            )
        )
        raise SystemExit(exit_codes.OK)
    repaired = repairs_by_broken_log(judged)
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
    print_text(
        tr(
            "Nothing to repair. A repaired session has already been saved for each broken session in {folder}.",
            folder=folder,
        )
    )
    show_earlier_repairs(repaired, folder)


def _report_no_repair(judged: list[JudgedLog], folder: str) -> None:
    """List the newest of the sessions, none of which is broken, and show how to resume the newest that can be."""
    print_text(
        tr("Nothing to repair. No sessions for {folder} are broken. These sessions were checked:", folder=folder)
    )
    for log in judged[:_MOST_LISTED]:
        print_text(f"  {log.verdict:14} {log_entry_line(log.entry)}")
    if len(judged) > _MOST_LISTED:
        older = (
            tr(" Sessions older than these were not checked. To repair one of them, use `fix PATH`.")
            if len(judged) == MOST_CHECKED
            else ""
        )
        print_text(tr("  … and {number} older sessions.{older}", number=len(judged) - _MOST_LISTED, older=older))
    newest = next((log.entry for log in judged if log.is_resumable), None)
    if newest is not None:
        with open_log_at(newest.path) as opened:
            session = worst_session_of_project(opened.check(), folder)
            repairs_itself = session.verdict.word == _HEALS_ITSELF
            sentence = session.on_resume.sentence if repairs_itself else session_sentence(session)
            print_text(tr("The newest session: {sentence}", sentence=sentence))
            print_text(resume_command(opened, session))


def _ask_which(broken: list[LogEntry]) -> str:
    print_text(tr("{number} sessions are broken (newest first):", number=len(broken)), err=True)
    for number, entry in enumerate(broken, 1):
        print_text(f"  {number}. {log_entry_line(entry)}", err=True)
    if not can_ask():
        print_text(tr("To repair one of them, run: transcript-inspector fix PATH"), err=True)
        raise SystemExit(exit_codes.UNREADABLE)
    number = click.prompt(tr("Which session"), type=click.IntRange(1, len(broken)), default=1, err=True)
    return broken[number - 1].path
