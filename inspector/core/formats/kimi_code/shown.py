"""A line of a Kimi Code log, to be looked at."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from inspector.core.bytes.json_text import pretty, value_of
from inspector.core.formats.kimi_code.rows import PARTS
from inspector.core.index.views import BlockKind, BlockView, RecordView
from inspector.core.wire.fields import result_text

_TOKENS_IN = ("inputOther", "inputCacheRead", "inputCacheCreation")


def view(raw: bytes) -> RecordView:
    """What the tree and the details show of it. Raises ValueError when it is no JSON."""
    row = value_of(raw)
    if not isinstance(row, dict):
        return RecordView("", "no record")
    kind, when = str(row.get("type") or "record"), _time(row.get("time"))
    event, message = row.get("event"), row.get("message")
    if kind == "context.append_loop_event" and isinstance(event, dict):
        return _event(event, when)
    if kind == "context.append_message" and isinstance(message, dict):
        blocks = _blocks(message)
        return RecordView(str(message.get("role") or ""), "" if blocks else _origin(message), blocks, when)
    if kind == "context.apply_compaction":
        text = row.get("contextSummary") or row.get("summary") or ""
        block = BlockView(BlockKind.TEXT, str(text), "/summary")
        return RecordView("user", "" if text else "compaction", (block,), when)
    detail = row.get("count", row.get("cutoff", row.get("modelAlias", "")))
    return RecordView(kind, f"{kind}: {detail}" if detail != "" else kind, (), when)


def _event(event: dict[str, Any], when: str) -> RecordView:
    kind = event.get("type")
    call_id = str(event.get("toolCallId") or "")
    if kind == "tool.call":
        block = BlockView(BlockKind.CALL, pretty(event.get("args")), "/event", str(event.get("name") or ""), call_id)
        return RecordView("assistant", "", (block,), when)
    if kind == "content.part":
        return RecordView("assistant", "", (_part(event.get("part"), "/event/part"),), when)
    if kind == "tool.result":
        result = event.get("result")
        result = result if isinstance(result, dict) else {}
        text, failed = result_text(result.get("output")), result.get("isError") is True
        block = BlockView(BlockKind.RESULT, text, "/event/result", "", call_id, failed)
        return RecordView("tool", "", (block,), when)
    usage = event.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    tokens = [usage[key] for key in _TOKENS_IN if isinstance(usage.get(key), int)]
    out = usage.get("output")
    detail = event.get("finishReason") if kind == "step.end" else event.get("step")
    return RecordView(
        str(kind or "event"),
        f"{kind}: {detail}" if detail is not None else str(kind or "event"),
        time=when,
        tokens_in=sum(tokens) if tokens else None,
        tokens_out=out if isinstance(out, int) else None,
    )


def _blocks(message: dict[str, Any]) -> tuple[BlockView, ...]:
    content, calls = message.get("content"), message.get("toolCalls")
    if message.get("role") == "tool":
        call_id, failed = str(message.get("toolCallId") or ""), message.get("isError") is True
        return (BlockView(BlockKind.RESULT, result_text(content), "/message/content", "", call_id, failed),)
    found = []
    if isinstance(content, list):
        found = [_part(part, f"/message/content/{number}") for number, part in enumerate(content)]
    elif content is not None:
        found = [BlockView(BlockKind.TEXT, result_text(content), "/message/content")]
    for number, call in enumerate(calls if isinstance(calls, list) else ()):
        found.append(_call(call, f"/message/toolCalls/{number}"))
    return tuple(found)


def _call(call: Any, at: str) -> BlockView:
    if not isinstance(call, dict):
        return BlockView(BlockKind.CALL, pretty(call), at)
    inner = call.get("function")
    inner = inner if isinstance(inner, dict) else call
    text = inner.get("arguments")
    shown = text if isinstance(text, str) else pretty(text)
    return BlockView(BlockKind.CALL, shown, at, str(inner.get("name") or ""), str(call.get("id") or ""))


def _part(part: Any, at: str) -> BlockView:
    if not isinstance(part, dict):
        return BlockView(BlockKind.OTHER, pretty(part), at)
    name = str(part.get("type") or "")
    kind = PARTS.get(name, BlockKind.OTHER)
    if kind == BlockKind.TEXT:
        return BlockView(kind, str(part.get("text") or ""), at)
    if kind == BlockKind.THINKING:
        return BlockView(kind, str(part.get("think") or part.get("text") or ""), at)
    return BlockView(kind, f"[{name}]" if kind == BlockKind.MEDIA else pretty(part), at)


def _origin(message: dict[str, Any]) -> str:
    origin = message.get("origin")
    return str(origin.get("kind") or "") if isinstance(origin, dict) else ""


def _time(value: Any) -> str:
    """Milliseconds since 1970 as a time of day, "" for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    try:
        return datetime.fromtimestamp(value / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except (OverflowError, OSError, ValueError):
        return ""
