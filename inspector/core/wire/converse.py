"""Bedrock Converse: `toolUse` blocks of the assistant, `toolResult` blocks in the user's message behind them.

Source of the shapes: botocore `bedrock-runtime/2023-09-30/service-2.json`; a block is an object with exactly one
member.
"""

from typing import Any

from msgspec import Raw, Struct, field
from msgspec.structs import replace

from inspector.core.bytes.json_text import list_at, objects_at, plain, value_at
from inspector.core.index.columns import Columns, Flag, Role
from inspector.core.index.views import BlockKind, BlockView
from inspector.core.wire.fields import EMPTY, is_blank, placeholder_flag
from inspector.core.wire.spelling.shown import block_views
from inspector.core.wire.spelling.tables import CONVERSE

SERVER = "server_tool_use"
ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}
KEYS = CONVERSE.kinds.keys() | {
    "guardContent",
    "cachePoint",
    "citationsContent",
    "searchResult",
    "toolAddition",
    "toolRemoval",
}

_SERVED = {BlockKind.CALL: BlockKind.SERVER_CALL, BlockKind.RESULT: BlockKind.SERVER_RESULT}
_SIGNATURES = (b'"signature"', b'"redactedContent"')


class ToolUse(Struct, gc=False):
    """A call; one of the assistant's of the type `server_tool_use` (no other is known), with an id, is run there."""

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
    """The members of a block that the index needs, and all others of which a block has one."""

    text: Raw = EMPTY
    call: ToolUse | None = field(default=None, name="toolUse")
    result: ToolResult | None = field(default=None, name="toolResult")
    reasoning: Raw = field(default=EMPTY, name="reasoningContent")
    image: Raw = EMPTY
    document: Raw = EMPTY
    video: Raw = EMPTY
    audio: Raw = EMPTY
    cache_point: Raw = field(default=EMPTY, name="cachePoint")
    citations: Raw = field(default=EMPTY, name="citationsContent")
    guarded: Raw = field(default=EMPTY, name="guardContent")
    found: Raw = field(default=EMPTY, name="searchResult")
    added: Raw = field(default=EMPTY, name="toolAddition")
    removed: Raw = field(default=EMPTY, name="toolRemoval")


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
        kind = BlockKind.SERVER_CALL if of_model and call.type == SERVER and call.id else BlockKind.CALL
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
    blocks = list_at(message, "/content")
    found = block_views(CONVERSE, blocks, "/content")
    if message.get("role") != "assistant":
        return found
    served = (value_at(each, "/toolUse/type") == SERVER or value_at(each, "/toolResult/type") for each in blocks)
    return tuple(
        replace(view, kind=_SERVED.get(view.kind, view.kind)) if at else view
        for view, at in zip(found, served, strict=True)
    )


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
    return [part for part in parts if CONVERSE.kind_of(next(iter(part), "")) == BlockKind.MEDIA]
