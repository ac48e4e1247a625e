"""The input of a call, as the bytes that the log has.

A parser that is followed by a writer would turn a long number into another one.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from inspector.core.bytes.json_text import arguments_of, is_sound, object_of, text_of, value_of
from inspector.core.bytes.spans import CutShort, locate
from inspector.core.wire.spelling.rows import Spelling, row_of, value_at


class Input(Struct, frozen=True):
    """A call's input as a JSON object. `changed` says what had to be done to make it one, "" for nothing."""

    json: bytes
    changed: str = ""


def input_of(block: bytes, shown: str, spelling: Spelling) -> Input:
    """The input of the call in `block`; `shown` is what a person sees of it, for a call of an unknown shape."""
    raw = _raw_in(block, spelling)
    if not raw:
        raw = shown.encode("utf-8", "replace") if is_sound(shown.encode("utf-8", "replace")) else text_of(shown)
    if raw[:1] == b"{":
        return Input(raw)
    if raw in (b"null", b'""'):
        return Input(b"{}")
    if raw[:1] == b'"':
        text = value_of(raw)
        inner = text.strip().encode("utf-8", "replace")
        if not inner:
            return Input(b"{}")
        if inner[:1] == b"{" and is_sound(inner):
            return Input(inner)
        return Input(b'{"input":' + raw + b"}", "its input is a text, which stands under `input` now")
    return Input(b'{"input":' + raw + b"}", "its input is no object, and stands under `input` now")


def sound_input(call: Any, spelling: Spelling) -> bytes:
    """The input of a parsed call as the wire takes it: an object, or a text with JSON."""
    row = row_of(spelling.calls, call)
    found = (value_at(call, pointer, ...) for pointer in row.input) if row is not None else ()
    given = next((value for value in found if value is not ...), None)
    return text_of(arguments_of(given) if row is not None and row.as_text else object_of(given))


def _raw_in(block: bytes, spelling: Spelling) -> bytes:
    row = row_of(spelling.calls, value_of(block))
    for pointer in row.input if row is not None else ():
        try:
            start, end = locate(block, pointer)
        except (KeyError, CutShort):
            continue
        return block[start:end]
    return b""
