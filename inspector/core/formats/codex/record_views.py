"""The views of a rollout's lines."""

from typing import Any

from inspector.core.formats.codex.loader import payload_of
from inspector.core.formats.codex.reader import COMPACTION_SUMMARY_POINTER
from inspector.core.model.views import BlockKind, BlockView, RecordView
from inspector.core.providers.message_fields import decode_fitting_members
from inspector.core.providers.openai_responses import schema
from inspector.core.storage.json_text import integers_at, object_at, parse_json, text_at
from inspector.core.translation import tr

_SPEAKER_OF_ITEM = dict.fromkeys((*schema.CALL_TYPES, *schema.SERVER_CALL_TYPES, "reasoning"), "assistant")
_SPEAKER_OF_ITEM |= dict.fromkeys(schema.OUTPUT_TYPES, "tool")
_EVENT_DETAIL_KEYS = ("message", "text", "model", "num_turns", "reason", "cli_version", "last_agent_message")


def record_view(raw: bytes) -> RecordView:
    """Return a line for showing; see `Reader.view`."""
    line = parse_json(raw)
    if not isinstance(line, dict):
        return RecordView("", tr("no record"))
    kind, when = str(line.get("type") or "record"), str(line.get("timestamp") or "")
    payload = line.get("payload")
    if not isinstance(payload, dict):
        is_item = line.get("type") or line.get("role")
        return _item_view(line, "", when) if is_item else _event_view(kind, {}, when)
    if kind == "response_item":
        return _item_view(payload, "/payload", when)
    if kind == "compacted" and not isinstance(payload.get("replacement_history"), list):
        summary = BlockView(BlockKind.TEXT, str(payload.get("message") or ""), COMPACTION_SUMMARY_POINTER)
        return RecordView("user", "", (summary,), when)
    return _event_view(kind, payload, when)


def _item_view(item: dict[str, Any], at: str, when: str) -> RecordView:
    kind = schema.item_type(decode_fitting_members(schema.ResponsesItem, item))
    if kind == "agent_message":
        item = {**item, "type": "message", "role": "user"}
    role = _SPEAKER_OF_ITEM.get(kind) or str(item.get("role") or "")
    return RecordView(role, "" if role else kind, schema.views_of_item(item, at), when)


def _event_view(kind: str, payload: dict[str, Any], when: str) -> RecordView:
    """Return the view of metadata or an event: its kind, with the model or the tokens where it names them."""
    what = str(payload.get("type") or "")
    details = [
        str(payload[key]) for key in _EVENT_DETAIL_KEYS if payload.get(key) and isinstance(payload[key], str | int)
    ]
    summary = ": ".join(part for part in (kind, what, *details[:1]) if part)
    tokens = integers_at(object_at(payload, "/info/last_token_usage"), "/input_tokens", "/output_tokens")
    return RecordView(kind, summary, (), when, text_at(payload, "/model"), *tokens)


def error_text(raw: bytes) -> str:
    """Return the error of an event: its message, or that of its `error`."""
    payload = payload_of(raw)
    error = payload.get("error")
    inner = error.get("message") if isinstance(error, dict) else error
    return str(payload.get("message") or inner or payload.get("type") or "")


def error_name(raw: bytes) -> str:
    """Return Codex's own name of the error: a word, or the key of an object with more about it."""
    payload = payload_of(raw)
    error = payload.get("error")
    holder = error if isinstance(error, dict) else payload
    name = holder.get("codex_error_info", payload.get("codex_error_info"))
    return name if isinstance(name, str) else next(iter(name), "") if isinstance(name, dict) else ""
