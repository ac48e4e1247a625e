"""The messages of opencode as rows of columns: a part is a block, a tool part with an outcome a call and a result."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from msgspec import Raw, Struct

from inspector.core.formats.base import block_list_formats
from inspector.core.model.columnar_index import BlockFlag, Columns, RecordMark, Role
from inspector.core.model.views import BlockKind, BlockView, RecordView
from inspector.core.providers.block_schema import ALL_MEDIA_SPECS, BlockSchema, CallSpec, ResultSpec, encode_string
from inspector.core.providers.block_views import block_view, text_or_json
from inspector.core.providers.message_fields import (
    EMPTY_RAW,
    LenientDecoder,
    SkippedObject,
    is_blank_json,
    result_content_flags,
)
from inspector.core.providers.message_misfits import LIST, OBJECT, TEXT, FieldSchema, ObjectSchema
from inspector.core.storage.json_text import (
    coerce_to_json_object,
    list_at,
    object_at,
    parse_json,
    pretty_json,
    sum_at,
    value_at,
)
from inspector.core.translation import tr

# The state of a call holds its outcome, which counts as the result.
PART_SCHEMA = BlockSchema(
    kinds={
        "text": BlockKind.TEXT,
        "reasoning": BlockKind.THINKING,
        "file": BlockKind.MEDIA,
        "tool": BlockKind.CALL,
    },
    reasoning_pointers=("/text",),
    redacted_text="",
    media_label_pointers=("/filename", "/mime"),
    calls=(CallSpec(id="/callID", name="/tool", input=("/state/input",)),),
    results=(ResultSpec(id="", content="/output"),),
    media=ALL_MEDIA_SPECS,
    kept_in=("state", "attachments"),
)
_OPEN_STATES = frozenset({"pending", "running"})
_SENT_PARTS = {
    Role.USER: frozenset({"text", "file", "compaction", "subtask"}),
    Role.ASSISTANT: frozenset({"text", "tool", "reasoning"}),
}
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
_UNSENT_FILES = frozenset({"text/plain", "application/x-directory"})
_HIDDEN_MEMBERS = frozenset({"id", "sessionID", "messageID", "type", "snapshot", "tokens", "cost"})
_EMPTY_VALUES = (b"", b"null")
_ABORTED = "MessageAbortedError"
_TOKENS_IN = ("/tokens/input", "/tokens/cache/read", "/tokens/cache/write")


class ToolState(Struct, gc=False):
    status: str | None = None
    input: SkippedObject | None = None
    output: Raw = EMPTY_RAW
    error: Raw = EMPTY_RAW
    time: Raw = EMPTY_RAW


_TEXT_PARTS = frozenset({"text", "reasoning"})
# A repair writes the text into its member, so that the part keeps its ids.
_TEXT_SCHEMA = ObjectSchema({"text": FieldSchema((TEXT,), needed=True, text_encoder=encode_string)})
# `toModelMessages` reads the time of every completed state, and stops the run if there is none.
_COMPLETED_SCHEMA = ObjectSchema({"time": FieldSchema((OBJECT,), needed=True, made=b'{"start":0,"end":0}')})


# A state that is a text may be the JSON of one.
_TOOL_SCHEMA = ObjectSchema(
    {
        "state": FieldSchema(
            (OBJECT,),
            of=ObjectSchema(type_key="status", variants={"completed": _COMPLETED_SCHEMA}, default_variant="open"),
            text_encoder=coerce_to_json_object,
        )
    }
)
_PART_SCHEMAS = dict.fromkeys(_TEXT_PARTS, _TEXT_SCHEMA) | {"tool": _TOOL_SCHEMA}
MESSAGE_SCHEMA = ObjectSchema(
    {"parts": FieldSchema((LIST,), of=ObjectSchema(type_key="type", variants=_PART_SCHEMAS, default_variant="nothing"))}
)


class StoredPart(Struct, gc=False):
    type: str | None = None
    callID: str | None = None
    tool: str | None = None
    text: Raw = EMPTY_RAW
    ignored: bool | None = None
    mime: str | None = None
    state: ToolState | None = None
    metadata: Raw = EMPTY_RAW


class StoredError(Struct, gc=False):
    name: str | None = None


class MessageInfo(Struct, gc=False):
    id: str | None = None
    role: str | None = None
    finish: str | None = None
    summary: Raw = EMPTY_RAW
    error: StoredError | None = None


class StoredMessage(Struct, gc=False):
    info: MessageInfo | None = None
    parts: list[StoredPart] | None = None


decode_message = LenientDecoder(StoredMessage)


def session_title(recorded: object) -> str:
    """Return the title of a session as a person would write it.

    Some models answer the request for a title with a JSON object, and opencode keeps the whole answer.
    """
    text = str(recorded or "")
    title = coerce_to_json_object(text).get("title")
    return title if isinstance(title, str) and title else text


def add_message(columns: Columns, start: int, end: int, message: StoredMessage) -> None:
    """Index a message as `toModelMessages` sends it. One that sends nothing, or ended in an error, is a link."""
    info, parts = message.info or MessageInfo(), message.parts or []
    speaker = _ROLES.get(info.role or "", Role.OPAQUE)
    compacts = speaker == Role.USER and any(part.type == "compaction" for part in parts)
    sums_up = speaker == Role.ASSISTANT and bytes(info.summary) == b"true" and bool(info.finish) and info.error is None
    mark = RecordMark.TURN_EVENT if compacts or sums_up else 0
    signed = any(part.type == "reasoning" and _is_signed(part.metadata) for part in parts)
    role = Role.LINK if speaker and not _is_sent(speaker, info, parts, signed) else speaker
    if info.error is not None:
        mark |= RecordMark.API_ERROR
    if role != Role.LINK and any(map(_is_odd, parts)):
        mark |= RecordMark.MAYBE_MALFORMED
    columns.add_record(start, end, role, mark, info.id)
    silent = all(part.type == "text" and is_blank_json(part.text) for part in parts if _sends(speaker, part, signed))
    for part in parts:
        _add_part(columns, part, speaker, signed, silent)


def _is_odd(part: StoredPart) -> bool:
    if part.type in _TEXT_PARTS:
        return not block_list_formats.is_string_token(part.text)
    return part.type == "tool" and (part.state is None or _lacks_time(part.state))


def _lacks_time(state: ToolState) -> bool:
    return state.status == "completed" and bytes(state.time) in _EMPTY_VALUES


def _is_sent(role: Role, info: MessageInfo, parts: list[StoredPart], signed: bool) -> bool:
    if info.error is not None and not (
        info.error.name == _ABORTED and any(part.type not in ("step-start", "reasoning") for part in parts)
    ):
        return False
    return any(_sends(role, part, signed) for part in parts)


def _sends(role: Role, part: StoredPart, signed: bool) -> bool:
    """Return whether a part is sent. `signed`: Anthropic signed reasoning of its message."""
    if part.type not in _SENT_PARTS.get(role, ()):
        return False
    if part.type == "text":
        # `normalizeMessages` (provider/transform.ts) leaves out texts of length 0. Beside signed reasoning, whose place
        # must not change, `toModelMessages` makes a blank of the assistant's. Seen in 1.18.33.
        is_dropped = bytes(part.text) == b'""' and not (signed and role == Role.ASSISTANT)
        return not part.ignored and not is_dropped
    return part.type != "file" or part.mime not in _UNSENT_FILES


def _add_part(columns: Columns, part: StoredPart, speaker: Role, signed: bool, silent: bool) -> None:
    kind = kind_of_part(part.type, speaker == Role.ASSISTANT)
    if kind in (BlockKind.TEXT, BlockKind.MEDIA) and not _sends(speaker, part, signed):
        # Blank texts, for example, are in many sessions, and left out of every request.
        kind = BlockKind.OTHER
    if kind != BlockKind.CALL:
        is_blank = silent or (speaker == Role.ASSISTANT and is_blank_json(part.text))
        columns.add_block(kind, _text_flags(kind, part, BlockFlag.BLANK if is_blank else 0))
        return
    state = part.state or ToolState()
    columns.add_block(kind, BlockFlag.BAD_INPUT if state.input is None else 0, part.callID, part.tool)
    if is_answered(state.status, bytes(state.output) not in _EMPTY_VALUES):
        columns.add_block(BlockKind.RESULT, _result_flags(state), part.callID)


def _text_flags(kind: BlockKind, part: StoredPart, blank: int) -> int:
    if kind == BlockKind.THINKING:
        return 0 if _has_empty_signature(part.metadata) else BlockFlag.SIGNED
    if kind == BlockKind.TEXT:
        return blank
    return BlockFlag.RESPONSE_START if part.type == "step-start" else 0


def _is_signed(metadata: Raw) -> bool:
    """Return whether Anthropic signed reasoning, even with an empty signature."""
    is_candidate = b'"signature"' in bytes(metadata)
    return is_candidate and value_at(parse_json(bytes(metadata)), "/anthropic/signature") is not None


def _has_empty_signature(metadata: Raw) -> bool:
    """Return whether reasoning is sent with an empty signature, which is refused. Without any it is left out.

    `metadata` is {provider: {"signature": …}}, as the AI SDK returns it. Seen in 1.18.33.
    """
    if b'"signature"' not in bytes(metadata):
        return False
    by_provider = object_at(parse_json(bytes(metadata)), "")
    return any(object_at(members, "").get("signature") == "" for members in by_provider.values())


def kind_of_part(type: object, called: bool) -> BlockKind:
    """Return the kind of a part. A tool part is a call only in a message of the assistant."""
    return BlockKind.OTHER if type == "tool" and not called else PART_SCHEMA.block_kind(str(type))


def is_answered(status: object, has_output: bool) -> bool:
    """Return whether a tool's state holds an outcome. A completed state without an output stops the program."""
    return isinstance(status, str) and status not in _OPEN_STATES and (has_output or status != "completed")


def _result_flags(state: ToolState) -> int:
    if state.status == "error":
        return BlockFlag.ERROR | result_content_flags(state.error)
    return result_content_flags(state.output) & ~BlockFlag.BLANK  # files may be attached to it


def part_index(columns: Columns, record: int, ordinal: int) -> int:
    """Return the index of the part that holds a block."""
    first = columns.first_block[record]
    kinds = columns.block_kinds[first : first + ordinal + 1]
    return len(kinds) - kinds.count(int(BlockKind.RESULT)) - 1


def block_pointer(columns: Columns, record: int, ordinal: int) -> str:
    state = "/state" if columns.block_kinds[columns.first_block[record] + ordinal] == BlockKind.RESULT else ""
    return f"/parts/{part_index(columns, record, ordinal)}{state}"


def record_view(raw: bytes) -> RecordView:
    """Return the view of a message. Raises ValueError if it is not JSON."""
    value = parse_json(raw)
    info = value_at(value, "/info")
    if not isinstance(info, dict):
        return RecordView("", tr("no message"))
    blocks: list[BlockView] = []
    for number, part in enumerate(list_at(value, "/parts")):
        blocks += _views(object_at(part, ""), f"/parts/{number}", info.get("role") == "assistant")
    role, when = str(info.get("role") or ""), _iso_time(value_at(info, "/time/created"))
    tokens = sum_at(info, *_TOKENS_IN), sum_at(info, "/tokens/output")
    model = info.get("modelID") or value_at(info, "/model/modelID") or ""
    return RecordView(role, error_of(info), tuple(blocks), when, str(model), *tokens)


def _iso_time(milliseconds: object) -> str:
    """Return a time in ISO 8601, as in the logs of other agents, "" if it is not a valid one."""
    if not isinstance(milliseconds, int | float) or not 0 <= milliseconds < 1e14:
        return ""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")


def _views(part: dict[str, Any], pointer: str, called: bool) -> Iterator[BlockView]:
    kind, state = kind_of_part(part.get("type"), called), object_at(part, "/state")
    if kind == BlockKind.OTHER:
        members = {key: value for key, value in part.items() if key not in _HIDDEN_MEMBERS}
        yield BlockView(kind, pretty_json(members) if members else "", pointer, str(part.get("type") or "part"))
        return
    view = block_view(PART_SCHEMA, part, pointer)
    yield view
    if kind == BlockKind.CALL and is_answered(state.get("status"), state.get("output") is not None):
        put_out = object_at(state, "/metadata") if state.get("status") == "error" else state
        failed = state.get("status") == "error" and not _was_interrupted(put_out)
        text = text_or_json(state.get("error") if failed else put_out.get("output"))
        yield BlockView(BlockKind.RESULT, text, f"{pointer}/state", view.name, view.call_id, failed)


def _was_interrupted(metadata: dict[str, Any]) -> bool:
    """Return whether the user stopped a failed tool after it had an output, which is sent as its result."""
    return metadata.get("interrupted") is True and isinstance(metadata.get("output"), str)


def error_of(info: dict[str, Any]) -> str:
    """Return the error that ended a message, in the provider's words, "" if there is none."""
    error = info.get("error")
    if not isinstance(error, dict):
        return ""
    said = value_at(error, "/data/message") or error.get("message") or ""
    return f"{error.get('name') or 'error'}: {said}" if said else str(error.get("name") or "error")
