"""The lines of a Kimi Code log as rows of columns, its steps, and the evidence of a call without a result.

Only `context.*` records change the history. A step's begin, parts and calls are fragments of one assistant message:
they share `groups`, the step's uuid; a result's group is "" (None for a message of its own, `context.append_message`).

Facts about approvals: MoonshotAI/kimi-code d723cc4, packages/agent-core/src/agent/records/types.ts:
`permission.record_approval_result` holds the user's decision about a call, by `toolCallId`. `config.update` names the
folder.
"""

from array import array
from typing import Any
from weakref import WeakKeyDictionary

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from inspector.core.formats.base import block_list_formats
from inspector.core.formats.base.call_evidence import (
    EvidenceItem,
    EvidenceQuery,
    EvidenceStrength,
    newest_value_before_each,
)
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.block_schema import encode_string, typed_text_encoder
from inspector.core.providers.message_fields import (
    DECODE_ERRORS,
    EMPTY_RAW,
    LenientDecoder,
    decode_fitting_members,
    is_blank_json,
    result_content_flags,
)
from inspector.core.providers.message_misfits import (
    LIST,
    OBJECT,
    TEXT,
    FieldSchema,
    object_schema_by_type,
    object_schema_of_fields,
)
from inspector.core.storage.json_text import parse_json, text_at, value_at
from inspector.core.translation import tr

ROLE_BY_NAME = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL}
PART_KINDS = {
    "text": BlockKind.TEXT,
    "think": BlockKind.THINKING,
    "image_url": BlockKind.MEDIA,
    "audio_url": BlockKind.MEDIA,
    "video_url": BlockKind.MEDIA,
}
HISTORY_CUT_TYPES = frozenset({"context.undo", "context.clear", "micro_compaction.apply"})
_ROLE = FieldSchema((TEXT,), needed=True, allowed_values=frozenset({*ROLE_BY_NAME, "system"}))
# Kimi Code 2.1.0 stops before any request at a message without its content or its list of calls.
_MESSAGE_SCHEMA = object_schema_of_fields(
    role=_ROLE,
    content=replace(block_list_formats.BLOCK_LIST_FIELD_SCHEMA, made=b"[]"),
    toolCalls=FieldSchema((LIST,), needed=True, made=b"[]"),
)
_PART_FIELD = FieldSchema(
    (OBJECT,), needed=True, of=block_list_formats.AGENT_BLOCK_SCHEMA, text_encoder=typed_text_encoder("text")
)
_OUTPUT_SCHEMA = object_schema_of_fields(output=block_list_formats.TEXT_OR_BLOCKS_FIELD_SCHEMA)
_EVENT_SCHEMA = object_schema_by_type(
    {
        "content.part": object_schema_of_fields(part=_PART_FIELD),
        "tool.result": block_list_formats.record_schema_with_message("result", _OUTPUT_SCHEMA, needed=True),
    }
)
# An old summary is a whole message.
_COMPACTION_SCHEMA = object_schema_of_fields(
    summary=FieldSchema((TEXT, OBJECT), text_encoder=encode_string, nullable=False),
    contextSummary=FieldSchema((TEXT,), text_encoder=encode_string),
)
LINE_SCHEMA = object_schema_by_type(
    {
        "context.append_message": block_list_formats.record_schema_with_message(
            "message", _MESSAGE_SCHEMA, needed=True
        ),
        "context.append_loop_event": block_list_formats.record_schema_with_message("event", _EVENT_SCHEMA, needed=True),
        "context.apply_compaction": _COMPACTION_SCHEMA,
    }
)


class ContentPart(Struct, gc=False):
    type: str | None = None
    text: Raw = EMPTY_RAW
    think: Raw = EMPTY_RAW


class _Function(Struct, gc=False):
    name: str | None = None


class AppendedCall(Struct, gc=False):
    """A call in a message; `function` is how protocol 1.0 wrote it."""

    id: str | None = None
    name: str | None = None
    function: _Function | None = None


class AppendedMessage(Struct, gc=False):
    """`context.append_message`."""

    role: str | None = None
    content: Raw = EMPTY_RAW
    toolCalls: list[AppendedCall] | None = None
    toolCallId: str | None = None
    isError: bool | None = None


class ToolOutput(Struct, gc=False):
    """What a tool gave."""

    output: Raw = EMPTY_RAW
    isError: bool | None = None


class LoopEvent(Struct, gc=False):
    """`context.append_loop_event`."""

    type: str | None = None
    uuid: str | None = None
    stepUuid: str | None = None
    toolCallId: str | None = None
    name: str | None = None
    part: ContentPart | None = None
    result: ToolOutput | None = None


class WireLine(Struct, gc=False):
    """The fields of a line that the index needs."""

    type: str | None = None
    message: AppendedMessage | None = None
    event: LoopEvent | None = None
    summary: Raw = EMPTY_RAW
    contextSummary: Raw = EMPTY_RAW


_decode_line = LenientDecoder(WireLine)
_decode_parts = msgspec.json.Decoder(list[ContentPart]).decode


def add_line(columns: Columns, raw: bytes, start: int, end: int) -> None:
    """Index one line, which is valid JSON."""
    row = _decode_line(raw)
    if row.type == "context.append_loop_event" and row.event is not None:
        _add_event(columns, row.event, start, end)
    elif row.type == "context.append_message":
        _add_message(columns, row.message or AppendedMessage(), start, end)
    elif row.type == "context.append_loop_event" and parse_json(raw).get("event") is None:
        # 2.1.0 stops at null here, and skips any other value.
        columns.add_record(start, end, Role.SYSTEM, RecordMark.MAYBE_MALFORMED)
    elif row.type == "context.apply_compaction":
        odd = not all(map(block_list_formats.is_string_token, (row.summary, row.contextSummary or row.summary)))
        columns.add_record(start, end, Role.USER, RecordMark.COMPACTION | (RecordMark.MAYBE_MALFORMED if odd else 0))
        columns.add_block(BlockKind.TEXT)
    else:
        columns.add_record(start, end, Role.LINK if row.type in HISTORY_CUT_TYPES else Role.OPAQUE)


def _add_event(columns: Columns, event: LoopEvent, start: int, end: int) -> None:
    kind = event.type
    if kind == "tool.call":
        columns.add_record(start, end, Role.ASSISTANT, 0, group=event.stepUuid or "")
        columns.add_block(BlockKind.CALL, 0, event.toolCallId, event.name)
    elif kind == "content.part":
        columns.add_record(start, end, Role.ASSISTANT, 0, group=event.stepUuid or "")
        part = event.part or ContentPart()
        kind_of_part, flags = _block_of_part(part)
        columns.add_block(kind_of_part, flags | (BlockFlag.PLAIN_STRING if event.part is None else 0))
        _note_odd(columns, block_list_formats.has_suspect_block([part]))
    elif kind == "tool.result":
        columns.add_record(start, end, Role.TOOL, 0, group="")
        result = event.result or ToolOutput()
        columns.add_block(BlockKind.RESULT, _result_flags(result.output, result.isError), event.toolCallId)
        _note_odd(columns, not block_list_formats.is_string_token(result.output) and _is_odd(result.output))
    elif kind in ("step.begin", "step.end"):
        mark = RecordMark.GROUP_START if kind == "step.begin" else RecordMark.GROUP_END
        columns.add_record(start, end, Role.LINK, mark, group=event.uuid or "")
    else:
        columns.add_record(start, end, Role.OPAQUE)


def _add_message(columns: Columns, message: AppendedMessage, start: int, end: int) -> None:
    role = ROLE_BY_NAME.get(message.role or "", Role.SYSTEM)
    columns.add_record(start, end, role)
    odd_role = role == Role.SYSTEM and message.role != "system"
    _note_odd(columns, odd_role or message.toolCalls is None or _is_odd(message.content))
    if role == Role.TOOL:
        columns.add_block(BlockKind.RESULT, _result_flags(message.content, message.isError), message.toolCallId)
        return
    if bytes(message.content)[:1] == b"[":
        for part in _parts_of(message.content):
            columns.add_block(*_block_of_part(part))
    elif len(message.content) and bytes(message.content) != b"null":
        columns.add_block(BlockKind.TEXT, BlockFlag.PLAIN_STRING)
    for call in message.toolCalls or ():
        name = call.name if call.name is not None or call.function is None else call.function.name
        columns.add_block(BlockKind.CALL, 0, call.id, name)


def _note_odd(columns: Columns, odd: bool) -> None:
    if odd:
        columns.add_marks(len(columns) - 1, RecordMark.MAYBE_MALFORMED)


def _is_odd(content: Raw) -> bool:
    """Return whether a content needs a closer look: it is not a list, or has parts of no stated type."""
    return bytes(memoryview(content)[:1]) != b"[" or block_list_formats.has_suspect_block(_parts_of(content))


def _block_of_part(part: ContentPart) -> tuple[int, int]:
    kind = PART_KINDS.get(part.type or "", BlockKind.OTHER)
    text = part.think if kind == BlockKind.THINKING and len(part.think) else part.text
    # A text that is not a string is not left out like a blank one: the program stops at it.
    blank = is_blank_json(text) if kind == BlockKind.THINKING else kind == BlockKind.TEXT and _is_blank(text)
    return int(kind), BlockFlag.BLANK if blank else 0


def _is_blank(text: Raw) -> bool:
    return block_list_formats.is_string_token(text) and is_blank_json(text)


def _result_flags(output: Raw, is_error: bool | None) -> int:
    return (BlockFlag.ERROR if is_error else 0) | result_content_flags(output)


def _parts_of(content: Raw) -> list[ContentPart]:
    try:
        return _decode_parts(content)
    except DECODE_ERRORS:
        return [decode_fitting_members(ContentPart, item) for item in parse_json(bytes(content))]


class StepBounds:
    """The steps of a log, by record and worked out in one pass: `begins` and `ends` of the record's step, or -1.

    `followed` is the last record after which a result of the record's calls may come. `parted` is the begin of another
    step between the record and the begin of its own, which is still open; -1 if there is none. A step may hold any
    number of calls. Its records have its id as their group; the records of separate messages have none.
    """

    def __init__(self, columns: Columns) -> None:
        self.columns, size = columns, len(columns)
        self.begins = array("q", [-1]) * size
        self.ends = array("q", [-1]) * size
        self.followed = array("q", range(size))
        self.parted = array("q", [-1]) * size
        self._between: dict[int, _MessagesInSteps] = {}
        self._look_forward()
        self._look_back()

    def _look_forward(self) -> None:
        begun: dict[str | None, int] = {}
        parted: dict[str | None, int] = {}
        newest: str | None = None  # the step that was begun last, unless it is closed
        for record, group in enumerate(self.columns.groups):
            mark = self.columns.marks[record]
            if mark & RecordMark.GROUP_START:
                parted.setdefault(newest, record)
                parted.pop(group, None)
                begun[group], newest = record, group
            elif mark & RecordMark.GROUP_END:
                parted.pop(group, None)
                newest = None if group == newest else newest
            self.begins[record] = begun.get(group, -1)
            self.parted[record] = parted.get(group, -1) if group else -1

    def _look_back(self) -> None:
        columns = self.columns
        closing: dict[str | None, int] = {}
        latest: dict[str | None, int] = {}
        result = -1  # the last of the following results that are messages of their own
        for record in range(len(columns) - 1, -1, -1):
            group, mark, role = columns.groups[record], columns.marks[record], columns.roles[record]
            if group:
                self.ends[record] = closing.get(group, -1)
            after = result if group is None else max(latest.get(group, -1), latest.get("", -1))
            self.followed[record] = max(after, record)
            if mark & RecordMark.GROUP_START:
                closing.clear()
            elif mark & RecordMark.GROUP_END:
                closing[group] = record
            if role == Role.LINK or mark & RecordMark.COMPACTION:
                latest.clear()
                result = -1
            else:
                latest.setdefault(group, record)
                result = -1 if group is not None or role != Role.TOOL else max(result, record)

    def in_between(self, call: int) -> list[int]:
        """Return the messages in a call's step that wait for none of its calls and follow the step's answer."""
        begin = self.begins[call]
        if begin < 0 or self.columns.groups[call] is None:
            return []
        if begin not in self._between:
            self._between[begin] = _MessagesInSteps(self.columns, begin)
        return self._between[begin].before(call)


class _MessagesInSteps:
    """The messages between the parts of one step, collected as far as they were looked up."""

    def __init__(self, columns: Columns, begin: int) -> None:
        self.columns, self.begin = columns, begin
        self._found: list[int] = []
        self._counts = [0]  # how many were found before each record from the begin on
        self._waiting: list[int] = []
        self._open_calls: set[str | None] = set()

    def before(self, call: int) -> list[int]:
        while len(self._counts) <= call - self.begin:
            self._pass(self.begin + len(self._counts) - 1)
            self._counts.append(len(self._found))
        return self._found[: self._counts[call - self.begin]]

    def _pass(self, record: int) -> None:
        columns, rows = self.columns, self.columns.block_rows(record)
        if columns.groups[record] is None:
            if rows:
                (self._waiting if self._open_calls else self._found).append(record)
        elif rows and columns.block_kinds[rows[0]] == BlockKind.CALL:
            self._open_calls.add(columns.call_ids[rows[0]])
        elif columns.roles[record] == Role.TOOL:
            self._open_calls.discard(columns.call_ids[rows[0]])
            if not self._open_calls:
                self._found += self._waiting
                self._waiting.clear()


_CACHE: WeakKeyDictionary[Columns, StepBounds] = WeakKeyDictionary()


def step_bounds_of(columns: Columns) -> StepBounds:
    """Return the steps of fully read columns, cached."""
    steps = _CACHE.get(columns)
    if steps is None or len(steps.followed) != len(columns):
        _CACHE[columns] = steps = StepBounds(columns)
    return steps


def evidence_in_event(row: Any, call: EvidenceQuery, own: bool) -> EvidenceItem | None:
    """Return the user's recorded decision about a call, see `CallEvidenceSource`."""
    if own or not isinstance(row, dict) or row.get("type") != "permission.record_approval_result":
        return None
    if row.get("toolCallId") != call.id:
        return None
    decision = value_at(row, "/result/decision") or tr("not told")
    return EvidenceItem(
        EvidenceStrength.MENTIONED,
        tr("The user was asked to allow the call and answered: {decision}.", decision=decision),
    )


def working_folder_by_record(columns: Columns, records: list[int], raw: ReadRecord) -> dict[int, str]:
    """Return the folder that the newest `config.update` before each record names."""
    return newest_value_before_each(records, lambda record: "" if columns.roles[record] else _folder(raw(record)))


def _folder(line: bytes) -> str:
    if b'"config.update"' not in line or b'"cwd"' not in line:
        return ""
    try:
        return text_at(parse_json(line), "/cwd")
    except ValueError:
        return ""
