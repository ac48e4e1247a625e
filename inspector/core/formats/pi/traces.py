"""What a session shows of a call that it holds no result of.

pi notes nothing but the result. What is built on it notes more, in entries that are never sent: oh-my-pi has a `custom`
entry of the type `tool_execution` for each tool that ended (letta-ai/trajectory, fixtures/omp).
"""

from typing import Any

from inspector.core.formats.bases.traces import Trace, TracedCall, Weight


def trace(row: Any, call: TracedCall, own: bool) -> Trace | None:
    """See `Tracer.trace`."""
    if own or not isinstance(row, dict) or row.get("type") != "custom" or row.get("toolCallId") != call.id:
        return None
    if row.get("customType") != "tool_execution":
        return None
    code = row.get("exitCode")
    return Trace(Weight.RAN, f"Its end was noted, with exit code {code}." if code is not None else "Its end was noted.")
