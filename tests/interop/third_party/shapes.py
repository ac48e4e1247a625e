"""A history as each judge takes it: SHAPES is the table. Thinking and server calls are left out: none looks at them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.core.formats import bedrock_converse, gemini_contents, langchain, openai_responses
from tests.support import notation
from tests.support.judges import merged
from tests.support.notation import Call, History, Result, Text
from tests.support.projection import chat

Shape = Callable[[History], list[dict[str, Any]]]


def plain(history: History) -> History:
    """Texts, calls and results; a developer's message as the user's, and every input an object."""
    kept = (Text, Call, Result)
    turns = [
        replace(
            turn,
            role=turn.role if turn.role == "assistant" else "user",
            parts=tuple(_with_object(part) for part in turn.parts if isinstance(part, kept)),
        )
        for turn in history
    ]
    return [turn for turn in turns if turn.parts]


def _with_object(part: Any) -> Any:
    """OpenAI's inputs are texts, which may hold anything."""
    if isinstance(part, Call) and not isinstance(part.input, dict):
        return replace(part, input={"_raw": part.input})
    return part


def anthropic(history: History) -> list[dict[str, Any]]:
    messages = notation.anthropic_messages(plain(history))
    for message in messages:
        if isinstance(message["content"], str):
            message["content"] = [{"type": "text", "text": message["content"]}]
    return messages


def bedrock(history: History) -> list[dict[str, Any]]:
    return bedrock_converse.messages(plain(history))


def gemini(history: History) -> list[dict[str, Any]]:
    return gemini_contents.contents(plain(history))


def responses(history: History) -> list[dict[str, Any]]:
    return openai_responses.items(plain(history))


def openai(history: History) -> list[dict[str, Any]]:
    return chat(plain(history))


def langchain_messages(history: History) -> list[dict[str, Any]]:
    return [langchain.to_dict(message) for message in langchain.fields(plain(history))]


def pydantic(history: History) -> list[dict[str, Any]]:
    """The messages of pydantic-ai: requests and responses of parts; neighbouring requests are one, as it makes them."""
    names = {call.id: call.name for turn in history for call in turn.of(Call)}

    def part(given: Any, role: str) -> dict[str, Any]:
        if isinstance(given, Call):
            return {"part_kind": "tool-call", "tool_name": given.name, "args": given.input, "tool_call_id": given.id}
        if isinstance(given, Result):
            name = names.get(given.id, notation.TOOL)
            return {"part_kind": "tool-return", "tool_name": name, "content": given.text, "tool_call_id": given.id}
        kind = "text" if role == "assistant" else "user-prompt"
        return {"part_kind": kind, "content": given.text}

    kinds = {"assistant": "response", "user": "request"}
    return [{"kind": kinds[t.role], "parts": [part(each, t.role) for each in t.parts]} for t in merged(plain(history))]


def model_messages(history: History) -> list[dict[str, Any]]:
    """The ModelMessages of the AI SDK: results are messages of the role `tool`."""
    names = {call.id: call.name for turn in history for call in turn.of(Call)}
    made: list[dict[str, Any]] = []
    for turn in plain(history):
        if turn.role == "assistant":
            made.append({"role": "assistant", "content": [_model_part(part, names) for part in turn.parts]})
            continue
        for part in turn.parts:
            role = "tool" if isinstance(part, Result) else "user"
            if made and made[-1]["role"] == role:
                made[-1]["content"].append(_model_part(part, names))
            else:
                made.append({"role": role, "content": [_model_part(part, names)]})
    return made


def _model_part(part: Any, names: dict[str, str]) -> dict[str, Any]:
    if isinstance(part, Call):
        return {"type": "tool-call", "toolCallId": part.id, "toolName": part.name, "input": part.input}
    if isinstance(part, Result):
        output = {"type": "text", "value": part.text}
        name = names.get(part.id, notation.TOOL)
        return {"type": "tool-result", "toolCallId": part.id, "toolName": name, "output": output}
    return {"type": "text", "text": part.text}


SHAPES: dict[str, Shape] = {
    "anthropic": anthropic,
    "bedrock": bedrock,
    "gemini": gemini,
    "langchain": langchain_messages,
    "model-messages": model_messages,
    "openai": openai,
    "pydantic-ai": pydantic,
    "responses": responses,
}
