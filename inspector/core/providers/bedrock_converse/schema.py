"""Bedrock Converse: `toolUse` blocks of the assistant, `toolResult` blocks in the user's message after them.

Source of the shapes: botocore `bedrock-runtime/2023-09-30/service-2.json`; a block is an object with exactly one
member.
"""

from collections.abc import Iterable
from functools import partial
from operator import attrgetter, eq
from typing import Any

import msgspec
from msgspec import Raw, Struct, field
from msgspec.structs import replace

from inspector.core.model.columnar_index import BlockFlag, Columns, Role
from inspector.core.model.views import BlockKind, BlockView
from inspector.core.providers.block_schema import (
    ALL_MEDIA_SPECS,
    BlockSchema,
    CallSpec,
    ResultSpec,
    encode_text_object,
    encode_text_object_list,
)
from inspector.core.providers.block_views import block_views
from inspector.core.providers.fast_message_check import PlainBlock, SimpleMessage, is_nonblank_text, read_simple_blocks
from inspector.core.providers.malformed_precheck import is_null, is_text
from inspector.core.providers.message_fields import (
    DECODE_ERRORS,
    EMPTY_RAW,
    bedrock_parts_text,
    is_blank_json,
    result_content_flags,
)
from inspector.core.providers.message_misfits import (
    OBJECT,
    OPTIONAL_TEXT,
    REQUIRED_TEXT,
    FieldSchema,
    ObjectSchema,
    message_schema_by_role,
    object_schema_of_fields,
    parts_list_field,
    system_message_schema,
)
from inspector.core.storage.json_text import dump_json, list_at, objects_at, unescape_keys, value_at

SERVER_TOOL_TYPE = "server_tool_use"
ROLE_BY_NAME = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}
BLOCK_SCHEMA = BlockSchema(
    kinds={
        "text": BlockKind.TEXT,
        "reasoningContent": BlockKind.THINKING,
        "toolUse": BlockKind.CALL,
        "toolResult": BlockKind.RESULT,
        **dict.fromkeys(("image", "document", "video", "audio"), BlockKind.MEDIA),
    },
    type_key="",
    reasoning_pointers=("/reasoningContent/reasoningText/text",),
    redacted_text="[redacted reasoning]",
    calls=(CallSpec(id="/toolUse/toolUseId", name="/toolUse/name", input=("/toolUse/input",)),),
    results=(
        ResultSpec(
            id="/toolResult/toolUseId",
            content="/toolResult/content",
            told=encode_text_object_list,
            shown=bedrock_parts_text,
            status="/toolResult/status",
            failed=partial(eq, "error"),
        ),
    ),
    media=ALL_MEDIA_SPECS,
    text=encode_text_object,
    media_keys=("content", "toolResult"),
)
BLOCK_KEYS = BLOCK_SCHEMA.kinds.keys() | {
    "guardContent",
    "cachePoint",
    "citationsContent",
    "searchResult",
    "toolAddition",
    "toolRemoval",
}

# What the API refuses in every request, see `message_misfits`.

_TOLD_PARTS = ObjectSchema(
    {"text": OPTIONAL_TEXT}, exclusive_keys=frozenset({"text", "json", "image", "document", "video", "searchResult"})
)
_TOOL_RESULT = object_schema_of_fields(
    content=parts_list_field(_TOLD_PARTS, encode_text_object, needed=True), status=OPTIONAL_TEXT
)
_REASONING = FieldSchema((OBJECT,), of=object_schema_of_fields(text=REQUIRED_TEXT, signature=OPTIONAL_TEXT))
_REASONED = ObjectSchema({"reasoningText": _REASONING}, exclusive_keys=frozenset({"reasoningText", "redactedContent"}))
_MEMBERS = {
    "text": OPTIONAL_TEXT,
    "toolUse": FieldSchema((OBJECT,)),
    "toolResult": FieldSchema((OBJECT,), of=_TOOL_RESULT),
    "reasoningContent": FieldSchema((OBJECT,), of=_REASONED),
    **dict.fromkeys(("image", "document", "video", "audio"), FieldSchema((OBJECT,))),
}
BLOCK = ObjectSchema(_MEMBERS, exclusive_keys=frozenset(BLOCK_KEYS))


def message_schema_of(block: ObjectSchema) -> ObjectSchema:
    """Return the schema of a message with such blocks."""
    content = parts_list_field(block, encode_text_object)
    said = dict.fromkeys(ROLE_BY_NAME, object_schema_of_fields(content=content))
    return message_schema_by_role({**said, "system": system_message_schema(content)})


MESSAGE_SCHEMA = message_schema_of(BLOCK)

# Members that must be alone in their block.
_OTHER_BLOCKS = attrgetter(
    *("reasoning", "image", "document", "video", "audio"),
    *("cache_point", "citations", "guarded", "found", "added", "removed"),
)
_DECODE_RESULT_PARTS = msgspec.json.Decoder(list[dict[str, Raw]]).decode
_SERVER_KINDS = {BlockKind.CALL: BlockKind.SERVER_CALL, BlockKind.RESULT: BlockKind.SERVER_RESULT}
_SIGNATURES = (b'"signature"', b'"redactedContent"')


class ToolUse(Struct, gc=False):
    """A call.

    The provider runs a call of the assistant with an id and the type `server_tool_use`, the only one known.
    """

    id: str | None = field(default=None, name="toolUseId")
    name: str | None = None
    type: str | None = None
    input: Raw = EMPTY_RAW


class ToolResult(Struct, gc=False):
    """A result. One of the assistant with a `type` and an id is that of a tool the provider ran."""

    id: str | None = field(default=None, name="toolUseId")
    type: str | None = None
    status: str | None = None
    content: Raw = EMPTY_RAW


class ConverseBlock(Struct, gc=False):
    """The members of a block that the index needs, and all others that a block can have."""

    text: Raw = EMPTY_RAW
    call: ToolUse | None = field(default=None, name="toolUse")
    result: ToolResult | None = field(default=None, name="toolResult")
    reasoning: Raw = field(default=EMPTY_RAW, name="reasoningContent")
    image: Raw = EMPTY_RAW
    document: Raw = EMPTY_RAW
    video: Raw = EMPTY_RAW
    audio: Raw = EMPTY_RAW
    cache_point: Raw = field(default=EMPTY_RAW, name="cachePoint")
    citations: Raw = field(default=EMPTY_RAW, name="citationsContent")
    guarded: Raw = field(default=EMPTY_RAW, name="guardContent")
    found: Raw = field(default=EMPTY_RAW, name="searchResult")
    added: Raw = field(default=EMPTY_RAW, name="toolAddition")
    removed: Raw = field(default=EMPTY_RAW, name="toolRemoval")


class ConverseMessage(Struct, gc=False):
    """The fields of a message that the index needs."""

    role: str | None = None
    content: list[ConverseBlock] | None = None


def add_blocks(columns: Columns, message: ConverseMessage) -> None:
    """Append the blocks of a message to the newest record."""
    for block in message.content or ():
        columns.add_block(*_row_of(block, message.role == "assistant"))


def _row_of(block: ConverseBlock, of_model: bool) -> tuple[int, int, str | None, str | None]:
    call, result = block.call, block.result
    if call is not None:
        kind = BlockKind.SERVER_CALL if of_model and call.type == SERVER_TOOL_TYPE and call.id else BlockKind.CALL
        return kind, 0 if bytes(call.input)[:1] == b"{" else BlockFlag.BAD_INPUT, call.id, call.name
    if result is not None:
        kind = BlockKind.SERVER_RESULT if of_model and result.type and result.id else BlockKind.RESULT
        failed = BlockFlag.ERROR if result.status == "error" else 0
        return kind, failed | result_content_flags(result.content), result.id, None
    if len(block.text):
        return BlockKind.TEXT, BlockFlag.BLANK if is_blank_json(block.text) else 0, None, None
    if len(block.reasoning):
        signed = any(key in unescape_keys(bytes(block.reasoning)) for key in _SIGNATURES)
        return BlockKind.THINKING, BlockFlag.SIGNED if signed else 0, None, None
    media = any(len(raw) for raw in (block.image, block.document, block.video, block.audio))
    return BlockKind.MEDIA if media else BlockKind.OTHER, 0, None, None


def may_be_malformed(message: ConverseMessage) -> bool:
    known = message.role in ROLE_BY_NAME and message.role != "system"
    return not known or any(map(_is_suspect_block, message.content or ()))


def _is_suspect_block(block: ConverseBlock) -> bool:
    held = (not is_null(block.text)) + (block.call is not None) + (block.result is not None)
    if held != 1 or any(map(len, _OTHER_BLOCKS(block))):
        return True
    if block.result is not None:
        return _is_suspect_result(block.result.content)
    return block.call is None and not is_text(block.text)


def _is_suspect_result(content: Raw) -> bool:
    try:
        parts = _DECODE_RESULT_PARTS(content)
    except DECODE_ERRORS:
        return True
    return any(part.keys() != {"text"} or not is_text(part["text"]) for part in parts)


def views_of_message(message: dict[str, Any]) -> tuple[BlockView, ...]:
    """Return the views of the blocks of a parsed message."""
    blocks = list_at(message, "/content")
    views = block_views(BLOCK_SCHEMA, blocks, "/content")
    if message.get("role") != "assistant":
        return views
    served = (
        value_at(each, "/toolUse/type") == SERVER_TOOL_TYPE or value_at(each, "/toolResult/type") for each in blocks
    )
    return tuple(
        replace(view, kind=_SERVER_KINDS.get(view.kind, view.kind)) if at else view
        for view, at in zip(views, served, strict=True)
    )


def make_tool_result(call_id: str, text: str, failed: bool) -> dict[str, Any]:
    """Return a result with a text. A failed one must have a text."""
    status = "error" if failed else "success"
    return {"toolResult": {"toolUseId": call_id, "status": status, "content": [{"text": text}]}}


def make_invented_call(call_id: str, name: str) -> dict[str, Any]:
    """Return a call of which only the result is known."""
    return {"toolUse": {"toolUseId": call_id, "name": name, "input": {}}}


def media_blocks_of_result(result: Any) -> list[dict[str, Any]]:
    """Return the media of a result, which can be blocks of a message as they are."""
    parts = objects_at(result, "/toolResult/content")
    return [part for part in parts if BLOCK_SCHEMA.block_kind(next(iter(part), "")) == BlockKind.MEDIA]


# Encoding for a request. Texts and inputs are given as JSON.


def stored_block_as_sent(block: dict[str, Any], raw: bytes, sent_id: str) -> bytes:
    """Return b"": the agents that use this API keep their blocks in another shape."""
    return b""


def encode_text_block(text: bytes) -> bytes:
    return b'{"text":%s}' % text


def encode_call(call_id: str, name: str, input: bytes) -> bytes:
    return b'{"toolUse":{"toolUseId":%s,"name":%s,"input":%s}}' % (dump_json(call_id), dump_json(name), input)


def encode_result(call_id: str, name: str, content: bytes, is_error: bool) -> bytes:
    status = b',"status":"error"' if is_error else b""
    return b'{"toolResult":{"toolUseId":%s,"content":[{"text":%s}]%s}}' % (dump_json(call_id), content, status)


def encode_message(role: str, blocks: Iterable[bytes]) -> bytes:
    return b'{"role":%s,"content":[%s]}' % (dump_json(role), b",".join(blocks))


# The quick reader of plainly spelled messages, for `plain_messages`.

_MESSAGE_KEYS = {"role", "content"}
_CALL_KEYS, _RESULT_KEYS = {"toolUseId", "name", "input"}, {"toolUseId", "content", "status"}


def read_simple_message(message: Any) -> SimpleMessage | None:
    """Read a message, or return None where it is not spelled plainly."""
    if type(message) is not dict or message.keys() != _MESSAGE_KEYS:
        return None
    return read_simple_blocks(message["role"], message["content"], _read_block)


def _read_block(block: Any) -> PlainBlock | None:
    if type(block) is not dict or len(block) != 1:
        return None
    ((kind, value),) = block.items()
    if kind == "text":
        return ("text", None) if is_nonblank_text(value) else None
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
    return is_nonblank_text(value) if kind == "text" else kind == "json" and type(value) is dict
