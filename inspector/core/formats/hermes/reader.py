"""The rows of a session of Hermes: chat messages whose calls can be a list, or a string that holds the list.

Facts: hermes-agent 0.19.0, hermes_state.py (`get_messages`, `_rows_to_conversation`) and
agent/agent_runtime_helpers.py. The database keeps calls as a JSON text. Hermes reads the list in it, and takes anything
else for no calls. A copy of the rows can have the list or its text. The id of a call is its `call_id`, or its `id`
where it has none.
"""

from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from inspector.core.formats.base.block_list_formats import is_string_token
from inspector.core.formats.base.writer import BlockEdits
from inspector.core.model.columnar_index import BlockFlag, Columns, RecordMark
from inspector.core.model.views import BlockKind, RecordView
from inspector.core.providers.block_schema import BlockSchema
from inspector.core.providers.block_views import call_view
from inspector.core.providers.message_fields import DECODE_ERRORS, EMPTY_RAW, LenientDecoder
from inspector.core.providers.message_misfits import ObjectSchema
from inspector.core.providers.openai_chat import schema
from inspector.core.storage import json_edits
from inspector.core.storage.json_spans import raw_json_at
from inspector.core.storage.json_text import dump_json, is_valid_json, parse_json, text_at
from inspector.core.translation import tr

CALLS = "/tool_calls"
_CALL_SPECS = schema.BLOCK_SCHEMA.calls
BLOCK_SCHEMA: BlockSchema = replace(
    schema.BLOCK_SCHEMA,
    calls=(
        *(replace(spec, has="/call_id", id="/call_id", alternative_ids=()) for spec in _CALL_SPECS),
        *(replace(spec, alternative_ids=()) for spec in _CALL_SPECS),
    ),
    results=tuple(replace(spec, name="/tool_name") for spec in schema.BLOCK_SCHEMA.results),
)
_ACTIVE = (b"", b"1", b"true")


def _without_calls(message: ObjectSchema) -> ObjectSchema:
    """Return the schema of a message in which Hermes leaves out calls that are no list."""
    return replace(message, fields={key: field for key, field in message.fields.items() if key != "tool_calls"})


MESSAGE_SCHEMA = replace(
    schema.REQUEST_SCHEMA,
    variants={role: _without_calls(message) for role, message in schema.REQUEST_SCHEMA.variants.items()},
)


class _Call(schema.ChatToolCall, gc=False):
    call_id: str | None = None


class _Calls(Struct, gc=False):
    calls: list[_Call] | None = None


class HermesRow(Struct, gc=False):
    """The columns of a row that decide what is sent of it."""

    role: str | None = None
    content: Raw = EMPTY_RAW
    tool_calls: Raw = EMPTY_RAW
    tool_call_id: str | None = None
    active: Raw = EMPTY_RAW
    api_content: str | None = None
    finish_reason: str | None = None
    reasoning_details: Raw = EMPTY_RAW
    codex_reasoning_items: Raw = EMPTY_RAW
    codex_message_items: Raw = EMPTY_RAW


decode = LenientDecoder(HermesRow)
_decode_calls = LenientDecoder(_Calls)


def list_of_calls(value: Raw | bytes) -> bytes:
    """Return the list of calls in a value, which is the list or its text, b"" for anything else."""
    text = bytes(value)
    if text[:1] == b'"':
        try:
            text = msgspec.json.decode(text, type=str).strip().encode()
        except (*DECODE_ERRORS, UnicodeEncodeError):
            return b""
        text = text if is_valid_json(text) else b""
    return text if text[:1] == b"[" else b""


def holds_no_list(value: Raw) -> bool:
    """Return whether a value holds JSON other than a list where the calls should be, so that it is not left out."""
    text = bytes(value)
    if is_string_token(value):
        text = parse_json(text).encode("utf-8", "surrogatepass")
    return is_valid_json(text) and not isinstance(found := parse_json(text), list) and bool(found)


def add_row(columns: Columns, raw: bytes, start: int, end: int) -> None:
    """Index a row. One that was taken back or summarized is not sent."""
    row = decode(raw)
    listed = list_of_calls(row.tool_calls) if row.role == "assistant" else b""
    calls = _decode_calls(b'{"calls":%s}' % listed).calls if listed else None
    for call in calls or ():
        call.id = call.call_id or call.id
    message = schema.ChatMessage(row.role, row.content, list(calls) if calls else None, row.tool_call_id)
    mark = RecordMark.MAYBE_MALFORMED if row.role in schema.ROLE_BY_NAME and schema.may_be_malformed(message) else 0
    if bytes(row.active) not in _ACTIVE:
        mark |= RecordMark.NOT_SENT
    schema.add_message(columns, start, end, message, mark)
    if is_string_token(row.tool_calls):
        for at in columns.block_rows(len(columns) - 1):
            if columns.block_kinds[at] == BlockKind.CALL:
                columns.block_flags[at] |= BlockFlag.PLAIN_STRING


@lru_cache(maxsize=4)
def _list_in_string(raw: bytes) -> bytes:
    return list_of_calls(raw_json_at(raw, CALLS))


def call_in_string(columns: Columns, record: int, raw: bytes, ordinal: int) -> bytes:
    """Return the JSON of a call that is in a string, b"" for any other block."""
    first = columns.first_block[record]
    if not columns.block_flags[first + ordinal] & BlockFlag.PLAIN_STRING:
        return b""
    has_content = columns.block_kinds[first] != BlockKind.CALL
    return raw_json_at(_list_in_string(raw), f"/{ordinal - has_content}")


def with_calls_as_list(raw: bytes) -> tuple[bytes, bool]:
    """Return a record whose calls are a list, and whether they were in a string."""
    value = parse_json(raw)
    if not isinstance(value, dict) or not isinstance(value.get("tool_calls"), str):
        return raw, False
    listed = list_of_calls(raw_json_at(raw, CALLS))
    return (json_edits.replace_value(raw, CALLS, listed), True) if listed else (raw, False)


def with_calls_as_string(raw: bytes) -> bytes:
    """Return a record whose calls are in a string again, unless it has none."""
    if "tool_calls" not in parse_json(raw):
        return raw
    return json_edits.replace_value(raw, CALLS, dump_json(raw_json_at(raw, CALLS).decode()))


def with_both_ids(before: bytes, after: bytes, edits: BlockEdits) -> bytes:
    """Return a record in which the `id` of a renamed call follows its `call_id`, if it was the same."""
    if not edits.rename:
        return after
    both = [(text_at(call, "/id"), text_at(call, "/call_id")) for call in _parsed_calls(before)]
    same = {own for own, call_id in both if own and own == call_id}
    for number, call in enumerate(_parsed_calls(after)):
        own, call_id = text_at(call, "/id"), text_at(call, "/call_id")
        if own in same and call_id not in ("", own):
            after = json_edits.set_member(after, f"{CALLS}/{number}", "id", dump_json(call_id))
    return after


def _parsed_calls(raw: bytes) -> list[Any]:
    found = parse_json(raw).get("tool_calls")
    return found if isinstance(found, list) else []


def record_view(raw: bytes) -> RecordView:
    """Return the view of a row. Raises ValueError if it is not JSON."""
    value = parse_json(raw)
    if not isinstance(value, dict):
        return RecordView("", tr("no message"))
    calls = value.get("tool_calls")
    blocks = list(schema.views_of_message({**value, "name": value.get("tool_name"), "tool_calls": []}))
    if isinstance(calls, str):
        listed = list_of_calls(dump_json(calls))
        calls = parse_json(listed) if listed else []
    if isinstance(calls, list):
        blocks += [call_view(call, BLOCK_SCHEMA, f"{CALLS}/{number}") for number, call in enumerate(calls)]
    return RecordView(str(value.get("role") or ""), "", tuple(blocks), _time_of(value.get("timestamp")))


def _time_of(seconds: object) -> str:
    """Return a time in ISO 8601, "" for anything else than seconds."""
    with suppress(ValueError, OverflowError, OSError):
        if isinstance(seconds, int | float):
            return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    return seconds if isinstance(seconds, str) else ""
