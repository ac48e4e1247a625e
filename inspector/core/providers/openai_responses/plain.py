"""Plainly spelled items of OpenAI's Responses API."""

from typing import Any

from inspector.core.providers.plain_messages import PlainMessage, is_object_text, is_texts

_MESSAGE_KEYS, _PART_KEYS = {"type", "role", "content", "id", "status"}, {"type", "text", "annotations", "logprobs"}
_CALL_KEYS = {"type", "id", "call_id", "name", "arguments", "status"}
_OUTPUT_KEYS = {"type", "id", "call_id", "output", "status"}


def read_item(value: Any) -> PlainMessage | None:
    if type(value) is not dict:
        return None
    kind = value.get("type", "message")
    if kind == "function_call":
        if not value.keys() <= _CALL_KEYS or not _own_id(value, "fc") or not is_object_text(value.get("arguments")):
            return None
        return PlainMessage("assistant", [(value.get("call_id"), value.get("name"))], [], False)
    if kind == "function_call_output":
        if not value.keys() <= _OUTPUT_KEYS or not _own_id(value, "fc") or type(value.get("output")) is not str:
            return None
        return PlainMessage("tool", [], [(value.get("call_id"), "")], False)
    role = value.get("role")
    if kind != "message" or not value.keys() <= _MESSAGE_KEYS or not _own_id(value, "msg"):
        return None
    if role not in ("user", "assistant", "system", "developer"):
        return None
    if not is_texts(value.get("content"), "output_text" if role == "assistant" else "input_text", _PART_KEYS):
        return None
    return PlainMessage("system" if role == "developer" else role, [], [], True)


def _own_id(value: dict[str, Any], prefix: str) -> bool:
    own = value.get("id")
    return own is None or (type(own) is str and own.startswith(prefix))
