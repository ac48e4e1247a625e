"""New events of Copilot CLI, and edits of events.

Facts: @github/copilot 1.0.102, which loads events with these members: `id` is a UUID, `parentId` the id of the event
before it or null, and `data` has what `reader.EVENT_SCHEMA` names.
"""

from typing import Any

from inspector.core.formats.base.writer import BlockEdits, CallContext, deterministic_uuid
from inspector.core.formats.copilot_cli.reader import (
    ASSISTANT_TYPE,
    EVENT_BLOCK_SCHEMA,
    HEADER_TYPE,
    REASONING_MEMBERS,
    RESULT_TYPE,
    USER_TYPE,
    block_pointer,
)
from inspector.core.model.columnar_index import Columns
from inspector.core.model.views import BlockKind
from inspector.core.providers.block_schema import update_tool_block
from inspector.core.storage import json_edits
from inspector.core.storage.json_spans import raw_json_at
from inspector.core.storage.json_text import dump_json, object_at, parse_json, parse_json_cached, text_at

_REQUESTS = "/data/toolRequests"
_EARLIEST_TIME = "1970-01-01T00:00:00.000Z"


def result_event(call: CallContext, text: str, failed: bool = True) -> bytes:
    """Return a new event with a result for `call`."""
    told: dict[str, Any] = {"error": {"message": text}} if failed else {"result": {"content": text}}
    data = {"toolCallId": call.id, "success": not failed, **told}
    return _event(call.raw, RESULT_TYPE, data, f"result:{call.id}")


def user_event(like: bytes, text: str, seed: str) -> bytes:
    return _event(like, USER_TYPE, {"content": text}, seed)


def make_invented_call_events(call: CallContext, note: str, seed: str) -> list[bytes]:
    """Return an answer with `note` and a call without arguments."""
    seed = f"{seed}:call"
    request = {"toolCallId": call.id, "name": call.name or "unknown", "arguments": {}, "type": "function"}
    data = {"messageId": deterministic_uuid(f"{seed}:message"), "content": note, "toolRequests": [request]}
    return [_event(call.raw, ASSISTANT_TYPE, data, seed)]


def _event(like: bytes, kind: str, data: dict[str, Any], seed: str) -> bytes:
    """Return an event with the time of `like`, of the subagent that `like` belongs to, if any."""
    row = parse_json_cached(like)
    if parent := text_at(row, "/data/parentToolCallId"):
        data = data | {"parentToolCallId": parent}
    head = {"type": kind, "data": data, "id": deterministic_uuid(seed), "timestamp": _time_of(row), "parentId": None}
    return dump_json(head | ({"agentId": row["agentId"]} if text_at(row, "/agentId") else {}))


def _time_of(event: Any) -> str:
    return text_at(event, "/timestamp") or _EARLIEST_TIME


def result_with_event_id(like: bytes, blocks: list[bytes], seed: str) -> bytes:
    """Return the event that `result_event` made, with an id that depends on its position."""
    return json_edits.set_member(blocks[0], "", "id", dump_json(deterministic_uuid(seed)))


def make_missing_header(first: bytes, session_id: str) -> bytes:
    """Return a header for a log that has lost its own. `first` is its first event. The version is not known."""
    time = _time_of(parse_json(first))
    data = {"sessionId": session_id, "version": 1, "producer": "copilot-agent", "copilotVersion": "unknown"}
    return dump_json(
        {
            "type": HEADER_TYPE,
            "data": {**data, "startTime": time},
            "id": deterministic_uuid(f"header:{session_id}"),
            "timestamp": time,
            "parentId": None,
        }
    )


def rewrite_result(raw: bytes, edits: BlockEdits) -> bytes | None:
    """Return the event of a result after `edits`, None if it is dropped. A replacement brings another type and data."""
    if edits.drop:
        return None
    if edits.replace:
        new = edits.replace[0]
        raw = json_edits.replace_value(raw, "/type", raw_json_at(new, "/type"))
        return json_edits.replace_value(raw, "/data", raw_json_at(new, "/data"))
    return update_tool_block(raw, "", EVENT_BLOCK_SCHEMA.results, *edits.for_block(0))


def rewrite_message(columns: Columns, record: int, raw: bytes, edits: BlockEdits) -> bytes | None:
    """Return the event of a prompt or an answer after `edits`, None if nothing of it remains."""
    rows = columns.block_rows(record)
    if rows and len(edits.drop) == len(rows):
        return None
    kinds = [columns.block_kinds[row] for row in rows]
    calls = [ordinal for ordinal, kind in enumerate(kinds) if kind == BlockKind.CALL]
    for ordinal, kind in enumerate(kinds):
        pointer = block_pointer(columns, record, ordinal)
        if kind == BlockKind.CALL:
            continue
        if ordinal in edits.replace:
            raw = json_edits.replace_value(raw, pointer, edits.replace[ordinal])
        elif ordinal in edits.drop and kind == BlockKind.THINKING:
            raw = _without_reasoning(raw)
        elif ordinal in edits.drop:
            raw = json_edits.replace_value(raw, pointer, b'""')
    touched = {*edits.drop, *edits.replace, *edits.rename, *edits.inputs, *edits.names}
    if touched.isdisjoint(calls):
        return raw
    array = json_edits.ArrayEditor(raw, _REQUESTS)
    for index in reversed(range(len(calls))):
        ordinal = calls[index]
        if ordinal in edits.drop:
            array.remove(index)
        else:
            call = edits.replace.get(ordinal, array.items[index])
            array.items[index] = update_tool_block(call, "", EVENT_BLOCK_SCHEMA.calls, *edits.for_block(ordinal))
    return array.text


def _without_reasoning(raw: bytes) -> bytes:
    data = object_at(parse_json(raw), "/data")
    for member in REASONING_MEMBERS:
        raw = json_edits.remove_member(raw, "/data", member) if member in data else raw
    return raw
