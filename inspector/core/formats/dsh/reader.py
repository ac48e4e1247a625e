"""The rows of a DeepSeek Harness log as rows of columns, their view, and the evidence of a call that has no result.

Facts: deepseek-ai/deepseek-harness 0.1.1-rc.2, `packages/session/session/src` (`types.ts`, `surface.ts`, `index.ts`,
`chunk-rows.ts`). A row is an event `{type, seq, time, data}`; a row of chunks stands for as many events as it has
texts. Only user/message, assistant/message and tool/result are messages, and each needs a `surfaceOp`: "append", or the
range of earlier messages that it replaces (`startSeq` and `endSeq` in later generations). A message must have an id, a
source and a list of blocks, or the session is not restored: "seed user/message at index 7 lacks an identified message".
A `tool/call` is written when a tool starts. A row of chunks must have exactly the members of its kind, or it counts as
a row that cannot be parsed (`validateRow`). A row without a type is no event, nor is a header after the first line.
"""

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType, field
from msgspec.structs import replace

from inspector.core.formats.base import block_list_formats
from inspector.core.formats.base.call_evidence import EvidenceItem, EvidenceQuery, EvidenceStrength
from inspector.core.model.columnar_index import BlockFlag, Columns, RecordMark, Role
from inspector.core.model.views import BlockKind, BlockView, RecordView
from inspector.core.providers.anthropic import schema
from inspector.core.providers.block_schema import CallSpec, ResultSpec, typed_text_encoder, typed_text_list_encoder
from inspector.core.providers.block_views import block_views, format_arguments, result_view
from inspector.core.providers.message_fields import (
    DECODE_ERRORS,
    EMPTY_RAW,
    LenientDecoder,
    decode_fitting_members,
    is_blank_json,
    result_content_flags,
)
from inspector.core.providers.message_misfits import (
    OBJECT,
    REQUIRED_OBJECT,
    TEXT,
    FieldSchema,
    object_schema_by_type,
    object_schema_of_fields,
    parts_list_field,
)
from inspector.core.storage.json_text import list_at, object_at, parse_json, text_at
from inspector.core.translation import tr

HEADER_TYPE, USER_TYPE, ASSISTANT_TYPE, RESULT_TYPE = "session", "user/message", "assistant/message", "tool/result"
STARTED_TYPE = "tool/call"
_ROLES = {USER_TYPE: Role.USER, ASSISTANT_TYPE: Role.ASSISTANT, RESULT_TYPE: Role.TOOL}
MESSAGE_TYPES = frozenset(_ROLES)
_CALL_CHUNKS = "tool-call-chunks"
CHUNK_TYPES = ("text-chunks", "reasoning-chunks", _CALL_CHUNKS)
# The boundary that a row is, in the bits of `RecordMark.VARIANT_MASK`.
TURN_START, TURN_END, STEP_END = (number << RecordMark.VARIANT_SHIFT for number in (1, 2, 3))
_BOUNDARIES = {"turn/start": TURN_START, "turn/end": TURN_END, "step/end": STEP_END}
CONTENT_POINTERS = {Role.USER: "/data/content", Role.ASSISTANT: "/data/message/content"}
_RESULT_BLOCK = "/data/message/content/0"
RESULT_CONTENT = f"{_RESULT_BLOCK}/content"
RESULT_ID_POINTERS = ("/data/message/source/callId", f"{_RESULT_BLOCK}/toolCallId")

EVENT_BLOCK_SCHEMA = replace(
    schema.BLOCK_SCHEMA,
    kinds={
        "text": BlockKind.TEXT,
        "reasoning": BlockKind.THINKING,
        "tool-call": BlockKind.CALL,
        "image": BlockKind.MEDIA,
    },
    served=None,
    reasoning_pointers=("/text",),
    calls=(CallSpec(input=("/arguments",), as_text=True, shown=format_arguments),),
    results=(
        # A message can hold the blocks of another program in the place of a result.
        *(
            ResultSpec(
                has=f"{_RESULT_BLOCK}/{member}", id=RESULT_ID_POINTERS[0], content="/data/message/content", told=None
            )
            for member in ("text", "source")
        ),
        ResultSpec(
            id=RESULT_ID_POINTERS[0],
            content=RESULT_CONTENT,
            told=typed_text_list_encoder("text"),
            status=f"{_RESULT_BLOCK}/isError",
        ),
    ),
    kept_in=("data", "message", "content"),
)

# What a message must have, or the session is not restored.
_ID = FieldSchema((TEXT,), needed=True, nullable=False, made=b'"restored"')
_BLOCKS = parts_list_field(block_list_formats.AGENT_BLOCK_SCHEMA, typed_text_encoder("text"), needed=True)
_MESSAGE_SCHEMA = object_schema_of_fields(id=_ID, source=REQUIRED_OBJECT, content=_BLOCKS)
_WRAPPED_SCHEMA = object_schema_of_fields(message=FieldSchema((OBJECT,), True, _MESSAGE_SCHEMA))
_SURFACE_OP = FieldSchema((TEXT, OBJECT), needed=True, nullable=False, made=b'"append"')
EVENT_SCHEMA = object_schema_by_type(
    {
        kind: object_schema_of_fields(data=FieldSchema((OBJECT,), True, data), surfaceOp=_SURFACE_OP)
        for kind, data in (
            (USER_TYPE, _MESSAGE_SCHEMA),
            (ASSISTANT_TYPE, _WRAPPED_SCHEMA),
            (RESULT_TYPE, _WRAPPED_SCHEMA),
        )
    }
)


class _Block(Struct, gc=False):
    type: str | None = None
    text: Raw = EMPTY_RAW
    id: str | None = None
    name: str | None = None
    arguments: Raw = EMPTY_RAW
    content: Raw = EMPTY_RAW
    isError: bool = False


class _Source(Struct, gc=False):
    kind: str | None = None
    callId: str | None = None


class _Message(Struct, gc=False):
    id: str | None = None
    source: _Source | None = None
    content: Raw = EMPTY_RAW


class _Data(_Message, gc=False):
    message: _Message | None = None


class _Run(Struct, gc=False, forbid_unknown_fields=True):
    turn: float
    step: float
    index: float
    dt: list[int]


class _TextRun(_Run, gc=False, forbid_unknown_fields=True):
    texts: list[str]


class _CallRun(_Run, gc=False, forbid_unknown_fields=True):
    id: str
    texts: list[str] = field(name="args")
    name: str | UnsetType = UNSET


class _Chunks(Struct, gc=False, tag_field="type", forbid_unknown_fields=True):
    """A row of chunks, each of which is an event of its own."""

    seq0: Annotated[int, Meta(ge=0)]
    time0: int


class _TextChunks(_Chunks, gc=False, tag="text-chunks", forbid_unknown_fields=True):
    data: _TextRun


class _ReasoningChunks(_Chunks, gc=False, tag="reasoning-chunks", forbid_unknown_fields=True):
    data: _TextRun


class _CallChunks(_Chunks, gc=False, tag="tool-call-chunks", forbid_unknown_fields=True):
    data: _CallRun


class _Range(Struct, gc=False):
    start: int | None = None
    end: int | None = None
    startSeq: int | None = None
    endSeq: int | None = None


class _Event(Struct, gc=False):
    """The members of a row that the index needs."""

    type: str | None = None
    seq: int | None = None
    data: _Data | None = None
    surfaceOp: str | _Range | None = None


_DECODE = LenientDecoder(_Event)
_DECODE_CHUNKS = msgspec.json.Decoder(_TextChunks | _ReasoningChunks | _CallChunks).decode
_DECODE_BLOCKS = msgspec.json.Decoder(list[_Block]).decode


class EventNumbers(Struct, frozen=True):
    """The sequence numbers of a row: `count` of them from `seq` on, and those of the messages that it replaces."""

    seq: int
    count: int = 1
    first_replaced: int = -1
    last_replaced: int = -1

    def as_group(self) -> str:
        """Return the numbers as the group of a record."""
        return " ".join(map(str, (self.seq, self.count, self.first_replaced, self.last_replaced)))


def event_numbers(columns: Columns, record: int) -> EventNumbers | None:
    """Return the sequence numbers of a record, None if it has none."""
    group = columns.groups[record]
    return EventNumbers(*map(int, group.split())) if group else None


def boundary_of(columns: Columns, record: int) -> int:
    """Return which boundary a record is, 0 for none."""
    return columns.marks[record] & RecordMark.VARIANT_MASK


def later_headers(columns: Columns) -> Iterator[int]:
    """Yield the headers that are not the first row."""
    record = 0
    while (record := columns.roles.find(Role.OPAQUE, record + 1)) > 0:
        if not columns.marks[record] & RecordMark.UNREADABLE and columns.groups[record] is None:
            yield record


def add_record(columns: Columns, raw: bytes, start: int, end: int) -> None:
    """Index one row. The group of a record holds its sequence numbers."""
    event = _DECODE(raw)
    is_chunks = event.type in CHUNK_TYPES
    numbers = _numbers_of_chunks(raw) if is_chunks else _numbers_of(event)
    if event.type == HEADER_TYPE:
        columns.add_record(start, end, Role.OPAQUE)
        return
    if event.type is None and event.data is None and numbers:
        columns.add_record(start, end, Role.OPAQUE, group=numbers.as_group())  # a message of another program
        return
    if event.type is None or (is_chunks and not numbers):
        columns.add_record(start, end, Role.OPAQUE, RecordMark.UNREADABLE)
        return
    data = event.data or _Data()
    role = _ROLES.get(event.type, Role.LINK)
    message = (data if role == Role.USER else data.message) or _Message()
    if role == Role.ASSISTANT and bytes(message.content) == b"[]":
        role = Role.LINK  # it only holds the number of tokens, and is never sent
    mark = _BOUNDARIES.get(event.type, 0)
    if role != Role.LINK and (event.surfaceOp is None or message.source is None or not message.id):
        mark |= RecordMark.MAYBE_MALFORMED
    columns.add_record(start, end, role, mark, group=numbers.as_group() if numbers else None)
    if role == Role.TOOL:
        _add_result(columns, message)
    elif role != Role.LINK:
        _add_content(columns, message.content)


def _numbers_of_chunks(raw: bytes) -> EventNumbers | None:
    """Return the numbers of a row of chunks, None if the Harness cannot read the row."""
    try:
        row = _DECODE_CHUNKS(raw)
    except DECODE_ERRORS:
        return None
    count = len(row.data.texts)
    return EventNumbers(row.seq0, count) if count == len(row.data.dt) + 1 else None


def _numbers_of(event: _Event) -> EventNumbers | None:
    if event.seq is None or event.seq < 0:
        return None
    op = event.surfaceOp
    if not isinstance(op, _Range):
        return EventNumbers(event.seq)
    first = op.start if op.start is not None else op.startSeq
    last = op.end if op.end is not None else op.endSeq
    return EventNumbers(event.seq, 1, -1 if first is None else first, -1 if last is None else last)


def _blocks(content: Raw) -> list[_Block]:
    try:
        return _DECODE_BLOCKS(content) if bytes(memoryview(content)[:1]) == b"[" else []
    except DECODE_ERRORS:
        return [decode_fitting_members(_Block, item) for item in parse_json(bytes(content))]


def _note_odd(columns: Columns, content: Raw, blocks: list[_Block]) -> None:
    """Mark a message whose content is not a list of blocks as it should be."""
    if bytes(memoryview(content)[:1]) != b"[" or any(
        not block.type or (block.type == "text" and not block_list_formats.is_string_token(block.text))
        for block in blocks
    ):
        columns.add_marks(len(columns) - 1, RecordMark.MAYBE_MALFORMED)


def _add_result(columns: Columns, message: _Message) -> None:
    blocks = _blocks(message.content)
    _note_odd(columns, message.content, blocks)
    block = blocks[0] if blocks else _Block()
    flags = result_content_flags(block.content) | schema.media_flag(block.content)
    call = message.source.callId if message.source else None
    columns.add_block(BlockKind.RESULT, flags | (BlockFlag.ERROR if block.isError else 0), call)


def _add_content(columns: Columns, content: Raw) -> None:
    blocks = _blocks(content)
    _note_odd(columns, content, blocks)
    for block in blocks:
        kind = EVENT_BLOCK_SCHEMA.kinds.get(block.type or "", BlockKind.OTHER)
        if kind == BlockKind.CALL:
            columns.add_block(
                kind,
                0 if block_list_formats.is_string_token(block.arguments) else BlockFlag.BAD_INPUT,
                block.id,
                block.name,
            )
        elif kind == BlockKind.TEXT:
            blank = block_list_formats.is_string_token(block.text) and is_blank_json(block.text)
            columns.add_block(kind, BlockFlag.BLANK if blank else 0)
        else:
            columns.add_block(kind)


def record_view(raw: bytes) -> RecordView:
    """Return a row for showing."""
    event = parse_json(raw)
    if not isinstance(event, dict):
        return RecordView("", tr("no record"))
    kind, when = str(event.get("type") or "record"), _time_of(event)
    if kind == RESULT_TYPE:
        return RecordView("tool", "", (result_view(event, EVENT_BLOCK_SCHEMA, ""),), when)
    if kind in MESSAGE_TYPES:
        pointer = CONTENT_POINTERS[_ROLES[kind]]
        model = text_at(event, "/data/message/source/model")
        views = block_views(EVENT_BLOCK_SCHEMA, list_at(event, pointer), pointer)
        return RecordView("user" if kind == USER_TYPE else "assistant", "", views, when, model)
    if kind in CHUNK_TYPES:
        pointer = "/data/args" if kind == _CALL_CHUNKS else "/data/texts"
        text = "".join(part for part in list_at(event, pointer) if isinstance(part, str))
        return RecordView(kind, kind, (BlockView(BlockKind.OTHER, text, pointer),), when)
    return RecordView(kind, kind, (), when)


def _time_of(event: dict[str, Any]) -> str:
    time = event.get("time", event.get("time0", event.get("createdAt")))
    return str(time) if isinstance(time, int) else ""


def is_typed_by_user(event: Any) -> bool:
    """Return whether a row is a prompt that the user typed, not a text that a plugin put in."""
    return text_at(event, "/type") == USER_TYPE and text_at(object_at(event, "/data"), "/source/kind") == "user"


def evidence_in_event(row: Any, call: EvidenceQuery, own: bool) -> EvidenceItem | None:
    """Return the evidence in a row; see `CallEvidenceSource.evidence_in`."""
    if own or text_at(row, "/type") != STARTED_TYPE or text_at(row, "/data/callId") != call.id:
        return None
    return EvidenceItem(
        EvidenceStrength.STARTED, tr("The log has a `tool/call` event, which is written when the tool starts.")
    )
