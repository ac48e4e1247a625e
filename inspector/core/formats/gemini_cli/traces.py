"""What Gemini CLI shows of a call without a response: the state that it left in `toolCalls`.

Facts: google-gemini/gemini-cli 5411f11, services/chatRecordingTypes.ts (ToolCallRecord) and
core/coreToolScheduler.ts: validating, awaiting_approval, scheduled, executing, success, error, cancelled.
"""

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
# The entries that were asked about last, and where each id comes first in them.
_NEWEST: list[tuple[list[Any], dict[str, int]]] = [([], {})]


def trace(row: Any, call: TracedCall, own: bool) -> Trace | None:
    """See `Tracer.trace`. The newest line of a message is the one that counts."""
    entries = row.get("toolCalls") if own and isinstance(row, dict) else None
    if not isinstance(entries, list):
        return None
    _, _, number = call.pointer.rpartition("/toolCalls/")
    its_own = int(number) if number.isdigit() and int(number) < len(entries) else len(entries)
    first = min(its_own, _first_of_ids(entries).get(call.id, its_own) if call.id else its_own)
    entry = entries[first] if first < len(entries) else None
    return _of_entry(entry) if isinstance(entry, dict) else None


def _first_of_ids(entries: list[Any]) -> dict[str, int]:
    """The first entry of each id. The calls of one list are asked about one after another."""
    newest = _NEWEST[0]
    if newest[0] is not entries:
        ids = [(entry.get("id"), number) for number, entry in enumerate(entries) if isinstance(entry, dict)]
        newest = entries, {call_id: number for call_id, number in reversed(ids) if isinstance(call_id, str)}
        _NEWEST[0] = newest
    return newest[1]


def _of_entry(entry: dict[str, Any]) -> Trace | None:
    known = _STATES.get(str(entry.get("status")))
    shown = entry.get("resultDisplay")
    if shown and (known is None or known[0] == Weight.MENTIONED):
        return Trace(Weight.STARTED, "The window showed an outcome of it (resultDisplay).")
    return Trace(*known) if known is not None else None
