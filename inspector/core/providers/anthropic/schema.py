"""Anthropic Messages: `tool_use` blocks in assistant messages, `tool_result` blocks in user messages.

Source of the shapes: the `anthropic` SDK's `types/*_param.py`; server tools answer inside their own message.
"""

from collections.abc import Iterable
from functools import partial
from typing import Any

from msgspec import Raw, Struct
from msgspec.structs import replace

from inspector.core.model.columnar_index import BlockFlag, BlockRow, Columns, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.block_schema import ALL_MEDIA_SPECS, BlockSchema, CallSpec, ResultSpec, typed_text_encoder
from inspector.core.providers.block_views import block_views
from inspector.core.providers.fast_message_check import (
    TEXT_BLOCK_KEYS,
    PlainBlock,
    SimpleMessage,
    is_nonblank_text,
    is_text_only_result,
    read_simple_blocks,
)
from inspector.core.providers.malformed_precheck import (
    STRING_START,
    first_byte,
    is_null,
    is_null_or_empty_list,
    is_plain_source,
    is_text,
    may_be_malformed_content,
)
from inspector.core.providers.message_fields import (
    EMPTY_RAW,
    LenientDecoder,
    SkippedObject,
    is_blank_json,
    result_content_flags,
)
from inspector.core.providers.message_misfits import (
    LIST,
    OBJECT,
    OPTIONAL_TEXT,
    REQUIRED_NAME,
    REQUIRED_OBJECT,
    REQUIRED_TEXT,
    TEXT,
    FieldSchema,
    ObjectSchema,
    enum_field,
    list_field,
    message_schema_by_role,
    object_field,
    object_schema_by_type,
    object_schema_of_fields,
    parse_member_schemas,
    system_message_schema,
    text_or_parts_field,
)
from inspector.core.storage.json_text import dump_json, text_at

ROLE_BY_NAME = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}
BLOCK_SCHEMA = BlockSchema(
    kinds={
        "text": BlockKind.TEXT,
        "thinking": BlockKind.THINKING,
        "redacted_thinking": BlockKind.THINKING,
        "tool_use": BlockKind.CALL,
        "tool_result": BlockKind.RESULT,
        "server_tool_use": BlockKind.SERVER_CALL,
        "mcp_tool_use": BlockKind.SERVER_CALL,
        "image": BlockKind.MEDIA,
        "document": BlockKind.MEDIA,
    },
    served="_tool_result",
    calls=(CallSpec(),),
    results=(ResultSpec(id="/tool_use_id", status="/is_error"),),
    media=ALL_MEDIA_SPECS,
    text=typed_text_encoder("text"),
    media_keys=("content",),
)

# What the API refuses in every request, see `message_misfits`.

# Types of other APIs, which a program or a gateway did not translate.
_FOREIGN_TYPES = frozenset(
    "function_call function_call_output functionCall functionResponse image_url input_audio input_file input_image "
    "input_text item_reference output_text reasoning reasoning_text refusal summary_text tool-call tool-result "
    "tool_call tool_calls".split()
)
# All types of the SDK 2.10.0, those of its betas too, and the block in which a system message may be written.
_RESULT_TYPES = frozenset("browser_state document image search_result text tool_reference".split())
_BLOCK_TYPES = frozenset(
    "compaction container_upload document fallback image mcp_tool_listing mid_conv_system redacted_thinking "
    "search_result server_tool_use text thinking tool_addition tool_reference tool_removal tool_result tool_use".split()
)
# Anthropic adds tools of its own, with types for their calls and results.
_SERVER_TOOL_ENDINGS = ("_tool_use", "_tool_result")


_CACHE_CONTROL = object_field(
    ObjectSchema(parse_member_schemas("", type=enum_field("ephemeral"), ttl=enum_field("5m", "1h", needed=False))),
    needed=False,
)


def _kind(words: str = "", **others: FieldSchema) -> ObjectSchema:
    """Return the schema of a block that may be marked for the cache."""
    return ObjectSchema(parse_member_schemas(words, cache_control=_CACHE_CONTROL, **others))


def _told_apart(**kinds: ObjectSchema) -> ObjectSchema:
    """Return the schema of objects that a request has in no other types than these."""
    return replace(object_schema_by_type(kinds), known_types=frozenset(kinds))


_CALLER = object_field(
    object_schema_by_type(
        dict.fromkeys(
            ("code_execution_20250825", "code_execution_20260120"), ObjectSchema(parse_member_schemas("tool_id! text"))
        )
    ),
    needed=False,
)
_CITED = "cited_text! text, document_index! number, document_title text"
_CITATIONS = list_field(
    _told_apart(
        char_location=ObjectSchema(parse_member_schemas(f"{_CITED}, start_char_index! number, end_char_index! number")),
        page_location=ObjectSchema(
            parse_member_schemas(f"{_CITED}, start_page_number! number, end_page_number! number")
        ),
        content_block_location=ObjectSchema(
            parse_member_schemas(f"{_CITED}, start_block_index! number, end_block_index! number")
        ),
        search_result_location=ObjectSchema(
            parse_member_schemas(
                "cited_text! text, search_result_index! number, source! text, start_block_index! number, "
                "end_block_index! number, title text"
            )
        ),
        web_search_result_location=ObjectSchema(
            parse_member_schemas("cited_text! text, encrypted_index! text, url! text, title text")
        ),
    ),
    needed=False,
)
_CITATIONS_SETTING = object_field(ObjectSchema(parse_member_schemas("enabled flag")), needed=False)
_TEXT_KIND = _kind(text=OPTIONAL_TEXT, citations=_CITATIONS)
_RESULT_TEXT = _kind(text=REQUIRED_TEXT, citations=_CITATIONS)
_ADDRESS, _FILE = ObjectSchema(parse_member_schemas("url! text")), ObjectSchema(parse_member_schemas("file_id! text"))
_IMAGE = _kind(
    source=object_field(
        _told_apart(base64=ObjectSchema(parse_member_schemas("data! text, media_type! text")), url=_ADDRESS, file=_FILE)
    ),
    transformations=object_field(
        ObjectSchema({"oversized_image": enum_field("downsize", "error", needed=False)}), needed=False
    ),
)
_DOCUMENT = _kind(
    "title text, context text",
    citations=_CITATIONS_SETTING,
    source=object_field(
        _told_apart(
            base64=ObjectSchema(parse_member_schemas("data! text, media_type! text")),
            text=ObjectSchema(parse_member_schemas("data! text", media_type=enum_field("text/plain"))),
            content=ObjectSchema(
                {"content": FieldSchema((TEXT, LIST), True, _told_apart(text=_RESULT_TEXT, image=_IMAGE))}
            ),
            url=_ADDRESS,
            file=_FILE,
        )
    ),
)
_SEARCH_RESULT = _kind(
    "source! text, title! text", citations=_CITATIONS_SETTING, content=list_field(_told_apart(text=_RESULT_TEXT))
)
_OPENED_TAB = ObjectSchema(parse_member_schemas("tab_id! text, title! text, url! text, active flag"))
_TAB_CHANGES = object_schema_by_type(
    {
        "tab_opened": ObjectSchema(parse_member_schemas("tab_id! text")),
        "download_started": ObjectSchema(parse_member_schemas("download_id! text, url! text")),
        "download_completed": ObjectSchema(
            parse_member_schemas("download_id! text, url! text, path text, size_bytes number")
        ),
        "download_failed": ObjectSchema(parse_member_schemas("download_id! text, url! text, error text")),
    }
)
_ERROR = ObjectSchema(parse_member_schemas("error_code! text"))
_WRITTEN_FILES = list_field(
    object_schema_by_type(dict.fromkeys(("code_execution_output", "bash_code_execution_output"), _FILE))
)


def _served(*, called: bool = False, content: FieldSchema) -> ObjectSchema:
    """Return the schema of the result of a tool of the API's own. What ran it may be told."""
    fields = parse_member_schemas("tool_use_id! text", content=content, cache_control=_CACHE_CONTROL)
    return ObjectSchema(fields | ({"caller": _CALLER} if called else {}))


def _outcome(kind: str, **kinds: ObjectSchema) -> FieldSchema:
    return object_field(object_schema_by_type({f"{kind}_tool_result_error": _ERROR, **kinds}))


def _run_output(words: str) -> ObjectSchema:
    return ObjectSchema(
        parse_member_schemas(f"return_code! number, stderr! text, {words}! text", content=_WRITTEN_FILES)
    )


_SERVED_RESULTS = {
    "web_search_tool_result": _served(
        called=True,
        content=FieldSchema(
            (LIST, OBJECT),
            True,
            object_schema_by_type(
                {
                    "web_search_tool_result_error": _ERROR,
                    "web_search_result": ObjectSchema(
                        parse_member_schemas("encrypted_content! text, title! text, url! text, page_age text")
                    ),
                }
            ),
        ),
    ),
    "web_fetch_tool_result": _served(
        called=True,
        content=_outcome(
            "web_fetch",
            web_fetch_result=ObjectSchema(
                parse_member_schemas(
                    "url! text, retrieved_at text", content=object_field(_told_apart(document=_DOCUMENT))
                )
            ),
        ),
    ),
    "advisor_tool_result": _served(
        content=_outcome(
            "advisor",
            advisor_result=ObjectSchema(parse_member_schemas("text! text, stop_reason text")),
            advisor_redacted_result=ObjectSchema(parse_member_schemas("encrypted_content! text, stop_reason text")),
        )
    ),
    "code_execution_tool_result": _served(
        content=_outcome(
            "code_execution",
            code_execution_result=_run_output("stdout"),
            encrypted_code_execution_result=_run_output("encrypted_stdout"),
        )
    ),
    "bash_code_execution_tool_result": _served(
        content=_outcome("bash_code_execution", bash_code_execution_result=_run_output("stdout"))
    ),
    "text_editor_code_execution_tool_result": _served(
        content=_outcome(
            "text_editor_code_execution",
            text_editor_code_execution_create_result=ObjectSchema(parse_member_schemas("is_file_update! flag")),
            text_editor_code_execution_str_replace_result=ObjectSchema(
                parse_member_schemas(
                    "lines list, new_lines number, new_start number, old_lines number, old_start number"
                )
            ),
            text_editor_code_execution_view_result=ObjectSchema(
                parse_member_schemas(
                    "content! text, num_lines number, start_line number, total_lines number",
                    file_type=enum_field("text", "image", "pdf"),
                )
            ),
        )
    ),
    "tool_search_tool_result": _served(
        content=_outcome(
            "tool_search",
            tool_search_tool_search_result=ObjectSchema(
                {"tool_references": list_field(_told_apart(tool_reference=_kind("tool_name! text")))}
            ),
        )
    ),
    "mcp_tool_result": _kind(
        "tool_use_id! text, is_error flag",
        content=FieldSchema((TEXT, LIST), of=_told_apart(text=_RESULT_TEXT), removable=True),
    ),
}
_RESULT_PARTS = replace(
    object_schema_by_type(
        {
            "text": _RESULT_TEXT,
            "image": _IMAGE,
            "document": _DOCUMENT,
            "search_result": _SEARCH_RESULT,
            "tool_reference": _kind("tool_name! text"),
            "browser_state": _kind(tabs=list_field(_OPENED_TAB), state_changes=list_field(_TAB_CHANGES, needed=False)),
        }
    ),
    # A call, a thought or the result of another tool is no part of a result.
    refused_types=_FOREIGN_TYPES.union(_BLOCK_TYPES - _RESULT_TYPES, _SERVED_RESULTS, ["mcp_tool_use"]),
)
_MODEL = object_field(ObjectSchema(parse_member_schemas("model! text")))


def _block_schema(parts: ObjectSchema) -> ObjectSchema:
    fields = {
        "text": _TEXT_KIND,
        "thinking": object_schema_of_fields(thinking=REQUIRED_TEXT, signature=OPTIONAL_TEXT),
        "redacted_thinking": object_schema_of_fields(data=REQUIRED_TEXT),
        "image": _IMAGE,
        "document": _DOCUMENT,
        "search_result": _SEARCH_RESULT,
        "tool_use": _kind("toolset_name text", caller=_CALLER),
        "server_tool_use": _kind(id=REQUIRED_NAME, name=REQUIRED_NAME, input=REQUIRED_OBJECT, caller=_CALLER),
        "mcp_tool_use": _kind("server_name! text", id=REQUIRED_NAME, name=REQUIRED_NAME, input=REQUIRED_OBJECT),
        **_SERVED_RESULTS,
        "container_upload": _kind("file_id! text"),
        "compaction": _kind("content text, encrypted_content text, signature text, tool_changes list"),
        "mcp_tool_listing": _kind(
            "mcp_server_name! text",
            tools=list_field(ObjectSchema(parse_member_schemas("input_schema! object, name! text"))),
        ),
        "fallback": ObjectSchema({"from": _MODEL, "to": _MODEL}),
        "tool_addition": _kind("tool! object"),
        "tool_removal": _kind("tool! object"),
        "tool_result": _kind(
            "is_error flag, toolset_name text", content=text_or_parts_field(parts, typed_text_encoder("text"))
        ),
    }
    return replace(object_schema_by_type(fields), refused_types=_FOREIGN_TYPES)


_BLOCKS = _block_schema(_RESULT_PARTS)
# What the API wrote itself, or an agent's log holds, may be newer than these tables.
CONTENT_FIELD = text_or_parts_field(_BLOCKS, typed_text_encoder("text"))
_REQUEST_FIELD = text_or_parts_field(
    replace(
        _block_schema(replace(_RESULT_PARTS, known_types=_RESULT_TYPES)),
        known_types=_BLOCK_TYPES,
        known_endings=_SERVER_TOOL_ENDINGS,
    ),
    typed_text_encoder("text"),
)
MESSAGE_SCHEMA = message_schema_by_role(
    {
        "user": object_schema_of_fields(content=_REQUEST_FIELD),
        "assistant": object_schema_of_fields(content=CONTENT_FIELD),
        "system": system_message_schema(_REQUEST_FIELD),
    }
)
_TEXTS = frozenset({"text"})
_PLAIN_MEDIA = frozenset({"image", "document"})

_CODES = {name: int(kind) for name, kind in BLOCK_SCHEMA.kinds.items()}
_OTHER, _TEXT, _THINKING, _CALL, _RESULT, _SERVER_CALL = map(
    int, (BlockKind.OTHER, BlockKind.TEXT, BlockKind.THINKING, BlockKind.CALL, BlockKind.RESULT, BlockKind.SERVER_CALL)
)
_LIST = ord("[")
_SHORTEST_MEDIA = len('[{"type":"image","source":{}}]')
_LOOK = 1000
views_of_content = partial(block_views, BLOCK_SCHEMA)
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
    caller: Raw = EMPTY_RAW
    cache_control: Raw = EMPTY_RAW
    citations: Raw = EMPTY_RAW
    title: Raw = EMPTY_RAW
    toolset_name: Raw = EMPTY_RAW
    context: Raw = EMPTY_RAW


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


_DIRECT, _EPHEMERAL = b'{"type":"direct"}', b'{"type":"ephemeral"}'


def has_unusual_member(block: AnthropicBlock) -> bool:
    """Return whether a block has a member that it need not have, and that is not spelled as nearly always.

    This runs for every block of a log.
    """
    caller, nothing = block.caller, EMPTY_RAW  # an absent member is that object itself
    if (
        block.cache_control is nothing
        and caller is nothing
        and block.citations is nothing
        and block.title is nothing
        and block.context is nothing
        and block.toolset_name is nothing
    ):
        return False
    if caller and bytes(caller) != _DIRECT and not is_null(caller):
        return True
    if not (is_null(block.cache_control) or bytes(block.cache_control) == _EPHEMERAL):
        return True
    return not (
        is_null_or_empty_list(block.citations) and all(map(is_null, (block.title, block.context, block.toolset_name)))
    )


def may_be_malformed(message: AnthropicMessage) -> bool:
    if message.role not in ROLE_BY_NAME or (message.role == "system" and not message.content):
        return True
    if not isinstance(message.content, list):
        return False
    for block in message.content:
        kind = block.type
        if has_unusual_member(block):
            return True
        if kind == "tool_use":
            continue
        # The shortest check for the usual case, because it runs for every block of a log.
        words = block.text if kind == "text" else block.content if kind == "tool_result" else EMPTY_RAW
        if not (len(words) and first_byte(words) == STRING_START) and may_be_malformed_block(block):
            return True
    return False


def may_be_malformed_block(block: AnthropicBlock) -> bool:
    """Return whether a block may not fit. Of calls only members that they rarely have are looked at here."""
    kind = block.type
    if has_unusual_member(block):
        return True
    if kind == "tool_use":
        return False
    if kind == "text":
        return not is_text(block.text)
    if kind == "tool_result":
        return bool(len(block.content)) and may_be_malformed_content(block.content, _TEXTS, _PLAIN_MEDIA)
    if kind == "thinking":
        return not is_text(block.thinking) or not (is_null(block.signature) or is_text(block.signature))
    if kind in ("image", "document"):
        return not is_plain_source(block.source)
    return True


def referenced_tool(part: object) -> str:
    """Return the tool that a part of a result refers to, "" if the part is no reference."""
    return text_at(part, "/tool_name") if text_at(part, "/type") == "tool_reference" else ""


def make_tool_result(call_id: str, text: str, failed: bool) -> dict[str, Any]:
    """Return a tool_result with a text."""
    return {"tool_use_id": call_id, "type": "tool_result", "content": text} | ({"is_error": True} if failed else {})


def make_invented_call(call_id: str, name: str) -> dict[str, Any]:
    """Return a call of which only the result is known."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": {}}


# Encoding for a request. Texts, contents and inputs are given as JSON.


def stored_block_as_sent(block: dict[str, Any], raw: bytes, sent_id: str) -> bytes:
    """Return a block of a log as it is sent, b"" for one of another shape. Blocks of the API's own tools are known."""
    return raw if BLOCK_SCHEMA.block_kind(str(block.get("type"))) != BlockKind.OTHER else b""


def encode_text_block(text: bytes) -> bytes:
    return b'{"type":"text","text":%s}' % text


def encode_call(call_id: str, name: str, input: bytes) -> bytes:
    return b'{"type":"tool_use","id":%s,"name":%s,"input":%s}' % (dump_json(call_id), dump_json(name), input)


def encode_result(call_id: str, name: str, content: bytes, is_error: bool) -> bytes:
    flag = b',"is_error":true' if is_error else b""
    return b'{"type":"tool_result","tool_use_id":%s,"content":%s%s}' % (dump_json(call_id), content, flag)


def encode_media_data(kind: bytes, media_type: str, data: str) -> bytes:
    """Return an image or a document by its base64 text."""
    source = b'{"type":"base64","media_type":%s,"data":%s}' % (dump_json(media_type), dump_json(data))
    return b'{"type":"%s","source":%s}' % (kind, source)


def encode_media_url(kind: bytes, url: bytes) -> bytes:
    """Return an image or a document by its address."""
    return b'{"type":"%s","source":{"type":"url","url":%s}}' % (kind, url)


def encode_message(role: str, blocks: Iterable[bytes]) -> bytes:
    return b'{"role":%s,"content":[%s]}' % (dump_json(role), b",".join(blocks))


# The quick reader of plainly spelled messages, for `plain_messages`.

_MESSAGE_KEYS = {"role", "content"}
_CALL_KEYS = {"type", "id", "name", "input", "cache_control"}
_RESULT_KEYS = {"type", "tool_use_id", "content", "is_error", "cache_control"}


def read_simple_message(message: Any) -> SimpleMessage | None:
    """Read a message, or return None where it is not spelled plainly."""
    if type(message) is not dict or message.keys() != _MESSAGE_KEYS:
        return None
    role, content = message["role"], message["content"]
    if type(content) is not list:
        return SimpleMessage(role, [], [], True) if is_nonblank_text(content) else None
    return read_simple_blocks(role, content, _read_block)


def _read_block(block: Any) -> PlainBlock | None:
    kind = block.get("type") if type(block) is dict else None
    if kind == "text" and block.keys() <= TEXT_BLOCK_KEYS and is_nonblank_text(block.get("text")):
        return "text", None
    if kind == "tool_use" and block.keys() <= _CALL_KEYS and type(block.get("input")) is dict:
        return "call", (block.get("id"), block.get("name"))
    if kind == "tool_result" and block.keys() <= _RESULT_KEYS and is_text_only_result(block.get("content", "")):
        return "result", (block.get("tool_use_id"), "")
    return None
