"""The requests that a log holds, as the providers would get them: told from its bytes with plain `json`."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from typing import Any

from tests.support.packing import zstd

_ZSTD = re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")  # a frame, or one to be skipped
_GZIP = b"\x1f\x8b"


class Unreadable(ValueError):
    """Nothing can be told of what the log holds: it is no JSON, or not laid out as a request is."""


def unpacked(data: bytes) -> bytes:
    """What a log holds without its wrappers: unpacked, and in UTF-8. Raises Unreadable."""
    try:
        if data.startswith(_GZIP):
            return unpacked(gzip.decompress(data))
        if _ZSTD.match(data):
            return unpacked(bytes(zstd.decompress(data)))
    except (OSError, EOFError, zlib.error, zstd.ZstdError) as error:
        raise Unreadable(str(error)) from error
    encoding = json.detect_encoding(data)
    return data if encoding.startswith("utf-8") else unpacked(data.decode(encoding, "replace").encode())


def unfolded(data: bytes) -> bytes:
    """A document, or a record a line, that a terminal broke at its edge, whole again. Raises Unreadable."""
    held, values = b"", list[bytes]()
    text = unpacked(data).removeprefix(b"\xef\xbb\xbf")
    for line in text.split(b"\n"):
        held += line.rstrip(b"\r")
        if _is_json(held):
            values.append(held + b"\n")
            held = b""
    if held:
        raise Unreadable("the last value is not whole")
    whole = b"".join(values)
    return whole if len(values) > 1 or text.endswith(b"\n") else whole.removesuffix(b"\n")


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


def requests_in(data: bytes, key: str) -> list[list[Any]]:
    """The histories of a log, each a list of messages: bare, under `key`, or one a line. Raises Unreadable."""
    values, is_document = values_in(data)
    if is_document and not isinstance(values[0], list):
        return [_history(values[0], key)]
    messages = values[0] if is_document else values
    if any(isinstance(value, dict) and key in value for value in messages):
        return [_history(value, key) for value in messages]
    if key == "messages" and not is_document and any(map(_is_answer, messages)):
        raise Unreadable("what an API answered, a line each")
    return [messages]


def _is_answer(value: Any) -> bool:
    """Whether a line is a message as Anthropic's API answers with it."""
    return isinstance(value, dict) and value.get("type") == "message" and value.get("role") == "assistant"


def values_in(data: bytes) -> tuple[list[Any], bool]:
    """The value of a document, or those of the lines. Raises Unreadable."""
    text = unpacked(data).removeprefix(b"\xef\xbb\xbf")
    try:
        return [json.loads(text.decode("utf-8"))], True
    except (ValueError, RecursionError):
        pass
    try:
        return [json.loads(line.decode("utf-8")) for line in text.split(b"\n") if line.strip()], False
    except (ValueError, RecursionError) as error:
        raise Unreadable(str(error)) from error


def _history(value: Any, key: str) -> list[Any]:
    """The messages of a request; in a batch its body holds them."""
    for body in (value, *(value.get(each) for each in ("body", "params"))) if isinstance(value, dict) else ():
        if isinstance(body, dict) and isinstance(body.get(key), list):
            messages: list[Any] = body[key]
            return messages
    raise Unreadable(f"no {key}")
