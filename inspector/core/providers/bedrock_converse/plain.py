"""Plainly spelled messages of Bedrock's Converse API."""

from typing import Any

from inspector.core.providers.plain_messages import PlainBlock, PlainMessage, is_words, read_blocks

_MESSAGE_KEYS = {"role", "content"}
_CALL_KEYS, _RESULT_KEYS = {"toolUseId", "name", "input"}, {"toolUseId", "content", "status"}


def read_message(message: Any) -> PlainMessage | None:
    if type(message) is not dict or message.keys() != _MESSAGE_KEYS:
        return None
    return read_blocks(message["role"], message["content"], _read_block)


def _read_block(block: Any) -> PlainBlock | None:
    if type(block) is not dict or len(block) != 1:
        return None
    ((kind, value),) = block.items()
    if kind == "text":
        return ("text", None) if is_words(value) else None
    if type(value) is not dict:
        return None
    if kind == "toolUse" and value.keys() == _CALL_KEYS and type(value["input"]) is dict:
        return "call", (value["toolUseId"], value["name"])
    if kind == "toolResult" and value.keys() <= _RESULT_KEYS and _is_result(value.get("content")):
        return "result", (value.get("toolUseId"), "")
    return None


def _is_result(content: Any) -> bool:
    """Return whether the content of a result holds only texts and objects."""
    return type(content) is list and bool(content) and all(map(_is_result_part, content))


def _is_result_part(part: Any) -> bool:
    if type(part) is not dict or len(part) != 1:
        return False
    ((kind, value),) = part.items()
    return is_words(value) if kind == "text" else kind == "json" and type(value) is dict
