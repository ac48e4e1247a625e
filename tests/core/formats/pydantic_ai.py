"""Messages of Pydantic AI, as `ModelMessagesTypeAdapter` writes them (2.68.0), with results first in a request."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.core.formats.written import NO_DEVELOPER, NO_THINKING, RESULTS_FIRST, WrittenFormat, file_writer
from tests.support.judges import JUDGES
from tests.support.notation import TOOL, Call, History, NotExpressible, Odd, Part, Result, Text, Turn
from tests.system.corpus.otherwise import OfFormat

Message = dict[str, Any]
_FAILED = ("failed", "retried")
_RUN = {"run_id": "01a20250-2e16-72f3-92a8-a70c36120e85", "conversation_id": "01a20250-2e16-72f3-92a8-a70d02f148b3"}
_RESPONSE = {"usage": {"input_tokens": 100, "output_tokens": 20}, "timestamp": "2026-11-29T08:12:18.927629Z"}


def messages(history: History) -> list[Message]:
    names = {call.id: call.name for turn in history for call in turn.of(Call)}
    return [_message(turn, [_part(part, turn.role, names) for part in turn.parts]) for turn in history]


def _message(turn: Turn, parts: list[Message]) -> Message:
    if turn.role == "developer":
        raise NotExpressible("a developer message")
    if turn.role == "assistant":
        return {"parts": parts, **_RESPONSE, "kind": "response", **_RUN, "metadata": None}
    return {"parts": parts, "instructions": "Be brief.", "kind": "request", **_RUN, "metadata": None}


def _part(part: Part, role: str, names: dict[str, str]) -> Message:
    if isinstance(part, Call):
        given = part.input if isinstance(part.input, dict | str | None) else json.dumps(part.input)
        return {"tool_name": part.name, "args": given, "tool_call_id": part.id, "part_kind": "tool-call"}
    if isinstance(part, Result):
        outcome = {"outcome": "failed"} if part.error else {}
        named = {"tool_name": names.get(part.id, TOOL), "content": part.text, "tool_call_id": part.id}
        return named | outcome | {"part_kind": "tool-return"}
    if not isinstance(part, Text):
        raise NotExpressible(str(part))
    return {"content": part.text, "part_kind": "text" if role == "assistant" else "user-prompt"}


def render(history: History) -> bytes:
    return json.dumps(messages(history), ensure_ascii=False).encode()


def load(path: Path) -> History:
    turns: History = []
    for message in json.loads(path.read_bytes()):
        role = "assistant" if message["kind"] == "response" else "user"
        parts = tuple(
            sorted(_parts(message["parts"]), key=lambda part: role == "user" and not isinstance(part, Result))
        )
        if turns and parts and all(isinstance(part, Result) for part in (*parts, *turns[-1].parts)):
            parts = turns.pop().parts + parts
        turns += [Turn(role, parts)] if parts else []  # a message without parts is not sent
    return turns


def _parts(parts: list[Message]) -> Iterator[Part]:
    for part in parts:
        match part:
            case {"part_kind": "tool-call", "tool_call_id": str(id_), "tool_name": str(name)}:
                yield Call(id_, name, part.get("args"))
            case {"part_kind": "tool-return", "tool_call_id": str(id_), "content": str(text)}:
                yield Result(id_, text, part.get("outcome") in _FAILED)
            case {"part_kind": "retry-prompt", "tool_name": str(), "tool_call_id": str(id_), "content": content}:
                yield Result(id_, json.dumps(content), True)
            case {"part_kind": "tool-return", "tool_call_id": str(id_), "content": content}:
                yield Result(id_, json.dumps(content), part.get("outcome") in _FAILED)
            case {"part_kind": "text" | "user-prompt" | "system-prompt" | "retry-prompt", "content": str(text)}:
                yield Text(text)
            case {"part_kind": "user-prompt", "content": list(content)}:
                yield Text(json.dumps(content))
            case _:
                yield Odd(str(part))


FORMAT = WrittenFormat(
    "pydantic-ai",
    file_writer("messages.json", render),
    load,
    JUDGES["openai"][0],
    provider="openai-chat",
    cannot=NO_DEVELOPER | NO_THINKING | RESULTS_FIRST,
    is_message=lambda value: value.get("kind") in ("request", "response"),
    bookkeeping=(
        *("run_id", "conversation_id", "usage", "instructions", "part_kind", "outcome"),
        *("provider_name", "provider_url", "provider_response_id", "model_name"),
    ),
)
CORPUS = OfFormat(folders=("pydantic-ai",), elsewhere=(), broken={"pydantic-ai/*killed-in-tool.json": "D3"})
