"""The input of a call in every wire's spelling, as the bytes that the log has.

A parser that is followed by a writer would turn a long number into another one.
"""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct

from inspector.core.bytes.json_text import is_sound, text_of, value_of
from inspector.core.wire.fields import EMPTY, UNFIT


class _Inner(Struct, gc=False):
    input: Raw = EMPTY
    arguments: Raw = EMPTY
    args: Raw = EMPTY


class _Call(Struct, gc=False):
    """The members in which any wire keeps a call's input."""

    input: Raw = EMPTY
    arguments: Raw = EMPTY
    args: Raw = EMPTY
    action: Raw = EMPTY
    operation: Raw = EMPTY
    function: _Inner | None = None
    custom: _Inner | None = None
    toolUse: _Inner | None = None
    functionCall: _Inner | None = None
    function_call: _Inner | None = None
    state: _Inner | None = None


class Input(Struct, frozen=True):
    """A call's input as a JSON object. `changed` says what had to be done to make it one, "" for nothing."""

    json: bytes
    changed: str = ""


def input_of(block: bytes, shown: str) -> Input:
    """The input of the call in `block`; `shown` is what a person sees of it, for a call of an unknown shape."""
    raw = bytes(_raw_in(block))
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


def _raw_in(block: bytes) -> Raw:
    try:
        call = _DECODE(block)
    except UNFIT:
        return EMPTY
    inner = call.function or call.custom or call.toolUse or call.functionCall or call.function_call or call.state
    held = () if inner is None else (inner.arguments, inner.args, inner.input)
    found = (*held, call.arguments, call.args, call.input, call.action, call.operation)
    return next((raw for raw in found if len(raw)), EMPTY)


_DECODE = msgspec.json.Decoder(_Call).decode
