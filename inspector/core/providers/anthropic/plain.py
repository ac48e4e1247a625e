"""Plainly spelled messages of Anthropic's API."""

from typing import Any

from inspector.core.providers.plain_messages import (
    TEXT_KEYS,
    PlainBlock,
    PlainMessage,
    is_plain_result,
    is_words,
    read_blocks,
)

_MESSAGE_KEYS = {"role", "content"}
_CALL_KEYS = {"type", "id", "name", "input", "cache_control"}
_RESULT_KEYS = {"type", "tool_use_id", "content", "is_error", "cache_control"}


def read_message(message: Any) -> PlainMessage | None:
    if type(message) is not dict or message.keys() != _MESSAGE_KEYS:
        return None
    role, content = message["role"], message["content"]
    if type(content) is not list:
        return PlainMessage(role, [], [], True) if is_words(content) else None
    return read_blocks(role, content, _read_block)


def _read_block(block: Any) -> PlainBlock | None:
    kind = block.get("type") if type(block) is dict else None
    if kind == "text" and block.keys() <= TEXT_KEYS and is_words(block.get("text")):
        return "text", None
    if kind == "tool_use" and block.keys() <= _CALL_KEYS and type(block.get("input")) is dict:
        return "call", (block.get("id"), block.get("name"))
    if kind == "tool_result" and block.keys() <= _RESULT_KEYS and is_plain_result(block.get("content", "")):
        return "result", (block.get("tool_use_id"), "")
    return None
