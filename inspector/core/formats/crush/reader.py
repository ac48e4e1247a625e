"""The messages of Crush: lists of parts, each with a type and its data. Results are in messages of the role `tool`.

Facts: charmbracelet/crush, internal/message/content.go and message.go @37f36e9. Go decodes the data of a part: a member
that is missing or null is empty, one of another type stops the session from being loaded, as does an unknown part.
"""

from typing import Any

from msgspec import Raw, Struct

from inspector.core.model.columnar_index import BlockFlag, Columns, RecordMark, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.block_schema import BlockSchema, CallSpec, MediaSpec, ResultSpec, split_type_names
from inspector.core.providers.block_views import format_arguments
from inspector.core.providers.message_fields import EMPTY_RAW, LenientDecoder, is_blank_json, result_content_flags
from inspector.core.providers.message_misfits import (
    LIST,
    NULL,
    OBJECT,
    REQUIRED_TEXT,
    FieldSchema,
    ObjectSchema,
    object_schema_of_fields,
    parse_member_schemas,
)

SHELL = "shell_command"  # in the place of the name of a tool


def text_part(text: str) -> dict[str, Any]:
    """Return a text as Crush stores it."""
    return {"type": "text", "data": {"text": text}}


BLOCK_SCHEMA = BlockSchema(
    kinds={
        "text": BlockKind.TEXT,
        SHELL: BlockKind.TEXT,
        "binary": BlockKind.MEDIA,
        "tool_call": BlockKind.CALL,
        "tool_result": BlockKind.RESULT,
        "reasoning": BlockKind.THINKING,
    },
    text_pointers=("/data/text", "/data/command"),
    reasoning_pointers=("/data/thinking",),
    media_label_pointers=("/data/Path", "/data/MIMEType"),
    calls=(
        CallSpec(
            split_type_names("tool_call"),
            id="/data/id",
            name="/data/name",
            input=("/data/input",),
            as_text=True,
            shown=format_arguments,
        ),
    ),
    results=(
        ResultSpec(
            split_type_names("tool_result"),
            id="/data/tool_call_id",
            name="/data/name",
            content="/data/content",
            status="/data/is_error",
        ),
    ),
    media=(
        MediaSpec(
            split_type_names("binary"), data=("/data/Data",), media_type=("/data/MIMEType",), name=("/data/Path",)
        ),
    ),
    text=text_part,
)

_DATA = {
    "text": "text text, hidden flag",
    "reasoning": "thinking text, signature text, thought_signature text, tool_id text, responses_data object, "
    "started_at number, finished_at number",
    "image_url": "url text, detail text",
    "binary": "Path text, MIMEType text, Data text",
    "tool_call": "id text, name text, input text, provider_executed flag, finished flag",
    "tool_result": "tool_call_id text, name text, content text, data text, mime_type text, metadata text, "
    "is_error flag",
    "finish": "reason text, time number, message text, details text",
    SHELL: "command text, output text, exit_code number",
}
_VARIANTS = {
    kind: object_schema_of_fields(
        data=FieldSchema((OBJECT, NULL), needed=True, of=ObjectSchema(parse_member_schemas(members)))
    )
    for kind, members in _DATA.items()
}
PART_TYPES = frozenset(_VARIANTS)
_PART = ObjectSchema({"type": REQUIRED_TEXT}, type_key="type", variants=_VARIANTS, known_types=PART_TYPES)
MESSAGE_SCHEMA = object_schema_of_fields(parts=FieldSchema((LIST,), of=_PART, element_encoder=text_part))
_END = "finish"
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL}


class _Data(Struct, gc=False):
    id: str | None = None
    name: str | None = None
    input: str | None = None
    tool_call_id: str | None = None
    content: Raw = EMPTY_RAW
    data: str | None = None
    is_error: bool | None = None
    text: Raw = EMPTY_RAW
    thinking: Raw = EMPTY_RAW
    signature: str | None = None
    provider_executed: bool | None = None


class CrushPart(Struct, gc=False):
    type: str | None = None
    data: _Data | None = None


class CrushMessage(Struct, gc=False):
    role: str | None = None
    parts: list[CrushPart] | None = None


_decode = LenientDecoder(CrushMessage)


def add_message(columns: Columns, raw: bytes, start: int, end: int) -> None:
    """Index a message."""
    known = _decode.decode_strict(raw)
    message = known or _decode(raw)
    parts = message.parts or ()
    is_odd = known is None or any(map(_may_be_malformed, parts))
    columns.add_record(
        start, end, _ROLES.get(message.role or "", Role.OPAQUE), RecordMark.MAYBE_MALFORMED if is_odd else 0
    )
    # That a message has ended is no content of it.
    for part in parts[:-1] if parts and parts[-1].type == _END else parts:
        _add_part(columns, part.type or "", part.data or _Data())


def _may_be_malformed(part: CrushPart) -> bool:
    """Return whether a part needs a closer look, because it is none of those that nearly all messages consist of."""
    if part.data is None:
        return True
    if part.type == "text":
        return bytes(memoryview(part.data.text)[:1]) != b'"'
    if part.type == "tool_result":
        return bytes(memoryview(part.data.content)[:1]) != b'"'
    return part.type != "tool_call"


def _add_part(columns: Columns, kind_name: str, data: _Data) -> None:
    kind = BLOCK_SCHEMA.block_kind(kind_name)
    if kind == BlockKind.CALL:
        columns.add_block(BlockKind.SERVER_CALL if data.provider_executed else kind, 0, data.id, data.name)
    elif kind == BlockKind.RESULT:
        flags = BlockFlag.ERROR if data.is_error else BlockFlag.MEDIA if data.data else 0
        content = 0 if flags & BlockFlag.MEDIA else result_content_flags(data.content)
        columns.add_block(kind, flags | content, data.tool_call_id)  # the name of the tool is not sent
    elif kind == BlockKind.THINKING:
        flags = BlockFlag.SIGNED if data.signature else 0
        columns.add_block(kind if not is_blank_json(data.thinking) else BlockKind.OTHER, flags)
    elif kind == BlockKind.TEXT and kind_name == SHELL:
        columns.add_block(kind, 0, None, SHELL)
    elif kind == BlockKind.TEXT:
        columns.add_block(kind, BlockFlag.BLANK if is_blank_json(data.text) else 0)
    else:
        columns.add_block(kind)


def make_result(call_id: str, name: str, text: str, failed: bool) -> dict[str, Any]:
    """Return a result as Crush stores it."""
    data = {"tool_call_id": call_id, "name": name, "content": text}
    return {"type": "tool_result", "data": {**data, "data": "", "mime_type": "", "metadata": "", "is_error": failed}}


def make_invented_call(call_id: str, name: str) -> dict[str, Any]:
    """Return a call of which only the result is known."""
    data = {"id": call_id, "name": name or "unknown", "input": "{}", "provider_executed": False, "finished": True}
    return {"type": "tool_call", "data": data}


def finish_part(reason: str) -> dict[str, Any]:
    """Return the part with which Crush ends a message."""
    return {"type": _END, "data": {"reason": reason, "time": 0}}
