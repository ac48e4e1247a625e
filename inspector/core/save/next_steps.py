"""What the person does after a save."""

from __future__ import annotations

import os
from pathlib import Path

from inspector.core.check import Report
from inspector.core.save.save import Written


def next_steps(report: Report, written: Written) -> tuple[tuple[str, ...], str]:
    """Numbered steps, and the command to copy ("" when there is none)."""
    log, format = report.log, report.format
    new_session = written.session_id != log.sessions[0].id
    if not written.backup and not new_session:
        first = f"The repaired copy lies at {written.path}."
        if format.api:
            return (first, "Send its messages with your next request."), ""
        name = os.path.basename(log.source.path)
        away = f"Under this name the agent does not resume it: it looks for {name} in its own folder."
        return (first, away, *written.beside), ""
    steps, command = format.resume_steps(written.path, written.session_id, new_session)
    store = format.store_folder(log)
    if new_session and store is not None and store != Path(written.path).parent:
        steps = (steps[0], f"The agent looks for it in {store}: put it there.", *steps[1:])
    steps += written.beside
    if written.backup:
        steps += (f"To undo: put the backup {written.backup} back in its place.",)
    else:
        steps += (f"To undo: delete {written.path}. The original is untouched.",)
    return steps, command
