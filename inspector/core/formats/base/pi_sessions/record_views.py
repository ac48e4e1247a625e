"""Views of a pi session: an entry with its blocks or a summary of it, and the title of the session."""

from collections.abc import Iterable, Iterator
from typing import Any

from inspector.core.formats.base.pi_sessions import reader
from inspector.core.formats.base.pi_sessions.request import sent_summary_or_command
from inspector.core.formats.base.stores import title_line
from inspector.core.model.views import BlockKind, BlockView, RecordView
from inspector.core.providers.block_views import block_views, result_view
from inspector.core.providers.message_fields import message_text, string_in
from inspector.core.storage.json_text import dump_json, object_at, parse_json, sum_at
from inspector.core.translation import tr

_TOKENS_IN = ("/usage/input", "/usage/cacheRead", "/usage/cacheWrite")


def record_view(raw: bytes) -> RecordView:
    """Return the view of an entry. Raises ValueError if it is not JSON."""
    row = parse_json(raw)
    if not isinstance(row, dict):
        return RecordView("", tr("no record"))
    kind, when, message = str(row.get("type") or "record"), str(row.get("timestamp") or ""), row.get("message")
    if kind == "custom_message":
        return RecordView("user", "", block_views(reader.ENTRY_BLOCK_SCHEMA, row.get("content"), "/content"), when)
    if kind in reader.SUMMARY_LINK_KEYS and (row.get("summary") or kind == "compaction"):
        return RecordView(kind, "", (BlockView(BlockKind.TEXT, str(row.get("summary") or ""), ""),), when)
    if kind != "message" or not isinstance(message, dict):
        return RecordView(kind, kind, (), when)
    return _message_view(message, when)


def _message_view(message: dict[str, Any], when: str) -> RecordView:
    role = str(message.get("role") or "")
    stop_reason = string_in(message, "stopReason") if role == "assistant" else None
    if stop_reason in reader.UNSENT_STOP_REASONS or role == "system" or message.get("excludeFromContext"):
        unsent = " ".join(texts_of_unsent_message(message))
        return RecordView(role, ": ".join(filter(None, (stop_reason or role, unsent))), (), when)
    text = sent_summary_or_command(dump_json(message))
    if text is not None:
        return RecordView(role, "", (BlockView(BlockKind.TEXT, text, "/message"),), when)
    if role == "toolResult":
        return RecordView(role, "", (result_view({"message": message}, reader.ENTRY_BLOCK_SCHEMA, "/message"),), when)
    blocks = block_views(reader.ENTRY_BLOCK_SCHEMA, message.get("content"), "/message/content")
    tokens = sum_at(message, *_TOKENS_IN), sum_at(message, "/usage/output")
    return RecordView(role, "", blocks, when, str(message.get("model") or ""), *tokens)


def texts_of_unsent_message(message: dict[str, Any]) -> Iterator[str]:
    """Yield the texts of a message that is not sent unchanged: content, sections of a system prompt, error."""
    yield message_text(message.get("content"))
    yield from map(str, object_at(message, "/sections").values())
    yield str(message.get("errorMessage") or "")


def session_title(named: dict[str, Any], entries: Iterable[dict[str, Any]]) -> str:
    """Return the name that the user gave the session, or else the first prompt."""
    if isinstance(named.get("name"), str) and named["name"].strip():
        return title_line(named["name"])
    messages = (entry["message"] for entry in entries if isinstance(entry.get("message"), dict))
    prompts = (message_text(message.get("content")) for message in messages if message.get("role") == "user")
    return next((title_line(text) for text in prompts if text.strip()), "")
