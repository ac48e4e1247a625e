"""Bedrock Converse: messages as botocore models them, judged as the API answers in public reports.

Roles alternate and the user begins; every result stands in the next message, before other blocks, one a call; no id
twice (litellm#20047, camel#3954, aws-bedrock-js-plugin#664, Portkey-AI/gateway#748).
"""

import json
import re
from pathlib import Path
from typing import Any

from tests.core.formats.written import NO_DEVELOPER, WrittenFormat, file_writer
from tests.support.notation import Call, History, NotExpressible, Odd, Part, Result, Text, Thinking, Turn


def messages(history: History) -> list[dict[str, Any]]:
    if any(turn.role == "developer" for turn in history):
        raise NotExpressible("a developer message")
    return [{"role": turn.role, "content": [_block(part) for part in turn.parts]} for turn in history]


def _block(part: Part) -> dict[str, Any]:
    if isinstance(part, Call):
        return {"toolUse": {"toolUseId": part.id, "name": part.name, "input": part.input}}
    if isinstance(part, Result):
        status = "error" if part.error else "success"
        return {"toolResult": {"toolUseId": part.id, "content": [{"text": part.text}], "status": status}}
    if isinstance(part, Thinking):
        return {"reasoningContent": {"reasoningText": {"text": part.text, "signature": "c2ln"}}}
    assert isinstance(part, Text)
    return {"text": part.text}


def render(history: History) -> bytes:
    document = {"modelId": "anthropic.claude", "messages": messages(history), "toolConfig": {"tools": []}}
    return json.dumps(document, ensure_ascii=False, indent=2).encode() + b"\n"


def load(path: Path) -> History:
    return history_of(json.loads(path.read_bytes())["messages"])


def history_of(found: list[dict[str, Any]]) -> History:
    return [Turn(message["role"], tuple(_part(block) for block in message["content"])) for message in found]


def _part(block: dict[str, Any]) -> Part:
    match block:
        case {"toolUse": {"toolUseId": str(id_), "name": str(name), "input": dict(value)}}:
            return Call(id_, name, value)
        case {"toolResult": {"toolUseId": str(id_), "content": [{"text": str(text)}], **more}}:
            return Result(id_, text, more.get("status") == "error")
        case {"reasoningContent": {"reasoningText": {"text": str(text)}}}:
            return Thinking(text)
        case {"image": {"format": str(kind), "source": {"bytes": str()}}}:
            return Text(f"[{kind}]")
        case {"text": str(text)} if text.strip() and len(block) == 1:
            return Text(text)
    return Odd(str(block))


def error(history: History) -> str | None:
    """A message of the system stands behind the user's, as in Anthropic's own API, and is nobody's turn."""
    seen: set[str] = set()
    open_calls: list[str] = []
    if history and history[0].role == "system":
        return "A conversation must start with a user message."
    for number, turn in enumerate(turn for turn in history if turn.role != "system"):
        if turn.role != ("user", "assistant")[number % 2]:
            return "A conversation must start with a user message and alternate between user and assistant roles."
        if turn.of(Odd) or not turn.parts:
            return f"messages.{number}: empty or odd content {turn.of(Odd)}"
        calls, results = turn.of(Call), turn.of(Result)
        if (calls and turn.role != "assistant") or (results and turn.role != "user"):
            return f"messages.{number}: a call or result in the wrong role"
        for call in calls:
            if call.id in seen or not re.fullmatch(r"[a-zA-Z0-9_.:-]{1,64}", call.id):
                return f"The toolUse blocks at messages.{number}.content contain duplicate or illegal Ids: {call.id}"
            seen.add(call.id)
        if sorted(open_calls) != sorted(result.id for result in results):
            return f"Expected toolResult blocks at messages.{number}.content for the following Ids: {open_calls}"
        if any(not isinstance(part, Result) for part in turn.parts[: len(results)]):
            return "Conversation blocks and tool result blocks cannot be provided in the same turn."
        open_calls = [call.id for call in calls]
    return f"Expected toolResult blocks for the following Ids: {open_calls}" if open_calls else None


FORMAT = WrittenFormat(
    "bedrock-converse",
    file_writer("converse.json", render),
    load,
    error,
    provider="bedrock-converse",
    cannot=NO_DEVELOPER,
)
