"""The messages of Goose: lists of blocks with a type, with the results of tools in messages of the user.

Facts: aaif-goose/goose, crates/goose/src/conversation/message.rs @893b3e5 and tool_result_serde.rs @0513296. A message
with a block that cannot be read stops the session from being loaded. A message that is not visible to the agent was
summarized, or is a note for the person. A result without `content` has no parts (`CallToolResult` of rmcp 3.1.4).
"""

from typing import Any

from msgspec import Raw, Struct

from inspector.core.model.columnar_index import BlockFlag, Columns, RecordMark, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.block_schema import (
    ALL_MEDIA_SPECS,
    BlockSchema,
    CallSpec,
    ResultSpec,
    encode_string,
    split_type_names,
    typed_text_encoder,
    typed_text_list_encoder,
)
from inspector.core.providers.message_fields import (
    EMPTY_RAW,
    LenientDecoder,
    is_blank_json,
    result_content_flags,
    result_text,
)
from inspector.core.providers.message_misfits import (
    LIST,
    OBJECT,
    REQUIRED_TEXT,
    FieldSchema,
    ObjectSchema,
    enum_field,
    object_field,
    object_schema_of_fields,
)

_RESPONSE = split_type_names("toolResponse")
_FAILED = "error"


def _text_of_value(value: Any) -> str:
    """Return the text of a result without `content`: of a list of parts, or of the other members of an object."""
    if isinstance(value, dict):
        value = {name: member for name, member in value.items() if name not in ("content", "isError", "_meta")} or ""
    return result_text(value)


BLOCK_SCHEMA = BlockSchema(
    kinds={
        "text": BlockKind.TEXT,
        "image": BlockKind.MEDIA,
        "toolRequest": BlockKind.CALL,
        "toolResponse": BlockKind.RESULT,
        "thinking": BlockKind.THINKING,
        "redactedThinking": BlockKind.THINKING,
    },
    calls=(
        CallSpec(split_type_names("toolRequest"), name="/toolCall/value/name", input=("/toolCall/value/arguments",)),
    ),
    results=(
        ResultSpec(
            _RESPONSE,
            has="/toolResult/error",
            content="/toolResult/error",
            told=encode_string,
            status="/toolResult/status",
            failed=lambda status: status == _FAILED,
        ),
        ResultSpec(
            _RESPONSE,
            has="/toolResult/value/content",
            content="/toolResult/value/content",
            told=typed_text_list_encoder("text"),
            status="/toolResult/value/isError",
        ),
        ResultSpec(
            _RESPONSE,
            content="/toolResult/value",
            told=typed_text_list_encoder("text"),
            shown=_text_of_value,
            status="/toolResult/value/isError",
        ),
    ),
    media=ALL_MEDIA_SPECS,
    text=typed_text_encoder("text"),
    media_keys=("content",),
)


def _outcome(value: FieldSchema) -> FieldSchema:
    """Return the schema of a call or a result: its value, or an error."""
    variants = {"success": ObjectSchema({"value": value}), _FAILED: ObjectSchema({"error": REQUIRED_TEXT})}
    return object_field(ObjectSchema({"status": enum_field(*variants)}, type_key="status", variants=variants))


_CALL = _outcome(object_field(ObjectSchema({"name": REQUIRED_TEXT, "arguments": FieldSchema((OBJECT,))})))
_RESULT = _outcome(FieldSchema((OBJECT, LIST), needed=True))
_VARIANTS = {
    "text": object_schema_of_fields(text=REQUIRED_TEXT),
    "image": object_schema_of_fields(data=REQUIRED_TEXT, mimeType=REQUIRED_TEXT),
    "toolRequest": object_schema_of_fields(id=REQUIRED_TEXT, toolCall=_CALL),
    "toolResponse": object_schema_of_fields(id=REQUIRED_TEXT, toolResult=_RESULT),
    "toolConfirmationRequest": object_schema_of_fields(id=REQUIRED_TEXT),
    "actionRequired": object_schema_of_fields(data=FieldSchema((OBJECT,), needed=True)),
    "frontendToolRequest": object_schema_of_fields(id=REQUIRED_TEXT, toolCall=_CALL),
    "thinking": object_schema_of_fields(thinking=REQUIRED_TEXT, signature=REQUIRED_TEXT),
    "redactedThinking": object_schema_of_fields(data=REQUIRED_TEXT),
    "systemNotification": object_schema_of_fields(msg=REQUIRED_TEXT),
    "reasoning": ObjectSchema(),
    "conversationCompacted": ObjectSchema(),
}
_BLOCK = ObjectSchema({"type": REQUIRED_TEXT}, type_key="type", variants=_VARIANTS, known_types=frozenset(_VARIANTS))
BLOCK_TYPES = frozenset(_VARIANTS)
MESSAGE_SCHEMA = object_schema_of_fields(
    content=FieldSchema((LIST,), needed=True, of=_BLOCK, element_encoder=typed_text_encoder("text"))
)
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}


class _CallValue(Struct, gc=False):
    name: str | None = None
    arguments: Raw = EMPTY_RAW


class _ToolCall(Struct, gc=False):
    status: str | None = None
    value: _CallValue | None = None


class _ResultValue(Struct, gc=False):
    content: Raw = EMPTY_RAW
    isError: bool | None = None


class _ToolResult(Struct, gc=False):
    status: str | None = None
    value: Raw = EMPTY_RAW
    error: Raw = EMPTY_RAW


class GooseBlock(Struct, gc=False):
    type: str | None = None
    id: str | None = None
    text: Raw = EMPTY_RAW
    signature: str | None = None
    toolCall: _ToolCall | None = None
    toolResult: _ToolResult | None = None


class _Metadata(Struct, gc=False):
    agentVisible: bool = True


class GooseMessage(Struct, gc=False):
    id: str | None = None
    role: str | None = None
    content: list[GooseBlock] | None = None
    metadata: _Metadata | None = None


_decode = LenientDecoder(GooseMessage)
_decode_result = LenientDecoder(_ResultValue)


def add_message(columns: Columns, raw: bytes, start: int, end: int) -> None:
    """Index a message. One that the agent does not see is not sent."""
    known = _decode.decode_strict(raw)
    message = known or _decode(raw)
    role = _ROLES.get(message.role or "", Role.OPAQUE)
    mark = 0
    if message.metadata is not None and not message.metadata.agentVisible:
        mark |= RecordMark.NOT_SENT
    if role and (known is None or message.content is None or any(map(_may_be_malformed, message.content))):
        mark |= RecordMark.MAYBE_MALFORMED
    columns.add_record(start, end, role, mark)
    for block in message.content or ():
        _add_block(columns, block)


def _may_be_malformed(block: GooseBlock) -> bool:
    """Return whether a block needs a closer look, because it is none of those that nearly all messages consist of."""
    if block.type == "text":
        return bytes(memoryview(block.text)[:1]) != b'"'
    if block.id is not None and block.type == "toolRequest" and block.toolCall is not None:
        value = block.toolCall.value
        return not (block.toolCall.status == "success" and value is not None and value.name is not None)
    if block.id is not None and block.type == "toolResponse" and block.toolResult is not None:
        first = bytes(memoryview(block.toolResult.value)[:1])
        return not (block.toolResult.status == "success" and first in (b"{", b"["))
    return True


def _add_block(columns: Columns, block: GooseBlock) -> None:
    kind = BLOCK_SCHEMA.block_kind(block.type or "")
    if kind == BlockKind.CALL:
        value = (block.toolCall and block.toolCall.value) or _CallValue()
        is_input = bytes(memoryview(value.arguments)[:1]) in (b"{", b"n", b"")
        name = value.name if block.toolCall and block.toolCall.value else "invalid"
        columns.add_block(kind, 0 if is_input else BlockFlag.BAD_INPUT, block.id, name)
    elif kind == BlockKind.RESULT:
        columns.add_block(kind, _result_flags(block.toolResult or _ToolResult()), block.id)
    elif kind == BlockKind.THINKING:
        columns.add_block(kind, BlockFlag.SIGNED if block.signature or block.type == "redactedThinking" else 0)
    elif kind == BlockKind.TEXT:
        columns.add_block(kind, BlockFlag.BLANK if is_blank_json(block.text) else 0)
    else:
        columns.add_block(kind)


def _result_flags(result: _ToolResult) -> int:
    if result.status == _FAILED:
        return BlockFlag.ERROR | result_content_flags(result.error)
    if bytes(memoryview(result.value)[:1]) != b"{":
        return result_content_flags(result.value)
    value = _decode_result(bytes(result.value))
    return result_content_flags(value.content) | (BlockFlag.ERROR if value.isError else 0)


def make_result(call_id: str, text: str, failed: bool) -> dict[str, Any]:
    """Return a result as Goose stores it."""
    value: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": failed}
    return {"type": "toolResponse", "id": call_id, "toolResult": {"status": "success", "value": value}}


def make_invented_call(call_id: str, name: str) -> dict[str, Any]:
    """Return a call of which only the result is known."""
    call = {"status": "success", "value": {"name": name or "unknown", "arguments": {}}}
    return {"type": "toolRequest", "id": call_id, "toolCall": call}
