"""What a chat shows of a call that it holds no result of.

Facts: @qwen-code/qwen-code 0.24.4, run: the `tool_call` event of a `ui_telemetry` record names its call by `call_id`.
It stands before the results of its turn, which are recorded together when all calls are done.
"""

from typing import Any

from inspector.core.bytes.json_text import object_at
from inspector.core.formats.bases.traces import Trace, TracedCall, Weight

_EVENT = "qwen-code.tool_call"


def trace(row: Any, call: TracedCall, own: bool) -> Trace | None:
    """See `Tracer.trace`."""
    event = {} if own else object_at(row, "/systemPayload/uiEvent")
    if event.get("event.name") != _EVENT or event.get("call_id") != call.id:
        return None
    status = event.get("status")
    return Trace(Weight.RAN, f"Its end was counted: {status}." if isinstance(status, str) else "Its end was counted.")
