"""What the person does after a save."""

import os
import sys
from pathlib import Path

from inspector.core.formats.bases.agent import agent_of
from inspector.core.formats.bases.command_lines import command_line, is_plain
from inspector.core.formats.bases.next_steps import GO_THERE, NextSteps, lying_at
from inspector.core.judging.check import Report, Verdict
from inspector.core.save.save import Written


def next_steps(report: Report, written: Written, made: str = "repaired") -> tuple[tuple[str, ...], str]:
    """Numbered steps, and the command to copy ("" when there is none); `made` says what was done to the log."""
    log, agent = report.log, agent_of(report.format)
    new_session = written.session_id != log.sessions[0].id
    if not written.backup and not new_session:
        first = f"The {made} copy lies at {written.path}."
        steps, command = _steps_in_folder(agent.copy_steps(log, written.path), written.folder)
        return (first, *steps, *written.beside, _delete(written)), command
    broken = (each.session.id for each in report.sessions if each.verdict == Verdict.BROKEN)
    session_id = written.session_id if new_session else next(broken, written.session_id)
    going = agent.resume_steps(written.path, session_id, new_session)
    if going.command and not is_plain(session_id):
        going = NextSteps((lying_at(written.path), _NO_COMMAND))
    steps, command = _steps_in_folder(going, written.folder)
    store = agent.store_folder(log)
    if new_session and store is not None and store != Path(written.path).parent:
        steps = (steps[0], f"The agent looks for it in {store}: put it there.", *steps[1:])
    steps += written.beside
    if written.undo:
        steps += (written.undo,)
    elif written.backup:
        steps += (f"To undo: put the backup {written.backup} back in its place.",)
    else:
        steps += (_delete(written),)
    return steps, command


def _steps_in_folder(going: NextSteps, folder: str) -> tuple[tuple[str, ...], str]:
    """Steps that name the project's folder, and one command that goes there first; as they are where none is known."""
    change = ("cd", "/d", folder) if sys.platform == "win32" else ("cd", folder)
    there = command_line(*change) if going.command and GO_THERE in going.steps and os.path.isabs(folder) else ""
    if not there:
        return going.all_steps, going.command
    named = f"{GO_THERE[:-1]}, {folder}."
    return tuple(named if step == GO_THERE else step for step in going.all_steps), f"{there} && {going.command}"


_NO_COMMAND = "Its id is no plain word, so no command is given that could do more than resume it: look at the id first."


def _delete(written: Written) -> str:
    return f"To undo: delete {written.path}. The original is untouched."
