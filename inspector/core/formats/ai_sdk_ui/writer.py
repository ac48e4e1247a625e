"""Edits of a UI message: results in tool parts, and new messages of the user."""

from typing import Any

from inspector.core.formats.ai_sdk_ui.reader import (
    CONTENT,
    INVOCATIONS,
    PARTS,
    TOOL_PREFIX,
    V4_CALLS,
    V4_LIST,
    V4_LIST_CALLS,
    V4_PARTS,
    V5_CALLS,
    part_index,
)
from inspector.core.formats.base.writer import BlockEdits, CallContext, deterministic_uuid
from inspector.core.model.columnar_index import Columns, RecordMark
from inspector.core.model.views import BlockKind
from inspector.core.providers.block_schema import CallSpec, update_tool_block
from inspector.core.storage import json_edits
from inspector.core.storage.json_spans import raw_json_at
from inspector.core.storage.json_text import dump_json, object_at, parse_json, parse_json_cached, text_at

_RESULTS = (BlockKind.RESULT, BlockKind.SERVER_RESULT)
_CALLS_BY_VARIANT: dict[int, tuple[CallSpec, str]] = {
    0: (V5_CALLS, ""),
    V4_PARTS: (V4_CALLS, "/toolInvocation"),
    V4_LIST: (V4_LIST_CALLS, ""),
}
_MEMBERS_OF_RESULT = ("output", "errorText", "preliminary", "resultProviderMetadata", "result")


def rewrite_message(columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
    """Return the message after `edits`, None if no part is left."""
    rows, variant = columns.block_rows(record), columns.marks[record] & RecordMark.VARIANT_MASK
    if len(edits.drop) == len(rows):
        return None
    spec, holder = _CALLS_BY_VARIANT[variant]
    if variant == V4_LIST:
        raw = _edit_content(raw, edits)
    if variant == V4_LIST and len(rows) == 1:
        return raw
    parts = json_edits.ArrayEditor(raw, INVOCATIONS if variant == V4_LIST else PARTS)
    for ordinal in reversed(range(len(rows))):
        number = part_index(columns, record, ordinal)
        if number < 0:
            continue
        if columns.block_kinds[rows[ordinal]] in _RESULTS:
            # The part of the call holds the result, so dropping the call drops it, too.
            if ordinal in edits.replace:
                parts.items[number] = edits.replace[ordinal]
            elif ordinal in edits.drop and ordinal - 1 not in edits.drop:
                parts.items[number] = _reopened(parts.items[number], holder, bool(variant))
        elif ordinal in edits.drop:
            parts.remove(number)
        else:
            parts.items[number] = _edit_part(parts.items[number], ordinal, edits, spec, holder)
    return parts.text


def _edit_content(raw: bytes, edits: BlockEdits) -> bytes:
    """Return a message without parts with another content."""
    if 0 in edits.replace:
        return json_edits.replace_value(raw, CONTENT, dump_json(text_at(parse_json(edits.replace[0]), "/text")))
    return json_edits.replace_value(raw, CONTENT, b'""') if 0 in edits.drop else raw


def _edit_part(part: bytes, ordinal: int, edits: BlockEdits, spec: CallSpec, holder: str) -> bytes:
    """Return a part with its new id, name, input or result."""
    part = edits.replace.get(ordinal, part)
    new_id, input_json, name = edits.for_block(ordinal)
    if name is not None and text_at(parse_json(part), "/type").startswith(TOOL_PREFIX) and not holder:
        part, name = json_edits.set_member(part, "", "type", dump_json(TOOL_PREFIX + name)), None
    part = update_tool_block(part, "", (spec,), new_id, input_json, name)
    if ordinal in edits.answers:
        part = _answered(part, parse_json(edits.answers[ordinal]), holder)
    return part


def _answered(part: bytes, answer: dict[str, Any], holder: str) -> bytes:
    """Return a call with a result. An approval stays if its state allows it, and a denied call keeps its denial."""
    approval = object_at(parse_json(part), "/approval")
    if approval.get("approved") is False and answer["state"] == "output-error":
        answer = {"state": "output-denied"}
    elif approval and approval.get("approved") is not True:
        part = json_edits.remove_member(part, "", "approval")
    for key in _MEMBERS_OF_RESULT:
        if key not in answer:
            part = json_edits.remove_member(part, holder, key)
    for key, value in answer.items():
        part = json_edits.set_member(part, holder, key, dump_json(value))
    return part


def _reopened(part: bytes, holder: str, is_of_version_4: bool) -> bytes:
    """Return a call with the state that it had before its result."""
    for key in _MEMBERS_OF_RESULT:
        part = json_edits.remove_member(part, holder, key)
    part = json_edits.remove_member(part, "", "approval")
    return json_edits.set_member(part, holder, "state", b'"call"' if is_of_version_4 else b'"input-available"')


def final_state(call: CallContext, text: str, failed: bool = True) -> bytes:
    """Return the members that a call with a result has. In version 4, they do not say whether it failed."""
    part = object_at(parse_json_cached(call.raw), call.pointer)
    if "toolInvocation" in part or call.pointer.startswith(INVOCATIONS):
        return dump_json({"state": "result", "result": text})
    if failed:
        return dump_json({"state": "output-error", "errorText": text})
    return dump_json({"state": "output-available", "output": text})


def text_part(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def user_record(like: bytes, text: str, seed: str) -> bytes:
    """Return a message of the user in the form of the message `like`."""
    message = parse_json_cached(like)
    own_id = {"id": deterministic_uuid(seed)} if "id" in message else {}
    content = {"content": text} if "content" in message else {}
    parts = {} if content and "parts" not in message else {"parts": [text_part(text)]}
    return dump_json({**own_id, "role": "user", **content, **parts})


def part_bytes(raw: bytes, pointer: str) -> bytes:
    """Return a part; of a message without parts, its content as a part."""
    value = raw_json_at(raw, pointer)
    return b'{"type":"text","text":%s}' % value if pointer == CONTENT else value
