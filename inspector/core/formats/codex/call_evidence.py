"""The evidence in a Codex rollout for a call without an output: the events for the user interface.

Facts: openai/codex codex-rs/protocol/src/protocol.rs (EventMsg and its structs), rollout/src/policy.rs (which of them
are kept; the extended mode keeps the ends of commands), protocol/src/items.rs (`item_completed`).
"""

from typing import Any

from inspector.core.formats.base.call_evidence import (
    EvidenceItem,
    EvidenceQuery,
    EvidenceStrength,
    newest_value_before_each,
)
from inspector.core.model.columnar_index import Columns, ReadRecord, RecordMark
from inspector.core.storage.json_text import parse_json, text_at
from inspector.core.translation import tr

_STARTED, _RAN, _MENTIONED = EvidenceStrength.STARTED, EvidenceStrength.RAN, EvidenceStrength.MENTIONED
_CALL_EVENTS = {
    "exec_command_begin": (_STARTED, tr("The command was started (exec_command_begin).")),
    "exec_command_output_delta": (_STARTED, tr("The command wrote output (exec_command_output_delta).")),
    "terminal_interaction": (_STARTED, tr("The command received input (terminal_interaction).")),
    "exec_command_end": (_RAN, tr("The command ended")),
    "patch_apply_begin": (_STARTED, tr("Codex started to apply the patch (patch_apply_begin).")),
    "patch_apply_end": (_RAN, tr("The patch was applied")),
    "mcp_tool_call_begin": (_STARTED, tr("The MCP server was called (mcp_tool_call_begin).")),
    "mcp_tool_call_end": (_RAN, tr("The MCP server answered")),
    "web_search_begin": (_STARTED, tr("The search was started (web_search_begin).")),
    "web_search_end": (_RAN, tr("The search ended")),
    "dynamic_tool_call_request": (_STARTED, tr("The client was asked to run the call (dynamic_tool_call_request).")),
    "dynamic_tool_call_response": (_RAN, tr("The client answered")),
    "view_image_tool_call": (_RAN, tr("The call displayed an image")),
    "image_generation_end": (_RAN, tr("The image was generated")),
    "collab_agent_spawn_begin": (_STARTED, tr("An agent was about to be started (collab_agent_spawn_begin).")),
    "collab_agent_spawn_end": (_RAN, tr("An agent was started")),
    "collab_agent_interaction_end": (_RAN, tr("An agent received a message")),
    "collab_waiting_begin": (_STARTED, tr("The call waited for agents (collab_waiting_begin).")),
    "collab_waiting_end": (_RAN, tr("The call waited for agents")),
    "collab_close_end": (_RAN, tr("An agent was closed")),
    "exec_approval_request": (_MENTIONED, tr("The user was asked to allow the command (exec_approval_request).")),
    "apply_patch_approval_request": (
        _MENTIONED,
        tr("The user was asked to allow the patch (apply_patch_approval_request)."),
    ),
    "guardian_assessment": (_MENTIONED, tr("The call was assessed before it ran (guardian_assessment).")),
}
_CALL_ID_KEYS = ("call_id", "callId", "id", "target_item_id", "item_id")
_DECLINED = "declined"
_OUTCOME_KEYS = ("status", "exit_code", "success")


def evidence_in_event(row: Any, call: EvidenceQuery, own: bool) -> EvidenceItem | None:
    """Return the evidence in an event; see `CallEvidenceSource.evidence_in`."""
    payload = row.get("payload") if isinstance(row, dict) and row.get("type") == "event_msg" else None
    if own or not isinstance(payload, dict):
        return None
    kind = payload.get("type")
    if kind in ("item_started", "item_completed"):
        return _evidence_in_item(payload, call)
    known = _CALL_EVENTS.get(kind) if isinstance(kind, str) else None
    if known is None or call.id not in [payload.get(key) for key in _CALL_ID_KEYS]:
        return None
    weight, sentence = known
    if payload.get("status") == _DECLINED:
        return EvidenceItem(_MENTIONED, tr("The call was declined ({kind}).", kind=kind))
    if weight != _RAN:
        return EvidenceItem(weight, sentence)
    details = [
        f"{key.replace('_', ' ')} {payload[key]}" for key in _OUTCOME_KEYS if isinstance(payload.get(key), str | int)
    ]
    return EvidenceItem(weight, f"{sentence} ({', '.join([str(kind), *details])}).")


def _evidence_in_item(payload: dict[str, Any], call: EvidenceQuery) -> EvidenceItem | None:
    item = payload.get("item")
    if not isinstance(item, dict) or item.get("id") != call.id:
        return None
    if item.get("status") == _DECLINED:
        return EvidenceItem(_MENTIONED, tr("The call was declined ({payload}).", payload=payload["type"]))
    if payload["type"] == "item_started":
        return EvidenceItem(_STARTED, tr("The call was started (item_started: {item}).", item=item.get("type")))
    status = tr(", status {item}", item=item["status"]) if isinstance(item.get("status"), str) else ""
    return EvidenceItem(
        _RAN, tr("The call ended (item_completed: {item}{status}).", item=item.get("type"), status=status)
    )


def working_folder_by_record(columns: Columns, records: list[int], raw: ReadRecord) -> dict[int, str]:
    """Return the folder of the newest turn context before each record, else that of the session."""

    def folder_in(record: int) -> str:
        # A context is marked like the ends of turns; the session's own line comes first.
        return _folder(raw(record)) if record == 0 or columns.marks[record] & RecordMark.TURN_EVENT else ""

    return newest_value_before_each(records, folder_in)


def _folder(line: bytes) -> str:
    if b'"cwd"' not in line:
        return ""
    try:
        row = parse_json(line)
    except ValueError:
        return ""
    return text_at(row, "/payload/cwd") if text_at(row, "/type") in ("session_meta", "turn_context") else ""
