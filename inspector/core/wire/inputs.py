"""The input of a call, as the bytes that the log has.

A parser that is followed by a writer would turn a long number into another one.
"""

from typing import Any

from msgspec import Struct

from inspector.core.bytes.json_text import (
    as_json_object,
    as_json_string,
    dump_json,
    is_valid_json,
    parse_json,
    value_at,
)
from inspector.core.bytes.spans import json_at
from inspector.core.wire.spelling.rows import BlockSchema, matching_spec


class CallInput(Struct, frozen=True):
    """A call's input as a JSON object. `changed` says what had to be done to make it one, "" for nothing."""

    json: bytes
    conversion_note: str = ""


def call_input(block: bytes, displayed: str, spelling: BlockSchema) -> CallInput:
    """The input of the call in `block`; `shown` is what a person sees of it, for a call of an unknown shape."""
    place, given = _given(parse_json(block), spelling)
    raw = displayed.encode("utf-8", "replace")
    if not place:
        raw = raw if is_valid_json(raw) else dump_json(displayed)
        given = parse_json(raw)
    inner = given.strip().encode("utf-8", "replace") if isinstance(given, str) else b""
    if inner[:1] == b"{" and is_valid_json(inner):
        return CallInput(inner)
    if given is None or (isinstance(given, str) and not inner):
        return CallInput(b"{}")
    if place:
        raw = json_at(block, place)
    if isinstance(given, dict):
        return CallInput(raw)
    what = "a text, which stands" if inner else "no object, and stands"
    return CallInput(b'{"input":' + raw + b"}", f"its input is {what} under `input` now")


def valid_call_input(call: Any, spelling: BlockSchema) -> bytes:
    """The input of a parsed call as the wire takes it: an object, or a text with JSON."""
    row = matching_spec(spelling.calls, call)
    _, given = _given(call, spelling)
    return dump_json(as_json_string(given) if row is not None and row.as_text else as_json_object(given))


def _given(call: Any, spelling: BlockSchema) -> tuple[str, Any]:
    """The place of the input of a parsed call, and its value; "" and None where it has none."""
    row = matching_spec(spelling.calls, call)
    found = ((place, value_at(call, place, ...)) for place in (row.input if row is not None else ()))
    return next(((place, value) for place, value in found if value is not ...), ("", None))
