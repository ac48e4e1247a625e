"""Plainly spelled contents of Gemini's API. Calls and responses without an id are bound by their names."""

from typing import Any

from inspector.core.providers.plain_messages import PlainBlock, PlainMessage, is_words, read_blocks

_CONTENT_KEYS = {"role", "parts"}
_CALL_KEYS, _RESPONSE_KEYS = {"id", "name", "args"}, {"id", "name", "response"}


def read_content(content: Any) -> PlainMessage | None:
    if type(content) is not dict or content.keys() != _CONTENT_KEYS or content["role"] not in ("user", "model"):
        return None
    return read_blocks("assistant" if content["role"] == "model" else "user", content["parts"], _read_part)


def _read_part(part: Any) -> PlainBlock | None:
    if type(part) is not dict or len(part) != 1:
        return None
    ((kind, value),) = part.items()
    if kind == "text":
        return ("text", None) if is_words(value) else None
    if type(value) is not dict:
        return None
    if kind == "functionCall" and value.keys() <= _CALL_KEYS and type(value.get("args")) is dict:
        return "call", (value.get("id", ""), value.get("name"))
    if kind == "functionResponse" and value.keys() <= _RESPONSE_KEYS and type(value.get("response")) is dict:
        return "result", (value.get("id", ""), value.get("name"))
    return None
