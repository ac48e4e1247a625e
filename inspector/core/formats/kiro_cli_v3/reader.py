"""The lines of a session of Kiro CLI's engine v3, and those that its messages are made of.

Facts: aws/amazon-q-developer-cli at 1f3b2fd0b588, `crates/chat-cli-v2/src/agent/kas/schema.rs` and `v2_to_kas.rs`
(`effective_head_and_count`); public descriptions of the schemas of the engine, and lines in tests of public readers.
Each part of a message is a line. One that does not fit the schema of its type is skipped. A tombstone removes the lines
from the one that it names on, and nothing if no line has that id. The summary that follows it takes their place, and is
read here as the user's. `session_start` is written behind the first turn; it holds the agent's instructions, but in
logs of the IDE it can be the only copy of the first prompt. The types of lines without a message are not checked
further.
"""

from __future__ import annotations

from array import array
from typing import Any, Literal

import msgspec
from msgspec import Raw, Struct, field

from inspector.core.model.columnar_index import BlockFlag, Columns, ReadRecord, RecordMark, Role
from inspector.core.model.views import BlockKind, BlockView, RecordView
from inspector.core.providers.message_fields import DECODE_ERRORS, result_text_flags
from inspector.core.storage.json_text import object_at, parse_json, pretty_json, text_at
from inspector.core.translation import tr

PAYLOAD = "/payload"
_QUESTION, _RESOLVED, _TOMBSTONE, _START = "pending_interaction", "interaction_resolved", "tombstone", "session_start"
_OTHERS = frozenset(
    "turn_start turn_end session_event session_metadata usage_summary steering_inclusion ContextualHookInvoked "
    "sub_agent_start sub_agent_progress sub_agent_complete tool_revert mode_change error system agent_note".split()
)
MESSAGES = frozenset({"user", "assistant", "tool_call", "tool_result"})
_TYPES = _OTHERS | MESSAGES | {_QUESTION, _RESOLVED, _TOMBSTONE, _START}
_OWN_MEMBERS = frozenset(
    "content toolCallId executionId stopReason effectiveFromMessageId promptTurnSummaries documents category".split()
)
_Status = Literal["pending", "awaiting_approval", "approved", "denied", "executing", "completed", "failed"]
_WAITING = frozenset({"pending", "awaiting_approval"})
_MARKS = {"turn_end": RecordMark.TURN_EVENT, "error": RecordMark.API_ERROR}
_LONGEST_PLACEHOLDER = 4096


class _Line(Struct, gc=False):
    id: str
    timestamp: str
    payload: Raw


class _Payload(Struct, gc=False):
    type: str


class _User(Struct, gc=False):
    content: str
    images: list[Raw] | None = None
    documents: list[Raw] | None = None


class _Assistant(Struct, gc=False):
    content: str
    operation: Literal["Say", "Reasoning", "Print", "Summary"] | None = field(default=None, name="operationType")
    signature: str | None = field(default=None, name="reasoningSignature")


class _Call(Struct, gc=False):
    toolCallId: str
    toolName: str
    args: dict[str, Raw]
    status: _Status


class _Result(Struct, gc=False):
    toolCallId: str
    content: str
    success: bool


class _Question(Struct, gc=False):
    toolCallId: str
    interactionType: str
    question: str


class _Named(Struct, gc=False):
    """A line about a call."""

    toolCallId: str


class _Start(Struct, gc=False):
    content: str
    forcedRole: bool = False


class _Tombstone(Struct, gc=False):
    kind: str
    effectiveFromMessageId: str


_decode_line = msgspec.json.Decoder(_Line).decode
_decode_payload = msgspec.json.Decoder(_Payload).decode
_decode = {
    "user": msgspec.json.Decoder(_User).decode,
    "assistant": msgspec.json.Decoder(_Assistant).decode,
    "tool_call": msgspec.json.Decoder(_Call).decode,
    "tool_result": msgspec.json.Decoder(_Result).decode,
    _QUESTION: msgspec.json.Decoder(_Question).decode,
    _RESOLVED: msgspec.json.Decoder(_Named).decode,
    _START: msgspec.json.Decoder(_Start).decode,
    _TOMBSTONE: msgspec.json.Decoder(_Tombstone).decode,
}


def add_record(columns: Columns, raw: bytes, start: int, end: int) -> None:
    """Append a line. One that Kiro skips is UNREADABLE, a line without a message a LINK."""
    try:
        line = _decode_line(raw)
        kind = _decode_payload(line.payload).type
        payload = _decode[kind](line.payload) if kind in _decode else None
    except DECODE_ERRORS:
        columns.add_record(start, end, Role.OPAQUE, RecordMark.UNREADABLE)
        return
    match payload:
        case _User():
            columns.add_record(start, end, Role.USER, 0, line.id)
            _add_text(columns, payload.content)
            for _ in (*(payload.images or ()), *(payload.documents or ())):
                columns.add_block(BlockKind.MEDIA)
        case _Assistant(operation="Reasoning"):
            columns.add_record(start, end, Role.ASSISTANT, 0, line.id)
            columns.add_block(BlockKind.THINKING, BlockFlag.SIGNED if payload.signature else 0)
        case _Assistant() | _Start(forcedRole=False):
            is_answer = isinstance(payload, _Assistant) and payload.operation != "Summary"
            columns.add_record(start, end, Role.ASSISTANT if is_answer else Role.USER, 0, line.id)
            _add_text(columns, payload.content)
        case _Call():
            mark = RecordMark.DEFERRED if payload.status in _WAITING else 0
            columns.add_record(start, end, Role.ASSISTANT, mark, line.id)
            columns.add_block(BlockKind.CALL, 0, payload.toolCallId, payload.toolName)
        case _Result():
            columns.add_record(start, end, Role.TOOL, 0, line.id)
            is_short = len(payload.content) <= _LONGEST_PLACEHOLDER
            flags = result_text_flags(payload.content) if is_short else 0
            columns.add_block(
                BlockKind.RESULT, flags if payload.success else flags | BlockFlag.ERROR, payload.toolCallId
            )
        case _Question():
            columns.add_record(start, end, Role.ASSISTANT, RecordMark.DEFERRED | RecordMark.NOT_SENT, line.id)
            columns.add_block(BlockKind.CALL, 0, payload.toolCallId, payload.interactionType)
        case _Named():
            columns.add_record(start, end, Role.LINK, 0, line.id, group=payload.toolCallId)
        case _Tombstone():
            mark = RecordMark.COMPACTION if payload.kind == "summarization" else 0
            columns.add_record(start, end, Role.LINK, mark | RecordMark.TURN_EVENT, line.id)
        case _:
            role = Role.LINK if kind in _TYPES else Role.OPAQUE
            columns.add_record(start, end, role, _MARKS.get(kind, 0), line.id)


def _add_text(columns: Columns, text: str) -> None:
    columns.add_block(BlockKind.TEXT, 0 if text.strip() else BlockFlag.BLANK)


def loaded_path(columns: Columns, raw: ReadRecord) -> array[int]:
    """Return the lines that no tombstone removed. A question is among them only if it is the last thing of its turn."""
    kept = array("I")
    positions: dict[str | None, list[int]] = {}
    waiting: dict[str | None, int] = {}
    for record, (role, mark) in enumerate(zip(columns.roles, columns.marks, strict=True)):
        if role == Role.OPAQUE:
            continue
        payload = object_at(parse_json(raw(record)), PAYLOAD) if mark & RecordMark.TURN_EVENT else {}
        if role == Role.USER or payload:
            waiting.clear()
        if payload.get("type") == _TOMBSTONE:
            _remove_from(columns, kept, positions, payload["effectiveFromMessageId"])
            continue
        if mark & RecordMark.NOT_SENT:
            waiting[columns.call_ids[columns.first_block[record]]] = record
        elif columns.groups[record] is not None:
            waiting.pop(columns.groups[record], None)
        elif columns.blocks[record]:
            waiting.pop(columns.call_ids[columns.first_block[record]], None)
        positions.setdefault(columns.uuids[record], []).append(len(kept))
        kept.append(record)
    asked = frozenset(waiting.values())
    return array("I", (each for each in kept if not columns.marks[each] & RecordMark.NOT_SENT or each in asked))


def _remove_from(columns: Columns, kept: array[int], positions: dict[str | None, list[int]], line: str) -> None:
    """Remove the newest line with an id, and what follows it."""
    if not positions.get(line):
        return
    for record in reversed(kept[(first := positions[line][-1]) :]):
        positions[columns.uuids[record]].pop()
    del kept[first:]


def view(raw: bytes) -> RecordView:
    row = parse_json(raw)
    payload, time = object_at(row, PAYLOAD), text_at(row, "/timestamp")
    kind = text_at(payload, "/type") or tr("no record")
    role, block = _block_view(kind, payload)
    media = [
        BlockView(BlockKind.MEDIA, f"[{each}]", PAYLOAD)
        for each in ("images", "documents")
        for _ in payload.get(each) or ()
    ]
    if block is not None:
        return RecordView(
            role, "", (block, *(media if role == "user" else ())), time, text_at(payload, "/reasoningModelId")
        )
    rest = {key: value for key, value in payload.items() if key != "type"}
    return RecordView(kind, f"{kind} {pretty_json(rest)}" if rest else kind, (), time)


def _block_view(kind: str, payload: dict[str, Any]) -> tuple[str, BlockView | None]:
    text, call_id = text_at(payload, "/content"), text_at(payload, "/toolCallId")
    if kind == "tool_call":
        name, args = text_at(payload, "/toolName"), pretty_json(payload.get("args"))
        return "assistant", BlockView(BlockKind.CALL, args, PAYLOAD, name, call_id)
    if kind == "tool_result":
        failed = payload.get("success") is False
        return "tool", BlockView(BlockKind.RESULT, text, PAYLOAD, "", call_id, failed)
    if kind == _QUESTION:
        name, asked = text_at(payload, "/interactionType"), text_at(payload, "/question")
        return "assistant", BlockView(BlockKind.CALL, asked, PAYLOAD, name, call_id)
    if kind == "user" or (kind == _START and not payload.get("forcedRole")):
        return "user", BlockView(BlockKind.TEXT, text, PAYLOAD)
    if kind == "assistant":
        operation = text_at(payload, "/operationType")
        shown = BlockKind.THINKING if operation == "Reasoning" else BlockKind.TEXT
        return "user" if operation == "Summary" else "assistant", BlockView(shown, text, PAYLOAD)
    return "", None


def is_own(payload: dict[str, Any]) -> bool:
    """Return whether an object has a type of this engine, and members that belong to it."""
    is_text = isinstance(payload.get("content", ""), str) and "role" not in payload
    return is_text and text_at(payload, "/type") in _TYPES and not _OWN_MEMBERS.isdisjoint(payload)


def said(row: Any) -> str:
    """Return the words of a prompt."""
    return text_at(row, "/payload/content") if text_at(row, "/payload/type") == "user" else ""


def answer(row: Any) -> str:
    """Return how a question was answered."""
    return text_at(row, "/payload/selectedOption") or text_at(row, "/payload/outcome")
