"""The input of a call, as the bytes that the log has.

A parser that is followed by a writer would turn a long number into another one.
"""

from typing import Any

from msgspec import Struct

from inspector.core.bytes.json_text import arguments_of, is_sound, object_of, text_of, value_at, value_of
from inspector.core.bytes.spans import json_at
from inspector.core.wire.spelling.rows import Spelling, row_of


class Input(Struct, frozen=True):
    """A call's input as a JSON object. `changed` says what had to be done to make it one, "" for nothing."""

    json: bytes
    changed: str = ""


def input_of(block: bytes, shown: str, spelling: Spelling) -> Input:
    """The input of the call in `block`; `shown` is what a person sees of it, for a call of an unknown shape."""
    place, given = _given(value_of(block), spelling)
    raw = shown.encode("utf-8", "replace")
    if not place:
        raw = raw if is_sound(raw) else text_of(shown)
        given = value_of(raw)
    inner = given.strip().encode("utf-8", "replace") if isinstance(given, str) else b""
    if inner[:1] == b"{" and is_sound(inner):
        return Input(inner)
    if given is None or (isinstance(given, str) and not inner):
        return Input(b"{}")
    if place:
        raw = json_at(block, place)
    if isinstance(given, dict):
        return Input(raw)
    what = "a text, which stands" if inner else "no object, and stands"
    return Input(b'{"input":' + raw + b"}", f"its input is {what} under `input` now")


def sound_input(call: Any, spelling: Spelling) -> bytes:
    """The input of a parsed call as the wire takes it: an object, or a text with JSON."""
    row = row_of(spelling.calls, call)
    _, given = _given(call, spelling)
    return text_of(arguments_of(given) if row is not None and row.as_text else object_of(given))


def _given(call: Any, spelling: Spelling) -> tuple[str, Any]:
    """The place of the input of a parsed call, and its value; "" and None where it has none."""
    row = row_of(spelling.calls, call)
    found = ((place, value_at(call, place, ...)) for place in (row.input if row is not None else ()))
    return next(((place, value) for place, value in found if value is not ...), ("", None))
