"""What the body of a request says around its array of messages."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import msgspec
from msgspec import Struct

from inspector.core.bytes.json_text import is_valid_json, parse_json, unescape_keys
from inspector.core.bytes.sequences import RecordSequence
from inspector.core.index.session import Log
from inspector.core.wire.fields import DECODE_ERRORS

# Where the providers' requests, and agents that keep them, hold what stands before the messages.
_SYSTEM = ("system", "instructions", "systemInstruction", "system_instruction", "system_prompt")


class _Request(Struct):
    model: str = ""


_REQUEST = msgspec.json.Decoder(_Request).decode


def request_around(log: Log, sequence: RecordSequence, span: tuple[int, int] | None) -> bytes:
    """The object around an array of messages (one of its spans), with the array emptied; b"" where there is none."""
    if span is None or sequence.array_start is None:
        return b""
    start, end = span
    last = log.columns.ends[sequence.high - 1] if sequence.high > sequence.low else sequence.array_start + 1
    # A log that breaks off within the array ends with it.
    rest = log.source.read(last, end) if last < end else b"]}"
    return unescape_keys(log.source.read(start, sequence.array_start + 1) + rest)


def model_asked(log: Log, sequence: RecordSequence) -> str:
    """The model that the request around an array of messages names, "" where it names none."""
    with suppress(*DECODE_ERRORS):
        return _REQUEST(request_around(log, sequence, sequence.enclosing_object) or b"{}").model
    return ""


def system_prompt_asked(log: Log, sequence: RecordSequence | None) -> str:
    """What the request around an array of messages says beside them, under the key of any provider."""
    around = request_around(log, sequence, sequence.enclosing_object) if sequence is not None else b""
    body = parse_json(around) if is_valid_json(around) else None
    found = (body.get(key) for key in _SYSTEM) if isinstance(body, dict) else ()
    return next((text for text in map(_words, found) if text.strip()), "")


def _words(value: Any) -> str:
    """The texts of a system prompt: a string, a list of blocks, or an object with parts."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return _words(value.get("text") or value.get("parts"))
    return "\n\n".join(filter(None, map(_words, value))) if isinstance(value, list) else ""
