"""OpenAI Chat Completions: `tool_calls` on assistant messages, one `tool` message per result.

Source of the shapes: the `openai` SDK's `types/chat/*_message_param.py`. tau2 benchmark runs write the same messages
with flat calls (`name`, `arguments` as an object) and the call's id as the result's `id`, marked by `requestor`.
"""

from collections.abc import Iterable
from typing import Any

from msgspec import Raw, Struct
from msgspec.structs import replace

from inspector.core.model.columnar_index import BlockFlag, BlockRow, Columns, RecordMark, Role
from inspector.core.model.views import BlockKind, BlockView
from inspector.core.providers.block_schema import ALL_MEDIA_SPECS, BlockSchema, CallSpec, ResultSpec, typed_text_encoder
from inspector.core.providers.block_views import call_view, format_arguments, result_view
from inspector.core.providers.fast_message_check import (
    IdAndName,
    SimpleMessage,
    is_json_object_text,
    is_nonblank_text_content,
    is_text_only_result,
)
from inspector.core.providers.malformed_precheck import (
    ANTHROPIC_BLOCK_TYPES,
    is_null,
    is_text,
    may_be_malformed_content,
)
from inspector.core.providers.message_fields import (
    EMPTY_RAW,
    LenientDecoder,
    message_text,
    result_content_flags,
    string_in,
)
from inspector.core.providers.message_misfits import (
    LIST,
    NULL,
    OBJECT,
    REQUIRED_NAME,
    REQUIRED_TEXT,
    TEXT,
    FieldSchema,
    ObjectSchema,
    enum_field,
    message_schema_by_role,
    object_field,
    object_schema_by_type,
    object_schema_of_fields,
    parse_member_schemas,
    system_message_schema,
    text_or_parts_field,
)
from inspector.core.storage import json_edits
from inspector.core.storage.json_spans import raw_json_at
from inspector.core.storage.json_text import dump_json, list_at, parse_json

_QUOTE = memoryview(b'"')

ROLE_BY_NAME = {
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.SYSTEM,
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
}
# Ids of Responses items in calls: NousResearch/hermes-agent#58168.
_CALL_SPEC = CallSpec(
    as_text=True, shown=format_arguments, alternative_ids=("/call_id", "/response_item_id", "/item_id")
)
BLOCK_SCHEMA = BlockSchema(
    text_pointers=("/text", "/refusal"),
    reasoning_pointers=("/think", "/thinking", "/reasoning"),  # of programs that keep it among the parts
    calls=(
        replace(_CALL_SPEC, name="/function/name", input=("/function/arguments",)),
        replace(_CALL_SPEC, name="/custom/name", input=("/custom/input",)),
        replace(_CALL_SPEC, input=("/arguments", "/input"), as_text=False),  # of tau2
    ),
    results=(
        ResultSpec(has="/tool_call_id", id="/tool_call_id", name="/name", wants_name=False),
        ResultSpec(has="/requestor", name="/name", wants_name=False),  # of tau2
        ResultSpec(id="/tool_call_id", name="/name", wants_name=False),
    ),
    media=ALL_MEDIA_SPECS,
    media_keys=("content",),
)

# What the API refuses in every request, see `message_misfits`.

# Anthropic blocks that a gateway did not translate.
_OF_ANOTHER_API = object_schema_of_fields(type=FieldSchema((TEXT,), allowed_values=frozenset({"text", "refusal"})))
_BREAKPOINT = {
    "prompt_cache_breakpoint": object_field(
        ObjectSchema({"mode": enum_field("explicit"), "ttl": enum_field("30m", "12h", needed=False)}), needed=False
    )
}
_IMAGE = ObjectSchema(
    parse_member_schemas("url! text", detail=enum_field("auto", "low", "high", "original", needed=False))
)
_CHAT_PARTS = object_schema_by_type(
    {
        **dict.fromkeys(ANTHROPIC_BLOCK_TYPES, _OF_ANOTHER_API),
        "text": object_schema_of_fields(text=REQUIRED_TEXT, **_BREAKPOINT),
        "refusal": object_schema_of_fields(refusal=REQUIRED_TEXT),
        "image_url": object_schema_of_fields(
            image_url=FieldSchema((OBJECT, TEXT), needed=True, of=_IMAGE), **_BREAKPOINT
        ),
        "input_audio": object_schema_of_fields(
            input_audio=object_field(ObjectSchema(parse_member_schemas("data! text", format=enum_field("wav", "mp3")))),
            **_BREAKPOINT,
        ),
        "file": object_schema_of_fields(
            file=object_field(ObjectSchema(parse_member_schemas("file_data text, file_id text, filename text"))),
            **_BREAKPOINT,
        ),
    }
)
_NAME = {"name": FieldSchema((TEXT,), removable=True)}


def _message_schema(parts: ObjectSchema, said: ObjectSchema) -> ObjectSchema:
    words, answer = (text_or_parts_field(each, typed_text_encoder("text")) for each in (parts, said))
    system = system_message_schema(words)
    return message_schema_by_role(
        {
            **dict.fromkeys(("system", "developer"), replace(system, fields=system.fields | _NAME)),
            "user": object_schema_of_fields(content=words, **_NAME),
            "assistant": ObjectSchema(
                parse_member_schemas(
                    "name text, refusal text",
                    content=answer,
                    tool_calls=FieldSchema((LIST,)),
                    audio=object_field(ObjectSchema(parse_member_schemas("id! text")), needed=False),
                    function_call=object_field(
                        ObjectSchema(parse_member_schemas("name! text, arguments! text")), needed=False
                    ),
                )
            ),
            "tool": object_schema_of_fields(content=replace(words, needed=True)),
            "function": object_schema_of_fields(name=REQUIRED_NAME, content=FieldSchema((TEXT, NULL), needed=True)),
        }
    )


MESSAGE_SCHEMA = _message_schema(_CHAT_PARTS, _CHAT_PARTS)
# What other servers of this API take beside OpenAI's own types, and what people put into training data: not judged.
_PARTS_OF_OTHER_SERVERS = frozenset(
    "audio audio_embeds audio_url document document_url image image_embeds image_pil reasoning redacted_thinking "
    "reference think thinking tool_reference video video_url".split()
)
# Types of the Responses API. An answer may hold other types that are newer than these tables.
_PARTS_OF_RESPONSES = frozenset("input_file input_image input_text output_text reasoning_text summary_text".split())
# What is sent to the API as it is.
REQUEST_SCHEMA = _message_schema(
    replace(_CHAT_PARTS, known_types=frozenset(_CHAT_PARTS.variants) | _PARTS_OF_OTHER_SERVERS),
    replace(_CHAT_PARTS, refused_types=_PARTS_OF_RESPONSES),
)
_TEXTS = frozenset({"text"})
_OTHER_PARTS = (_PARTS_OF_OTHER_SERVERS | {"image_url", "refusal"}) - ANTHROPIC_BLOCK_TYPES

_ROLES = {name: int(role) for name, role in ROLE_BY_NAME.items()}
_TYPES = ("function", "custom")
_ROLES_WITH_CONTENT = frozenset({"user", "system", "developer", "tool"})
# The members that a message of any other role may have instead of content.
_KEYS_IN_PLACE_OF_CONTENT = (
    "tool_calls",
    "function_call",
    "refusal",
    "audio",
    "reasoning_content",
    "reasoning",
    "reasoning_details",
)
# The flag of a call that lacks its type or its function, which are required.
MALFORMED_CALL_FLAG = BlockFlag.ERROR
_TEXT, _CALL, _RESULT = int(BlockKind.TEXT), int(BlockKind.CALL), int(BlockKind.RESULT)
_TOOL = int(Role.TOOL)


class ChatFunction(Struct, gc=False):
    """The inner part of a call, also of a call of a custom tool."""

    name: str | None = None
    arguments: Raw = EMPTY_RAW
    input: Raw = EMPTY_RAW


class ChatToolCall(Struct, gc=False):
    """One entry of `tool_calls`."""

    id: str | None = None
    type: str | None = None
    name: str | None = None
    function: ChatFunction | None = None
    custom: ChatFunction | None = None
    requestor: str | None = None


class ChatMessage(Struct, gc=False):
    """The fields of a message that the index needs."""

    role: str | None = None
    content: Raw = EMPTY_RAW
    tool_calls: list[ChatToolCall] | None = None
    tool_call_id: str | None = None
    id: str | None = None
    requestor: str | None = None
    name: str | None = None
    refusal: str | None = None
    audio: Raw = EMPTY_RAW
    function_call: Raw = EMPTY_RAW


MESSAGE_DECODER = LenientDecoder(ChatMessage)


def add_message(columns: Columns, start: int, end: int, message: ChatMessage, mark: int = 0) -> None:
    """Append a message as a record with its blocks."""
    add_messages(columns, [message], [(start, end)], 0, [mark])


def add_messages(
    columns: Columns, messages: list[ChatMessage], spans: list[tuple[int, int]], offset: int, known: list[int]
) -> None:
    """Append messages at `spans`, which are relative to `offset`. `known` are marks of the messages."""
    roles = [_ROLES.get(message.role or "", 0) for message in messages]
    marks = [
        mark | RecordMark.EMPTY_CALLS if message.tool_calls == [] else mark
        for mark, message in zip(known, messages, strict=True)
    ]
    columns.add_records(spans, offset, roles, marks, list(map(_rows_of, messages, roles)))


def _rows_of(message: ChatMessage, role: int) -> list[BlockRow]:
    """Return the rows of the blocks of a message."""
    if role == _TOOL:
        return [(_RESULT, result_content_flags(message.content), answered_call_id(message), None)]
    rows: list[BlockRow] = [(_TEXT, 0, None, None)] if _says_something(message.content) else []
    for call in message.tool_calls or ():
        flag = _call_flags(call.function) if call.function is not None else 0
        inner = call.function if call.type == "function" else call.custom if call.type == "custom" else None
        if inner is None:
            flag |= MALFORMED_CALL_FLAG if call.requestor is None else 0
        rows.append((_CALL, flag, call.id, tool_name_of_call(call)))
    return rows


def answered_call_id(message: ChatMessage) -> str | None:
    """Return the id of the call that a tool message answers."""
    if message.tool_call_id is None and message.requestor is not None:
        return message.id
    return message.tool_call_id


def tool_name_of_call(call: ChatToolCall) -> str | None:
    """Return the name of the tool of a call of a function, of a custom tool, or of a flat call."""
    inner = call.function or call.custom
    return call.name if inner is None else inner.name


def _says_something(content: Raw) -> bool:
    size = len(content)
    return size > 4 or (size > 0 and bytes(content) not in (b"null", b'""', b"[]"))


def _call_flags(function: ChatFunction) -> int:
    """Return BAD_INPUT if `arguments` is no string. The text itself is the model's and is never judged or repaired."""
    return 0 if memoryview(function.arguments)[0:1] == _QUOTE else BlockFlag.BAD_INPUT


def may_be_malformed(message: ChatMessage) -> bool:
    role = message.role
    if not (is_null(message.audio) and is_null(message.function_call)):
        return True
    if role == "assistant" or role == "user":
        return not is_null(message.content) and may_be_malformed_content(message.content, _TEXTS, _OTHER_PARTS)
    known = role in ROLE_BY_NAME and role != "function"
    return (
        not known
        or may_be_malformed_content(message.content, _TEXTS, _OTHER_PARTS)
        or (role != "tool" and not is_text(message.content))
    )


def missing_text(message: Any) -> str:
    """Return what a message without content holds in its place: "null", "list", or "" where the API accepts it."""
    if not isinstance(message, dict):
        return ""
    if message.get("role") not in _ROLES_WITH_CONTENT and any(map(message.get, _KEYS_IN_PLACE_OF_CONTENT)):
        return ""
    return "null" if message.get("content") is None else "list" if message["content"] == [] else ""


def missing_call_member(call: Any) -> str:
    """Return the required member that a parsed call lacks: "function", "type", or "" for none.

    Returns "" also for a value that is no call. A type that does not match the member of the call counts as missing. A
    call of tau2 is flat and is sent in another form, so it lacks nothing.
    """
    if not isinstance(call, dict) or "requestor" in call:
        return ""
    if not isinstance(call.get("function"), dict) and not isinstance(call.get("custom"), dict):
        return "function"
    return "" if call.get("type") and call["type"] in _kinds_of(call) else "type"


def _kinds_of(call: dict[str, Any]) -> list[str]:
    """Return the types that match the members of a call."""
    return [kind for kind in reversed(_TYPES) if isinstance(call.get(kind), dict)]


def add_missing_call_members(call: bytes) -> bytes:
    """Return a call with the type and the function that it lacks. Name and arguments move into the function."""
    value = parse_json(call)
    if missing_call_member(value) == "function":
        function = {"name": string_in(value, "name") or "", "arguments": _arguments_in(call, value)}
        for flat in ("name", "arguments"):
            call = json_edits.remove_member(call, "", flat)
        call = json_edits.set_member(call, "", "function", dump_json(function))
    kinds = _kinds_of(value) or ["function"]
    return call if value.get("type") in kinds else json_edits.set_member(call, "", "type", dump_json(kinds[0]))


def _arguments_in(call: bytes, value: dict[str, Any]) -> str:
    """Return the arguments of a call without a function, character by character."""
    key = next((key for key in ("arguments", "function") if value.get(key) is not None), "")
    if not key:
        return "{}"
    arguments = value[key]
    return arguments if isinstance(arguments, str) else raw_json_at(call, f"/{key}").decode("utf-8", "replace")


def block_pointer(columns: Columns, record: int, ordinal: int) -> str:
    """Return the pointer of block `ordinal` of a record."""
    row = columns.first_block[record] + ordinal
    if columns.block_kinds[row] != BlockKind.CALL:
        return "/content"
    # The content of a message is its first block, and all others are its calls.
    has_content = columns.block_kinds[columns.first_block[record]] != BlockKind.CALL
    return f"/tool_calls/{ordinal - has_content}"


def views_of_message(message: dict[str, Any], spelling: BlockSchema = BLOCK_SCHEMA) -> tuple[BlockView, ...]:
    """Return the blocks of a parsed message for display."""
    views: list[BlockView] = []
    content = message.get("content")
    if message.get("role") == "tool":
        return (result_view(message, spelling, "/content"),)
    if content not in (None, "", []):
        views.append(BlockView(BlockKind.TEXT, message_text(content), "/content"))
    for number, call in enumerate(list_at(message, "/tool_calls")):
        views.append(call_view(call, spelling, f"/tool_calls/{number}"))
    return tuple(views)


def make_tool_message(call_id: str, text: str) -> dict[str, Any]:
    """Return a tool message that replaces a missing result. The API has no error flag."""
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def make_invented_call_message(call_id: str, name: str, note: str) -> dict[str, Any]:
    """Return a message with a call of which only the result is known."""
    call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": "{}"}}
    return {"role": "assistant", "content": note, "tool_calls": [call]}


def make_user_message(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


# Encoding for a request. Texts and contents are given as JSON.


def encode_text_part(text: bytes) -> bytes:
    return b'{"type":"text","text":%s}' % text


def encode_image(url: bytes) -> bytes:
    return b'{"type":"image_url","image_url":{"url":%s}}' % url


def encode_call(call_id: str, name: str, input: bytes) -> bytes:
    function = b'{"name":%s,"arguments":%s}' % (dump_json(name), dump_json(input.decode("utf-8", "replace")))
    return b'{"id":%s,"type":"function","function":%s}' % (dump_json(call_id), function)


def encode_message(role: str, content: bytes, calls: Iterable[bytes] = ()) -> bytes:
    listed = b",".join(calls)
    tools = b',"tool_calls":[%s]' % listed if listed else b""
    return b'{"role":%s,"content":%s%s}' % (dump_json(role), content, tools)


def encode_tool_message(call_id: str, content: bytes) -> bytes:
    return b'{"role":"tool","tool_call_id":%s,"content":%s}' % (dump_json(call_id), content)


# The quick reader of plainly spelled messages, for `plain_messages`.

_KEYS, _ASSISTANT_KEYS = {"role", "content", "name"}, {"role", "content", "name", "tool_calls"}
_UNUSED_KEYS = {"refusal", "audio", "function_call", "annotations"}  # the SDKs write them although they say nothing
_CALL_KEYS, _FUNCTION_KEYS, _RESULT_KEYS = {"id", "type", "function"}, {"name", "arguments"}, _KEYS | {"tool_call_id"}


def read_simple_message(message: Any) -> SimpleMessage | None:
    """Read a message, or return None where it is not spelled plainly."""
    role = message.get("role") if type(message) is dict else None
    if role == "assistant":
        return _read_assistant_message(message)
    if role == "tool":
        if not message.keys() <= _RESULT_KEYS or not is_text_only_result(message.get("content")):
            return None
        return SimpleMessage("tool", [], [(message.get("tool_call_id"), "")], False)
    if role not in ("user", "system", "developer") or not message.keys() <= _KEYS:
        return None
    plain_role = "user" if role == "user" else "system"
    return SimpleMessage(plain_role, [], [], True) if is_nonblank_text_content(message.get("content")) else None


def _read_assistant_message(message: dict[str, Any]) -> SimpleMessage | None:
    if not message.keys() <= _ASSISTANT_KEYS and (
        not message.keys() <= _ASSISTANT_KEYS | _UNUSED_KEYS or any(map(message.get, _UNUSED_KEYS))
    ):
        return None
    calls: list[IdAndName] = []
    listed = message.get("tool_calls")
    if listed is not None and (type(listed) is not list or not listed):
        return None
    for call in listed or ():
        function = call.get("function") if type(call) is dict and call.keys() == _CALL_KEYS else None
        if type(function) is not dict or function.keys() != _FUNCTION_KEYS or call["type"] != "function":
            return None
        if not is_json_object_text(function["arguments"]):
            return None
        calls.append((call["id"], function["name"]))
    content = message.get("content")
    if content is not None and not is_nonblank_text_content(content):
        return None
    return SimpleMessage("assistant", calls, [], content is not None) if calls or content is not None else None
