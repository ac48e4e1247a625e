"""The messages of Pydantic AI as rows of columns, and their view.

Facts: pydantic-ai-slim 2.68.0, messages.py (`ModelMessagesTypeAdapter`). A message is a request or a response with
parts. A `tool-return` of a request is a result, and so is a `retry-prompt` with the name of a tool, which releases
before `outcome` wrote. Parts with `builtin-` in their kind are calls and results of tools that the provider ran.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import Raw, Struct, field
from msgspec.structs import replace

from inspector.core.formats.base.block_list_formats import is_string_token
from inspector.core.model.columnar_index import BlockFlag, BlockRow, Columns, RecordMark, Role
from inspector.core.model.views import BlockKind, BlockView
from inspector.core.providers.block_schema import BlockSchema, CallSpec, MediaSpec, ResultSpec, encode_string
from inspector.core.providers.block_views import block_views, format_arguments, text_or_json
from inspector.core.providers.message_fields import (
    EMPTY_RAW,
    LenientDecoder,
    SkippedObject,
    is_blank_json,
    result_content_flags,
)
from inspector.core.providers.message_misfits import (
    BOOLEAN,
    LIST,
    NULL,
    NUMBER,
    OBJECT,
    TEXT,
    FieldSchema,
    ObjectSchema,
    enum_field,
    object_schema_of_fields,
    parse_member_schemas,
)
from inspector.core.storage.json_text import list_at, parse_json, value_at

PARTS = "/parts"
ROLES = {"request": Role.USER, "response": Role.ASSISTANT}
_SYSTEM, _USER_PROMPT, _RETRY = "system-prompt", "user-prompt", "retry-prompt"
_TEXT, _CALL, _RESULT = "text", "tool-call", "tool-return"
# Texts under `content`. That of a prompt can be a list, and that of the feedback on an answer a list of errors.
_LISTS = frozenset({_USER_PROMPT, _RETRY, "retry-feedback"})
_TEXTS = frozenset({_SYSTEM, _TEXT, "thinking", *_LISTS})
# Parts that hold no words of the conversation, but changes of its tools and settings, files, and summaries.
_OTHER_REQUEST_KINDS = frozenset(
    "compaction speech tool-availability-delta capability-load-delta model-settings-delta instruction-delta "
    "instruction-baseline".split()
)
_OTHER_RESPONSE_KINDS = frozenset("compaction speech file".split())
_KINDS_BY_MESSAGE = {
    "request": _OTHER_REQUEST_KINDS | _LISTS | {_SYSTEM, _RESULT},
    "response": _OTHER_RESPONSE_KINDS | {_TEXT, "thinking", _CALL, "builtin-tool-call", "builtin-tool-return"},
}
PART_KINDS = frozenset[str]().union(*_KINDS_BY_MESSAGE.values())
_FAILED_OUTCOMES = ("failed", "retried")
_OUTCOMES = ("success", "failed", "denied", "interrupted", "retried")
# A text of the system, in a bit of the block that has no other meaning here.
SYSTEM_TEXT = BlockFlag.BORROWED_ID


def user_prompt(text: str) -> dict[str, str]:
    return {"content": text, "part_kind": _USER_PROMPT}


def response_text(text: str) -> dict[str, str]:
    return {"content": text, "part_kind": _TEXT}


BLOCK_SCHEMA = BlockSchema(
    kinds={
        **dict.fromkeys((_SYSTEM, _USER_PROMPT, "retry-feedback", _TEXT), BlockKind.TEXT),
        "thinking": BlockKind.THINKING,
        _CALL: BlockKind.CALL,
        **dict.fromkeys((_RESULT, _RETRY), BlockKind.RESULT),
        "builtin-tool-call": BlockKind.SERVER_CALL,
        "builtin-tool-return": BlockKind.SERVER_RESULT,
    },
    type_key="part_kind",
    text_pointers=("/content",),
    reasoning_pointers=("/content",),
    calls=(CallSpec(id="/tool_call_id", name="/tool_name", input=("/args",), shown=format_arguments),),
    results=(
        ResultSpec(
            id="/tool_call_id",
            name="/tool_name",
            shown=text_or_json,
            status="/outcome",
            failed=lambda outcome: outcome in _FAILED_OUTCOMES,
        ),
    ),
    media=tuple(
        MediaSpec(has=has, data=data, url=url, media_type=("/media_type",), default_type="media")
        for has, data, url in (("/data", ("/data",), ()), ("/url", (), ("/url",)))
    ),
    assistant_role="response",
    text=user_prompt,
    media_keys=("content",),
)

# What the adapter does not load, see `message_misfits`.

_ANY = (TEXT, NUMBER, BOOLEAN, OBJECT, LIST, NULL)
_SAID = object_schema_of_fields(content=FieldSchema((TEXT,), needed=True, text_encoder=encode_string))
_SAID_OR_LISTED = object_schema_of_fields(content=FieldSchema((TEXT, LIST), needed=True, text_encoder=encode_string))
# Members that nothing is read from, but that stop the adapter.
_BESIDE_PARTS = parse_member_schemas(
    "run_id text, conversation_id text, instructions text, model_name text, provider_name text, "
    "provider_response_id text, metadata object, usage object, provider_details object"
)
_IN_PARTS = parse_member_schemas("id text, provider_name text, signature text, tool_kind text")
_SCHEMA_BY_PART = {
    **dict.fromkeys(_TEXTS, _SAID),
    **dict.fromkeys(_LISTS, _SAID_OR_LISTED),
    _CALL: object_schema_of_fields(args=FieldSchema((TEXT, OBJECT), text_encoder=encode_string)),
    _RESULT: object_schema_of_fields(
        content=FieldSchema(_ANY, needed=True, made=b'""'), outcome=enum_field(*_OUTCOMES, needed=False)
    ),
}
_STATES = {"request": ("complete", "interrupted"), "response": ("complete", "incomplete", "suspended", "interrupted")}


def _message_schema(kind: str) -> ObjectSchema:
    part = ObjectSchema(_IN_PARTS, "part_kind", _SCHEMA_BY_PART, known_types=_KINDS_BY_MESSAGE[kind])
    encoder = user_prompt if kind == "request" else response_text
    parts = FieldSchema((LIST,), needed=True, of=part, text_encoder=lambda text: [encoder(text)])
    state = enum_field(*_STATES[kind], needed=False)
    return ObjectSchema(_BESIDE_PARTS | {"parts": replace(parts, element_encoder=encoder), "state": state})


MESSAGE_SCHEMA = ObjectSchema(
    {"kind": FieldSchema((TEXT,), needed=True, allowed_values=frozenset(ROLES))},
    type_key="kind",
    variants={kind: _message_schema(kind) for kind in ROLES},
)


class Part(Struct, gc=False):
    """The fields of a part that the index needs, and those that must have their type."""

    part_kind: str | None = None
    content: Raw = EMPTY_RAW
    args: Raw = EMPTY_RAW
    tool_name: str | None = None
    tool_call_id: str | None = None
    outcome: str | None = None
    signature: str | None = None
    id: str | None = None
    provider_name: str | None = None
    tool_kind: str | None = None


class Message(Struct, gc=False):
    role: str | None = field(default=None, name="kind")
    parts: list[Part] | None = None
    state: str | None = None
    run_id: str | None = None
    conversation_id: str | None = None
    instructions: str | None = None
    model_name: str | None = None
    provider_name: str | None = None
    provider_response_id: str | None = None
    metadata: SkippedObject | None = None
    usage: SkippedObject | None = None
    provider_details: SkippedObject | None = None


DECODE = LenientDecoder(Message)


def add_message(columns: Columns, start: int, end: int, message: Message, odd: bool) -> None:
    """Index a message. One in which nothing is said is a link."""
    rows = [_row_of(part) for part in message.parts or ()]
    role = ROLES.get(message.role or "", Role.OPAQUE)
    if role != Role.OPAQUE and not any(kind for kind, *_ in rows):
        role = Role.LINK
    columns.add_record(start, end, role, RecordMark.MAYBE_MALFORMED if odd or _may_be_malformed(message) else 0)
    for row in rows:
        columns.add_block(*row)


def _row_of(part: Part) -> BlockRow:
    kind = BLOCK_SCHEMA.block_kind(part.part_kind or "")
    if kind == BlockKind.THINKING:
        return kind, BlockFlag.SIGNED if part.signature else 0, None, None
    if kind in (BlockKind.CALL, BlockKind.SERVER_CALL, BlockKind.SERVER_RESULT):
        return kind, 0, part.tool_call_id, part.tool_name
    if kind == BlockKind.RESULT and _is_result(part.part_kind, part.tool_name):
        failed = part.part_kind == _RETRY or part.outcome in _FAILED_OUTCOMES or part.outcome == "denied"
        flags = result_content_flags(part.content) | (BlockFlag.ERROR if failed else 0)
        return kind, flags, part.tool_call_id, part.tool_name
    if kind == BlockKind.TEXT or kind == BlockKind.RESULT:
        if bytes(memoryview(part.content)[:1]) == b"[":
            return _kind_of_list(parse_json(bytes(part.content))), 0, None, None
        system = SYSTEM_TEXT if part.part_kind == _SYSTEM else 0
        return BlockKind.TEXT, system | (BlockFlag.BLANK if is_blank_json(part.content) else 0), None, None
    return BlockKind.OTHER, 0, None, None


def _is_result(part_kind: Any, tool_name: Any) -> bool:
    """Return whether a result is one. A retry without the name of a tool is a text about an answer."""
    return part_kind != _RETRY or tool_name is not None


def _kind_of_list(content: list[Any]) -> BlockKind:
    """Return the kind of the content of a prompt: a text if it has one, else media."""
    return BlockKind.TEXT if not content or any(_texts_of(content)) else BlockKind.MEDIA


def _texts_of(content: list[Any]) -> Iterator[str]:
    """Yield the texts of the content of a prompt. Errors, which have no kind, are quoted as JSON."""
    for item in content:
        if isinstance(item, str):
            yield item
        elif isinstance(value_at(item, "/content"), str):
            yield item["content"]
        elif value_at(item, "/kind") is None:
            yield text_or_json(item)


def _may_be_malformed(message: Message) -> bool:
    known = _KINDS_BY_MESSAGE.get(message.role or "")
    if known is None or message.parts is None or message.state not in (None, *_STATES[message.role or ""]):
        return True
    return any(part.part_kind not in known or _may_be_odd(part) for part in message.parts)


def _may_be_odd(part: Part) -> bool:
    if part.part_kind in _TEXTS:
        return not is_string_token(part.content)
    if part.part_kind == _RESULT:
        return not part.content or part.outcome not in (None, *_OUTCOMES)
    return part.part_kind == _CALL and bytes(memoryview(part.args)[:1]) not in (b"", b'"', b"{")


def views_of_message(message: dict[str, Any]) -> tuple[BlockView, ...]:
    """Return the views of the parts of a parsed message."""
    parts = list_at(message, PARTS)
    views = block_views(BLOCK_SCHEMA, parts, PARTS)
    return tuple(map(_view_of, parts, views))


def _view_of(part: Any, view: BlockView) -> BlockView:
    """Return the view of a part, with the texts of a list, and of a retry as what it is."""
    content, kind = value_at(part, "/content"), value_at(part, "/part_kind")
    if view.kind == BlockKind.RESULT and kind == _RETRY:
        if _is_result(kind, part.get("tool_name")):
            return replace(view, is_error=True)
        view = BlockView(BlockKind.TEXT, text_or_json(content), view.pointer)
    if view.kind == BlockKind.TEXT and isinstance(content, list):
        held = _kind_of_list(content)
        media = ", ".join(str(value_at(item, "/kind")) for item in content)
        return replace(view, kind=held, text="\n".join(_texts_of(content)) if held == BlockKind.TEXT else f"[{media}]")
    return view
