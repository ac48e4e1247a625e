"""Bedrock Converse: `toolUse` blocks of the assistant, `toolResult` blocks in the user's message behind them.

Source of the shapes: botocore `bedrock-runtime/2023-09-30/service-2.json`; a block is an object with exactly one
member.
"""

from typing import Any

from msgspec import Raw, Struct, field

from inspector.core.bytes.json_text import list_at, objects_at, plain, pretty, value_at
from inspector.core.index.columns import Columns, Flag, Role
from inspector.core.index.views import BlockKind, BlockView
from inspector.core.wire.fields import EMPTY, is_blank, placeholder_flag
from inspector.core.wire.spelling.shown import call_view, result_view
from inspector.core.wire.spelling.tables import CONVERSE

ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}
KINDS = {
    "text": BlockKind.TEXT,
    "reasoningContent": BlockKind.THINKING,
    "toolUse": BlockKind.CALL,
    "toolResult": BlockKind.RESULT,
    "image": BlockKind.MEDIA,
    "document": BlockKind.MEDIA,
    "video": BlockKind.MEDIA,
    "audio": BlockKind.MEDIA,
}
KEYS = KINDS.keys() | {
    "guardContent",
    "cachePoint",
    "citationsContent",
    "searchResult",
    "toolAddition",
    "toolRemoval",
}

_SIGNATURES = (b'"signature"', b'"redactedContent"')


class ToolUse(Struct, gc=False):
    """A call; one of the assistant's with a `type` and an id is run by the provider."""

    id: str | None = field(default=None, name="toolUseId")
    name: str | None = None
    type: str | None = None
    input: Raw = EMPTY


class ToolResult(Struct, gc=False):
    """A result; one of the assistant's with a `type` and an id is the provider's own."""

    id: str | None = field(default=None, name="toolUseId")
    type: str | None = None
    status: str | None = None
    content: Raw = EMPTY


class Block(Struct, gc=False):
    """The members of a block that the index needs."""

    text: Raw = EMPTY
    call: ToolUse | None = field(default=None, name="toolUse")
    result: ToolResult | None = field(default=None, name="toolResult")
    reasoning: Raw = field(default=EMPTY, name="reasoningContent")
    image: Raw = EMPTY
    document: Raw = EMPTY
    video: Raw = EMPTY
    audio: Raw = EMPTY


class Message(Struct, gc=False):
    """The fields of a message that the index needs."""

    role: str | None = None
    content: list[Block] | None = None


def add_content(columns: Columns, message: Message) -> None:
    """Append the blocks of a message to the newest record."""
    for block in message.content or ():
        columns.add_block(*_row_of(block, message.role == "assistant"))


def _row_of(block: Block, of_model: bool) -> tuple[int, int, str | None, str | None]:
    call, result = block.call, block.result
    if call is not None:
        kind = BlockKind.SERVER_CALL if of_model and call.type and call.id else BlockKind.CALL
        return kind, 0 if bytes(call.input)[:1] == b"{" else Flag.BAD_INPUT, call.id, call.name
    if result is not None:
        kind = BlockKind.SERVER_RESULT if of_model and result.type and result.id else BlockKind.RESULT
        failed = Flag.ERROR if result.status == "error" else 0
        return kind, failed | placeholder_flag(result.content), result.id, None
    if len(block.text):
        return BlockKind.TEXT, Flag.BLANK if is_blank(block.text) else 0, None, None
    if len(block.reasoning):
        signed = any(key in plain(bytes(block.reasoning)) for key in _SIGNATURES)
        return BlockKind.THINKING, Flag.SIGNED if signed else 0, None, None
    media = any(len(raw) for raw in (block.image, block.document, block.video, block.audio))
    return BlockKind.MEDIA if media else BlockKind.OTHER, 0, None, None


def views(message: dict[str, Any]) -> tuple[BlockView, ...]:
    """The blocks of a parsed message, for showing."""
    of_model = message.get("role") == "assistant"
    return tuple(_view(item, f"/content/{n}", of_model) for n, item in enumerate(list_at(message, "/content")))


def _view(item: Any, at: str, of_model: bool) -> BlockView:
    if not isinstance(item, dict):
        return BlockView(BlockKind.OTHER, pretty(item), at)
    key = next((key for key in KINDS if key in item), "")
    kind, value = KINDS.get(key, BlockKind.OTHER), item.get(key)
    inner = value if isinstance(value, dict) else {}
    if kind == BlockKind.TEXT:
        return BlockView(kind, str(value or ""), at)
    if kind == BlockKind.THINKING:
        return BlockView(kind, str(value_at(inner, "/reasoningText/text") or "[redacted reasoning]"), at)
    if kind == BlockKind.CALL:
        return call_view(item, CONVERSE, at, BlockKind.SERVER_CALL if of_model and inner.get("type") else kind)
    if kind == BlockKind.RESULT:
        return result_view(item, CONVERSE, at, BlockKind.SERVER_RESULT if of_model and inner.get("type") else kind)
    if kind == BlockKind.MEDIA:
        return BlockView(kind, f"[{key}]", at)
    return BlockView(kind, pretty(item), at, next(iter(item), ""))


def result_block(call_id: str, text: str, failed: bool) -> dict[str, Any]:
    """A result with a text; one that failed must hold some."""
    status = "error" if failed else "success"
    return {"toolResult": {"toolUseId": call_id, "status": status, "content": [{"text": text}]}}


def invented_call(call_id: str, name: str) -> dict[str, Any]:
    """A call of which nothing but its result is known."""
    return {"toolUse": {"toolUseId": call_id, "name": name, "input": {}}}


def media_of(result: Any) -> list[dict[str, Any]]:
    """The pictures and documents of a result, which are blocks of a message as they are."""
    parts = objects_at(result, "/toolResult/content")
    return [part for part in parts if KINDS.get(next(iter(part), "")) == BlockKind.MEDIA]
