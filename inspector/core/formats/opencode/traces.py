"""What opencode shows of a call without an outcome: the state of its part (session/message-v2.ts @007a940)."""

from __future__ import annotations

from typing import Any

from inspector.core.formats.bases.traces import Trace, TracedCall, Weight
from inspector.core.formats.opencode.parts import inner


def trace(row: Any, call: TracedCall, own: bool) -> Trace | None:
    """See `Format.trace`."""
    if not own or not isinstance(row, dict):
        return None
    parts = row.get("parts")
    number = int(call.pointer.rpartition("/")[2]) if call.pointer[-1:].isdigit() else -1
    part = parts[number] if isinstance(parts, list) and 0 <= number < len(parts) else None
    state = inner(part, "state") if isinstance(part, dict) else {}
    if state.get("status") != "running":
        return None
    told = inner(state, "metadata")
    if isinstance(told.get("sessionId"), str):
        return Trace(Weight.STARTED, f"It was running, and had started session {told['sessionId']}.")
    output = told.get("output")
    if isinstance(output, str) and output.strip():
        return Trace(Weight.STARTED, f"It was running, and had put out {len(output)} characters.")
    when = inner(state, "time").get("start")
    since = f" since {when}" if isinstance(when, int) else ""
    return Trace(Weight.STARTED, f"Its state is that of a call that was begun and runs{since}.")


def folder(row: Any) -> str:
    """The folder that a message of the assistant names."""
    path = inner(inner(row, "info"), "path") if isinstance(row, dict) else {}
    found = path.get("cwd")
    return found if isinstance(found, str) else ""
