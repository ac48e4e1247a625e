"""A quick check of messages that are spelled plainly, as nearly all are, with one reader for every API.

A reader knows few members and few kinds of blocks, and returns None for everything else. None does not mean that
something is wrong, only that the rules have to check. The check knows a small part of what is right, and nothing of
what is wrong: "sound" means that the rules find no error. The tests try on random histories that both agree.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import orjson

from inspector.core.model.columns import Role
from inspector.core.providers.profile import Profile

# The id and the name of a call, or of the call that a result answers ("" if the API does not say it). They are taken
# from the message as they are, whatever their type.
IdAndName: TypeAlias = tuple[Any, Any]


class PlainMessage(NamedTuple):
    """One message: its role (user, assistant, tool, system), its calls and results, and whether it has a text.

    Results come before everything else in the message, calls after it.
    """

    role: str
    calls: list[IdAndName]
    results: list[IdAndName]
    has_text: bool


MessageReader: TypeAlias = Callable[[Any], PlainMessage | None]

_MESSAGE = {"role", "content"}
_TEXT, _USE = {"type", "text", "cache_control"}, {"type", "id", "name", "input", "cache_control"}
_RESULT = {"type", "tool_use_id", "content", "is_error", "cache_control"}
_CHAT = _MESSAGE | {"name"}
# The last set: members that the SDKs write although they say nothing.
_CHAT_SAID, _CHAT_UNSAID = _MESSAGE | {"name", "tool_calls"}, {"refusal", "audio", "function_call", "annotations"}
_CHAT_CALL, _FUNCTION, _CHAT_RESULT = {"id", "type", "function"}, {"name", "arguments"}, _CHAT | {"tool_call_id"}
_ITEM, _ITEM_PART = {"type", "role", "content", "id", "status"}, {"type", "text", "annotations", "logprobs"}
_ITEM_CALL = {"type", "id", "call_id", "name", "arguments", "status"}
_ITEM_OUTPUT = {"type", "id", "call_id", "output", "status"}
_CONTENT, _PART = {"role", "parts"}, {"text", "functionCall", "functionResponse"}
_GEMINI_CALL, _GEMINI_RESPONSE = {"id", "name", "args"}, {"id", "name", "response"}
_TOOL_USE, _TOOL_RESULT = {"toolUseId", "name", "input"}, {"toolUseId", "content", "status"}


def _words(text: Any) -> bool:
    """Return whether a value is a text that is not blank."""
    return type(text) is str and bool(text) and not text.isspace()


def _texts(content: Any, kinds: tuple[str, ...] = ("text",), known: set[str] = _TEXT) -> bool:
    """Return whether a content is a text, or a list of text blocks, none of which is blank."""
    if type(content) is not list:
        return _words(content)
    for block in content:
        if type(block) is not dict or not block.keys() <= known or block.get("type") not in kinds:
            return False
        if not _words(block.get("text")):
            return False
    return bool(content)


def _object_in(text: Any) -> bool:
    """Return whether a value is a text with a JSON object."""
    if type(text) is not str or text[:1] != "{":
        return False
    try:
        return type(orjson.loads(text)) is dict
    except ValueError:
        return False


def read_anthropic_message(message: Any) -> PlainMessage | None:
    """Read a message of Anthropic's API."""
    if type(message) is not dict or message.keys() != _MESSAGE:
        return None
    role, content = message["role"], message["content"]
    if type(content) is not list:
        return PlainMessage(role, [], [], True) if _words(content) else None
    calls: list[IdAndName] = []
    results: list[IdAndName] = []
    speaks = False
    for block in content:
        kind = block.get("type") if type(block) is dict else None
        if kind == "text":
            if calls or not block.keys() <= _TEXT or not _words(block.get("text")):
                return None
            speaks = True
        elif kind == "tool_use":
            if role != "assistant" or not block.keys() <= _USE or type(block.get("input")) is not dict:
                return None
            calls.append((block.get("id"), block.get("name")))
        elif kind == "tool_result":
            if role != "user" or speaks or not block.keys() <= _RESULT or not _result(block.get("content", "")):
                return None
            results.append((block.get("tool_use_id"), ""))
        else:
            return None
    return PlainMessage(role, calls, results, speaks) if content else None


def _result(content: Any) -> bool:
    return type(content) is str or _texts(content)


def read_chat_message(message: Any) -> PlainMessage | None:
    """Read a message of OpenAI's chat API, or of one that imitates it."""
    role = message.get("role") if type(message) is dict else None
    if role == "assistant":
        return _chat_answer(message)
    if role == "tool":
        if not message.keys() <= _CHAT_RESULT or not _result(message.get("content")):
            return None
        return PlainMessage("tool", [], [(message.get("tool_call_id"), "")], False)
    if role not in ("user", "system", "developer") or not message.keys() <= _CHAT:
        return None
    return (
        PlainMessage("user" if role == "user" else "system", [], [], True) if _texts(message.get("content")) else None
    )


def _chat_answer(message: dict[str, Any]) -> PlainMessage | None:
    if not message.keys() <= _CHAT_SAID and (
        not message.keys() <= _CHAT_SAID | _CHAT_UNSAID or any(message.get(key) for key in _CHAT_UNSAID)
    ):
        return None
    calls: list[IdAndName] = []
    listed = message.get("tool_calls")
    if listed is not None and (type(listed) is not list or not listed):
        return None
    for call in listed or ():
        function = call.get("function") if type(call) is dict and call.keys() == _CHAT_CALL else None
        if type(function) is not dict or function.keys() != _FUNCTION or call["type"] != "function":
            return None
        if not _object_in(function["arguments"]):
            return None
        calls.append((call["id"], function["name"]))
    content = message.get("content")
    if content is not None and not _texts(content):
        return None
    return PlainMessage("assistant", calls, [], content is not None) if calls or content is not None else None


def read_responses_item(value: Any) -> PlainMessage | None:
    """Read an item of OpenAI's Responses API."""
    if type(value) is not dict:
        return None
    kind = value.get("type", "message")
    if kind == "function_call":
        if not value.keys() <= _ITEM_CALL or not _own_id(value, "fc") or not _object_in(value.get("arguments")):
            return None
        return PlainMessage("assistant", [(value.get("call_id"), value.get("name"))], [], False)
    if kind == "function_call_output":
        if not value.keys() <= _ITEM_OUTPUT or not _own_id(value, "fc") or type(value.get("output")) is not str:
            return None
        return PlainMessage("tool", [], [(value.get("call_id"), "")], False)
    if kind != "message" or not value.keys() <= _ITEM or not _own_id(value, "msg"):
        return None
    role = value.get("role")
    if role not in ("user", "assistant", "system", "developer"):
        return None
    if not _texts(value.get("content"), ("output_text",) if role == "assistant" else ("input_text",), _ITEM_PART):
        return None
    return PlainMessage("system" if role == "developer" else role, [], [], True)


def _own_id(value: dict[str, Any], prefix: str) -> bool:
    own = value.get("id")
    return own is None or (type(own) is str and own.startswith(prefix))


def read_gemini_content(content: Any) -> PlainMessage | None:
    """Read a content of Gemini's API. Calls and responses without an id are bound by their names."""
    if type(content) is not dict or content.keys() != _CONTENT or type(content["parts"]) is not list:
        return None
    role = "assistant" if content["role"] == "model" else "user" if content["role"] == "user" else ""
    calls: list[IdAndName] = []
    results: list[IdAndName] = []
    speaks = False
    for part in content["parts"]:
        if type(part) is not dict or len(part) != 1 or not part.keys() <= _PART:
            return None
        ((kind, value),) = part.items()
        if kind == "text":
            if calls or not _words(value):
                return None
            speaks = True
        elif type(value) is not dict or (speaks and kind == "functionResponse"):
            return None
        elif kind == "functionCall":
            if role != "assistant" or not value.keys() <= _GEMINI_CALL or type(value.get("args")) is not dict:
                return None
            calls.append((value.get("id", ""), value.get("name")))
        else:
            if role != "user" or not value.keys() <= _GEMINI_RESPONSE or type(value.get("response")) is not dict:
                return None
            results.append((value.get("id", ""), value.get("name")))
    return PlainMessage(role, calls, results, speaks) if role and content["parts"] else None


def read_converse_message(message: Any) -> PlainMessage | None:
    """Read a message of Bedrock's Converse API."""
    if type(message) is not dict or message.keys() != _MESSAGE or type(message["content"]) is not list:
        return None
    role, speaks = message["role"], False
    calls: list[IdAndName] = []
    results: list[IdAndName] = []
    for block in message["content"]:
        if type(block) is not dict or len(block) != 1:
            return None
        ((kind, value),) = block.items()
        if kind == "text":
            if calls or not _words(value):
                return None
            speaks = True
        elif kind == "toolUse" and type(value) is dict:
            if role != "assistant" or value.keys() != _TOOL_USE or type(value["input"]) is not dict:
                return None
            calls.append((value["toolUseId"], value["name"]))
        elif kind == "toolResult" and type(value) is dict:
            if (
                role != "user"
                or speaks
                or not value.keys() <= _TOOL_RESULT
                or not _converse_result(value.get("content"))
            ):
                return None
            results.append((value.get("toolUseId"), ""))
        else:
            return None
    return PlainMessage(role, calls, results, speaks) if message["content"] else None


def _converse_result(content: Any) -> bool:
    """Return whether a result of Converse holds only texts and objects."""
    if type(content) is not list or not content:
        return False
    for part in content:
        if type(part) is not dict or len(part) != 1:
            return False
        ((kind, value),) = part.items()
        if not (_words(value) if kind == "text" else kind == "json" and type(value) is dict):
            return False
    return True


def is_plainly_sound(messages: Sequence[Any], read: MessageReader, profile: Profile) -> bool:
    """Return whether the quick check shows that the provider accepts these messages."""
    plain_messages: list[PlainMessage] = []
    for message in messages:
        plain = read(message)
        if plain is None:
            return False
        plain_messages.append(plain)
    if not plain_messages or not _names_fit(plain_messages, profile):
        return False
    if profile.result_role == Role.USER:
        return _in_messages(plain_messages, profile)
    return _in_items(plain_messages, profile)


def _names_fit(messages: Iterable[PlainMessage], profile: Profile) -> bool:
    """Return whether every call has a name and an id that the provider accepts, and no id is used twice."""
    fits_id = re.compile(profile.call_id_pattern or "(?s:.*)").fullmatch
    fits_name = re.compile(profile.tool_name_pattern or "(?s:.+)").fullmatch
    seen: set[str] = set()
    for message in messages:
        for call_id, name in message.calls:
            if type(call_id) is not str or type(name) is not str or call_id in seen:
                return False
            if fits_id(call_id) is None or fits_name(name) is None:
                return False
            if call_id:
                seen.add(call_id)
    return True


def _in_messages(messages: list[PlainMessage], profile: Profile) -> bool:
    """Return whether user and assistant alternate, and all calls of a message have their results in the next one."""
    open_calls: list[IdAndName] = []
    for number, message in enumerate(messages):
        if message.role != ("assistant" if number % 2 else "user") or not _answers(message.results, open_calls):
            return False
        if message.results and message.has_text and (profile.requires_results_alone or "R9" in profile.refusals):
            return False
        open_calls = message.calls
    return not open_calls


def _in_items(messages: list[PlainMessage], profile: Profile) -> bool:
    """Return whether results are messages of their own, right after the calls."""
    open_calls: list[IdAndName] = []
    results: list[IdAndName] = []
    before = ""
    one_turn = Role.ASSISTANT in profile.merged_roles
    for message in messages:
        if message.results:
            results += message.results
        elif one_turn and message.calls and open_calls and not results and not message.has_text:
            open_calls = [*open_calls, *message.calls]
        else:
            if not _answers(results, open_calls):
                return False
            if before == "tool" and message.role != "assistant" and "M10" in profile.refusals:
                return False
            if not before and message.role == "assistant":
                return False
            open_calls, results = message.calls, []
        before = message.role
    return _answers(results, open_calls) and (profile.allows_prefill or before != "assistant")


def _answers(results: list[IdAndName], calls: list[IdAndName]) -> bool:
    """Return whether these results answer these calls, one for every call; without ids by name and in order."""
    if len(results) != len(calls):
        return False
    if not calls:
        return True
    if any(not call_id for call_id, _ in calls):
        return results == calls
    names = dict(calls)
    for call_id, name in results:
        if type(call_id) is not str or call_id not in names or (name and name != names.pop(call_id)):
            return False
        names.pop(call_id, None)
    return True
