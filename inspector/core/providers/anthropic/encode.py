"""The JSON of Anthropic messages, as a request holds them. Texts, contents and inputs are given as JSON."""

from collections.abc import Iterable
from typing import Any

from inspector.core.model.views import BlockKind
from inspector.core.providers.anthropic.schema import BLOCK_SCHEMA
from inspector.core.storage.json_text import dump_json


def stored_block(block: dict[str, Any], raw: bytes, sent_id: str) -> bytes:
    """Return a block of a log as it is sent, b"" for one of another shape. Blocks of the API's own tools are known."""
    return raw if BLOCK_SCHEMA.block_kind(str(block.get("type"))) != BlockKind.OTHER else b""


def text_block(text: bytes) -> bytes:
    return b'{"type":"text","text":%s}' % text


def call_block(call_id: str, name: str, input: bytes) -> bytes:
    return b'{"type":"tool_use","id":%s,"name":%s,"input":%s}' % (dump_json(call_id), dump_json(name), input)


def result_block(call_id: str, name: str, content: bytes, is_error: bool) -> bytes:
    flag = b',"is_error":true' if is_error else b""
    return b'{"type":"tool_result","tool_use_id":%s,"content":%s%s}' % (dump_json(call_id), content, flag)


def data_block(kind: bytes, media_type: str, data: str) -> bytes:
    """Return an image or a document by its base64 text."""
    source = b'{"type":"base64","media_type":%s,"data":%s}' % (dump_json(media_type), dump_json(data))
    return b'{"type":"%s","source":%s}' % (kind, source)


def url_block(kind: bytes, url: bytes) -> bytes:
    """Return an image or a document by its address."""
    return b'{"type":"%s","source":{"type":"url","url":%s}}' % (kind, url)


def message(role: str, blocks: Iterable[bytes]) -> bytes:
    return b'{"role":%s,"content":[%s]}' % (dump_json(role), b",".join(blocks))
