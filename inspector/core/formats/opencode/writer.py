"""How a repair is spelled in a message of opencode: the state of a part, a part, or a message of the user."""

from typing import Any

from inspector.core.formats.base.writer import BlockEdits, CallContext, deterministic_uuid
from inspector.core.formats.opencode.reader import PART_SCHEMA, part_index
from inspector.core.model.columns import Columns
from inspector.core.model.views import BlockKind
from inspector.core.providers.block_schema import update_tool_block
from inspector.core.storage import json_edits
from inspector.core.storage.json_spans import json_at
from inspector.core.storage.json_text import dump_json, object_at, parse_json


def rewrite_parts(columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
    """The message with its parts edited; None when none is left."""
    rows = columns.block_rows(record)
    if len(edits.drop) == len(rows):
        return None
    parts = json_edits.ArrayEditor(raw, "/parts")
    for ordinal in reversed(range(len(rows))):
        number = part_index(columns, record, ordinal)
        if columns.block_kinds[rows[ordinal]] == BlockKind.RESULT:
            # The outcome is in the part of its call, and comes and goes with it.
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
    """A part with its new id, name, input or outcome."""
    if ordinal in edits.replace:
        part = edits.replace[ordinal]
    if ordinal in edits.inputs:
        part = _with_state(part)
    part = update_tool_block(part, "", PART_SCHEMA.calls, *edits.for_block(ordinal))
    if ordinal in edits.answers:
        part = _set_members(_with_state(part), "/state", parse_json(edits.answers[ordinal]))
    return part


def _with_state(part: bytes) -> bytes:
    """A call with an object for its state, where it has none."""
    known = parse_json(part).get("state")
    return part if isinstance(known, dict) else json_edits.set_member(part, "", "state", b'{"input":{}}')


def _reopen(part: bytes) -> bytes:
    """A call whose state is as it was before its outcome."""
    state = parse_json(part)["state"]
    given = json_at(part, "/state/input") if "input" in state else b"{}"
    start = dump_json(object_at(state, "/time").get("start", 0))
    return json_edits.replace_value(
        part, "/state", b'{"status":"running","input":%s,"time":{"start":%s}}' % (given, start)
    )


def _set_members(raw: bytes, pointer: str, values: dict[str, Any]) -> bytes:
    """The text with members of the object at `pointer` set; those of inner objects one by one."""
    for key, value in values.items():
        known = parse_json(json_at(raw, pointer)).get(key)
        if isinstance(value, dict) and isinstance(known, dict):
            raw = _set_members(raw, f"{pointer}/{key}", value)
        elif known != value or type(known) is not type(value):
            raw = json_edits.set_member(raw, pointer, key, dump_json(value))
    return raw


def final_state(call: CallContext, text: str, failed: bool = True) -> bytes:
    """The state of a call that is done, as `cleanup` of session/processor.ts leaves it; its times are recorded ones."""
    part = parse_json(json_at(call.raw, call.pointer))
    times = object_at(parse_json(call.raw), "/info/time")
    start = object_at(part, "/state/time").get("start", times.get("created", 0))
    told = {"time": {"start": start, "end": times.get("completed", start)}}
    if failed:
        return dump_json({"status": "error", "error": text, **told})
    return dump_json({"status": "completed", **told, "output": text, "title": "", "metadata": {}})


def text_part_for(raw: bytes, pointer: str, text: str) -> bytes:
    """A text part in the place of another, under its ids."""
    part = parse_json(json_at(raw, pointer))
    ids = {key: part[key] for key in ("id", "sessionID", "messageID") if key in part}
    return dump_json({**ids, "type": "text", "text": text})


def user_record(like: bytes, text: str, seed: str) -> bytes:
    """A message of the user that sorts right before `like`: messages are sorted by time and id."""
    info = object_at(parse_json(like), "/info")
    model = info.get("model") or {key: info.get(key, "") for key in ("providerID", "modelID")}
    own, session = str(info.get("id") or "msg_0")[:-1], info.get("sessionID", "")
    head = {"id": own, "sessionID": session, "role": "user"}
    head |= {"time": {"created": object_at(info, "/time").get("created", 0)}}
    head |= {"agent": info.get("agent") or info.get("mode") or "build", "model": model}
    ids = {"id": f"prt_{deterministic_uuid(seed).replace('-', '')[:26]}", "sessionID": session, "messageID": own}
    return dump_json({"info": head, "parts": [{**ids, "type": "text", "text": text}]})
