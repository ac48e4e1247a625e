"""What Gemini CLI shows of a call without a response: the state that it left in `toolCalls`.

Facts: google-gemini/gemini-cli 5411f11, services/chatRecordingTypes.ts (ToolCallRecord) and
core/coreToolScheduler.ts: validating, awaiting_approval, scheduled, executing, success, error, cancelled.
"""

from __future__ import annotations

from typing import Any

from inspector.core.formats.bases.traces import Trace, TracedCall, Weight

_STATES = {
    "executing": (Weight.STARTED, "Its state is that of a call that was being run (executing)."),
    "success": (Weight.RAN, "Its state is that of a call that ran (success), though no response was kept."),
    "error": (Weight.RAN, "Its state is that of a call that failed (error), though no response was kept."),
    "cancelled": (Weight.MENTIONED, "Its state says that it was cancelled, not whether it had been begun."),
    "awaiting_approval": (Weight.MENTIONED, "It was waiting for the person's approval (awaiting_approval)."),
    "scheduled": (Weight.MENTIONED, "It was approved and about to be run (scheduled)."),
    "validating": (Weight.MENTIONED, "It was not approved yet (validating)."),
}


def trace(row: Any, call: TracedCall, own: bool) -> Trace | None:
    """See `Format.trace`. The newest line of a message is the one that counts."""
    entries = row.get("toolCalls") if own and isinstance(row, dict) else None
    if not isinstance(entries, list):
        return None
    _, listed, number = call.pointer.rpartition("/toolCalls/")
    if listed:
        its_own = entries[int(number)] if int(number) < len(entries) else None
        return _of_entry(its_own) if isinstance(its_own, dict) else None
    named = (entry for entry in entries if isinstance(entry, dict) and call.id and entry.get("id") == call.id)
    return next(map(_of_entry, named), None)


def _of_entry(entry: dict[str, Any]) -> Trace | None:
    known = _STATES.get(str(entry.get("status")))
    shown = entry.get("resultDisplay")
    if shown and (known is None or known[0] == Weight.MENTIONED):
        return Trace(Weight.STARTED, "The window showed an outcome of it (resultDisplay).")
    return Trace(*known) if known is not None else None
