"""The messages that opencode loads of a session, and the evidence of a call without an outcome.

Undone messages are gone, and a compaction replaces what came before it.
Facts: anomalyco/opencode, session/message-v2.ts (`filterCompacted`), session/revert.ts (`cleanup`).
"""

from typing import Any

from inspector.core.formats.base.call_evidence import EvidenceItem, EvidenceQuery, EvidenceStrength
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark
from inspector.core.storage.json_text import object_at, parse_json, text_at, value_at
from inspector.core.translation import tr


def active_path(columns: Columns, records: range, info: dict[str, Any], raw: ReadRecord) -> list[int]:
    """Return the messages among `records` in the order in which they are sent. `info` is the session's own."""
    messages = [record for record in records if columns.roles[record]]
    return _filter_compacted(columns, _without_reverted(columns, messages, info), raw)


def _without_reverted(columns: Columns, messages: list[int], info: dict[str, Any]) -> list[int]:
    """Drop the messages that an undo hides, as the next prompt does. An undo inside a message leaves the message."""
    revert = info.get("revert")
    if not isinstance(revert, dict):
        return messages
    for place, record in enumerate(messages):
        if columns.uuids[record] == revert.get("messageID"):
            return messages[: place + 1 if revert.get("partID") else place]
    return messages


def _filter_compacted(columns: Columns, messages: list[int], raw: ReadRecord) -> list[int]:
    marked = [record for record in messages if columns.marks[record] & RecordMark.TURN_EVENT]
    if len(marked) < 2:
        return messages
    values = {record: parse_json(raw(record)) for record in marked}
    place_of = {record: place for place, record in enumerate(messages)}
    completed: dict[str, int] = {}
    for record in reversed(marked):
        own = columns.uuids[record] or ""
        if values[record]["info"].get("role") == "assistant":
            completed[str(values[record]["info"].get("parentID"))] = record
        elif own in completed:
            return _loaded_after(
                columns, messages, place_of[record], place_of[completed[own]], _tail_of(values[record])
            )
    return messages


def _loaded_after(columns: Columns, messages: list[int], compaction: int, summary: int, tail: str | None) -> list[int]:
    """Return the messages that are loaded with a compaction, with those that it kept after its summary."""
    if tail is None:
        return messages[compaction:]
    start = next((place for place in range(compaction, -1, -1) if columns.uuids[messages[place]] == tail), 0)
    if columns.uuids[messages[start]] != tail or not start < compaction < summary:
        return messages[start:]
    return messages[compaction : summary + 1] + messages[start:compaction] + messages[summary + 1 :]


def _tail_of(message: dict[str, Any]) -> str | None:
    """Return the id of the first message that a compaction keeps unchanged, None if it keeps none."""
    compaction = next((part for part in message["parts"] if value_at(part, "/type") == "compaction"), None)
    return text_at(compaction, "/tail_start_id") or None


def evidence_in_message(row: Any, call: EvidenceQuery, own: bool) -> EvidenceItem | None:
    """Return what the state of a call's part shows (session/message-v2.ts @007a940), see `CallEvidenceSource`."""
    state = object_at(row, f"{call.pointer}/state") if own else {}
    if state.get("status") != "running":
        return None
    metadata = object_at(state, "/metadata")
    if isinstance(metadata.get("sessionId"), str):
        session_id = metadata["sessionId"]
        return EvidenceItem(
            EvidenceStrength.STARTED,
            tr("The call was running and had started the session {session_id}.", session_id=session_id),
        )
    output = metadata.get("output")
    if isinstance(output, str) and output.strip():
        return EvidenceItem(
            EvidenceStrength.STARTED,
            tr("The call was running and had written {number} characters.", number=len(output)),
        )
    when = object_at(state, "/time").get("start")
    running = (
        tr("According to the log, the call has been running since {when}.", when=when)
        if isinstance(when, int)
        else tr("The call is recorded as running.")
    )
    return EvidenceItem(EvidenceStrength.STARTED, running)
