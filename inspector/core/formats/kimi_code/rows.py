"""The lines of a Kimi Code log as rows of columns.

`context.*` records alone touch the history. A step's begin, parts and calls are fragments of one assistant message:
they share `groups`, the step's uuid; a result's group is "" (None for a message of its own, `context.append_message`).
"""

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from inspector.core.bytes.json_text import parse_json
from inspector.core.formats.bases import handed_on
from inspector.core.index.columns import BlockFlag, Columns, RecordMark, Role
from inspector.core.index.views import BlockKind
from inspector.core.wire.fields import (
    DECODE_ERRORS,
    EMPTY_RAW,
    LenientDecoder,
    decode_lenient,
    is_blank_json,
    result_content_flags,
)
from inspector.core.wire.shapes.shape import LIST, OBJECT, TEXT, FieldSchema, ObjectSchema
from inspector.core.wire.told import encode_string, typed_text_encoder

ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL}
PARTS = {
    "text": BlockKind.TEXT,
    "think": BlockKind.THINKING,
    "image_url": BlockKind.MEDIA,
    "audio_url": BlockKind.MEDIA,
    "video_url": BlockKind.MEDIA,
}
CUTS = frozenset({"context.undo", "context.clear", "micro_compaction.apply"})
_ROLE = FieldSchema((TEXT,), needed=True, allowed_values=frozenset({*ROLES, "system"}))
# Kimi Code 2.1.0 stops before any request at a message without its content or its list of calls.
_SPOKEN = ObjectSchema(
    {
        "role": _ROLE,
        "content": replace(handed_on.LISTED, made=b"[]"),
        "toolCalls": FieldSchema((LIST,), needed=True, made=b"[]"),
    }
)
_EVENT = ObjectSchema(
    type_key="type",
    variants={
        "content.part": ObjectSchema(
            {"part": FieldSchema((OBJECT,), needed=True, of=handed_on.BLOCK, text_encoder=typed_text_encoder("text"))}
        ),
        "tool.result": ObjectSchema(
            {"result": FieldSchema((OBJECT,), needed=True, of=ObjectSchema({"output": handed_on.WORDS}))}
        ),
    },
)
# An old summary is a whole message.
_SUMMED_UP = ObjectSchema(
    {
        "summary": FieldSchema((TEXT, OBJECT), text_encoder=encode_string, nullable=False),
        "contextSummary": FieldSchema((TEXT,), text_encoder=encode_string),
    }
)
SHAPE = ObjectSchema(
    type_key="type",
    variants={
        "context.append_message": handed_on.within("message", _SPOKEN, needed=True),
        "context.append_loop_event": handed_on.within("event", _EVENT, needed=True),
        "context.apply_compaction": _SUMMED_UP,
    },
)


class Part(Struct, gc=False):
    """One content part."""

    type: str | None = None
    text: Raw = EMPTY_RAW
    think: Raw = EMPTY_RAW


class _Function(Struct, gc=False):
    name: str | None = None


class ToolCall(Struct, gc=False):
    """A call in a message; `function` is how protocol 1.0 wrote it."""

    id: str | None = None
    name: str | None = None
    function: _Function | None = None


class Message(Struct, gc=False):
    """`context.append_message`."""

    role: str | None = None
    content: Raw = EMPTY_RAW
    toolCalls: list[ToolCall] | None = None
    toolCallId: str | None = None
    isError: bool | None = None


class Result(Struct, gc=False):
    """What a tool gave."""

    output: Raw = EMPTY_RAW
    isError: bool | None = None


class Event(Struct, gc=False):
    """`context.append_loop_event`."""

    type: str | None = None
    uuid: str | None = None
    stepUuid: str | None = None
    toolCallId: str | None = None
    name: str | None = None
    part: Part | None = None
    result: Result | None = None


class Row(Struct, gc=False):
    """The fields of a line that the index needs."""

    type: str | None = None
    message: Message | None = None
    event: Event | None = None
    summary: Raw = EMPTY_RAW
    contextSummary: Raw = EMPTY_RAW


_DECODE = LenientDecoder(Row)
_CONTENT = msgspec.json.Decoder(list[Part]).decode


def add_line(columns: Columns, raw: bytes, start: int, end: int) -> None:
    """Index one line. False, and a BAD record, when it is no JSON."""
    row = _DECODE(raw)
    if row.type == "context.append_loop_event" and row.event is not None:
        _add_event(columns, row.event, start, end)
    elif row.type == "context.append_message":
        _add_message(columns, row.message or Message(), start, end)
    elif row.type == "context.append_loop_event" and parse_json(raw).get("event") is None:
        columns.add_record(
            start, end, Role.SYSTEM, RecordMark.MAYBE_MALFORMED
        )  # 2.1.0 falls over it; any other value it passes by
    elif row.type == "context.apply_compaction":
        odd = not all(map(handed_on.is_text, (row.summary, row.contextSummary or row.summary)))
        columns.add_record(start, end, Role.USER, RecordMark.COMPACTION | (RecordMark.MAYBE_MALFORMED if odd else 0))
        columns.add_block(BlockKind.TEXT)
    else:
        columns.add_record(start, end, Role.LINK if row.type in CUTS else Role.OPAQUE)


def _add_event(columns: Columns, event: Event, start: int, end: int) -> None:
    kind = event.type
    if kind == "tool.call":
        columns.add_record(start, end, Role.ASSISTANT, 0, group=event.stepUuid or "")
        columns.add_block(BlockKind.CALL, 0, event.toolCallId, event.name)
    elif kind == "content.part":
        columns.add_record(start, end, Role.ASSISTANT, 0, group=event.stepUuid or "")
        part = event.part or Part()
        kind_of_part, flags = _part_row(part)
        columns.add_block(kind_of_part, flags | (BlockFlag.PLAIN_STRING if event.part is None else 0))
        _note_odd(columns, handed_on.is_odd([part]))
    elif kind == "tool.result":
        columns.add_record(start, end, Role.TOOL, 0, group="")
        result = event.result or Result()
        columns.add_block(BlockKind.RESULT, _result_flags(result.output, result.isError), event.toolCallId)
        _note_odd(columns, not handed_on.is_text(result.output) and _is_odd(result.output))
    elif kind in ("step.begin", "step.end"):
        mark = RecordMark.GROUP_START if kind == "step.begin" else RecordMark.GROUP_END
        columns.add_record(start, end, Role.LINK, mark, group=event.uuid or "")
    else:
        columns.add_record(start, end, Role.OPAQUE)


def _add_message(columns: Columns, message: Message, start: int, end: int) -> None:
    role = ROLES.get(message.role or "", Role.SYSTEM)
    columns.add_record(start, end, role)
    odd_role = role == Role.SYSTEM and message.role != "system"
    _note_odd(columns, odd_role or message.toolCalls is None or _is_odd(message.content))
    if role == Role.TOOL:
        columns.add_block(BlockKind.RESULT, _result_flags(message.content, message.isError), message.toolCallId)
        return
    if bytes(message.content)[:1] == b"[":
        for part in _parts(message.content):
            columns.add_block(*_part_row(part))
    elif len(message.content) and bytes(message.content) != b"null":
        columns.add_block(BlockKind.TEXT, BlockFlag.PLAIN_STRING)
    for call in message.toolCalls or ():
        name = call.name if call.name is not None or call.function is None else call.function.name
        columns.add_block(BlockKind.CALL, 0, call.id, name)


def _note_odd(columns: Columns, odd: bool) -> None:
    if odd:
        columns.add_marks(len(columns) - 1, RecordMark.MAYBE_MALFORMED)


def _is_odd(content: Raw) -> bool:
    """Whether a content needs a closer look: it is no list, or not of parts that tell what they are."""
    return bytes(memoryview(content)[:1]) != b"[" or handed_on.is_odd(_parts(content))


def _part_row(part: Part) -> tuple[int, int]:
    kind = PARTS.get(part.type or "", BlockKind.OTHER)
    said = part.think if kind == BlockKind.THINKING and len(part.think) else part.text
    # A text that is none is not left out as a blank one is: the program falls over it.
    blank = is_blank_json(said) if kind == BlockKind.THINKING else kind == BlockKind.TEXT and _says_nothing(said)
    return int(kind), BlockFlag.BLANK if blank else 0


def _says_nothing(text: Raw) -> bool:
    return handed_on.is_text(text) and is_blank_json(text)


def _result_flags(output: Raw, is_error: bool | None) -> int:
    return (BlockFlag.ERROR if is_error else 0) | result_content_flags(output)


def _parts(content: Raw) -> list[Part]:
    try:
        return _CONTENT(content)
    except DECODE_ERRORS:
        return [decode_lenient(Part, item) for item in parse_json(bytes(content))]
