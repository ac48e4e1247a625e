"""An entry as a person reads it: its blocks, or a word of what it is; and what a session is called."""

from collections.abc import Iterable, Iterator
from typing import Any

from inspector.core.bytes.json_text import dump_json, numbers_at, object_at, parse_json
from inspector.core.formats.bases.store import first_line
from inspector.core.formats.pi import rows
from inspector.core.formats.pi.sends import as_sent
from inspector.core.index.views import BlockKind, BlockView, RecordView
from inspector.core.wire.fields import message_text, string_in
from inspector.core.wire.spelling.shown import block_views, result_view


def record_view(raw: bytes) -> RecordView:
    """See `Reader.view`."""
    row = parse_json(raw)
    if not isinstance(row, dict):
        return RecordView("", "no record")
    kind, when, message = str(row.get("type") or "record"), str(row.get("timestamp") or ""), row.get("message")
    if kind == "custom_message":
        return RecordView("user", "", block_views(rows.SPELLING, row.get("content"), "/content"), when)
    if kind in rows.SUMMARIES and (row.get("summary") or kind == "compaction"):
        return RecordView(kind, "", (BlockView(BlockKind.TEXT, str(row.get("summary") or ""), ""),), when)
    if kind != "message" or not isinstance(message, dict):
        return RecordView(kind, kind, (), when)
    return _message_view(message, when)


def _message_view(message: dict[str, Any], when: str) -> RecordView:
    role = str(message.get("role") or "")
    stopped = string_in(message, "stopReason") if role == "assistant" else None
    if stopped in rows.STOPPED or role == "system" or message.get("excludeFromContext"):
        said = " ".join(texts_of(message))
        return RecordView(role, ": ".join(filter(None, (stopped or role, said))), (), when)
    told = as_sent(dump_json(message))
    if told is not None:
        return RecordView(role, "", (BlockView(BlockKind.TEXT, told, "/message"),), when)
    if role == "toolResult":
        return RecordView(role, "", (result_view({"message": message}, rows.SPELLING, "/message"),), when)
    counts = numbers_at(message, "/usage/input", "/usage/output")
    blocks = block_views(rows.SPELLING, message.get("content"), "/message/content")
    return RecordView(role, "", blocks, when, str(message.get("model") or ""), *counts)


def texts_of(message: dict[str, Any]) -> Iterator[str]:
    """What a message says that is not sent as it stands: its content, the sections of a system prompt, its error."""
    yield message_text(message.get("content"))
    yield from map(str, object_at(message, "/sections").values())
    yield str(message.get("errorMessage") or "")


def title_of(named: dict[str, Any], entries: Iterable[dict[str, Any]]) -> str:
    """The name that the person gave the session, else what was asked first."""
    if isinstance(named.get("name"), str) and named["name"].strip():
        return first_line(named["name"])
    said = (entry["message"] for entry in entries if isinstance(entry.get("message"), dict))
    asked = (message_text(message.get("content")) for message in said if message.get("role") == "user")
    return next((first_line(text) for text in asked if text.strip()), "")
