"""Plainly spelled messages of OpenAI's chat API, or of one that imitates it."""

from typing import Any

from inspector.core.providers.plain_messages import IdAndName, PlainMessage, is_object_text, is_plain_result, is_texts

_KEYS, _ASSISTANT_KEYS = {"role", "content", "name"}, {"role", "content", "name", "tool_calls"}
_UNUSED_KEYS = {"refusal", "audio", "function_call", "annotations"}  # the SDKs write them although they say nothing
_CALL_KEYS, _FUNCTION_KEYS, _RESULT_KEYS = {"id", "type", "function"}, {"name", "arguments"}, _KEYS | {"tool_call_id"}


def read_message(message: Any) -> PlainMessage | None:
    role = message.get("role") if type(message) is dict else None
    if role == "assistant":
        return _read_assistant_message(message)
    if role == "tool":
        if not message.keys() <= _RESULT_KEYS or not is_plain_result(message.get("content")):
            return None
        return PlainMessage("tool", [], [(message.get("tool_call_id"), "")], False)
    if role not in ("user", "system", "developer") or not message.keys() <= _KEYS:
        return None
    plain_role = "user" if role == "user" else "system"
    return PlainMessage(plain_role, [], [], True) if is_texts(message.get("content")) else None


def _read_assistant_message(message: dict[str, Any]) -> PlainMessage | None:
    if not message.keys() <= _ASSISTANT_KEYS and (
        not message.keys() <= _ASSISTANT_KEYS | _UNUSED_KEYS or any(map(message.get, _UNUSED_KEYS))
    ):
        return None
    calls: list[IdAndName] = []
    listed = message.get("tool_calls")
    if listed is not None and (type(listed) is not list or not listed):
        return None
    for call in listed or ():
        function = call.get("function") if type(call) is dict and call.keys() == _CALL_KEYS else None
        if type(function) is not dict or function.keys() != _FUNCTION_KEYS or call["type"] != "function":
            return None
        if not is_object_text(function["arguments"]):
            return None
        calls.append((call["id"], function["name"]))
    content = message.get("content")
    if content is not None and not is_texts(content):
        return None
    return PlainMessage("assistant", calls, [], content is not None) if calls or content is not None else None
