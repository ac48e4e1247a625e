"""The lines of Kiro CLI's logs, the messages that it makes of them, and the file with the metadata of a session.

Facts: aws/amazon-q-developer-cli at 052219486d4c, `crates/agent/src/agent/event_log.rs` (`LogEntryV1`, `apply`) and
`agent_loop/types.rs`. A line that does not fit its type is skipped. Each line of a message is a message of its own,
even if two of them have one id. A compaction replaces all messages with those that it holds, `ResetTo` with those
before a line, which counts the lines that were read. Entries and blocks of unknown kinds are not judged.
"""

from __future__ import annotations

from array import array
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Raw, Struct

from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.message_fields import DECODE_ERRORS, EMPTY_RAW, is_blank_json, result_text_flags
from inspector.core.storage.json_spans import array_elements, pointer_span
from inspector.core.storage.json_text import is_valid_json, object_at, parse_json, text_at, unescape_keys, value_at

MESSAGES = {"Prompt": Role.USER, "AssistantMessage": Role.ASSISTANT, "ToolResults": Role.TOOL}
COMPACTION, RESET, CANCELLED, CLEAR = "Compaction", "ResetTo", "CancelledPrompt", "Clear"
ENTRIES = MESSAGES.keys() | {COMPACTION, RESET, CANCELLED, CLEAR}
_SNAPSHOT = "/data/messages_snapshot"
_LONGEST_PLACEHOLDER = 4096
_LARGEST_METADATA = 64 * 1024


class _Block(Struct, gc=False):
    kind: str
    data: Raw


class _ToolUse(Struct, gc=False):
    toolUseId: str
    name: str
    input: Raw


class _ToolResult(Struct, gc=False):
    toolUseId: str
    content: list[_Block]
    status: Literal["success", "error"]


class _Thinking(Struct, gc=False):
    text: str
    signature: str | None = None


class _Message(Struct, gc=False):
    """A message of a compaction."""

    role: Literal["user", "assistant"]
    content: list[_Block]


class _Entry(Struct, gc=False):
    message_id: str
    content: list[_Block]
    results: dict[str, Raw] | None = None


class _Compaction(Struct, gc=False):
    summary: str
    strategy: dict[str, Raw]
    messages_snapshot: list[_Message]


class _Reset(Struct, gc=False):
    target_index: int


class _Line(Struct, gc=False):
    version: str | None = None
    kind: str | None = None
    data: Raw = EMPTY_RAW
    role: str | None = None


_decode_line = msgspec.json.Decoder(_Line).decode
_decode_entry = msgspec.json.Decoder(_Entry).decode
_decode_compaction = msgspec.json.Decoder(_Compaction).decode
_decode_message = msgspec.json.Decoder(_Message).decode
_decode_reset = msgspec.json.Decoder(_Reset).decode
_decode_text = msgspec.json.Decoder(str).decode
_decode_call = msgspec.json.Decoder(_ToolUse).decode
_decode_result = msgspec.json.Decoder(_ToolResult).decode
_decode_thinking = msgspec.json.Decoder(_Thinking).decode

_Row = tuple[int, int, str | None, str | None]


def add_record(columns: Columns, raw: bytes, start: int, end: int) -> None:
    """Append a line, or a message of a compaction. One that Kiro skips is UNREADABLE."""
    try:
        _add_entry(columns, raw, start, end)
    except DECODE_ERRORS:
        columns.add_record(start, end, Role.OPAQUE, RecordMark.UNREADABLE)


def _add_entry(columns: Columns, raw: bytes, start: int, end: int) -> None:
    """Append a record. Raises one of DECODE_ERRORS, before anything is added, for a record that Kiro skips."""
    line = _decode_line(raw)
    rows: list[_Row] = []
    role, mark = Role.OPAQUE, 0
    if line.kind is None and line.role is not None:
        message = _decode_message(raw)
        rows, role, mark = _rows_of(message.content), Role.USER, RecordMark.NO_ENVELOPE
        if message.role == "assistant":
            role = Role.ASSISTANT
        elif any(row[0] == BlockKind.RESULT for row in rows):
            role = Role.TOOL
    elif line.version is None or line.kind is None:
        raise msgspec.ValidationError("no entry")
    elif line.version == "v1" and line.kind in MESSAGES:
        entry = _decode_entry(line.data)
        if line.kind == "ToolResults" and entry.results is None:
            raise msgspec.ValidationError("results")
        rows, role = _rows_of(entry.content), MESSAGES[line.kind]
    elif line.version == "v1" and line.kind == COMPACTION:
        for message in _decode_compaction(line.data).messages_snapshot:
            _rows_of(message.content)
        role, mark = Role.LINK, RecordMark.COMPACTION
    elif line.version == "v1" and line.kind in ENTRIES:
        if line.kind == RESET:
            _decode_reset(line.data)
        mark = RecordMark.TURN_EVENT
    columns.add_record(start, end, role, mark)
    for row in rows:
        columns.add_block(*row)


def _rows_of(blocks: list[_Block]) -> list[_Row]:
    """Return the rows of the blocks of a message. A blank text next to another block is dropped by Kiro's API."""
    rows = [_row_of(block) for block in blocks]
    if all(row[:2] == (BlockKind.TEXT, BlockFlag.BLANK) for row in rows):
        return rows
    return [(BlockKind.TEXT, 0, None, None) if row[0] == BlockKind.TEXT else row for row in rows]


def _row_of(block: _Block) -> _Row:
    if block.kind == "text":
        _decode_text(block.data)
        return BlockKind.TEXT, BlockFlag.BLANK if is_blank_json(block.data) else 0, None, None
    if block.kind == "toolUse":
        call = _decode_call(block.data)
        is_object = bytes(memoryview(call.input)[:1]) == b"{"
        return BlockKind.CALL, 0 if is_object else BlockFlag.BAD_INPUT, call.toolUseId, call.name
    if block.kind == "toolResult":
        result = _decode_result(block.data)
        failed = BlockFlag.ERROR if result.status == "error" else 0
        return BlockKind.RESULT, failed | _content_flags(result.content), result.toolUseId, None
    if block.kind == "thinking":
        is_signed = bool(_decode_thinking(block.data).signature)
        return BlockKind.THINKING, BlockFlag.SIGNED if is_signed else 0, None, None
    return BlockKind.MEDIA if block.kind == "image" else BlockKind.OTHER, 0, None, None


def _content_flags(parts: list[_Block]) -> int:
    texts = [part.data for part in parts if part.kind == "text"]
    if len(texts) < len(parts) or sum(map(len, texts)) > _LONGEST_PLACEHOLDER:
        return BlockFlag.MEDIA if any(part.kind == "image" for part in parts) else 0
    return result_text_flags("\n".join(map(_decode_text, texts)))


def snapshot_messages(line: bytes) -> tuple[int, str, list[tuple[int, int]]]:
    """Return the messages that a compaction holds; see `JsonLines.nested`."""
    if b'"messages_snapshot"' in unescape_keys(line) and is_valid_json(line):
        found = Columns()
        add_record(found, line, 0, 0)
        if found.marks[0] & RecordMark.COMPACTION:
            at, _ = pointer_span(line, _SNAPSHOT)
            return at, _SNAPSHOT, list(array_elements(line, at))
    return -1, "", []


def loaded_path(columns: Columns, raw: ReadRecord) -> array[int]:
    """Return the messages that Kiro has after its last line, behind the compaction that they begin with.

    A message is known by its record, and names the record of the message before it.
    """
    previous, last = array("q", [-1]) * len(columns), -1
    before_entry = array("q")
    for record, (role, mark) in enumerate(zip(columns.roles, columns.marks, strict=True)):
        if role == Role.OPAQUE and not mark & RecordMark.TURN_EVENT:
            continue
        if not mark & RecordMark.NO_ENVELOPE:
            before_entry.append(last)
        if mark & RecordMark.TURN_EVENT:
            last = _after_event(parse_json(raw(record)), columns, previous, before_entry, last)
        else:
            previous[record] = -1 if mark & RecordMark.COMPACTION else last
            last = record
    path = array("I")
    while last >= 0:
        path.append(last)
        last = previous[last]
    path.reverse()
    return path


def _after_event(event: Any, columns: Columns, previous: array[int], before_entry: array[int], last: int) -> int:
    """Return the newest message after an entry that removes messages."""
    kind, target = event["kind"], value_at(event, "/data/target_index")
    if kind == RESET:
        return before_entry[target] if 0 <= target < len(before_entry) else last
    if kind == CANCELLED:
        return previous[last] if last >= 0 and columns.roles[last] in (Role.USER, Role.TOOL) else last
    return -1


def session_metadata(log: str) -> dict[str, Any]:
    """Return the file with the metadata of a log, without the state of the session, an empty object where it has none.

    The state, which is the last member, can be as long as the log.
    """
    with suppress(OSError), Path(log).with_suffix(".json").open("rb") as file:
        head = file.read(_LARGEST_METADATA)
        known = head.partition(b'"session_state"')[0].rstrip().removesuffix(b",") + b"}"
        return next((object_at(parse_json(text), "") for text in (known, head) if is_valid_json(text)), {})
    return {}


def said(row: Any) -> str:
    """Return the words of a prompt."""
    blocks = value_at(row, "/data/content") if text_at(row, "/kind") == "Prompt" else None
    texts = (text_at(block, "/data") for block in blocks or () if text_at(block, "/kind") == "text")
    return next(filter(str.strip, texts), "")
