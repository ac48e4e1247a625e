"""The lines of a Kimi Code log as rows of columns.

`context.*` records alone touch the history. A step's begin, parts and calls are fragments of one assistant message:
they share `groups`, the step's uuid; a result's group is "" (None for a message of its own, `context.append_message`).
"""

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from inspector.core.bytes.json_text import value_of
from inspector.core.formats.bases import handed_on
from inspector.core.index.columns import Columns, Flag, Mark, Role
from inspector.core.index.views import BlockKind
from inspector.core.wire.fields import EMPTY, UNFIT, Decoder, is_blank, placeholder_flag, tolerant
from inspector.core.wire.shapes.shape import LIST, OBJECT, TEXT, Field, Shape
from inspector.core.wire.told import string, typed

ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL}
PARTS = {
    "text": BlockKind.TEXT,
    "think": BlockKind.THINKING,
    "image_url": BlockKind.MEDIA,
    "audio_url": BlockKind.MEDIA,
    "video_url": BlockKind.MEDIA,
}
CUTS = frozenset({"context.undo", "context.clear", "micro_compaction.apply"})
_ROLE = Field((TEXT,), needed=True, among=frozenset({*ROLES, "system"}))
# Kimi Code 2.1.0 stops before any request at a message without its content or its list of calls.
_SPOKEN = Shape(
    {
        "role": _ROLE,
        "content": replace(handed_on.LISTED, made=b"[]"),
        "toolCalls": Field((LIST,), needed=True, made=b"[]"),
    }
)
_EVENT = Shape(
    by="type",
    kinds={
        "content.part": Shape({"part": Field((OBJECT,), needed=True, of=handed_on.BLOCK, told=typed("text"))}),
        "tool.result": Shape({"result": Field((OBJECT,), needed=True, of=Shape({"output": handed_on.WORDS}))}),
    },
)
# An old summary is a whole message.
_SUMMED_UP = Shape(
    {"summary": Field((TEXT, OBJECT), told=string, null=False), "contextSummary": Field((TEXT,), told=string)}
)
SHAPE = Shape(
    by="type",
    kinds={
        "context.append_message": handed_on.within("message", _SPOKEN, needed=True),
        "context.append_loop_event": handed_on.within("event", _EVENT, needed=True),
        "context.apply_compaction": _SUMMED_UP,
    },
)


class Part(Struct, gc=False):
    """One content part."""

    type: str | None = None
    text: Raw = EMPTY
    think: Raw = EMPTY


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
    content: Raw = EMPTY
    toolCalls: list[ToolCall] | None = None
    toolCallId: str | None = None
    isError: bool | None = None


class Result(Struct, gc=False):
    """What a tool gave."""

    output: Raw = EMPTY
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
    summary: Raw = EMPTY
    contextSummary: Raw = EMPTY


_DECODE = Decoder(Row)
_CONTENT = msgspec.json.Decoder(list[Part]).decode


def add_line(columns: Columns, raw: bytes, start: int, end: int) -> None:
    """Index one line. False, and a BAD record, when it is no JSON."""
    row = _DECODE(raw)
    if row.type == "context.append_loop_event" and row.event is not None:
        _add_event(columns, row.event, start, end)
    elif row.type == "context.append_message":
        _add_message(columns, row.message or Message(), start, end)
    elif row.type == "context.append_loop_event" and value_of(raw).get("event") is None:
        columns.add_record(start, end, Role.SYSTEM, Mark.ODD)  # 2.1.0 falls over it; any other value it passes by
    elif row.type == "context.apply_compaction":
        odd = not all(map(handed_on.is_text, (row.summary, row.contextSummary or row.summary)))
        columns.add_record(start, end, Role.USER, Mark.BOUNDARY | (Mark.ODD if odd else 0))
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
        columns.add_block(kind_of_part, flags | (Flag.WHOLE if event.part is None else 0))
        _note_odd(columns, handed_on.is_odd([part]))
    elif kind == "tool.result":
        columns.add_record(start, end, Role.TOOL, 0, group="")
        result = event.result or Result()
        columns.add_block(BlockKind.RESULT, _result_flags(result.output, result.isError), event.toolCallId)
        _note_odd(columns, not handed_on.is_text(result.output) and _is_odd(result.output))
    elif kind in ("step.begin", "step.end"):
        mark = Mark.OPENS if kind == "step.begin" else Mark.CLOSES
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
        columns.add_block(BlockKind.TEXT, Flag.WHOLE)
    for call in message.toolCalls or ():
        name = call.name if call.name is not None or call.function is None else call.function.name
        columns.add_block(BlockKind.CALL, 0, call.id, name)


def _note_odd(columns: Columns, odd: bool) -> None:
    if odd:
        columns.mark(len(columns) - 1, Mark.ODD)


def _is_odd(content: Raw) -> bool:
    """Whether a content needs a closer look: it is no list, or not of parts that tell what they are."""
    return bytes(memoryview(content)[:1]) != b"[" or handed_on.is_odd(_parts(content))


def _part_row(part: Part) -> tuple[int, int]:
    kind = PARTS.get(part.type or "", BlockKind.OTHER)
    said = part.think if kind == BlockKind.THINKING and len(part.think) else part.text
    # A text that is none is not left out as a blank one is: the program falls over it.
    blank = is_blank(said) if kind == BlockKind.THINKING else kind == BlockKind.TEXT and _says_nothing(said)
    return int(kind), Flag.BLANK if blank else 0


def _says_nothing(text: Raw) -> bool:
    return handed_on.is_text(text) and is_blank(text)


def _result_flags(output: Raw, is_error: bool | None) -> int:
    return (Flag.ERROR if is_error else 0) | placeholder_flag(output)


def _parts(content: Raw) -> list[Part]:
    try:
        return _CONTENT(content)
    except UNFIT:
        return [tolerant(Part, item) for item in value_of(bytes(content))]
