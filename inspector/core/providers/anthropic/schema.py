"""Anthropic Messages: `tool_use` blocks in assistant messages, `tool_result` blocks in user messages.

Source of the shapes: the `anthropic` SDK's `types/*_param.py`; server tools answer inside their own message.
"""

from functools import partial
from typing import Any

from msgspec import Raw, Struct

from inspector.core.model.columns import BlockFlag, BlockRow, Columns, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.block_tables import ANTHROPIC
from inspector.core.providers.block_views import block_views
from inspector.core.providers.message_fields import (
    EMPTY_RAW,
    LenientDecoder,
    SkippedObject,
    is_blank_json,
    result_content_flags,
)

_CODES = {name: int(kind) for name, kind in ANTHROPIC.kinds.items()}
_OTHER, _TEXT, _THINKING, _CALL, _RESULT, _SERVER_CALL = map(
    int, (BlockKind.OTHER, BlockKind.TEXT, BlockKind.THINKING, BlockKind.CALL, BlockKind.RESULT, BlockKind.SERVER_CALL)
)
_LIST = ord("[")
_SHORTEST_MEDIA = len('[{"type":"image","source":{}}]')
_LOOK = 1000
views_of_content = partial(block_views, ANTHROPIC)
ROLE_BY_NAME = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}
_ROLES = {name: int(role) for name, role in ROLE_BY_NAME.items()}


class AnthropicBlock(Struct, gc=False):
    """The fields of a block that the index needs; everything else is skipped, not built."""

    type: str | None = None
    id: str | None = None
    name: str | None = None
    tool_use_id: str | None = None
    is_error: bool | None = None
    text: Raw = EMPTY_RAW
    thinking: Raw = EMPTY_RAW
    source: Raw = EMPTY_RAW
    input: SkippedObject | None = None
    content: Raw = EMPTY_RAW
    signature: Raw = EMPTY_RAW


class AnthropicMessage(Struct, gc=False):
    """The fields of a message that the index needs."""

    id: str | None = None
    role: str | None = None
    content: str | list[AnthropicBlock] | None = None


MESSAGE_DECODER = LenientDecoder(AnthropicMessage)


def add_messages(
    columns: Columns, messages: list[AnthropicMessage], spans: list[tuple[int, int]], offset: int, marks: list[int]
) -> None:
    """Append messages whose `spans` are relative to `offset`."""
    roles = [_ROLES.get(message.role or "", 0) for message in messages]
    columns.add_records(spans, offset, roles, marks, [_rows_of(message.content) for message in messages])


def add_blocks(columns: Columns, content: str | list[AnthropicBlock] | None) -> None:
    """Append the blocks of a message's content to the newest record."""
    for row in _rows_of(content):
        columns.add_block(*row)


def _rows_of(content: str | list[AnthropicBlock] | None) -> list[BlockRow]:
    """Return the rows of the blocks of a content."""
    if isinstance(content, str):
        blank = 0 if content and not content.isspace() else BlockFlag.BLANK
        return [(_TEXT, BlockFlag.PLAIN_STRING | blank, None, None)]
    return [block_row(block) for block in content or ()]


def block_row(block: AnthropicBlock) -> BlockRow:
    """Return a block as a row of columns: kind, flags, call id, tool name."""
    kind = _CODES.get(block.type or "", _OTHER)
    if kind == _TEXT:
        return kind, BlockFlag.BLANK if is_blank_json(block.text) else 0, None, None
    if kind == _CALL:
        return kind, BlockFlag.BAD_INPUT if block.input is None else 0, block.id, block.name
    if kind == _RESULT:
        return kind, result_flags(block), block.tool_use_id, block.name
    if kind == _THINKING:
        # Redacted reasoning is a signature as a whole.
        signed = len(block.signature) > len(b"null") or block.type == "redacted_thinking"
        return kind, BlockFlag.SIGNED if signed else 0, None, None
    if kind == _SERVER_CALL:
        return kind, 0, block.id, block.name
    if kind == _OTHER and (block.type or "").endswith("_tool_result"):
        return int(BlockKind.SERVER_RESULT), 0, block.tool_use_id, None
    return kind, 0, None, None


def result_flags(block: AnthropicBlock) -> int:
    """Return the flags of a tool_result: ERROR, PLACEHOLDER, BLANK and MEDIA."""
    return (BlockFlag.ERROR if block.is_error else 0) | result_content_flags(block.content) | media_flag(block.content)


def media_flag(content: Raw) -> int:
    """Return MEDIA when the content of a result is a list with an image or a document, else 0."""
    if len(content) < _SHORTEST_MEDIA or (view := memoryview(content))[0] != _LIST:
        return 0
    # The beginning is searched first, which mostly avoids a copy of the megabytes of an image after it.
    names_some = any(b'"image"' in raw or b'"document"' in raw for raw in map(bytes, (view[:_LOOK], view)))
    return BlockFlag.MEDIA if names_some else 0


def make_tool_result(call_id: str, text: str, failed: bool) -> dict[str, Any]:
    """Return a tool_result with a text."""
    return {"tool_use_id": call_id, "type": "tool_result", "content": text} | ({"is_error": True} if failed else {})


def make_invented_call(call_id: str, name: str) -> dict[str, Any]:
    """Return a call of which only the result is known."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": {}}
