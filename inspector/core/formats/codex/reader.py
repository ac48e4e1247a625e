"""The reader of Codex's lines, which adds them to columns, and the check of their ordinals.

This part of the reader decides how fast a log is checked.

A line of the wrapped era holds its item under `payload`; one of the bare era, and an element of a compaction's
`replacement_history`, is the item itself and is marked NO_ENVELOPE. Those elements, and those of the parallel
`replacement_history_metadata`, follow the record of their line as records of sequences of their own.

COMPACTION marks what changes the list before it: a compaction with such a history (LINK, for its elements speak), one
with a summary alone (USER), and an event that rolls turns back (OPAQUE).
"""

import re
from array import array
from collections.abc import Iterator
from itertools import pairwise
from sys import intern
from typing import Any, Literal

import msgspec
from msgspec import Raw, Struct

from inspector.core.formats.base.block_list_formats import is_string_token
from inspector.core.formats.codex.item_schemas import PHASES, ROLES, TEXT_PART_TYPES
from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.session import DamagedLink, LinkDamage, Log
from inspector.core.model.views import BlockKind
from inspector.core.providers.agent_texts import may_be_call_refusal
from inspector.core.providers.malformed_precheck import is_null, is_text, may_be_malformed_content
from inspector.core.providers.message_fields import (
    DECODE_ERRORS,
    EMPTY_RAW,
    LenientDecoder,
    decode_fitting_members,
    result_content_flags,
    result_text,
    result_text_flags,
)
from inspector.core.providers.openai_responses import schema
from inspector.core.providers.placeholders import MAX_PLACEHOLDER_LENGTH, may_be_placeholder
from inspector.core.storage.json_spans import array_elements, pointer_span
from inspector.core.storage.json_text import is_valid_json, may_be_too_deep, object_at, parse_json, text_at, value_at
from inspector.core.storage.log_layout import RecordSequence
from inspector.core.translation import tr

REPLACEMENT_HISTORY_POINTER = "/payload/replacement_history"
REPLACEMENT_METADATA_POINTER = "/payload/replacement_history_metadata"
COMPACTION_SUMMARY_POINTER = "/payload/message"
# The types of lines that Codex reads.
LINE_TYPES = frozenset(
    "session_meta response_item event_msg turn_context compacted world_state inter_agent_communication "
    "inter_agent_communication_metadata token_usage_record retained_context security_risk_score realtime_item "
    "rollout_reference".split()
)
# Lines that say where turns begin, end or are rolled back: a replay of the log uses them.
ROLLBACK_EVENT_TYPE = "thread_rolled_back"
TURN_EVENTS = frozenset(
    "task_started turn_started task_complete turn_complete turn_aborted user_message thread_rolled_back".split()
)
# The items that Codex knows (`ResponseItem` of codex-rs protocol/src/models.rs). It leaves out an item of another type.
_ITEM_TYPES = frozenset(
    "additional_tools message agent_message reasoning local_shell_call function_call tool_search_call "
    "function_call_output custom_tool_call custom_tool_call_output tool_search_output web_search_call "
    "image_generation_call compaction compaction_summary configuration_update compaction_trigger "
    "context_compaction".split()
)
_COMPACTION_TYPES = frozenset({"compaction_summary", "context_compaction"})
# Codex leaves out a message of the system or without a role, and sends one of a role that it does not know.
_ROLE_BY_NAME = schema.ROLE_BY_NAME | {"system": Role.LINK}
_ERROR_EVENTS = frozenset({"error", "stream_error"})
_TURN_END_EVENTS = frozenset({"task_complete", "turn_complete"})
_LONGEST_PLACEHOLDER = MAX_PLACEHOLDER_LENGTH + 100

_ASSISTANT, _TOOL, _OPAQUE = int(Role.ASSISTANT), int(Role.TOOL), int(Role.OPAQUE)
_CALL, _RESULT, _THINKING = int(BlockKind.CALL), int(BlockKind.RESULT), int(BlockKind.THINKING)
_CUSTOM = schema.CUSTOM << BlockFlag.CALL_TYPE_SHIFT
# The items that most lines are: role, kind of the block, flags.
_SINGLE_BLOCK_ITEMS = {
    "function_call": (_ASSISTANT, _CALL, 0),
    "custom_tool_call": (_ASSISTANT, _CALL, _CUSTOM),
    "function_call_output": (_TOOL, _RESULT, 0),
    "custom_tool_call_output": (_TOOL, _RESULT, _CUSTOM),
    "reasoning": (_ASSISTANT, _THINKING, 0),
}
_MARKS_OF_LINES = {"turn_context": RecordMark.TURN_EVENT, "session_meta": RecordMark.LOG_START}
# Events that the index has to look into.
_INDEXED_EVENTS = _ERROR_EVENTS | _TURN_END_EVENTS | {ROLLBACK_EVENT_TYPE}


_USUAL_STATUSES = (None, "completed", "in_progress", "incomplete")


class _ItemMetadata(Struct, gc=False):
    turn_id: str | None = None
    create_time: float | None = None


class RolloutItem(schema.ResponsesItem, gc=False):
    """The fields of an item or an event that the index needs; everything else is skipped, not built."""

    replacement_history: Raw = EMPTY_RAW
    error: Raw = EMPTY_RAW
    summary: Raw = EMPTY_RAW
    encrypted_content: Raw = EMPTY_RAW
    encrypted_function_args: Raw = EMPTY_RAW
    internal_chat_message_metadata_passthrough: _ItemMetadata | None = None


class _Summary(Struct, gc=False):
    type: Literal["summary_text"]
    text: str


class _LineMetadata(Struct, gc=False):
    history_sequence: int | None = None
    sampled_through_sequence: int | None = None
    client_authored: bool = False


class RolloutLine(Struct, gc=False):
    """One line."""

    timestamp: str | None = None
    type: str | None = None
    payload: RolloutItem | None = None
    metadata: _LineMetadata | None = None


_LINE_DECODER = msgspec.json.Decoder(RolloutLine)
_SUMMARY_DECODER = msgspec.json.Decoder(list[_Summary])
_decode_item = LenientDecoder(RolloutItem)
decode_lines = _LINE_DECODER.decode_lines


def add_lines(
    columns: Columns,
    rows: list[RolloutLine],
    ends: list[int],
    offset: int,
    chunk: memoryview,
    sequences: list[RecordSequence],
) -> None:
    """Append the rows of a chunk with their offsets."""
    starts, low = [0, *(end + 1 for end in ends[:-1])], 0
    for number in [number for number, row in enumerate(rows) if row.type == "compacted"]:
        _add_plain_lines(columns, rows[low:number], starts[low:number], ends[low:number], offset, chunk)
        start, end, low = starts[number], ends[number], number + 1
        line = bytes(chunk[start:end])
        add_line(columns, line, rows[number], offset + start, offset + end)
        add_nested_records(columns, line, offset + start, sequences)
    _add_plain_lines(columns, rows[low:], starts[low:], ends[low:], offset, chunk)


def _add_plain_lines(
    columns: Columns, rows: list[RolloutLine], starts: list[int], ends: list[int], offset: int, chunk: memoryview
) -> None:
    """Append rows that are one record each, column by column: a call for each would double the time of a check.

    Most lines are calls, outputs, reasoning and events; the others go through columns of their own.
    """
    roles, marks, blocks = bytearray(len(rows)), array("I", bytes(4 * len(rows))), array("I", bytes(4 * len(rows)))
    add_kind, add_flag = columns.block_kinds.append, columns.block_flags.append
    add_id, add_name = columns.call_ids.append, columns.names.append
    for number, row in enumerate(rows):
        item, kind = row.payload, row.type
        form = None if item is None else item.type
        if kind == "event_msg" and form not in _INDEXED_EVENTS and item is not None:
            if form in TURN_EVENTS:
                marks[number] = RecordMark.TURN_EVENT
        elif kind == "response_item" and form in _SINGLE_BLOCK_ITEMS:
            assert item is not None
            role, code, flag = _SINGLE_BLOCK_ITEMS[form]
            if item.id is not None and not item.id.startswith(schema.ITEM_ID_PREFIXES[form]):
                marks[number] = RecordMark.WRONG_ID_PREFIX
            if code == _RESULT and len(item.output) < _LONGEST_PLACEHOLDER:
                result_flag = result_flags(item.output)
                if result_flag is None:
                    marks[number] = RecordMark.UNREADABLE
                    continue
                flag |= result_flag
            if row.timestamp is None or _is_odd(item):
                marks[number] |= RecordMark.MAYBE_MALFORMED
            roles[number] = role
            blocks[number] = 1
            add_kind(code)
            add_id(item.id if code == _THINKING else item.call_id)
            if code == _CALL:
                text = bytes(item.arguments if form == "function_call" else item.input)
                add_flag(flag if text[:1] == b'"' else flag | BlockFlag.BAD_INPUT)
                add_name(intern(item.name) if item.name else item.name)
            else:
                is_empty = code != _THINKING or len(item.content) <= len(b"null")
                add_flag(flag if is_empty else schema.reasoning_flags(item))
                add_name(form if code == _THINKING else None)
        elif kind == "turn_context" and item is not None:
            marks[number] = RecordMark.TURN_EVENT
        else:
            columns_of_line = Columns()
            add_line(columns_of_line, bytes(chunk[starts[number] : ends[number]]), row, 0, 0)
            roles[number], marks[number], blocks[number] = (
                columns_of_line.roles[0],
                columns_of_line.marks[0],
                columns_of_line.blocks[0],
            )
            for name in ("block_kinds", "block_flags", "call_ids", "names"):
                getattr(columns, name).extend(getattr(columns_of_line, name))
    columns.starts.extend([offset + start for start in starts])
    columns.ends.extend([offset + end for end in ends])
    columns.roles += roles
    columns.marks += marks
    columns.blocks += blocks
    for column in (columns.uuids, columns.parents, columns.groups):
        column += [None] * len(rows)


def result_flags(output: Raw) -> int | None:
    """Return the flags of an output, None when it is not UTF-8.

    PLACEHOLDER where the whole output is some program's placeholder, ERROR where it is a refusal, BLANK where it is
    empty.
    """
    raw = bytes(output)
    if len(raw) <= len(b'""'):
        return result_content_flags(output)
    if not (may_be_placeholder(raw) or may_be_call_refusal(raw)):
        return 0
    try:
        raw.decode()
    except UnicodeDecodeError:
        return None
    return result_text_flags(result_text(parse_json(raw)))


def add_line_text(
    columns: Columns, line: bytes, start: int, end: int, sequences: list[RecordSequence] | None, deep: bool
) -> None:
    """Append one line, with its nested records when `sequences` are given. It is UNREADABLE when it is not JSON."""
    mark = 0
    try:
        row = None if (deep or may_be_too_deep(line)) and not is_valid_json(line) else _LINE_DECODER.decode(line)
    except DECODE_ERRORS:
        row = None
        if is_valid_json(line):
            row, mark = decode_fitting_members(RolloutLine, parse_json(line)), RecordMark.MAYBE_MALFORMED
    if row is None:
        columns.add_record(start, end, Role.OPAQUE, RecordMark.UNREADABLE)
        return
    add_line(columns, line, row, start, end)
    columns.marks[-1] |= mark
    if sequences is not None:
        add_nested_records(columns, line, start, sequences)


def add_line(columns: Columns, line: bytes, row: RolloutLine, start: int, end: int) -> None:
    """Append a decoded line as a record. `add_nested_records` appends its nested records."""
    item = row.payload
    if item is None and row.type in LINE_TYPES:
        columns.add_record(start, end, Role.OPAQUE)  # Codex skips a line whose payload is not an object
    elif item is None:
        _add_bare(columns, line, start, end)
    elif row.type == "response_item":
        _add_item(columns, item, start, end, 0 if row.timestamp is not None else RecordMark.MAYBE_MALFORMED)
    elif row.type == "compacted":
        if bytes(item.replacement_history)[:1] == b"[":
            columns.add_record(start, end, Role.LINK, RecordMark.COMPACTION)
        else:
            # The summary is sent as a message of the user, after the user's own.
            columns.add_record(start, end, Role.USER, RecordMark.COMPACTION)
            columns.add_block(BlockKind.TEXT)
    elif row.type == "inter_agent_communication":
        columns.add_record(start, end, Role.LINK, RecordMark.TURN_EVENT)
    elif row.type == "event_msg":
        failed = item.type in _ERROR_EVENTS or (item.type in _TURN_END_EVENTS and bytes(item.error)[:1] == b"{")
        mark = RecordMark.TURN_EVENT if item.type in TURN_EVENTS else 0
        if item.type == ROLLBACK_EVENT_TYPE:
            mark |= RecordMark.COMPACTION
        columns.add_record(
            start, end, Role.LINK if failed else Role.OPAQUE, mark | (RecordMark.API_ERROR if failed else 0)
        )
    else:
        columns.add_record(start, end, Role.OPAQUE, _MARKS_OF_LINES.get(row.type or "", 0))


def _add_bare(columns: Columns, line: bytes, start: int, end: int, in_history: bool = False) -> None:
    """Append an item without an envelope. What is no item (the first line of the bare era, metadata) has no blocks.

    `in_history` says whether it is an item of a replacement history, which Codex reads.
    """
    item = _decode_item.decode_strict(line)
    if item is None and not is_valid_json(line):
        columns.add_record(start, end, Role.OPAQUE, RecordMark.UNREADABLE)
        return
    mark = RecordMark.NO_ENVELOPE | (RecordMark.MAYBE_MALFORMED if in_history and item is None else 0)
    item = item or _decode_item(line)
    if item.type or item.role:
        _add_item(columns, item, start, end, mark, in_history)
    else:
        columns.add_record(start, end, Role.OPAQUE, mark)


def _add_item(columns: Columns, item: RolloutItem, start: int, end: int, mark: int, is_read: bool = True) -> None:
    if item.type is not None and item.type not in _ITEM_TYPES:
        if mark & RecordMark.NO_ENVELOPE and is_read:  # Codex sends one of a replacement history, as type "other"
            columns.add_record(start, end, Role.LINK, mark | RecordMark.MAYBE_MALFORMED)
        else:
            columns.add_record(start, end, Role.OPAQUE, mark)
        return
    mark |= RecordMark.WRONG_ID_PREFIX if schema.has_wrong_id_prefix(item) else 0
    if is_read and _is_odd(item):
        mark |= RecordMark.MAYBE_MALFORMED
    if item.type == "agent_message":
        # What another agent says to this one: its content is that of a message.
        item.type, item.role = "message", "user"
    elif item.type in _COMPACTION_TYPES:
        item.type = "compaction"
    if item.type in ("local_shell_call", "tool_search_call") and item.call_id == "":
        item.call_id = None
    role = schema.item_role(item)
    if schema.item_type(item) == "message":
        role = Role.LINK if item.role is None else _ROLE_BY_NAME.get(item.role, Role.SYSTEM)
    columns.add_record(start, end, role, mark)
    schema.add_item_blocks(columns, item)


def _is_odd(item: RolloutItem) -> bool:
    """Return whether an item needs a closer look."""
    kind = item.type
    if kind == "function_call" or kind == "custom_tool_call":
        return item.status not in _USUAL_STATUSES or not is_null(item.encrypted_function_args)
    if kind == "function_call_output" or kind == "custom_tool_call_output":
        return not is_string_token(item.output)
    if kind == "reasoning":
        return _is_odd_reasoning(item)
    if kind != "message" or item.role not in ROLES or item.status not in _USUAL_STATUSES:
        return True
    if bytes(memoryview(item.content)[:1]) != b"[" or item.phase not in (None, *PHASES):
        return True
    return may_be_malformed_content(item.content, TEXT_PART_TYPES, frozenset())


def _is_odd_reasoning(item: RolloutItem) -> bool:
    if not (is_text(item.encrypted_content) or is_null(item.encrypted_content)) or not is_null(item.content):
        return True
    try:
        _SUMMARY_DECODER.decode(item.summary)
    except DECODE_ERRORS:
        return True
    return False


def add_nested_records(columns: Columns, line: bytes, offset: int, sequences: list[RecordSequence]) -> None:
    """Append the elements of a compaction's lists, if the newest record is one, each list as its own sequence."""
    if columns.roles[-1] != Role.LINK or not columns.marks[-1] & RecordMark.COMPACTION:
        return
    owner = len(columns) - 1
    nested: list[RecordSequence] = []
    for pointer in (REPLACEMENT_HISTORY_POINTER, REPLACEMENT_METADATA_POINTER):
        try:
            at, _ = pointer_span(line, pointer)
        except KeyError:
            continue
        low = len(columns)
        if line[at : at + 1] == b"[":
            for start, end in array_elements(line, at):
                is_item = pointer == REPLACEMENT_HISTORY_POINTER
                _add_bare(columns, line[start:end], offset + start, offset + end, is_item)
        if len(columns) > low:
            nested.append(RecordSequence(low, len(columns), offset + at, pointer=pointer))
    if nested:
        before = sequences[-1].high if sequences else 0
        sequences += [RecordSequence(before, owner + 1), *nested]


# The ordinals of a paginated rollout: every line has one, above that of the line before it; gaps are legal.
#
# Facts: codex-rs/rollout/src/ordinal.rs @3b1fd5b, and Codex 0.169.0, resumed on each case: without an ordinal on the
# last line it does not load the rollout ("final paginated rollout record … is missing an ordinal"), and goes on behind
# any other. Versions 0.150 to 0.153 are reported to write the ordinal of their last line a second time when they
# resume; the history that the desktop app and `thread/read` show stops there for good ("thread history projection
# expected ordinal 690, got 689"; openai/codex #35746, #41079, #41566, #44609).

_ORDINAL_SEARCH_BYTES = 120  # bytes: a line begins with its time and its ordinal
_READ_SIZE = 1 << 22
_ORDINAL_AT_START = re.compile(rb'\{"timestamp":"[^"\\]*","ordinal":(\d{1,18})[,}]')


def ordinal_breaks(log: Log, columns: Columns, raw: ReadRecord) -> list[DamagedLink]:
    """Return the lines of a paginated rollout whose ordinal does not follow the one before.

    Of a run of lines without ordinals, only the first. For columns that a repair changed, the known ones that remain.
    """
    if columns is log.columns or not log.sessions:
        return _misplaced_lines(_lines_with_ordinals(log, columns))
    known = {link.record: link for link in log.sessions[0].ordinal_breaks}
    if not known:
        return []
    breaks = []
    for before, record in pairwise(own_readable_records(columns)):
        link = known.get(columns.stable_numbers[record])
        if link and not _follows(ordinal_of(raw(record)), ordinal_of(raw(before))):
            breaks.append(DamagedLink(record, link.kind, text=link.text, agent_continues=link.agent_continues))
    return breaks


def own_readable_records(columns: Columns) -> list[int]:
    """Return the records that are lines of the log by themselves and can be read."""
    passed_by = RecordMark.NO_ENVELOPE | RecordMark.UNREADABLE | RecordMark.INHERITED
    return [record for record, mark in enumerate(columns.marks) if not mark & passed_by]


def ordinal_of(line: bytes) -> int | None:
    """Return the ordinal of a line, None where it has none."""
    match = _ORDINAL_AT_START.match(line)
    if match:
        return int(match[1])
    try:
        return _ordinal_in(parse_json(line))
    except ValueError:
        return None


def _ordinal_in(value: Any) -> int | None:
    ordinal = value_at(value, "/ordinal")
    return ordinal if isinstance(ordinal, int) and not isinstance(ordinal, bool) and ordinal >= 0 else None


def _lines_with_ordinals(log: Log, columns: Columns) -> Iterator[tuple[int, int | None]]:
    """Yield every line with its ordinal. For most lines the first bytes are enough, which are read in blocks."""
    source, at, block = log.source, 0, b""
    for record in own_readable_records(columns):
        start, end = columns.starts[record], columns.ends[record]
        if not at <= start <= at + len(block) - _ORDINAL_SEARCH_BYTES:
            at, block = start, source.read(start, start + _READ_SIZE)
        begins = _ORDINAL_AT_START.match(block, start - at)
        if begins:
            yield record, int(begins[1])
            continue
        value = parse_json(source.read(start, end))
        if _is_read_by_codex(value):
            yield record, _ordinal_in(value)


def _is_read_by_codex(value: Any) -> bool:
    """Return whether Codex reads the line. It skips lines of other types, and those with an invalid ordinal."""
    counted = value_at(value, "/ordinal") is None or _ordinal_in(value) is not None
    return counted and text_at(value, "/type") in LINE_TYPES and bool(object_at(value, "/payload"))


def _misplaced_lines(counted: Iterator[tuple[int, int | None]]) -> list[DamagedLink]:
    breaks: list[DamagedLink] = []
    before: int | None = -1
    for record, ordinal in counted:
        if ordinal is None:
            if before is not None:
                breaks.append(
                    DamagedLink(
                        record, LinkDamage.WRONG_ORDINAL, text=tr("This line has no ordinal."), agent_continues=True
                    )
                )
        elif before is not None and ordinal <= before:
            text = tr(
                "This line has the ordinal {ordinal}, but the line before it has the ordinal {before}.",
                ordinal=ordinal,
                before=before,
            )
            breaks.append(DamagedLink(record, LinkDamage.WRONG_ORDINAL, text=text, agent_continues=True))
        before = ordinal
    if breaks and before is None:
        text = tr("No lines from here to the end have an ordinal, so Codex does not load the rollout.")
        breaks[-1] = DamagedLink(breaks[-1].record, LinkDamage.WRONG_ORDINAL, text=text)
    return breaks


def _follows(ordinal: int | None, before: int | None) -> bool:
    return ordinal is not None and (before is None or ordinal > before)
