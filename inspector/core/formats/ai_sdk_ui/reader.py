"""The UI messages of the AI SDK as rows of columns: a tool part is a call, and its result if it has one.

Versions 5 to 7 have parts of the type `tool-NAME` or `dynamic-tool` with a `state`; version 4 has parts of the type
`tool-invocation`, or a message without parts has `content` and `toolInvocations`. In version 4, a call with a member
`result` has one, whatever its state says.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import Raw, Struct

from inspector.core.formats.base.ai_sdk import (
    DENIED_TEXT,
    is_empty_text,
    may_be_odd_metadata,
    metadata_misfits,
    thinking_flags,
)
from inspector.core.formats.base.block_list_formats import is_string_token
from inspector.core.model.columnar_index import BlockFlag, Columns, RecordMark, Role
from inspector.core.model.views import BlockKind, BlockView, RecordView
from inspector.core.providers.block_schema import (
    ALL_MEDIA_SPECS,
    BlockSchema,
    CallSpec,
    ResultSpec,
    typed_text_encoder,
)
from inspector.core.providers.block_views import text_or_json
from inspector.core.providers.message_fields import (
    EMPTY_RAW,
    LenientDecoder,
    SkippedObject,
    is_blank_json,
    result_content_flags,
)
from inspector.core.providers.message_misfits import (
    LIST,
    REQUIRED_TEXT,
    TEXT,
    FieldSchema,
    Misfit,
    find_misfits,
    message_schema_by_role,
    object_schema_by_type,
    object_schema_of_fields,
)
from inspector.core.storage.json_text import dump_json, list_at, object_at, parse_json, pretty_json, text_at
from inspector.core.translation import tr

PARTS, INVOCATIONS, INVOCATION, CONTENT = "/parts", "/toolInvocations", "/toolInvocation", "/content"
ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM, "data": Role.LINK}
TOOL_PREFIX, _DYNAMIC, _INVOCATION_TYPE = "tool-", "dynamic-tool", "tool-invocation"
_KINDS = {
    "text": BlockKind.TEXT,
    "steering-message": BlockKind.TEXT,
    "reasoning": BlockKind.THINKING,
    **dict.fromkeys(("file", "reasoning-file"), BlockKind.MEDIA),
}
ANSWERED_STATES = frozenset({"output-available", "output-error", "output-denied"})
OPEN_STATES = frozenset({"input-streaming", "input-available", "approval-requested", "approval-responded"})
# How the calls of a record are spelled, in the bits of `RecordMark.VARIANT_MASK`: in parts of version 4, or in a list.
V4_PARTS, V4_LIST = 1 << RecordMark.VARIANT_SHIFT, 2 << RecordMark.VARIANT_SHIFT
# The member that holds a result, in bits of the block that have no other meaning here.
_IN_STATE, _IN_ERROR_TEXT = BlockFlag.PLAIN_STRING, BlockFlag.BORROWED_ID

V5_CALLS = CallSpec(id="/toolCallId", name="/toolName", input=("/input", "/rawInput"))
V4_CALLS = CallSpec(id="/toolInvocation/toolCallId", name="/toolInvocation/toolName", input=("/toolInvocation/args",))
V4_LIST_CALLS = CallSpec(id="/toolCallId", name="/toolName", has="/args", input=("/args",))
UI_BLOCK_SCHEMA = BlockSchema(
    kinds=_KINDS,
    reasoning_pointers=("/text", "/reasoning"),
    redacted_text="",
    calls=(V4_CALLS, V4_LIST_CALLS, V5_CALLS),
    results=(
        ResultSpec(id="/toolCallId", has="/errorText", content="/errorText"),
        ResultSpec(id="/toolInvocation/toolCallId", content="/toolInvocation/result"),
        ResultSpec(id="/toolCallId", has="/result", content="/result"),
        ResultSpec(id="/toolCallId", content="/output"),
    ),
    media=ALL_MEDIA_SPECS,
    text=typed_text_encoder("text"),
    kept_in=("output", "toolInvocation", "result"),
)
_TEXT_PART = object_schema_of_fields(text=REQUIRED_TEXT)
_FILE_PART = object_schema_of_fields(
    url=REQUIRED_TEXT, mediaType=REQUIRED_TEXT, filename=FieldSchema((TEXT,), nullable=False, removable=True)
)
_PART = object_schema_by_type({"text": _TEXT_PART, "reasoning": _TEXT_PART, "file": _FILE_PART})
_MESSAGE = object_schema_of_fields(
    parts=FieldSchema((LIST,), needed=True, of=_PART, element_encoder=typed_text_encoder("text"))
)
_MESSAGE_SCHEMA = message_schema_by_role(dict.fromkeys(("system", "user", "assistant"), _MESSAGE))


class Invocation(Struct, gc=False):
    toolCallId: str | None = None
    toolName: str | None = None
    args: SkippedObject | None = None
    result: Raw = EMPTY_RAW


class UiPart(Struct, gc=False):
    """The fields of a part that the index needs."""

    type: str | None = None
    toolCallId: str | None = None
    toolName: str | None = None
    state: str | None = None
    text: Raw = EMPTY_RAW
    input: SkippedObject | None = None
    output: Raw = EMPTY_RAW
    errorText: Raw = EMPTY_RAW
    providerExecuted: Raw = EMPTY_RAW
    providerMetadata: Raw = EMPTY_RAW
    callProviderMetadata: Raw = EMPTY_RAW
    toolInvocation: Invocation | None = None


class UiMessage(Struct, gc=False):
    role: str | None = None
    content: Raw = EMPTY_RAW
    parts: list[UiPart] | None = None
    toolInvocations: list[Invocation] | None = None


DECODE = LenientDecoder(UiMessage)


def add_message(columns: Columns, start: int, end: int, message: UiMessage, odd: bool) -> None:
    """Index a message. One of the assistant that sends nothing is a link."""
    role, parts = ROLES.get(message.role or "", Role.OPAQUE), message.parts
    if parts is None:
        variant = V4_LIST if message.toolInvocations is not None or is_string_token(message.content) else 0
    else:
        variant = V4_PARTS if any(map(_is_invocation, parts)) else 0
    is_silent = role == Role.ASSISTANT and not variant and not any(map(_sends, parts or ()))
    if not variant and (odd or parts is None or any(map(_may_be_odd, parts)) or role in (Role.OPAQUE, Role.LINK)):
        variant |= RecordMark.MAYBE_MALFORMED
    columns.add_record(start, end, Role.LINK if is_silent else role, variant)
    if variant & RecordMark.VARIANT_MASK == V4_LIST:
        columns.add_block(BlockKind.TEXT, BlockFlag.PLAIN_STRING | BlockFlag.BLANK * is_blank_json(message.content))
        for invocation in message.toolInvocations or ():
            _add_invocation(columns, invocation)
    # A message of the user of which nothing is left is sent, and refused, so that its texts count as blank.
    leaves_out = role != Role.USER or any(part.type in _KINDS and not _is_empty_text(part) for part in parts or ())
    for part in parts or ():
        if role == Role.ASSISTANT and part.toolInvocation is not None and _is_invocation(part):
            _add_invocation(columns, part.toolInvocation)
        elif role == Role.ASSISTANT and is_tool_type(part.type) and not variant & RecordMark.VARIANT_MASK:
            _add_tool_part(columns, part)
        else:
            _add_other_part(columns, part, leaves_out and _is_empty_text(part))


def _is_invocation(part: UiPart) -> bool:
    return part.type == _INVOCATION_TYPE and part.toolInvocation is not None


def _sends(part: UiPart) -> bool:
    return part.type in _KINDS or part.type == "custom" or is_tool_type(part.type)


def is_tool_type(kind: Any) -> bool:
    return isinstance(kind, str) and (kind == _DYNAMIC or kind.startswith(TOOL_PREFIX))


def _may_be_odd(part: UiPart) -> bool:
    if not part.type or any(map(may_be_odd_metadata, (part.providerMetadata, part.callProviderMetadata))):
        return True
    if part.type in ("text", "reasoning"):
        return not is_string_token(part.text)
    if is_tool_type(part.type):
        return not is_known_state(part.state) or bytes(part.providerExecuted) not in (b"", b"false")
    return part.type == "file"


def _is_empty_text(part: UiPart) -> bool:
    return is_empty_text(part.type, bytes(part.text), bool(part.providerMetadata))


def _add_other_part(columns: Columns, part: UiPart, is_left_out: bool) -> None:
    kind = _KINDS.get(part.type or "", BlockKind.OTHER)
    columns.add_block(BlockKind.OTHER if is_left_out else kind, _flags(part, kind))


def _flags(part: UiPart, kind: BlockKind) -> int:
    if kind == BlockKind.TEXT:
        return BlockFlag.BLANK if part.type == "text" and is_blank_json(part.text) else 0
    if kind == BlockKind.THINKING:
        return thinking_flags(bytes(part.providerMetadata))
    return BlockFlag.RESPONSE_START if part.type == "step-start" else 0


def _add_invocation(columns: Columns, invocation: Invocation) -> None:
    flags = 0 if invocation.args is not None else BlockFlag.BAD_INPUT
    columns.add_block(BlockKind.CALL, flags, invocation.toolCallId, invocation.toolName)
    if invocation.result:
        columns.add_block(BlockKind.RESULT, result_content_flags(invocation.result), invocation.toolCallId)


def _add_tool_part(columns: Columns, part: UiPart) -> None:
    served = bytes(part.providerExecuted) == b"true"
    name = part.toolName if part.type == _DYNAMIC else (part.type or "")[len(TOOL_PREFIX) :]
    flags = 0 if part.input is not None else BlockFlag.BAD_INPUT
    columns.add_block(BlockKind.SERVER_CALL if served else BlockKind.CALL, flags, part.toolCallId, name)
    if has_result(part.state, bool(part.output), bool(part.errorText)):
        kind = BlockKind.SERVER_RESULT if served else BlockKind.RESULT
        columns.add_block(kind, _result_flags(part), part.toolCallId)


def is_known_state(state: Any) -> bool:
    return isinstance(state, str) and (state in ANSWERED_STATES or state in OPEN_STATES)


def has_result(state: Any, has_output: bool, has_error_text: bool) -> bool:
    """Return whether a tool part has a result. A state that is missing or unknown does not hide one."""
    return state in ANSWERED_STATES if is_known_state(state) else has_output or has_error_text


def _result_flags(part: UiPart) -> int:
    if part.state == "output-denied":
        return BlockFlag.ERROR | _IN_STATE
    content = part.errorText if part.state == "output-error" or not part.output else part.output
    failed = content is part.errorText and part.state != "output-available"
    flags = result_content_flags(content) | (BlockFlag.ERROR if failed else 0)
    return flags | (_IN_STATE if not content else _IN_ERROR_TEXT if failed else 0)


def result_block_count(kinds: bytes | bytearray) -> int:
    return kinds.count(int(BlockKind.RESULT)) + kinds.count(int(BlockKind.SERVER_RESULT))


def part_index(columns: Columns, record: int, ordinal: int) -> int:
    """Return the index of the part that holds a block."""
    first = columns.first_block[record]
    kinds = columns.block_kinds[first : first + ordinal + 1]
    has_content = columns.marks[record] & RecordMark.VARIANT_MASK == V4_LIST
    return len(kinds) - result_block_count(kinds) - 1 - has_content


def part_pointer(columns: Columns, record: int, ordinal: int) -> str:
    """Return the pointer of the part that holds a block, "/content" for the content of a message without parts."""
    number = part_index(columns, record, ordinal)
    if columns.marks[record] & RecordMark.VARIANT_MASK == V4_LIST:
        return CONTENT if number < 0 else f"{INVOCATIONS}/{number}"
    return f"{PARTS}/{number}"


def block_pointer(columns: Columns, record: int, ordinal: int) -> str:
    """Return the pointer of a block: a part, or the member of a part that holds the result."""
    row, at = columns.first_block[record] + ordinal, part_pointer(columns, record, ordinal)
    if columns.block_kinds[row] not in (BlockKind.RESULT, BlockKind.SERVER_RESULT):
        return at
    variant, flags = columns.marks[record] & RecordMark.VARIANT_MASK, columns.block_flags[row]
    if variant == V4_LIST:
        return f"{at}/result"
    if variant == V4_PARTS:
        return f"{at}{INVOCATION}/result"
    return f"{at}/{'state' if flags & _IN_STATE else 'errorText' if flags & _IN_ERROR_TEXT else 'output'}"


# views


def record_view(raw: bytes) -> RecordView:
    """Return the view of a message. Raises ValueError if it is not JSON."""
    message = parse_json(raw)
    if not isinstance(message, dict):
        return RecordView("", tr("no message"))
    role, blocks = str(message.get("role") or ""), list[BlockView]()
    parts = [object_at(part, "") for part in list_at(message, PARTS)]
    is_of_version_4 = any(map(_invocation_in, parts))
    if not isinstance(message.get("parts"), list) and (INVOCATIONS[1:] in message or text_at(message, CONTENT)):
        blocks.append(BlockView(BlockKind.TEXT, text_at(message, CONTENT), CONTENT))
        for number, invocation in enumerate(list_at(message, INVOCATIONS)):
            blocks += _invocation_views(object_at(invocation, ""), f"{INVOCATIONS}/{number}", f"{INVOCATIONS}/{number}")
    for number, part in enumerate(parts):
        at = f"{PARTS}/{number}"
        if role == "assistant" and (invocation := _invocation_in(part)):
            blocks += _invocation_views(invocation, at, at + INVOCATION)
        elif role == "assistant" and is_tool_type(part.get("type")) and not is_of_version_4:
            blocks += _tool_views(part, at)
        else:
            blocks.append(_other_view(part, at))
    return RecordView(role, "", tuple(blocks), str(message.get("createdAt") or ""))


def _invocation_in(part: dict[str, Any]) -> dict[str, Any]:
    return object_at(part, INVOCATION) if part.get("type") == _INVOCATION_TYPE else {}


def _other_view(part: dict[str, Any], at: str) -> BlockView:
    kind = str(part.get("type") or "")
    if kind == "steering-message":
        texts = (text_at(each, "/text") for each in list_at(part, PARTS))
        return BlockView(BlockKind.TEXT, "\n".join(filter(None, texts)), at)
    if kind in ("text", "reasoning"):
        return BlockView(_KINDS[kind], text_at(part, "/text") or text_at(part, "/reasoning"), at)
    if kind in _KINDS:
        return BlockView(_KINDS[kind], f"[{part.get('filename') or part.get('mediaType') or kind}]", at)
    members = {key: value for key, value in part.items() if key != "type"}
    return BlockView(BlockKind.OTHER, pretty_json(members) if members else "", at, kind)


def tool_name(part: dict[str, Any]) -> str:
    return text_at(part, "/toolName") if part.get("type") == _DYNAMIC else str(part["type"])[len(TOOL_PREFIX) :]


def _tool_views(part: dict[str, Any], at: str) -> Iterator[BlockView]:
    name, call_id, served = tool_name(part), text_at(part, "/toolCallId"), part.get("providerExecuted") is True
    given = part.get("input", part.get("rawInput"))
    yield BlockView(BlockKind.SERVER_CALL if served else BlockKind.CALL, pretty_json(given), at, name, call_id)
    state = part.get("state")
    if not has_result(state, "output" in part, "errorText" in part):
        return
    kind = BlockKind.SERVER_RESULT if served else BlockKind.RESULT
    if state == "output-denied":
        yield BlockView(kind, denial(part), f"{at}/state", name, call_id, True)
        return
    key = "errorText" if state == "output-error" or "output" not in part else "output"
    failed = key == "errorText" and state != "output-available"
    pointer = f"{at}/{key}" if key in part and (failed or key == "output") else f"{at}/state"
    yield BlockView(kind, text_or_json(part.get(key)), pointer, name, call_id, failed)


def _invocation_views(invocation: dict[str, Any], at: str, inside: str) -> Iterator[BlockView]:
    name, call_id = text_at(invocation, "/toolName"), text_at(invocation, "/toolCallId")
    yield BlockView(BlockKind.CALL, pretty_json(invocation.get("args")), at, name, call_id)
    if "result" in invocation:
        yield BlockView(BlockKind.RESULT, text_or_json(invocation["result"]), f"{inside}/result", name, call_id)


def denial(part: dict[str, Any]) -> str:
    """Return what the model reads about a call that the user denied."""
    return text_at(part, "/approval/reason") or DENIED_TEXT


def sent_result(part: dict[str, Any]) -> str:
    """Return the result of a part as the model reads it: a text, or JSON."""
    invocation = part.get("toolInvocation", part)
    if part.get("state") == "output-denied":
        return denial(part)
    if part.get("state") == "output-error":
        return text_at(part, "/errorText") or "unknown error"
    value = invocation.get("result", part.get("output"))
    return value if isinstance(value, str) else dump_json(value).decode()


def misfits_of(message: Any) -> list[Misfit]:
    """Return the places where the SDK cannot convert a message, and the states that hide a result."""
    parts = list_at(message, PARTS)
    of_version_4 = {
        f"{PARTS}/{number}/{key}" for number, part in enumerate(parts) for key in _missing_in_version_4(part)
    }
    found = [misfit for misfit in find_misfits(message, _MESSAGE_SCHEMA) if misfit.pointer not in of_version_4]
    for number, part in enumerate(parts):
        if isinstance(part, dict) and is_tool_type(part.get("type")) and "toolInvocation" not in part:
            found += _misfits_of_tool_part(part, f"{PARTS}/{number}")
    return [*found, *metadata_misfits(message, "parts", ("providerMetadata", "callProviderMetadata"))]


def _missing_in_version_4(part: Any) -> tuple[str, ...]:
    """Return the members of a part that have another name in version 4."""
    if text_at(part, "/reasoning"):
        return ("text",)
    return ("url", "mediaType") if text_at(part, "/mimeType") and text_at(part, "/data") else ()


def _misfits_of_tool_part(part: dict[str, Any], at: str) -> Iterator[Misfit]:
    served = part.get("providerExecuted")
    if served is True and not isinstance(part.get("toolCallId"), str):  # no rule on ids looks at it
        yield Misfit(f"{at}/toolCallId", tr("no string"), at, UI_BLOCK_SCHEMA.text)
    elif "providerExecuted" in part and not isinstance(served, bool):
        yield Misfit(f"{at}/providerExecuted", tr("no boolean"), removed_member=f"{at}/providerExecuted")
    has_output = "output" in part
    if not is_known_state(part.get("state")) and (has_output or "errorText" in part):
        reason = tr("the state of the call is missing or unknown, so its result is not sent")
        made = b'"output-available"' if has_output else b'"output-error"'
        yield Misfit(f"{at}/state", reason, default_json=made)
