"""What a rollout of Codex shows of a call without an output: the events that its window was sent.

Facts: openai/codex codex-rs/protocol/src/protocol.rs (EventMsg and its structs), rollout/src/policy.rs (which of them
are kept; the extended mode keeps the ends of commands), protocol/src/items.rs (`item_completed`).
"""

from typing import Any

from inspector.core.bytes.json_text import parse_json, text_at
from inspector.core.formats.bases.traces import Trace, TracedCall, Weight, newest_before
from inspector.core.index.columns import Columns, ReadRecord, RecordMark

_BEGUN, _ENDED, _ASKED = Weight.STARTED, Weight.RAN, Weight.MENTIONED
_EVENTS = {
    "exec_command_begin": (_BEGUN, "Its command was begun (exec_command_begin)."),
    "exec_command_output_delta": (_BEGUN, "Its command put out text (exec_command_output_delta)."),
    "terminal_interaction": (_BEGUN, "Its command was typed to (terminal_interaction)."),
    "exec_command_end": (_ENDED, "Its command ended"),
    "patch_apply_begin": (_BEGUN, "Its patch was begun (patch_apply_begin)."),
    "patch_apply_end": (_ENDED, "Its patch was carried out"),
    "mcp_tool_call_begin": (_BEGUN, "The MCP server was called (mcp_tool_call_begin)."),
    "mcp_tool_call_end": (_ENDED, "The MCP server answered"),
    "web_search_begin": (_BEGUN, "Its search was begun (web_search_begin)."),
    "web_search_end": (_ENDED, "Its search ended"),
    "dynamic_tool_call_request": (_BEGUN, "The client was asked to run it (dynamic_tool_call_request)."),
    "dynamic_tool_call_response": (_ENDED, "The client answered"),
    "view_image_tool_call": (_ENDED, "It showed an image"),
    "image_generation_end": (_ENDED, "Its image was made"),
    "collab_agent_spawn_begin": (_BEGUN, "An agent was about to be started (collab_agent_spawn_begin)."),
    "collab_agent_spawn_end": (_ENDED, "An agent was started"),
    "collab_agent_interaction_end": (_ENDED, "An agent was spoken to"),
    "collab_waiting_begin": (_BEGUN, "It waited for agents (collab_waiting_begin)."),
    "collab_waiting_end": (_ENDED, "It had waited for agents"),
    "collab_close_end": (_ENDED, "An agent was closed"),
    "exec_approval_request": (_ASKED, "The person was asked to allow it (exec_approval_request)."),
    "apply_patch_approval_request": (_ASKED, "The person was asked to allow it (apply_patch_approval_request)."),
    "guardian_assessment": (_ASKED, "It was assessed before it was to run (guardian_assessment)."),
}
_IDS = ("call_id", "callId", "id", "target_item_id", "item_id")
_DECLINED = "declined"
_DETAILS = ("status", "exit_code", "success")


def trace(row: Any, call: TracedCall, own: bool) -> Trace | None:
    """See `Tracer.trace`."""
    payload = row.get("payload") if isinstance(row, dict) and row.get("type") == "event_msg" else None
    if own or not isinstance(payload, dict):
        return None
    kind = payload.get("type")
    if kind in ("item_started", "item_completed"):
        return _item(payload, call)
    known = _EVENTS.get(kind) if isinstance(kind, str) else None
    if known is None or call.id not in [payload.get(key) for key in _IDS]:
        return None
    weight, sentence = known
    if payload.get("status") == _DECLINED:
        return Trace(_ASKED, f"It was declined ({kind}).")
    if weight != _ENDED:
        return Trace(weight, sentence)
    details = [f"{key.replace('_', ' ')} {payload[key]}" for key in _DETAILS if isinstance(payload.get(key), str | int)]
    return Trace(weight, f"{sentence} ({', '.join([str(kind), *details])}).")


def _item(payload: dict[str, Any], call: TracedCall) -> Trace | None:
    item = payload.get("item")
    if not isinstance(item, dict) or item.get("id") != call.id:
        return None
    if item.get("status") == _DECLINED:
        return Trace(_ASKED, f"It was declined ({payload['type']}).")
    if payload["type"] == "item_started":
        return Trace(_BEGUN, f"It was begun (item_started: {item.get('type')}).")
    status = f", status {item['status']}" if isinstance(item.get("status"), str) else ""
    return Trace(_ENDED, f"It ended (item_completed: {item.get('type')}{status}).")


def folders(columns: Columns, records: list[int], raw: ReadRecord) -> dict[int, str]:
    """The folder of the newest turn context before each record, else that of the session."""

    def told(record: int) -> str:
        # A context is marked like the ends of turns; the session's own line comes first.
        return _folder(raw(record)) if record == 0 or columns.marks[record] & RecordMark.TURN_EVENT else ""

    return newest_before(records, told)


def _folder(line: bytes) -> str:
    if b'"cwd"' not in line:
        return ""
    try:
        row = parse_json(line)
    except ValueError:
        return ""
    return text_at(row, "/payload/cwd") if text_at(row, "/type") in ("session_meta", "turn_context") else ""
