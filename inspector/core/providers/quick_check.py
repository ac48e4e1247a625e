"""Quick checks for messages that may not fit a schema, by the fields that an index decodes and first bytes alone.

A quick check never misses what the tables refuse. It may suspect what fits them, and only suspects are parsed. What no
decoder accepts (a text where a number belongs) is suspect without a check.
"""

from __future__ import annotations

import struct
from operator import attrgetter
from typing import TYPE_CHECKING

import msgspec
from msgspec import Raw, Struct

from inspector.core.lazy import LazyModule
from inspector.core.providers.message_fields import DECODE_ERRORS, EMPTY_RAW

if TYPE_CHECKING:
    from inspector.core.providers.anthropic import schema as anthropic
    from inspector.core.providers.bedrock_converse import schema as converse
    from inspector.core.providers.gemini import schema as gemini
    from inspector.core.providers.openai_chat import schema as openai
    from inspector.core.providers.openai_responses import schema as responses
else:
    anthropic = LazyModule("inspector.core.providers.anthropic.schema")
    converse = LazyModule("inspector.core.providers.bedrock_converse.schema")
    gemini = LazyModule("inspector.core.providers.gemini.schema")
    openai = LazyModule("inspector.core.providers.openai_chat.schema")
    responses = LazyModule("inspector.core.providers.openai_responses.schema")

_QUOTE, _LIST, _OBJECT = ord('"'), ord("["), ord("{")
first_byte = struct.Struct("B").unpack_from  # in a third of the time that a memoryview takes
STRING_START = (_QUOTE,)
_TEXT_PART_TYPES = {"input_text", "output_text", "text", "summary_text"}


class _Part(Struct, gc=False):
    """A part of a content, with the members of all kinds whose value is a text or an object."""

    type: str
    text: Raw = EMPTY_RAW
    refusal: Raw = EMPTY_RAW
    source: Raw = EMPTY_RAW
    image_url: Raw = EMPTY_RAW
    input_audio: Raw = EMPTY_RAW
    file: Raw = EMPTY_RAW


# Members that must be alone in their part or block.
_OTHER_PARTS = attrgetter(
    *("inline", "file", "code", "ran", "served_call", "served_response"),
    *("inline_snake", "file_snake", "code_snake", "ran_snake", "served_call_snake", "served_response_snake"),
)
_OTHER_BLOCKS = attrgetter(
    *("reasoning", "image", "document", "video", "audio"),
    *("cache_point", "citations", "guarded", "found", "added", "removed"),
)
_PARTS = msgspec.json.Decoder(list[_Part]).decode
_TOLD_PARTS = msgspec.json.Decoder(list[dict[str, Raw]]).decode


def _first(raw: Raw) -> int:
    """Return the first byte of a value, 0 for none."""
    return int(first_byte(raw)[0]) if len(raw) else 0


def _null(raw: Raw) -> bool:
    return not len(raw) or bytes(memoryview(raw)[:4]) == b"null"


def _has_suspect_part(content: Raw) -> bool:
    """Return whether a list has a part that may not fit."""
    try:
        parts = _PARTS(content)
    except DECODE_ERRORS:
        return True
    for part in parts:
        if part.type in _TEXT_PART_TYPES or part.type == "refusal":
            if _first(part.refusal if part.type == "refusal" else part.text) != _QUOTE:
                return True
        elif part.type in ("image", "document"):
            if _first(part.source) != _OBJECT:
                return True
        elif part.type == "image_url":
            if _first(part.image_url) not in (_QUOTE, _OBJECT):
                return True
        elif (
            not part.type
            or part.type in openai.ANTHROPIC_BLOCK_TYPES
            or (part.type in ("input_audio", "file") and _first(getattr(part, part.type)) != _OBJECT)
        ):
            return True
    return False


def _is_suspect_content(content: Raw) -> bool:
    """Return whether a content is neither a text nor a list of parts that fit."""
    first = _first(content)
    return first != _QUOTE and (first != _LIST or _has_suspect_part(content))


def is_suspect_anthropic_message(message: anthropic.AnthropicMessage) -> bool:
    if message.role not in anthropic.ROLE_BY_NAME or (message.role == "system" and not message.content):
        return True
    if not isinstance(message.content, list):
        return False
    for block in message.content:
        kind = block.type
        if kind == "tool_use":
            continue
        # The shortest check for the usual case, because it runs for every block of a log.
        words = block.text if kind == "text" else block.content if kind == "tool_result" else EMPTY_RAW
        if not (len(words) and first_byte(words) == STRING_START) and is_suspect_anthropic_block(block):
            return True
    return False


def is_suspect_anthropic_block(block: anthropic.AnthropicBlock) -> bool:
    """Return whether a block may not fit. Calls are left to rules of their own."""
    kind = block.type
    if kind == "tool_use":
        return False
    if kind == "text":
        return _first(block.text) != _QUOTE
    if kind == "tool_result":
        return bool(len(block.content)) and _is_suspect_content(block.content)
    if kind == "thinking":
        return _first(block.thinking) != _QUOTE or not (_null(block.signature) or _first(block.signature) == _QUOTE)
    if kind in ("image", "document"):
        return _first(block.source) != _OBJECT
    if kind == "server_tool_use":
        return not (block.id and block.name) or block.input is None
    return not kind or kind == "redacted_thinking"


def is_suspect_chat_message(message: openai.ChatMessage) -> bool:
    role = message.role
    if role == "assistant" or role == "user":
        return not _null(message.content) and _is_suspect_content(message.content)
    known = role in openai.ROLE_BY_NAME and role != "function"
    return not known or _is_suspect_content(message.content) or (role != "tool" and _first(message.content) != _QUOTE)


def is_suspect_responses_item(item: responses.ResponsesItem) -> bool:
    kind = responses.item_type(item)
    if kind == "message":
        if item.role == "user" or item.role == "assistant":
            return not _null(item.content) and _is_suspect_content(item.content)
        return item.role not in responses.ROLE_BY_NAME or _first(item.content) != _QUOTE
    if kind in responses.OUTPUT_TYPES:
        return _first(item.output) != _QUOTE
    return not kind or kind == "reasoning"


def is_suspect_gemini_content(content: gemini.GeminiContent) -> bool:
    if content.role is not None and content.role not in gemini.CONTENT_ROLES:
        return True
    return any(map(_is_suspect_gemini_part, content.parts or ()))


def _is_suspect_gemini_part(part: gemini.GeminiPart) -> bool:
    held = (not _null(part.text)) + (part.call is not None) + (part.response is not None)
    if held != 1 or part.call_snake is not None or part.response_snake is not None or any(map(len, _OTHER_PARTS(part))):
        return True
    if part.response is not None:
        return _first(part.response.response) != _OBJECT or bool(len(part.response.parts))
    if part.call is not None:
        return False
    return _first(part.text) != _QUOTE


def is_suspect_converse_message(message: converse.ConverseMessage) -> bool:
    known = message.role in converse.ROLE_BY_NAME and message.role != "system"
    return not known or any(map(_is_suspect_converse_block, message.content or ()))


def _is_suspect_converse_block(block: converse.ConverseBlock) -> bool:
    held = (not _null(block.text)) + (block.call is not None) + (block.result is not None)
    if held != 1 or any(map(len, _OTHER_BLOCKS(block))):
        return True
    if block.result is not None:
        return _is_suspect_converse_result(block.result.content)
    return block.call is None and _first(block.text) != _QUOTE


def _is_suspect_converse_result(content: Raw) -> bool:
    try:
        parts = _TOLD_PARTS(content)
    except DECODE_ERRORS:
        return True
    return any(part.keys() != {"text"} or _first(part["text"]) != _QUOTE for part in parts)
