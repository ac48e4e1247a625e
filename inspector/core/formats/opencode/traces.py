"""What opencode shows of a call without an outcome: the state of its part (session/message-v2.ts @007a940)."""

from typing import Any

from inspector.core.bytes.json_text import object_at
from inspector.core.formats.bases.traces import Trace, TracedCall, Weight


def trace(row: Any, call: TracedCall, own: bool) -> Trace | None:
    """See `Tracer.trace`."""
    state = object_at(row, f"{call.pointer}/state") if own else {}
    if state.get("status") != "running":
        return None
    told = object_at(state, "/metadata")
    if isinstance(told.get("sessionId"), str):
        return Trace(Weight.STARTED, f"It was running, and had started session {told['sessionId']}.")
    output = told.get("output")
    if isinstance(output, str) and output.strip():
        return Trace(Weight.STARTED, f"It was running, and had put out {len(output)} characters.")
    when = object_at(state, "/time").get("start")
    since = f" since {when}" if isinstance(when, int) else ""
    return Trace(Weight.STARTED, f"Its state is that of a call that was begun and runs{since}.")
