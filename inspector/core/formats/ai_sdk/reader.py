"""The model messages of the AI SDK as rows of columns, and their view.

Facts: the npm package `ai` 4.3.19, 5.0.277, 6.0.326 and 7.0.173 (`modelMessageSchema`, `coreMessageSchema`). A call has
its `input`, in version 4 its `args`; a result has an `output` with a type, in version 4 a `result`. The results in
messages of the assistant are those of tools that the provider ran, unless the program runs the call in the message.
"""

from collections.abc import Container, Iterable, Iterator
from typing import Any

from msgspec import Raw, Struct
from msgspec.structs import replace

from inspector.core.formats.base.ai_sdk import (
    DENIED_TEXT,
    METADATA_KEYS,
    is_empty_text,
    may_be_odd_metadata,
    metadata_misfits,
    thinking_flags,
)
from inspector.core.formats.base.block_list_formats import is_string_token
from inspector.core.model.columnar_index import BlockFlag, BlockRow, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.views import BlockKind, BlockView
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
from inspector.core.providers.block_views import block_views, text_or_json
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
    REQUIRED_TEXT,
    TEXT,
    FieldSchema,
    Misfit,
    ObjectSchema,
    find_misfits,
    message_schema_by_role,
    object_schema_by_type,
    object_schema_of_fields,
    parse_member_schemas,
    parts_list_field,
    text_or_parts_field,
)
from inspector.core.storage.json_text import (
    dump_json,
    list_at,
    object_at,
    parse_json_cached,
    text_at,
    value_at,
)
from inspector.core.translation import tr

ROLES = {"system": Role.SYSTEM, "user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL}
APPROVAL_REQUEST, APPROVAL_RESPONSE = "tool-approval-request", "tool-approval-response"
TOOL_KINDS = (BlockKind.CALL, BlockKind.RESULT, BlockKind.SERVER_CALL, BlockKind.SERVER_RESULT)
_MEDIA_TYPES = ("file", "image")
_FAILED_OUTPUTS = ("error-text", "error-json", "execution-denied")
_PART_TYPES_BY_ROLE = {
    "user": split_type_names("text image file"),
    "assistant": split_type_names("text reasoning redacted-reasoning reasoning-file file custom tool-call tool-result")
    | {APPROVAL_REQUEST},
    "tool": frozenset({"tool-result", APPROVAL_RESPONSE}),
}
PART_TYPES = frozenset[str]().union(*_PART_TYPES_BY_ROLE.values())


def sent_output(output: Any) -> str:
    """Return an output as the model reads it: a text, or JSON."""
    if value_at(output, "/type") == "execution-denied":
        return text_at(output, "/reason") or DENIED_TEXT
    value = value_at(output, "/value")
    return value if isinstance(value, str) else dump_json(value).decode()


def _text_output(text: str) -> dict[str, str]:
    return {"type": "text", "value": text}


_CALL = CallSpec(id="/toolCallId", name="/toolName", input=("/input", "/args"))
_RESULT = ResultSpec(
    id="/toolCallId",
    name="/toolName",
    has="/output/value",
    content="/output/value",
    shown=text_or_json,
    status="/output/type",
    failed=lambda kind: kind in _FAILED_OUTPUTS,
)
BLOCK_SCHEMA = BlockSchema(
    kinds={
        "text": BlockKind.TEXT,
        **dict.fromkeys(("reasoning", "redacted-reasoning"), BlockKind.THINKING),
        "tool-call": BlockKind.CALL,
        "tool-result": BlockKind.RESULT,
        **dict.fromkeys(("file", "image", "reasoning-file"), BlockKind.MEDIA),
    },
    reasoning_pointers=("/text",),
    media_label_pointers=("/filename", "/mediaType", "/mimeType"),
    calls=(replace(_CALL, has="/args", input=("/args",)), _CALL),
    results=(
        # An output of the type `content` is a list of parts.
        replace(_RESULT, has="/output/value/0/type", told=typed_text_list_encoder("text")),
        _RESULT,
        replace(_RESULT, has="/result", content="/result", status="/isError", failed=bool),
        replace(_RESULT, has="", content="/output", told=_text_output, shown=sent_output),
    ),
    media=ALL_MEDIA_SPECS,
    text=typed_text_encoder("text"),
    media_keys=("content",),
    kept_in=("output", "value"),
)

# What stops the SDK, see `message_misfits`.

_TEXT_VALUE = object_schema_of_fields(value=replace(REQUIRED_TEXT, text_encoder=encode_string, made=b'""'))
_JSON_VALUE = object_schema_of_fields(
    value=FieldSchema((TEXT, NUMBER, BOOLEAN, OBJECT, LIST, NULL), needed=True, made=b"null")
)
_DATA = ObjectSchema(parse_member_schemas("data! text, mediaType! text"))
_URL = ObjectSchema(parse_member_schemas("url! text"))
_OUTPUT_PARTS = {
    "text": object_schema_of_fields(text=REQUIRED_TEXT),
    **dict.fromkeys(("media", "file-data", "image-data"), _DATA),
    **dict.fromkeys(("file-url", "image-url"), _URL),
    **dict.fromkeys(
        ("file", "file-id", "file-reference", "image-file-id", "image-file-reference", "custom"), ObjectSchema()
    ),
}
_OUTPUT_PART = replace(object_schema_by_type(_OUTPUT_PARTS), known_types=frozenset(_OUTPUT_PARTS))
_OUTPUTS = {
    **dict.fromkeys(("text", "error-text"), _TEXT_VALUE),
    **dict.fromkeys(("json", "error-json"), _JSON_VALUE),
    "content": object_schema_of_fields(value=parts_list_field(_OUTPUT_PART, typed_text_encoder("text"), needed=True)),
    "execution-denied": object_schema_of_fields(reason=FieldSchema((TEXT,), nullable=False, removable=True)),
}
_OUTPUT_SCHEMA = replace(object_schema_by_type(_OUTPUTS), known_types=frozenset(_OUTPUTS))
# Version 7 takes data in objects, too.
_FILE_DATA = FieldSchema((TEXT, OBJECT), needed=True)
_PART = object_schema_by_type(
    {
        "text": object_schema_of_fields(text=REQUIRED_TEXT),
        "reasoning": object_schema_of_fields(text=REQUIRED_TEXT),
        "file": object_schema_of_fields(
            data=_FILE_DATA, mediaType=REQUIRED_TEXT, filename=FieldSchema((TEXT,), nullable=False, removable=True)
        ),
        "image": object_schema_of_fields(image=_FILE_DATA),
        "tool-call": object_schema_of_fields(providerExecuted=FieldSchema((BOOLEAN,), nullable=False, removable=True)),
        "tool-result": object_schema_of_fields(
            output=FieldSchema(
                (OBJECT,), needed=True, of=_OUTPUT_SCHEMA, text_encoder=_text_output, made=dump_json(_text_output(""))
            )
        ),
    }
)


def _result_without_call(text: str) -> Any:
    """Return what a text in a tool message is: a result whose call is not known."""
    return {"type": "tool-result", "toolCallId": "", "toolName": "unknown", "output": _text_output(text)}


_CONTENT_BY_ROLE = {
    role: text_or_parts_field(replace(_PART, known_types=types), typed_text_encoder("text"))
    for role, types in _PART_TYPES_BY_ROLE.items()
}
_TOOL_PART = replace(_PART, known_types=_PART_TYPES_BY_ROLE["tool"])
_CONTENT_BY_ROLE["tool"] = replace(parts_list_field(_TOOL_PART, _result_without_call, needed=True), made=b"[]")
_MESSAGE_SCHEMA = message_schema_by_role(
    {
        "system": object_schema_of_fields(content=replace(REQUIRED_TEXT, text_encoder=encode_string)),
        **{role: object_schema_of_fields(content=content) for role, content in _CONTENT_BY_ROLE.items()},
    }
)


def misfits_of(message: Any) -> list[Misfit]:
    """Return the misfits of a message. One of the user with nothing but results is a tool message."""
    parts = list_at(message, "/content")
    if value_at(message, "/role") == "user" and parts and all(value_at(p, "/type") == "tool-result" for p in parts):
        return [Misfit("/role", tr("a user message contains results"), default_json=b'"tool"')]
    of_version_4 = {pointer for number, part in enumerate(parts) for pointer in _members_of_version_4(part, number)}
    found = [misfit for misfit in find_misfits(message, _MESSAGE_SCHEMA) if misfit.pointer not in of_version_4]
    served = _misfits_of_served_parts(parts) if value_at(message, "/role") == "assistant" else ()
    return [*found, *served, *metadata_misfits(message, "content", ("providerOptions",))]


def _misfits_of_served_parts(parts: list[Any]) -> Iterator[Misfit]:
    """Yield what the calls and results of tools that the provider ran lack: no rule on ids looks at them."""
    known = [part for part in parts if isinstance(part, dict)]
    own = {text_at(part, "/toolCallId") for part in known if part.get("type") == "tool-call" and not _is_served(part)}
    for number, part in enumerate(parts):
        kind, at = value_at(part, "/type"), f"/content/{number}"
        is_result = kind == "tool-result" and text_at(part, "/toolCallId") not in own
        if not is_result and not (kind == "tool-call" and _is_served(part)):
            continue
        if key := next((key for key in ("toolCallId", "toolName") if not isinstance(part.get(key), str)), ""):
            yield Misfit(f"{at}/{key}", tr("no string"), at, BLOCK_SCHEMA.text)
        if not is_result and "input" not in part and "args" not in part:
            yield Misfit(f"{at}/input", tr("missing"), default_json=b"{}")


def _is_served(part: Any) -> bool:
    return value_at(part, "/providerExecuted") is True


def _members_of_version_4(part: Any, number: int) -> Iterator[str]:
    """Yield the members of a part that have another name in version 4."""
    for old, new in (("result", "output"), ("mimeType", "mediaType")):
        if isinstance(part, dict) and old in part and new not in part:
            yield f"/content/{number}/{new}"


def missing_text(message: Any) -> str:
    """Return what a message without a block holds, see `Reader`. White space is sent, an empty part is not."""
    content = value_at(message, "/content")
    texts = (text_at(part, "/text") for part in content) if isinstance(content, list) else content
    is_left_out = value_at(message, "/role") == "user" and content != "" and not any(texts or ())
    return "null" if content is None else "list" if is_left_out else ""


class Output(Struct, gc=False):
    type: str | None = None
    value: Raw = EMPTY_RAW


class ModelPart(Struct, gc=False):
    """The fields of a part that the index needs."""

    type: str | None = None
    toolCallId: str | None = None
    toolName: str | None = None
    text: Raw = EMPTY_RAW
    input: SkippedObject | None = None
    args: SkippedObject | None = None
    output: Output | None = None
    result: Raw = EMPTY_RAW
    isError: bool | None = None
    providerExecuted: Raw = EMPTY_RAW
    providerOptions: Raw = EMPTY_RAW


class ModelMessage(Struct, gc=False):
    role: str | None = None
    content: str | list[ModelPart] | None = None
    providerOptions: Raw = EMPTY_RAW


DECODE = LenientDecoder(ModelMessage)


def add_message(columns: Columns, start: int, end: int, message: ModelMessage, odd: bool) -> None:
    """Index a message. A tool message without results is a link: it may answer an approval."""
    role, rows = ROLES.get(message.role or "", Role.OPAQUE), _rows_of(message)
    if role == Role.TOOL and not any(kind for kind, *_ in rows):
        role = Role.LINK
    columns.add_record(start, end, role, RecordMark.MAYBE_MALFORMED if odd or _may_be_malformed(message) else 0)
    for row in rows:
        columns.add_block(*row)


def _rows_of(message: ModelMessage) -> list[BlockRow]:
    content = message.content or []
    if isinstance(message.content, str):
        blank = 0 if message.content.strip() else BlockFlag.BLANK
        return [(BlockKind.TEXT, BlockFlag.PLAIN_STRING | blank, None, None)]
    parts = [part for part in content if isinstance(part, ModelPart)]
    if message.role == "user" and all(map(_is_left_out, parts)):
        return [(BlockKind.TEXT, BlockFlag.BLANK, None, None)] * len(parts)  # it is sent with nothing, and refused
    own = {part.toolCallId for part in parts if part.type == "tool-call" and not _runs_at_provider(part)}
    return [_row_of(part, own if message.role == "assistant" else None) for part in parts]


def _runs_at_provider(part: ModelPart) -> bool:
    return bytes(part.providerExecuted) == b"true"


def _is_left_out(part: ModelPart) -> bool:
    return is_empty_text(part.type, bytes(part.text), bool(part.providerOptions))


def _row_of(part: ModelPart, own_calls: Container[str | None] | None) -> BlockRow:
    """Return a part as a row. `own_calls` are the calls of a message of the assistant that the program runs.

    Another result in the message is that of a tool that the provider ran; its call may be in an earlier message.
    """
    kind = BLOCK_SCHEMA.block_kind(part.type or "")
    if kind == BlockKind.TEXT:
        blank = BlockFlag.BLANK if is_blank_json(part.text) else 0
        return BlockKind.OTHER if _is_left_out(part) else kind, blank, None, None
    if kind == BlockKind.THINKING:
        return kind, thinking_flags(bytes(part.providerOptions)), None, None
    if kind == BlockKind.CALL:
        flags = BlockFlag.BAD_INPUT if part.input is None and part.args is None else 0
        return BlockKind.SERVER_CALL if _runs_at_provider(part) else kind, flags, part.toolCallId, part.toolName
    if kind == BlockKind.RESULT:
        served = own_calls is not None and part.toolCallId not in own_calls
        return BlockKind.SERVER_RESULT if served else kind, _result_flags(part), part.toolCallId, part.toolName
    return kind, 0, None, None


def _result_flags(part: ModelPart) -> int:
    output = part.output or Output()
    if output.type == "execution-denied":
        return BlockFlag.ERROR
    failed = bool(part.isError) or output.type in _FAILED_OUTPUTS
    return result_content_flags(output.value or part.result) | (BlockFlag.ERROR if failed else 0)


def _may_be_malformed(message: ModelMessage) -> bool:
    known = _PART_TYPES_BY_ROLE.get(message.role or "")
    if may_be_odd_metadata(message.providerOptions):
        return True
    if known is None or not isinstance(message.content, list):
        return message.role not in ROLES or not isinstance(message.content, str) or message.role == "tool"
    may_be_served = message.role == "assistant"
    return any(
        part.type not in known or _may_be_odd(part) or (may_be_served and part.type == "tool-result")
        for part in message.content
    )


def _may_be_odd(part: ModelPart) -> bool:
    if may_be_odd_metadata(part.providerOptions):
        return True
    if part.type in ("text", "reasoning"):
        return not is_string_token(part.text)
    if part.type == "tool-call":
        return bytes(part.providerExecuted) not in (b"", b"false")
    if part.type != "tool-result":
        return part.type in _MEDIA_TYPES
    if part.output is None:
        return not part.result
    if part.output.type in ("text", "error-text"):
        return not is_string_token(part.output.value)
    return part.output.type not in ("json", "error-json") or not part.output.value


def views_of_message(message: dict[str, Any]) -> tuple[BlockView, ...]:
    """Return the views of the parts of a parsed message."""
    content = message.get("content")
    views = block_views(BLOCK_SCHEMA, content, "/content")
    if message.get("role") != "assistant" or not isinstance(content, list):
        return views
    served = [value_at(part, "/providerExecuted") is True for part in content]
    calls = [view.kind == BlockKind.CALL for view in views]
    own = {view.call_id for view, called, by_provider in zip(views, calls, served, strict=True) if called > by_provider}
    return tuple(
        replace(view, kind=BlockKind.SERVER_CALL)
        if called and by_provider
        else replace(view, kind=BlockKind.SERVER_RESULT)
        if view.kind == BlockKind.RESULT and view.call_id not in own
        else view
        for view, called, by_provider in zip(views, calls, served, strict=True)
    )


def is_of_version_4(columns: Columns, path: Iterable[int], raw: ReadRecord) -> bool:
    """Return whether the first call or result is spelled as in version 4."""
    for record in path:
        for ordinal, row in enumerate(columns.block_rows(record)):
            if columns.block_kinds[row] in TOOL_KINDS:
                part = object_at(parse_json_cached(raw(record)), f"/content/{ordinal}")
                return ("args" in part or "result" in part) and part.keys().isdisjoint({"input", "output"})
    return False


def has_options(value: dict[str, Any]) -> bool:
    """Return whether a message or part has options for its provider, which only the SDK spells like this."""
    return not value.keys().isdisjoint(METADATA_KEYS)
