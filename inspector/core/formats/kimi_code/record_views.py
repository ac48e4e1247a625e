"""The views of the lines of a Kimi Code log."""

from datetime import UTC, datetime
from typing import Any

from inspector.core.formats.kimi_code.writer import WIRE_BLOCK_SCHEMA
from inspector.core.model.views import BlockKind, BlockView, RecordView
from inspector.core.providers.block_views import block_view, block_views, call_view, result_view
from inspector.core.providers.message_fields import result_text
from inspector.core.storage.json_text import list_at, parse_json, sum_at, value_at
from inspector.core.translation import tr

_TOKENS_IN = ("/usage/inputOther", "/usage/inputCacheRead", "/usage/inputCacheCreation")


def record_view(raw: bytes) -> RecordView:
    """Return what the tree and the details show of a line. Raises ValueError if it is not JSON."""
    row = parse_json(raw)
    if not isinstance(row, dict):
        return RecordView("", tr("no record"))
    kind, when = str(row.get("type") or "record"), _time(row.get("time"))
    event, message = row.get("event"), row.get("message")
    if kind == "context.append_loop_event" and isinstance(event, dict):
        return _event_view(event, when)
    if kind == "context.append_message" and isinstance(message, dict):
        blocks = _blocks_of_message(message)
        return RecordView(str(message.get("role") or ""), "" if blocks else _origin(message), blocks, when)
    if kind == "context.apply_compaction":
        text = row.get("contextSummary") or row.get("summary") or ""
        block = BlockView(BlockKind.TEXT, str(text), "/summary")
        return RecordView("user", "" if text else "compaction", (block,), when)
    detail = row.get("count", row.get("cutoff", row.get("modelAlias", "")))
    return RecordView(kind, f"{kind}: {detail}" if detail != "" else kind, (), when)


def _event_view(event: dict[str, Any], when: str) -> RecordView:
    kind = event.get("type")
    if kind == "tool.call":
        return RecordView("assistant", "", (call_view(event, WIRE_BLOCK_SCHEMA, "/event"),), when)
    if kind == "content.part":
        return RecordView("assistant", "", (block_view(WIRE_BLOCK_SCHEMA, event.get("part"), "/event/part"),), when)
    if kind == "tool.result":
        return RecordView("tool", "", (result_view({"event": event}, WIRE_BLOCK_SCHEMA, "/event/result"),), when)
    detail = event.get("finishReason") if kind == "step.end" else event.get("step")
    return RecordView(
        str(kind or "event"),
        f"{kind}: {detail}" if detail is not None else str(kind or "event"),
        time=when,
        tokens_in=sum_at(event, *_TOKENS_IN),
        tokens_out=sum_at(event, "/usage/output"),
    )


def _blocks_of_message(message: dict[str, Any]) -> tuple[BlockView, ...]:
    content = message.get("content")
    if message.get("role") == "tool":
        return (result_view({"message": message}, WIRE_BLOCK_SCHEMA, "/message/content"),)
    found = []
    if isinstance(content, list):
        found = list(block_views(WIRE_BLOCK_SCHEMA, content, "/message/content"))
    elif content is not None:
        found = [BlockView(BlockKind.TEXT, result_text(content), "/message/content")]
    for number, call in enumerate(list_at(message, "/toolCalls")):
        found.append(call_view(call, WIRE_BLOCK_SCHEMA, f"/message/toolCalls/{number}"))
    return tuple(found)


def _origin(message: dict[str, Any]) -> str:
    return str(value_at(message, "/origin/kind") or "")


def _time(value: Any) -> str:
    """Return milliseconds since 1970 as an ISO 8601 time, "" for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    try:
        return datetime.fromtimestamp(value / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except (OverflowError, OSError, ValueError):
        return ""
