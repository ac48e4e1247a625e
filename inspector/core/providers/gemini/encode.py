"""The JSON of Gemini contents, as a request holds them. Texts and inputs are given as JSON."""

from collections.abc import Iterable
from typing import Any

from inspector.core.storage.json_edits import set_member
from inspector.core.storage.json_text import dump_json

_PART_KEYS = frozenset("text thought functionCall functionResponse inlineData fileData".split())


def stored_block(block: dict[str, Any], raw: bytes, sent_id: str) -> bytes:
    """Return a part of a log with the id that it is sent by, b"" for one of another shape."""
    if _PART_KEYS.isdisjoint(block):
        return b""
    holder = "functionCall" if "functionCall" in block else "functionResponse"
    return set_member(raw, f"/{holder}", "id", dump_json(sent_id)) if sent_id else raw


def text_block(text: bytes) -> bytes:
    return b'{"text":%s}' % text


def call_block(call_id: str, name: str, input: bytes) -> bytes:
    return b'{"functionCall":{"id":%s,"name":%s,"args":%s}}' % (dump_json(call_id), dump_json(name), input)


def result_block(call_id: str, name: str, content: bytes, is_error: bool) -> bytes:
    head = b'"id":%s,"name":%s' % (dump_json(call_id), dump_json(name))
    return b'{"functionResponse":{%s,"response":{"output":%s}}}' % (head, content)


def message(role: str, blocks: Iterable[bytes]) -> bytes:
    name = b"model" if role == "assistant" else b"user"
    return b'{"role":"%s","parts":[%s]}' % (name, b",".join(blocks))
