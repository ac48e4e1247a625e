"""Edits of an opencode message: new states of parts, new parts, and new messages of the user."""

from typing import Any

from inspector.core.formats.base.writer import BlockEdits, CallContext, deterministic_uuid
from inspector.core.formats.opencode.reader import PART_SCHEMA, part_index
from inspector.core.model.columnar_index import Columns
from inspector.core.model.views import BlockKind
from inspector.core.providers.block_schema import update_tool_block
from inspector.core.storage import json_edits
from inspector.core.storage.json_spans import raw_json_at
from inspector.core.storage.json_text import dump_json, object_at, parse_json, parse_json_cached


def rewrite_parts(columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
    """Return the message after `edits`, None if no part is left."""
    rows = columns.block_rows(record)
    if len(edits.drop) == len(rows):
        return None
    parts = json_edits.ArrayEditor(raw, "/parts")
    for ordinal in reversed(range(len(rows))):
        number = part_index(columns, record, ordinal)
        if columns.block_kinds[rows[ordinal]] == BlockKind.RESULT:
            # The part of the call holds the outcome, so dropping the call drops it too.
            if ordinal in edits.replace:
                parts.items[number] = json_edits.replace_value(parts.items[number], "/state", edits.replace[ordinal])
            elif ordinal in edits.drop and ordinal - 1 not in edits.drop:
                parts.items[number] = _reopen(parts.items[number])
        elif ordinal in edits.drop:
            parts.remove(number)
        else:
            parts.items[number] = _edit_part(parts.items[number], ordinal, edits)
    return parts.text


def _edit_part(part: bytes, ordinal: int, edits: BlockEdits) -> bytes:
    """Return a part with its new id, name, input or outcome."""
    if ordinal in edits.replace:
        part = edits.replace[ordinal]
    if ordinal in edits.inputs:
        part = _with_state(part)
    part = update_tool_block(part, "", PART_SCHEMA.calls, *edits.for_block(ordinal))
    if ordinal in edits.answers:
        part = _set_members(_with_state(part), "/state", parse_json(edits.answers[ordinal]))
    return part


def _with_state(part: bytes) -> bytes:
    """Return a call with an object for its state, added if it has none."""
    state = parse_json(part).get("state")
    return part if isinstance(state, dict) else json_edits.set_member(part, "", "state", b'{"input":{}}')


def _reopen(part: bytes) -> bytes:
    """Return a call with the state that it had before its outcome."""
    state = parse_json(part)["state"]
    call_input = raw_json_at(part, "/state/input") if "input" in state else b"{}"
    start = dump_json(object_at(state, "/time").get("start", 0))
    return json_edits.replace_value(
        part, "/state", b'{"status":"running","input":%s,"time":{"start":%s}}' % (call_input, start)
    )


def _set_members(raw: bytes, pointer: str, values: dict[str, Any]) -> bytes:
    """Return the text with members of the object at `pointer` set; members of inner objects are set one by one."""
    for key, value in values.items():
        current = parse_json(raw_json_at(raw, pointer)).get(key)
        if isinstance(value, dict) and isinstance(current, dict):
            raw = _set_members(raw, f"{pointer}/{key}", value)
        elif current != value or type(current) is not type(value):
            raw = json_edits.set_member(raw, pointer, key, dump_json(value))
    return raw


def final_tool_state(call: CallContext, text: str, failed: bool = True) -> bytes:
    """Return the state of a finished call, as `cleanup` of session/processor.ts leaves it, with recorded times."""
    part = parse_json(raw_json_at(call.raw, call.pointer))
    times = object_at(parse_json_cached(call.raw), "/info/time")
    start = object_at(part, "/state/time").get("start", times.get("created", 0))
    span = {"time": {"start": start, "end": times.get("completed", start)}}
    if failed:
        return dump_json({"status": "error", "error": text, **span})
    return dump_json({"status": "completed", **span, "output": text, "title": "", "metadata": {}})


def replacement_text_part(raw: bytes, pointer: str, text: str) -> bytes:
    """Return a text part that replaces another one and has its ids."""
    part = parse_json(raw_json_at(raw, pointer))
    ids = {key: part[key] for key in ("id", "sessionID", "messageID") if key in part}
    return dump_json({**ids, "type": "text", "text": text})


def user_record(like: bytes, text: str, seed: str) -> bytes:
    """Return a message of the user that sorts right before `like`: opencode sorts messages by time and id."""
    info = object_at(parse_json_cached(like), "/info")
    model = info.get("model") or {key: info.get(key, "") for key in ("providerID", "modelID")}
    message_id, session = str(info.get("id") or "msg_0")[:-1], info.get("sessionID", "")
    head = {"id": message_id, "sessionID": session, "role": "user"}
    head |= {"time": {"created": object_at(info, "/time").get("created", 0)}}
    head |= {"agent": info.get("agent") or info.get("mode") or "build", "model": model}
    ids = {"id": f"prt_{deterministic_uuid(seed).replace('-', '')[:26]}", "sessionID": session, "messageID": message_id}
    return dump_json({"info": head, "parts": [{**ids, "type": "text", "text": text}]})
