"""What a stream of Claude Code's events shows of a call without a result.

Facts: claude-agent-sdk-python, `_internal/message_parser.py` and `types.py`, and the bundled binary of 0.2.187:
`tool_progress` and the `task_*` events of a background task name the call by `tool_use_id`; what a subagent says names
the call that started it by `parent_tool_use_id`; a `result` lists the calls that were denied.
"""

from typing import Any

from inspector.core.bytes.json_text import objects_at
from inspector.core.formats.bases.traces import Trace, TracedCall, Weight

_ENDED = frozenset({"completed", "failed", "stopped", "killed"})


def trace(row: Any, call: TracedCall, own: bool) -> Trace | None:
    """See `Format.trace`."""
    if own or not isinstance(row, dict):
        return None
    if row.get("type") == "tool_progress" and row.get("tool_use_id") == call.id:
        return Trace(Weight.STARTED, "It reported progress (tool_progress).")
    if row.get("type") == "result":
        denied = [each.get("tool_use_id") for each in objects_at(row, "/permission_denials")]
        return Trace(Weight.MENTIONED, "The result event says that it was denied.") if call.id in denied else None
    subtype = row.get("subtype")
    if isinstance(subtype, str) and subtype.startswith("task_") and row.get("tool_use_id") == call.id:
        if str(row.get("status")) in _ENDED:
            return Trace(Weight.RAN, f"Its background task ended: {row['status']}.")
        return Trace(Weight.STARTED, f"Its background task was begun ({subtype}).")
    if row.get("parent_tool_use_id") == call.id:
        return Trace(Weight.STARTED, "The subagent that it started spoke.")
    return None
