"""Calls and results of a request, in order, whatever API it speaks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.support.paths import SHARED

RECORDED = SHARED / "agents"
CUT = "…"  # how a recorded text ends that was cut

Spoken = tuple[str, str, str]


def spoken_in(wire: str, body: dict[str, Any]) -> list[Spoken]:
    """("call", id, name) and ("result", id, text) in the order in which they are sent."""
    return list(_WIRES[wire](body))


def same(told: list[Spoken], sent: list[Spoken]) -> bool:
    """Whether a prediction holds: texts may be cut in what was recorded."""
    return len(told) == len(sent) and all(map(_agree, told, sent))


def _agree(told: Spoken, sent: Spoken) -> bool:
    said, cut = " ".join(told[2].split()), " ".join(sent[2].split())
    return told[:2] == sent[:2] and (said.startswith(cut[:-1]) if cut.endswith(CUT) else said == cut)


def lines(spoken: list[Spoken]) -> list[str]:
    """For a person who compares."""
    return [f"{kind} {call_id} {' '.join(text.split())[:60]}" for kind, call_id, text in spoken]


def _anthropic(body: dict[str, Any]) -> Iterator[Spoken]:
    for message in body["messages"]:
        for block in message["content"] if isinstance(message["content"], list) else ():
            if block["type"] == "tool_use":
                yield "call", block["id"], block["name"]
            elif block["type"] == "tool_result":
                yield "result", block["tool_use_id"], _text(block.get("content"))


def _chat(body: dict[str, Any]) -> Iterator[Spoken]:
    for message in body["messages"]:
        for call in message.get("tool_calls") or ():
            yield "call", call["id"], call["function"]["name"]
        if message["role"] == "tool":
            yield "result", message["tool_call_id"], _text(message.get("content"))


def _responses(body: dict[str, Any]) -> Iterator[Spoken]:
    for item in body["input"]:
        kind = item.get("type", "message")
        if kind.endswith("_output"):
            yield "result", item["call_id"], _text(item.get("output"))
        elif kind.endswith("_call"):
            yield "call", item["call_id"], item.get("name", "")


def _gemini(body: dict[str, Any]) -> Iterator[Spoken]:
    for content in body["contents"]:
        for part in content["parts"]:
            if "functionCall" in part:
                yield "call", part["functionCall"].get("id", ""), part["functionCall"]["name"]
            elif "functionResponse" in part:
                answer = part["functionResponse"]
                yield "result", answer.get("id", ""), json.dumps(answer["response"], ensure_ascii=False)


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content)
    return content or ""


_WIRES = {
    "anthropic": _anthropic,
    "openai-chat": _chat,
    "chat": _chat,
    "openai-responses": _responses,
    "responses": _responses,
    "gemini": _gemini,
}
