"""The JSON of OpenAI chat messages, as a request holds them. Texts and contents are given as JSON."""

from collections.abc import Iterable

from inspector.core.storage.json_text import dump_json


def text_part(text: bytes) -> bytes:
    return b'{"type":"text","text":%s}' % text


def image_part(url: bytes) -> bytes:
    return b'{"type":"image_url","image_url":{"url":%s}}' % url


def call(call_id: str, name: str, input: bytes) -> bytes:
    function = b'{"name":%s,"arguments":%s}' % (dump_json(name), dump_json(input.decode("utf-8", "replace")))
    return b'{"id":%s,"type":"function","function":%s}' % (dump_json(call_id), function)


def message(role: str, content: bytes, calls: Iterable[bytes] = ()) -> bytes:
    listed = b",".join(calls)
    tools = b',"tool_calls":[%s]' % listed if listed else b""
    return b'{"role":%s,"content":%s%s}' % (dump_json(role), content, tools)


def tool_message(call_id: str, content: bytes) -> bytes:
    return b'{"role":"tool","tool_call_id":%s,"content":%s}' % (dump_json(call_id), content)
