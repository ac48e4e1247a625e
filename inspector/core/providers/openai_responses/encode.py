"""The JSON of items of the Responses API, as a request holds them."""

from typing import Any

from inspector.core.providers.openai_responses.schema import ITEM_TYPES
from inspector.core.storage.json_text import dump_json


def stored_item(item: dict[str, Any], raw: bytes, sent_id: str) -> bytes:
    """Return an item of a log as it is sent, b"" for one of another shape."""
    return raw if str(item.get("type")) in ITEM_TYPES else b""


def call_item(call_id: str, name: str, input: bytes) -> bytes:
    call = {"type": "function_call", "call_id": call_id, "name": name, "arguments": input.decode("utf-8", "replace")}
    return dump_json(call)


def output_item(call_id: str, text: str) -> bytes:
    return dump_json({"type": "function_call_output", "call_id": call_id, "output": text})


def message_item(role: str, text: str) -> bytes:
    kind = "output_text" if role == "assistant" else "input_text"
    return dump_json({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
