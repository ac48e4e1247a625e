"""LangChain: messages as `messages_to_dict` writes them, read as `messages_from_dict` of langchain_core 1.7 does."""

import json
from pathlib import Path
from typing import Any

from tests.core.formats.written import NO_BLANKS, NO_THINKING, RESULTS_FIRST, WrittenFormat, file_writer
from tests.support.judges import JUDGES
from tests.support.notation import Call, History, Odd, Part, Result, Text, Turn


def fields(history: History) -> list[dict[str, Any]]:
    """The messages with their fields alone, as `model_dump` writes them. A result is a message of its own."""
    found: list[dict[str, Any]] = []
    for turn in history:
        said = "".join(part.text for part in turn.of(Text))
        if turn.role == "assistant":
            calls = [{"name": c.name, "args": c.input, "id": c.id, "type": "tool_call"} for c in turn.of(Call)]
            found.append(_message("ai", said, tool_calls=calls, invalid_tool_calls=[]))
            continue
        for part in turn.of(Result):
            status = "error" if part.error else "success"
            found.append(_message("tool", part.text, tool_call_id=part.id, artifact=None, status=status))
        if said:
            found.append(_message("human" if turn.role == "user" else "system", said))
    return [message | {"id": f"m{number}"} for number, message in enumerate(found)]


def _message(kind: str, content: str, **more: Any) -> dict[str, Any]:
    head: dict[str, Any] = {
        "content": content,
        "additional_kwargs": {},
        "response_metadata": {},
        "type": kind,
        "name": None,
    }
    return {**head, **more}


def to_dict(message: dict[str, Any]) -> dict[str, Any]:
    return {"type": message["type"], "data": message}


def to_constructor(message: dict[str, Any]) -> dict[str, Any]:
    name = {"ai": "AI", "human": "Human", "tool": "Tool", "system": "System"}[message["type"]] + "Message"
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", name], "kwargs": message}


def render(history: History) -> bytes:
    return json.dumps([to_dict(message) for message in fields(history)], ensure_ascii=False, indent=2).encode() + b"\n"


def load(path: Path) -> History:
    messages = json.loads(path.read_bytes())
    if any(message["data"].get("type", message["type"]) != message["type"] for message in messages):
        raise ValueError("a message is of one type, and its class of another: pydantic refuses it")
    return read([message["data"] for message in messages])


def read(messages: list[dict[str, Any]]) -> History:
    """Fields of messages as a history; the results in a row are one turn."""
    turns: History = []
    for number, message in enumerate(messages):
        parts = tuple(_parts(message))
        if message["type"] == "tool" and number and messages[number - 1]["type"] == "tool":
            turns[-1] = Turn("user", turns[-1].parts + parts)
        else:
            turns.append(Turn(_role(message), parts))
    return turns


def _role(message: dict[str, Any]) -> str:
    return {"ai": "assistant", "system": "developer"}.get(message["type"], "user")


def _parts(message: dict[str, Any]) -> list[Part]:
    content = message["content"]
    if message["type"] == "tool":
        if not isinstance(content, str | list):
            content = str(content)  # `ToolMessage.coerce_args`, as below
        if isinstance(content, list):
            content = "".join(str(part.get("text", part) if isinstance(part, dict) else part) for part in content)
        return [Result(message["tool_call_id"], content, message.get("status") == "error")]
    parts: list[Part] = [Text(content)] if isinstance(content, str) and content else []
    if not isinstance(content, str):
        parts.append(Odd(str(content)))
    # Of any other message it is a member that nobody asks for (`langchain_openai`, `_convert_message_to_dict`).
    said = (message.get("tool_calls") or _as_the_provider_sent(message)) if message["type"] == "ai" else ()
    for call in said:
        whole = isinstance(call["args"], dict) and isinstance(call["id"], str)
        parts.append(Call(call["id"], call["name"], call["args"]) if whole else Odd(str(call)))
    if message["type"] == "ai":  # They are sent with the others, as texts that are no JSON.
        parts += [Odd(str(call)) for call in message.get("invalid_tool_calls") or ()]
    return parts or [Text("")]  # which OpenAI takes


def _as_the_provider_sent(message: dict[str, Any]) -> list[dict[str, Any]]:
    """`AIMessage._backwards_compat_tool_calls`: where no list holds a call, those that stand beside them count."""
    extras = {} if message.get("invalid_tool_calls") else message.get("additional_kwargs") or {}
    sent = extras.get("tool_calls") or []
    heads = [{"id": call["id"], "name": call["function"]["name"]} for call in sent]
    return [head | {"args": json.loads(call["function"]["arguments"])} for head, call in zip(heads, sent, strict=True)]


FORMAT = WrittenFormat(
    "langchain",
    file_writer("messages.json", render),
    load,
    JUDGES["openai"][0],
    provider="openai-chat",
    also=("keeps-inputs",),
    cannot=NO_BLANKS | NO_THINKING | RESULTS_FIRST,
    bookkeeping=("model_name", "system_fingerprint"),
    is_message=lambda value: "content" in value and "type" in value,
)
