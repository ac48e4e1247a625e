"""The JSON of Bedrock Converse messages, as a request holds them. Texts and inputs are given as JSON."""

from collections.abc import Iterable
from typing import Any

from inspector.core.storage.json_text import dump_json


def stored_block(block: dict[str, Any], raw: bytes, sent_id: str) -> bytes:
    """Return b"": the agents that use this API keep their blocks in another shape."""
    return b""


def text_block(text: bytes) -> bytes:
    return b'{"text":%s}' % text


def call_block(call_id: str, name: str, input: bytes) -> bytes:
    return b'{"toolUse":{"toolUseId":%s,"name":%s,"input":%s}}' % (dump_json(call_id), dump_json(name), input)


def result_block(call_id: str, name: str, content: bytes, is_error: bool) -> bytes:
    status = b',"status":"error"' if is_error else b""
    return b'{"toolResult":{"toolUseId":%s,"content":[{"text":%s}]%s}}' % (dump_json(call_id), content, status)


def message(role: str, blocks: Iterable[bytes]) -> bytes:
    return b'{"role":%s,"content":[%s]}' % (dump_json(role), b",".join(blocks))
