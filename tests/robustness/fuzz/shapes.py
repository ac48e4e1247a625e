"""Which messages a provider's API takes: a strict schema of every wire, written from their documented types.

A schema is a function that takes a value and returns None, or what is wrong with it. Unknown keys and kinds of blocks
are let pass: providers add them. What is known has to be of its type. WIRES is the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

Schema = Callable[[Any], str | None]


def text(value: Any) -> str | None:
    return None if isinstance(value, str) else f"{_kind(value)} where a text has to be"


def name(value: Any) -> str | None:
    return text(value) or (None if value else "an empty name")


def number(value: Any) -> str | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return None if is_number else f"{_kind(value)} where a number has to be"


def flag(value: Any) -> str | None:
    return None if isinstance(value, bool) else f"{_kind(value)} where true or false has to be"


def an_object(value: Any) -> str | None:
    return None if isinstance(value, dict) else f"{_kind(value)} where an object has to be"


def anything(value: Any) -> str | None:
    return None


def maybe(schema: Schema) -> Schema:
    """Null is as good as nothing."""
    return lambda value: None if value is None else schema(value)


def one_of(*words: str) -> Schema:
    return lambda value: None if value in words and isinstance(value, str) else "a word that is none of the known ones"


def either(*schemas: Schema) -> Schema:
    def judge(value: Any) -> str | None:
        found = [schema(value) for schema in schemas]
        return None if None in found else found[-1] if isinstance(value, list | dict) else found[0]

    return judge


def each(schema: Schema, least: int = 0) -> Schema:
    """A list of these."""

    def judge(value: Any) -> str | None:
        if not isinstance(value, list):
            return f"{_kind(value)} where a list has to be"
        if len(value) < least:
            return "an empty list"
        return next((wrong for wrong in map(schema, value) if wrong), None)

    return judge


def fields(needed: Mapping[str, Schema], others: Mapping[str, Schema] | None = None) -> Schema:
    """An object with these keys; the others may be left out."""
    known = {**needed, **(others or {})}

    def judge(value: Any) -> str | None:
        if not isinstance(value, dict):
            return f"{_kind(value)} where an object has to be"
        for key in needed:
            if key not in value:
                return f"no {key}"
        found = ((key, schema(value[key])) for key, schema in known.items() if key in value)
        return next((f"{key}: {wrong}" for key, wrong in found if wrong), None)

    return judge


def by_key(key: str, schemas: Mapping[str, Schema]) -> Schema:
    """An object whose kind a text under `key` tells."""

    def judge(value: Any) -> str | None:
        if wrong := fields({key: name})(value):
            return wrong
        schema = schemas.get(value[key], anything)
        wrong = schema(value)
        return f"{value[key]}: {wrong}" if wrong else None

    return judge


def union(schemas: Mapping[str, Schema], silent: Iterable[str] = ()) -> Schema:
    """An object that holds exactly one of these keys, beside those that stand with any of them."""

    def judge(value: Any) -> str | None:
        if not isinstance(value, dict):
            return f"{_kind(value)} where an object has to be"
        held = [key for key in schemas if value.get(key) is not None]
        if not held:
            return "none of the known parts" if value.keys() <= schemas.keys() else None
        wrong = schemas[held[0]](value[held[0]])
        return "two parts in one" if len(held) > 1 else f"{held[0]}: {wrong}" if wrong else None

    return judge


def _kind(value: Any) -> str:
    return {dict: "an object", list: "a list", str: "a text", bool: "a flag", type(None): "null"}.get(
        type(value), "a number"
    )


# --- Anthropic Messages

_ANTHROPIC_INNER = by_key("type", {"text": fields({"text": text}), "image": fields({"source": an_object})})
_ANTHROPIC_BLOCK = by_key(
    "type",
    {
        "text": fields({"text": text}),
        "image": fields({"source": an_object}),
        "document": fields({"source": an_object}),
        "thinking": fields({"thinking": text, "signature": text}),
        "redacted_thinking": fields({"data": text}),
        "tool_use": fields({"id": name, "name": name, "input": an_object}),
        "server_tool_use": fields({"id": name, "name": name, "input": an_object}),
        "tool_result": fields(
            {"tool_use_id": name}, {"content": maybe(either(text, each(_ANTHROPIC_INNER))), "is_error": maybe(flag)}
        ),
    },
)
ANTHROPIC = fields({"role": one_of("user", "assistant", "system"), "content": either(text, each(_ANTHROPIC_BLOCK))})

# --- OpenAI Chat Completions

_CHAT_PART = by_key(
    "type",
    {
        "text": fields({"text": text}),
        "refusal": fields({"refusal": text}),
        "image_url": fields({"image_url": an_object}),
    },
)
_CHAT_CONTENT = either(text, each(_CHAT_PART))
_CHAT_CALL = fields(
    {"id": name},
    {
        "type": one_of("function", "custom"),
        "function": fields({"name": name, "arguments": text}),
        "custom": fields({"name": name, "input": text}),
    },
)
OPENAI_CHAT = by_key(
    "role",
    {
        "system": fields({"content": _CHAT_CONTENT}),
        "developer": fields({"content": _CHAT_CONTENT}),
        "user": fields({"content": _CHAT_CONTENT}),
        "assistant": fields({}, {"content": maybe(_CHAT_CONTENT), "tool_calls": maybe(each(_CHAT_CALL, least=1))}),
        "tool": fields({"tool_call_id": name, "content": _CHAT_CONTENT}),
        "function": fields({"name": name, "content": maybe(text)}),
    },
)
_CHAT_SAYS = ("content", "tool_calls", "function_call", "refusal", "audio")
_CHAT_ROLES = fields({"role": one_of("system", "developer", "user", "assistant", "tool", "function")})

# --- OpenAI Responses

_ITEM_PART = by_key(
    "type",
    {
        "input_text": fields({"text": text}),
        "output_text": fields({"text": text}),
        "refusal": fields({"refusal": text}),
    },
)
_ITEM_MESSAGE = fields(
    {"role": one_of("user", "assistant", "system", "developer"), "content": either(text, each(_ITEM_PART))}
)
_OUTPUT = either(text, each(_ITEM_PART))
_ITEM = by_key(
    "type",
    {
        "message": _ITEM_MESSAGE,
        "function_call": fields({"call_id": name, "name": name, "arguments": text}),
        "function_call_output": fields({"call_id": name, "output": _OUTPUT}),
        "custom_tool_call": fields({"call_id": name, "name": name, "input": text}),
        "custom_tool_call_output": fields({"call_id": name, "output": _OUTPUT}),
        "reasoning": fields({"summary": each(fields({"text": text}))}, {"encrypted_content": maybe(text)}),
    },
)


_OWN_ID = fields({}, {"id": maybe(text)})


def openai_responses(value: Any) -> str | None:
    """An item; a message may leave out its type, or say null, as SDKs write what is not set; so may any its id.

    So may a reference to an item, which then has only an id.
    """
    if isinstance(value, dict) and isinstance(value.get("id"), str) and value.keys() <= {"id", "type"}:
        return None if value.get("type") in (None, "item_reference") else _ITEM(value)
    kind = _ITEM_MESSAGE if isinstance(value, dict) and value.get("type") is None else _ITEM
    return kind(value) or _OWN_ID(value)


# --- Gemini: a part holds one of these, in either spelling

_GEMINI_CALL = fields({"name": name}, {"args": maybe(an_object), "id": maybe(text)})
_GEMINI_RESPONSE = fields({"name": name}, {"response": maybe(an_object), "id": maybe(text)})
_GEMINI_PART = union(
    {
        "text": text,
        "functionCall": _GEMINI_CALL,
        "function_call": _GEMINI_CALL,
        "functionResponse": _GEMINI_RESPONSE,
        "function_response": _GEMINI_RESPONSE,
        "inlineData": an_object,
        "fileData": an_object,
        "executableCode": an_object,
        "codeExecutionResult": an_object,
    }
)
# The role of responses is "tool" in the README of googleapis/python-genai, "function" in that of older libraries.
GEMINI = fields({"parts": each(_GEMINI_PART, least=1)}, {"role": maybe(one_of("user", "model", "function", "tool"))})

# --- Bedrock Converse

_BEDROCK_RESULT = union({"text": text, "json": anything, "image": an_object, "document": an_object, "video": an_object})
_BEDROCK_BLOCK = union(
    {
        "text": text,
        "toolUse": fields({"toolUseId": name, "name": name, "input": anything}),
        "toolResult": fields({"toolUseId": name, "content": each(_BEDROCK_RESULT)}, {"status": maybe(text)}),
        "image": an_object,
        "document": an_object,
        "video": an_object,
        "reasoningContent": union({"reasoningText": fields({"text": text}), "redactedContent": text}),
        "cachePoint": an_object,
        "guardContent": an_object,
    }
)
BEDROCK = fields({"role": one_of("user", "assistant", "system"), "content": each(_BEDROCK_BLOCK)})


def openai_chat(value: Any) -> str | None:
    """A message; one of the assistant has content or calls."""
    if wrong := _CHAT_ROLES(value) or OPENAI_CHAT(value):
        return wrong
    silent = value["role"] == "assistant" and all(value.get(key) is None for key in _CHAT_SAYS)
    return "assistant: neither content nor calls" if silent else None


# --- AI SDK: `modelMessageSchema` and `uiMessagesSchema` of versions 5 to 7; members of version 4 are let pass


def metadata(value: Any) -> str | None:
    """What a part says to each provider, or heard of it."""
    return an_object(value) or next(filter(None, map(an_object, value.values())), None)


_AI_OPTIONS = {"providerOptions": metadata}
_AI_DATA = fields({"data": text, "mediaType": text})
_AI_OUTPUT_PART = by_key(
    "type", {"text": fields({"text": text}), "media": _AI_DATA, "file-data": _AI_DATA, "image-data": _AI_DATA}
)
_AI_TOLD = fields({"value": text})
_AI_OUTPUT = by_key(
    "type",
    {
        "text": _AI_TOLD,
        "error-text": _AI_TOLD,
        "json": fields({"value": anything}),
        "error-json": fields({"value": anything}),
        "content": fields({"value": each(_AI_OUTPUT_PART)}),
    },
)
_AI_PART = by_key(
    "type",
    {
        "text": fields({"text": text}, _AI_OPTIONS),
        "reasoning": fields({"text": text}, _AI_OPTIONS),
        "file": fields({"data": either(text, an_object)}, {"mediaType": text, "filename": text, **_AI_OPTIONS}),
        "image": fields({"image": either(text, an_object)}, _AI_OPTIONS),
        "tool-call": fields({"toolCallId": text, "toolName": text}, {"providerExecuted": flag, **_AI_OPTIONS}),
        "tool-result": fields({"toolCallId": text, "toolName": text}, {"output": _AI_OUTPUT, **_AI_OPTIONS}),
    },
)
_AI_CONTENT = either(text, each(_AI_PART))
AI_SDK = by_key(
    "role",
    {
        "system": fields({"content": text}, _AI_OPTIONS),
        **dict.fromkeys(("user", "assistant"), fields({"content": _AI_CONTENT}, _AI_OPTIONS)),
        "tool": fields({"content": each(_AI_PART)}, _AI_OPTIONS),
    },
)
_UI_METADATA = {"providerMetadata": maybe(metadata), "callProviderMetadata": maybe(metadata)}
_UI_PART = by_key(
    "type",
    {
        "text": fields({"text": text}, _UI_METADATA),
        "reasoning": fields({}, {"text": text, "providerMetadata": metadata}),
        "file": fields({}, {"url": text, "mediaType": text, "filename": text, **_UI_METADATA}),
    },
)
AI_SDK_UI = fields({"role": one_of("system", "user", "assistant", "data")}, {"parts": each(_UI_PART)})


# A message of the format, and where a request keeps them.
WIRES: Mapping[str, tuple[Schema, str]] = {
    "anthropic-messages": (ANTHROPIC, "messages"),
    "openai-chat": (openai_chat, "messages"),
    "openai-responses": (openai_responses, "input"),
    "gemini-contents": (GEMINI, "contents"),
    "bedrock-converse": (BEDROCK, "messages"),
    "ai-sdk": (AI_SDK, "messages"),
    "ai-sdk-ui": (AI_SDK_UI, "messages"),
}
