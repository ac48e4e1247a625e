"""The events of Copilot CLI as rows of columns, their view, and the evidence of a call that has no result.

Facts: @github/copilot 1.0.102, run against a provider on the loopback address with one kind of event changed at a time.
Messages are the events of `_ROLES`; a prompt goes out as its `transformedContent`, and the arguments of a call as a
text, whatever they are. Nothing of a subagent (`agentId`, `parentToolCallId`) and no ephemeral event is sent. An
`abort` of a known reason, and a `session.resume` that is cold, answer all calls that are open there. A message that
lacks a member of `EVENT_SCHEMA`, or has one of another type, stops the load: "Session file is corrupted (line 9:
missing field `success`)". So do other events, an `id` that is no UUID, and a `timestamp` without a time zone: that is
not judged, because programs that convert logs write such ids. `ephemeral` had to be true or missing
(github/copilot-sdk#1007); 1.0.102 takes false for missing.
"""

from typing import Any

from msgspec import Raw, Struct
from msgspec.structs import replace

from inspector.core.formats.base import block_list_formats
from inspector.core.formats.base.call_evidence import TOOL_STARTED, EvidenceItem, EvidenceQuery, EvidenceStrength
from inspector.core.model.columnar_index import BlockFlag, Columns, RecordMark, Role
from inspector.core.model.views import BlockKind, BlockView, RecordView
from inspector.core.providers.block_schema import BlockSchema, CallSpec, ResultSpec, encode_string
from inspector.core.providers.block_views import call_view, result_view
from inspector.core.providers.message_fields import EMPTY_RAW, LenientDecoder, is_blank_json, result_content_flags
from inspector.core.providers.message_misfits import (
    BOOLEAN,
    LIST,
    REQUIRED_OBJECT,
    TEXT,
    FieldSchema,
    Misfit,
    object_schema_by_type,
    object_schema_of_fields,
)
from inspector.core.storage.json_text import list_at, object_at, parse_json, text_at, value_at
from inspector.core.translation import tr

HEADER_TYPE, USER_TYPE, ASSISTANT_TYPE = "session.start", "user.message", "assistant.message"
_START_TYPE, RESULT_TYPE = "tool.execution_start", "tool.execution_complete"
COMPACTION_START_TYPE, COMPACTION_TYPE = "session.compaction_start", "session.compaction_complete"
_ROLES = {
    USER_TYPE: Role.USER,
    "system.notification": Role.USER,
    ASSISTANT_TYPE: Role.ASSISTANT,
    RESULT_TYPE: Role.TOOL,
}
MESSAGE_TYPES = frozenset(_ROLES)
_MESSAGE_ROLES = (Role.USER, Role.ASSISTANT, Role.TOOL)
_ABORT_REASONS = frozenset({"user_initiated", "user_abort", "remote_command"})
_FAILED_TEXT, _SUCCEEDED_TEXT, _CONTENT, _PROMPT = (
    "/data/error/message",
    "/data/result/content",
    "/data/content",
    "/data/transformedContent",
)
SUMMARY_POINTER = "/data/summaryContent"
# The spelling of a text, in the bits of `RecordMark.VARIANT_MASK`: it says which member holds it.
PROMPT_FORM, SUMMARY_FORM, SHELL_FORM = (number << RecordMark.VARIANT_SHIFT for number in (1, 2, 3))
TEXT_POINTERS = {0: _CONTENT, PROMPT_FORM: _PROMPT, SUMMARY_FORM: SUMMARY_POINTER, SHELL_FORM: _SUCCEEDED_TEXT}

_RESULT = ResultSpec(
    id="/data/toolCallId", content=_SUCCEEDED_TEXT, status="/data/success", failed=lambda succeeded: not succeeded
)
EVENT_BLOCK_SCHEMA = BlockSchema(
    calls=(CallSpec(id="/toolCallId", input=("/arguments",)),),
    results=(replace(_RESULT, has=_FAILED_TEXT, content=_FAILED_TEXT), _RESULT),
    kept_in=("data", "result"),
)

# What an event must have, or the session does not load.
_STRING = FieldSchema((TEXT,), needed=True, nullable=False, text_encoder=encode_string, made=b'""')
_ID = FieldSchema((TEXT,), needed=True, nullable=False)
REASONING_MEMBERS = ("reasoningText", "reasoningOpaque", "encryptedContent")
_CALL_SCHEMA = object_schema_of_fields(toolCallId=_ID, name=_STRING)
_DATA_SCHEMAS = {
    USER_TYPE: object_schema_of_fields(content=_STRING),
    "system.notification": object_schema_of_fields(content=_STRING),
    ASSISTANT_TYPE: object_schema_of_fields(
        messageId=_STRING,
        content=_STRING,
        toolRequests=FieldSchema((LIST,), of=_CALL_SCHEMA),
        **dict.fromkeys(REASONING_MEMBERS, FieldSchema((TEXT,), nullable=False, removable=True)),
    ),
    RESULT_TYPE: object_schema_of_fields(
        toolCallId=_ID,
        success=FieldSchema((BOOLEAN,), needed=True, nullable=False, made=b"false"),
        result=FieldSchema(REQUIRED_OBJECT.kinds, of=object_schema_of_fields(content=_STRING)),
        error=FieldSchema(REQUIRED_OBJECT.kinds, of=object_schema_of_fields(message=_STRING)),
    ),
}
EVENT_SCHEMA = object_schema_by_type(
    {
        kind: block_list_formats.record_schema_with_message("data", data, needed=True)
        for kind, data in _DATA_SCHEMAS.items()
    },
    "none",
)
# What older versions refuse: 1.0.102 takes false for missing.
NOT_EPHEMERAL = Misfit("/ephemeral", tr("a value other than true"), removed_member="/ephemeral")


class _Request(Struct, gc=False):
    toolCallId: str | None = None
    name: str | None = None


class _Data(Struct, gc=False):
    """The members of an event that the index needs."""

    content: Raw = EMPTY_RAW
    transformedContent: str | None = None
    messageId: str | None = None
    toolRequests: list[_Request] | None = None
    reasoningText: str | None = None
    reasoningOpaque: str | None = None
    encryptedContent: str | None = None
    toolCallId: str | None = None
    parentToolCallId: str | None = None
    success: bool | None = None
    result: Raw = EMPTY_RAW
    error: Raw = EMPTY_RAW
    isUserRequested: bool = False
    summaryContent: str | None = None
    reason: str | None = None
    sessionWasActive: bool = False
    continuePendingWork: bool = False


class _Event(Struct, gc=False):
    type: str | None = None
    id: str | None = None
    parentId: str | None = None
    agentId: str | None = None
    ephemeral: Raw = EMPTY_RAW
    data: _Data | None = None


class _Text(Struct, gc=False):
    content: Raw = EMPTY_RAW
    message: Raw = EMPTY_RAW


_DECODE, _DECODE_TEXT = LenientDecoder(_Event), LenientDecoder(_Text)


def add_record(columns: Columns, raw: bytes, start: int, end: int) -> None:
    """Index one event.

    TURN_EVENT marks an event that closes open calls, COMPACTION the summary of a compaction, GROUP_START the event with
    which a compaction begins. The group of a message is the subagent that it belongs to, None for the main agent.
    """
    event = _DECODE(raw)
    if event.type is None:
        columns.add_record(start, end, Role.OPAQUE)
        return
    data = event.data or _Data()
    role, mark = _role_and_mark(event, data)
    if role in _MESSAGE_ROLES and _is_odd(event, data, raw):
        mark |= RecordMark.MAYBE_MALFORMED
    group = (
        _agent_of(event, data) if role in _MESSAGE_ROLES else data.toolCallId if mark & RecordMark.TRANSIENT else None
    )
    columns.add_record(start, end, role, mark, event.id or None, event.parentId or None, group)
    if role == Role.TOOL:
        columns.add_block(BlockKind.RESULT, _result_flags(data), data.toolCallId)
    elif role == Role.ASSISTANT:
        _add_answer(columns, data)
    elif role == Role.USER:
        form = mark & RecordMark.VARIANT_MASK
        blank = is_blank_json(data.content) if not form else form == PROMPT_FORM and not data.transformedContent
        columns.add_block(BlockKind.TEXT, BlockFlag.BLANK if blank else 0)


def _agent_of(event: _Event, data: _Data) -> str | None:
    """Return the subagent that an event belongs to, None if it is of the main agent."""
    return event.agentId or data.parentToolCallId or None


def _role_and_mark(event: _Event, data: _Data) -> tuple[Role, int]:
    kind, is_main = event.type or "", _agent_of(event, data) is None
    if kind == HEADER_TYPE:
        return Role.OPAQUE, 0
    if kind == COMPACTION_TYPE and is_main and data.success and data.summaryContent is not None:
        return Role.USER, SUMMARY_FORM | RecordMark.COMPACTION
    role = _ROLES.get(kind, Role.LINK)
    if role == Role.LINK or bytes(event.ephemeral) == b"true":
        return Role.LINK, _mark_of_event(kind, data) if is_main or kind == _START_TYPE else 0
    mark = 0 if is_main else RecordMark.SIDE_THREAD
    if kind == RESULT_TYPE and data.isUserRequested:  # a command of the user's own, whose output is their message
        return (Role.USER, mark | SHELL_FORM) if _has_text(data.result) else (Role.LINK, 0)
    is_prompt = kind == USER_TYPE and data.transformedContent is not None
    return role, mark | PROMPT_FORM if is_prompt else mark


def _mark_of_event(kind: str, data: _Data) -> int:
    is_cold = kind == "session.resume" and not data.sessionWasActive and not data.continuePendingWork
    if is_cold or (kind == "abort" and data.reason in _ABORT_REASONS):
        return RecordMark.TURN_EVENT
    if kind == _START_TYPE and data.toolCallId:
        return RecordMark.TRANSIENT
    if kind == COMPACTION_START_TYPE:
        return RecordMark.GROUP_START
    return RecordMark.API_ERROR if kind == "session.error" else 0


def _is_odd(event: _Event, data: _Data, raw: bytes) -> bool:
    """Return whether a message needs a closer look: a member that it must have is missing or of another type."""
    if event.data is None or bytes(event.ephemeral) not in (b"", b"null", b"true"):
        return True
    if event.type == RESULT_TYPE:
        told = (part for part in (data.result, data.error) if bytes(part) not in (b"", b"null"))
        return data.toolCallId is None or data.success is None or not all(map(_has_text, told))
    if event.type == ASSISTANT_TYPE:
        calls = data.toolRequests
        lacks = data.messageId is None or not block_list_formats.is_string_token(data.content)
        optional = {
            b'"toolRequests"': calls,
            b'"reasoningText"': data.reasoningText,
            b'"reasoningOpaque"': data.reasoningOpaque,
            b'"encryptedContent"': data.encryptedContent,
        }
        if any(value is None and name in raw for name, value in optional.items()):
            return True
        return lacks or any(call.toolCallId is None or call.name is None for call in calls or ())
    return event.type != COMPACTION_TYPE and not block_list_formats.is_string_token(data.content)


def _has_text(told: Raw) -> bool:
    """Return whether a result or an error is an object with a text."""
    if bytes(told)[:1] != b"{":
        return False
    parts = _DECODE_TEXT(bytes(told))
    return block_list_formats.is_string_token(parts.content or parts.message)


def _result_flags(data: _Data) -> int:
    """Return the flags of a result. Of one that failed the error is sent, of any other one the content."""
    if data.success is False:
        if bytes(data.error)[:1] != b"{":
            return BlockFlag.ERROR
        return int(BlockFlag.ERROR | result_content_flags(_DECODE_TEXT(bytes(data.error)).message))
    held = _DECODE_TEXT(bytes(data.result)).content if bytes(data.result)[:1] == b"{" else EMPTY_RAW
    return result_content_flags(held) if held else BlockFlag.BLANK


def _add_answer(columns: Columns, data: _Data) -> None:
    """Add the blocks of an answer: its reasoning, its text, and its calls."""
    calls = data.toolRequests or []
    if data.reasoningText is not None:
        columns.add_block(BlockKind.THINKING, BlockFlag.SIGNED)
    blank = is_blank_json(data.content)
    if not blank or not calls:
        columns.add_block(BlockKind.TEXT, BlockFlag.BLANK if blank else 0)
    for call in calls:
        columns.add_block(BlockKind.CALL, 0, call.toolCallId, call.name)


def block_pointer(columns: Columns, record: int, ordinal: int) -> str:
    """Return the pointer of a block in its event."""
    role = columns.roles[record]
    if role == Role.TOOL:
        return ""
    if role != Role.ASSISTANT:
        return TEXT_POINTERS[columns.marks[record] & RecordMark.VARIANT_MASK]
    first = columns.first_block[record]
    kind = columns.block_kinds[first + ordinal]
    if kind == BlockKind.THINKING:
        return "/data/reasoningText"
    if kind == BlockKind.TEXT:
        return _CONTENT
    before = columns.block_kinds[first : first + min(ordinal, 2)]  # reasoning and text come before the calls
    return f"/data/toolRequests/{ordinal - len(before) + before.count(BlockKind.CALL)}"


def record_view(raw: bytes) -> RecordView:
    """Return an event for showing."""
    event = parse_json(raw)
    if not isinstance(event, dict):
        return RecordView("", tr("no record"))
    kind, when, data = str(event.get("type") or "record"), text_at(event, "/timestamp"), object_at(event, "/data")
    if kind == RESULT_TYPE and not data.get("isUserRequested"):
        return RecordView("tool", "", (result_view(event, EVENT_BLOCK_SCHEMA, ""),), when)
    if kind == ASSISTANT_TYPE:
        return RecordView("assistant", "", _answer_views(event), when, text_at(data, "/model"))
    pointer = SUMMARY_POINTER if kind == COMPACTION_TYPE else _SUCCEEDED_TEXT if kind == RESULT_TYPE else _PROMPT
    text = value_at(event, pointer)
    if not isinstance(text, str) and kind in _ROLES:
        pointer, text = _CONTENT, value_at(event, _CONTENT)
    if isinstance(text, str) and (kind in _ROLES or kind == COMPACTION_TYPE):
        return RecordView("user", "", (BlockView(BlockKind.TEXT, text, pointer),), when)
    return RecordView(kind, kind, (), when)


def _answer_views(event: dict[str, Any]) -> tuple[BlockView, ...]:
    views = []
    calls = list_at(event, "/data/toolRequests")
    if isinstance(thought := value_at(event, "/data/reasoningText"), str):
        views.append(BlockView(BlockKind.THINKING, thought, "/data/reasoningText"))
    said = value_at(event, _CONTENT)
    text = said if isinstance(said, str) else ""
    if text.strip() or not calls:
        views.append(BlockView(BlockKind.TEXT, text, _CONTENT))
    return (
        *views,
        *(call_view(call, EVENT_BLOCK_SCHEMA, f"/data/toolRequests/{at}") for at, call in enumerate(calls)),
    )


# What an event shows of a call without a result.
#
# Facts: 1.0.102. A tool's start is written when the tool starts; a subagent's events name the call that started it.

_STARTED = {
    _START_TYPE: TOOL_STARTED,
    "subagent.started": tr("The log shows that the subagent was started."),
}
_ENDED = {
    "subagent.completed": tr("The log shows that the subagent ended."),
    "subagent.failed": tr("The log shows that the subagent failed."),
}


def evidence_in_event(row: Any, call: EvidenceQuery, own: bool) -> EvidenceItem | None:
    """Return the evidence in an event; see `CallEvidenceSource.evidence_in`."""
    kind = text_at(row, "/type")
    if own or text_at(row, "/data/toolCallId") != call.id:
        return None
    if kind in _ENDED:
        return EvidenceItem(EvidenceStrength.RAN, _ENDED[kind])
    return EvidenceItem(EvidenceStrength.STARTED, _STARTED[kind]) if kind in _STARTED else None
