"""What the person does after a save."""

from pathlib import Path

from inspector.core.formats.bases.agent import agent_of
from inspector.core.formats.bases.command_lines import is_plain
from inspector.core.judging.check import Report, Verdict
from inspector.core.save.save import Written


def next_steps(report: Report, written: Written, made: str = "repaired") -> tuple[tuple[str, ...], str]:
    """Numbered steps, and the command to copy ("" when there is none); `made` says what was done to the log."""
    log, agent = report.log, agent_of(report.format)
    new_session = written.session_id != log.sessions[0].id
    if not written.backup and not new_session:
        first = f"The {made} copy lies at {written.path}."
        steps, command = agent.copy_steps(log, written.path)
        return (first, *steps, *written.beside, _delete(written)), command
    broken = (each.session.id for each in report.sessions if each.verdict == Verdict.BROKEN)
    session_id = written.session_id if new_session else next(broken, written.session_id)
    steps, command = agent.resume_steps(written.path, session_id, new_session)
    if command and not is_plain(session_id):
        steps, command = (f"The repaired session lies at {written.path}.", _NO_COMMAND), ""
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


_NO_COMMAND = "Its id is no plain word, so no command is given that could do more than resume it: look at the id first."


def _delete(written: Written) -> str:
    return f"To undo: delete {written.path}. The original is untouched."
