"""Edits of a Kimi Code log: changed lines, new lines, and the counts that change with them."""

from typing import Any

from inspector.core.formats.base.writer import BlockEdits, CallContext, DerivedUpdates
from inspector.core.formats.kimi_code.compaction import CompactionCut
from inspector.core.formats.kimi_code.reader import PART_KINDS
from inspector.core.model.columnar_index import BlockFlag, Columns, RecordMark, Role
from inspector.core.model.views import BlockKind
from inspector.core.providers.block_schema import (
    ALL_MEDIA_SPECS,
    BlockSchema,
    CallSpec,
    ResultSpec,
    typed_text_list_encoder,
    update_tool_block,
)
from inspector.core.providers.block_views import text_or_json
from inspector.core.providers.message_fields import result_text
from inspector.core.storage import json_edits
from inspector.core.storage.json_text import dump_json, object_at, parse_json, parse_json_cached, value_at
from inspector.core.translation import tr

WIRE_BLOCK_SCHEMA = BlockSchema(
    kinds=PART_KINDS,
    reasoning_pointers=("/think", "/text"),
    redacted_text="",
    calls=(
        CallSpec(frozenset({"tool.call"}), id="/toolCallId", input=("/args",)),
        CallSpec(name="/function/name", input=("/function/arguments",), shown=text_or_json),
        CallSpec(input=("/arguments",), shown=text_or_json),
    ),
    results=(
        ResultSpec(id="/event/toolCallId", content="/event/result/output", status="/event/result/isError"),
        ResultSpec(
            id="/message/toolCallId",
            content="/message/content",
            told=typed_text_list_encoder("text"),
            status="/message/isError",
        ),
    ),
    media=ALL_MEDIA_SPECS,
    kept_in=("content", "output", "result", "event", "message"),
)
NOTE_ORIGIN = {"kind": "injection", "variant": "transcript_note"}
"""The origin of text that a repair adds: an undo skips it, and a compaction does not count it as a prompt."""


def block_pointer(columns: Columns, record: int, ordinal: int) -> str:
    """Return the pointer of a block in its line."""
    rows = columns.block_rows(record)
    kind = columns.block_kinds[rows[ordinal]]
    if columns.marks[record] & RecordMark.COMPACTION:
        return "/summary"
    if columns.groups[record] is not None:
        if columns.block_flags[rows[ordinal]] & BlockFlag.PLAIN_STRING:
            return "/event"  # it has no part
        return {BlockKind.CALL: "/event", BlockKind.RESULT: "/event/result"}.get(BlockKind(kind), "/event/part")
    if columns.roles[record] == Role.TOOL:
        return "/message/content"
    if kind == BlockKind.CALL:
        calls_before = columns.block_kinds[rows.start : rows.start + ordinal].count(BlockKind.CALL)
        return f"/message/toolCalls/{calls_before}"
    if columns.block_flags[rows[ordinal]] & BlockFlag.PLAIN_STRING:
        return "/message/content"
    return f"/message/content/{ordinal}"


def rewrite_line(columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
    """Return a line after `edits`, None if it is dropped. An event has one block and is dropped with it."""
    if edits.replace:
        return next(iter(edits.replace.values()))
    rows = columns.block_rows(record)
    if len(edits.drop) == len(rows) and not columns.marks[record] & RecordMark.COMPACTION:
        return None
    for ordinal in range(len(rows) - 1, -1, -1):
        at = block_pointer(columns, record, ordinal)
        array, _, index = at.rpartition("/")
        if ordinal in edits.drop and index.isdigit():
            raw = json_edits.remove_element(raw, array, int(index))
        elif ordinal in edits.drop and index == "content":
            raw = json_edits.replace_value(raw, at, b"[]")
        else:
            kind = columns.block_kinds[rows[ordinal]]
            spelled = WIRE_BLOCK_SCHEMA.tool_specs(kind)
            new_id, _, name = edits.for_block(ordinal)
            raw = update_tool_block(raw, "" if kind == BlockKind.RESULT else at, spelled, new_id, None, name)
    return raw


# new lines


def make_result_line(call: CallContext, text: str, failed: bool = True) -> bytes:
    """Return a line with a result for the call in the line `call.raw`. Only a failed one has `isError`."""
    line = object_at(parse_json_cached(call.raw), "")
    event = object_at(line, "/event")
    outcome = {"isError": True} if failed else {}
    if not event:
        return _new_line(line, "context.append_message", message=_tool_message(call.id, text) | outcome)
    named = event.get("uuid") if isinstance(event.get("uuid"), str) else call.id
    result = {"output": text} | outcome
    head = {"type": "tool.result", "parentUuid": named, "toolCallId": call.id, "result": result}
    return _new_line(line, "context.append_loop_event", event=head)


def convert_to_form_of(raw: bytes, beside: bytes) -> bytes:
    """Return a result in the form of the line `beside`, an event or a message: the fold accepts no other."""
    line, other = object_at(parse_json(raw), ""), object_at(parse_json(beside), "")
    event, message = line.get("event"), line.get("message")
    if isinstance(event, dict) and event.get("type") == "tool.result" and "message" in other:
        told = _tool_message(event.get("toolCallId"), value_at(event, "/result/output"))
        outcome = {"isError": value_at(event, "/result/isError") is True}
        return _new_line(line, "context.append_message", message=told | outcome)
    if isinstance(message, dict) and message.get("role") == "tool" and "event" in other:
        call_id = message.get("toolCallId")
        result = {"output": message.get("content"), "isError": message.get("isError") is True}
        head = {"type": "tool.result", "parentUuid": call_id, "toolCallId": call_id, "result": result}
        return _new_line(line, "context.append_loop_event", event=head)
    return raw


def _tool_message(call_id: Any, content: Any) -> dict[str, Any]:
    parts = content if isinstance(content, list) else [{"type": "text", "text": result_text(content)}]
    return {"role": "tool", "content": parts, "toolCalls": [], "toolCallId": call_id}


def make_user_line(like: bytes, text: str, seed: str) -> bytes:
    """Return a line with a text that the user did not type."""
    message = {"role": "user", "content": [{"type": "text", "text": text}], "toolCalls": [], "origin": NOTE_ORIGIN}
    return _new_line(object_at(parse_json(like), ""), "context.append_message", message=message)


def make_parent_line(raw: bytes) -> bytes:
    """Return a new parent for a record: the begin of a step for a part or call, the log's metadata for any other."""
    line = object_at(parse_json(raw), "")
    event = object_at(line, "/event")
    if event.get("type") not in ("content.part", "tool.call"):
        time = line.get("time")
        version = "1.5" if "agentId" in line else "1.4"
        return dump_json(
            {"type": "metadata", "protocol_version": version, "created_at": time if time is not None else 0}
        )
    begin = {"type": "step.begin"} | ({"uuid": event["stepUuid"]} if "stepUuid" in event else {})
    begin |= {key: event[key] for key in ("turnId", "step") if key in event}
    return _new_line(line, "context.append_loop_event", event=begin)


def move_to_step(raw: bytes, begin: bytes) -> bytes:
    """Return a part or call as one of the step that `begin` opens."""
    return json_edits.set_member(raw, "/event", "stepUuid", dump_json(value_at(parse_json(begin), "/event/uuid")))


def _new_line(like: dict[str, Any], kind: str, **payload: Any) -> bytes:
    """Return a line of the same agent and time as `like`."""
    tail = {key: like[key] for key in ("agentId", "time") if key in like}
    return dump_json({"type": kind, **payload, **tail})


# counts


def move_compaction_cut(raw: bytes, at: int) -> bytes:
    """Return a compaction that keeps the messages from number `at` on."""
    key = "compactedCount" if "compactedCount" in object_at(parse_json(raw), "") else "count"
    return json_edits.set_member(raw, "", key, dump_json(at))


def updated_counts(
    before: dict[int, CompactionCut], after: dict[int, tuple[int, CompactionCut, bytes]]
) -> DerivedUpdates:
    """Return the compactions and cutoffs with new counts, if the number of messages before them changed.

    `before` are the cuts of the log as read by slot, `after` those of the draft: record, cut and bytes by slot.
    """
    replaced: dict[int, bytes] = {}
    for slot, (record, cut, raw) in after.items():
        if slot not in before:
            continue
        new = raw
        if cut.number is not None and cut.at != max(cut.number, 0):
            keys = parse_json(raw)
            key = next((key for key in ("cutoff", "compactedCount", "count") if key in keys), "")
            new = json_edits.set_member(new, "", key, dump_json(cut.at))
        if cut.users is not None and cut.users != cut.said_users:
            new = json_edits.set_member(new, "", "keptUserMessageCount", dump_json(cut.users))
        if new != raw:
            replaced[record] = new
    return DerivedUpdates(
        replaced,
        reason=tr("the count of earlier messages was updated to reflect the messages that the repair added or dropped"),
    )
