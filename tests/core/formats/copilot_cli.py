"""Copilot CLI: written as 1.0.102 appends its events, loaded as it makes its messages of them.

What it mends before it sends is not done here: the judge is to see the history as it stands.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.core.formats.written import NO_BLANKS, NO_DEVELOPER, WrittenFormat, tear_file
from tests.support.judges import openai_error
from tests.support.notation import Call, History, NotExpressible, Odd, Part, Result, Text, Thinking, Turn, clock, uuid
from tests.system.corpus.otherwise import OfFormat

SESSION = "5b0c7e1e-8d0f-4b8f-9a55-0d3c2f6a7b18"
NAME = f"{SESSION}/events.jsonl"
HEADER = {
    "sessionId": SESSION,
    "version": 1,
    "producer": "copilot-agent",
    "copilotVersion": "1.0.102",
    "startTime": clock(0),
    "context": {"cwd": "/w"},
}
CLOSING = ("user_initiated", "user_abort", "remote_command")


def event(number: int, kind: str, data: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An event with a readable id that follows the one before it."""
    parent = uuid(number - 1) if number else None
    return {"type": kind, "data": data, "id": uuid(number), "timestamp": clock(number), "parentId": parent, **more}


def messages(history: History) -> Iterator[tuple[str, dict[str, Any]]]:
    """The events of a history: all calls of an answer in one, every result in one of its own."""
    for turn in history:
        if turn.role == "developer":
            raise NotExpressible("a developer message")
        if turn.role == "assistant":
            yield "assistant.turn_start", {"turnId": "0"}
            yield "assistant.message", _answer(turn)
            continue
        for part in turn.parts:
            if isinstance(part, Result):
                told = {"error": {"message": part.text}} if part.error else {"result": {"content": part.text}}
                yield "tool.execution_complete", {"toolCallId": part.id, "success": not part.error, **told}
            else:
                assert isinstance(part, Text)
                yield "user.message", {"content": part.text}


def _answer(turn: Turn) -> dict[str, Any]:
    if len(turn.of(Text)) > 1:
        raise NotExpressible("an answer with several texts")
    data: dict[str, Any] = {"messageId": "m", "content": "".join(part.text for part in turn.of(Text))}
    data["toolRequests"] = [
        {"toolCallId": call.id, "name": call.name, "arguments": call.input, "type": "function"}
        for call in turn.of(Call)
    ]
    if turn.of(Thinking):
        data["reasoningText"] = "\n".join(part.text for part in turn.of(Thinking))
    return data


def records(history: History) -> list[dict[str, Any]]:
    numbered = enumerate([("session.start", HEADER), *messages(history)])
    return [event(number, kind, data) for number, (kind, data) in numbered]


def write(history: History, folder: Path) -> Path:
    path = folder / NAME
    path.parent.mkdir()
    path.write_bytes(b"".join(json.dumps(each, ensure_ascii=False).encode() + b"\n" for each in records(history)))
    return path


def load(path: Path) -> History:
    return read(context(path.read_bytes()))


def context(data: bytes) -> list[dict[str, Any]]:
    """The events that are messages, from the newest compaction on. Lines that cannot be read are skipped."""
    found = []
    for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        try:
            found.append(json.loads(line.decode()))
        except ValueError:
            continue
    if not any(each["type"] == "session.start" for each in found):
        raise ValueError("Session file is corrupted or incompatible")
    kept: list[dict[str, Any]] = []
    start = 0
    for each in found:
        if each["type"] == "session.compaction_start":
            start = len(kept)
        elif each["type"] == "session.compaction_complete" and each["data"].get("success"):
            kept = [{"type": "user.message", "data": {"content": each["data"]["summaryContent"]}}, *kept[start:]]
        elif not each.get("agentId") and not each.get("ephemeral"):
            kept.append(each)
    return kept


def read(found: list[dict[str, Any]]) -> History:
    history: History = []
    for each in found:
        data = each["data"]
        if each["type"] == "tool.execution_complete":
            text = data["result"]["content"] if data["success"] else data["error"]["message"]
            result = Result(data["toolCallId"], text, not data["success"])
            if history and history[-1].role == "user" and history[-1].of(Result) and not history[-1].of(Text):
                history[-1] = Turn("user", (*history[-1].parts, result))
            else:
                history.append(Turn("user", (result,)))
        elif each["type"] == "assistant.message":
            history.append(Turn("assistant", tuple(_parts(data))))
        elif each["type"] == "user.message":
            said = data.get("transformedContent", data["content"])
            history.append(Turn("user", (Text(said) if isinstance(said, str) else Odd(str(said)),)))
    return history


def _parts(data: dict[str, Any]) -> Iterator[Part]:
    if data.get("reasoningText"):
        yield Thinking(data["reasoningText"])
    if data["content"] or not data.get("toolRequests"):
        yield Text(data["content"])
    for call in data.get("toolRequests") or ():
        yield Call(call["toolCallId"], call["name"], call.get("arguments", {}))


FORMAT = WrittenFormat(
    "copilot-cli",
    write,
    load,
    openai_error,
    cannot=NO_DEVELOPER | NO_BLANKS,
    tear=tear_file,
    provider="openai-chat",
    is_message=lambda value: isinstance(value.get("data"), dict) and "." in str(value.get("type")),
    says=("data", "type"),
    bookkeeping=("copilotVersion", "producer"),
)
CORPUS = OfFormat(
    folders=("copilot-cli",),
    elsewhere=(),
    broken={
        "copilot-cli/*killed-in-tool.events.jsonl": "D3",
        "copilot-cli/*mid-history-missing.events.jsonl": "D3",
        "copilot-cli/*deja-vu__events.jsonl": "M12",  # made up: its answer has no id, and Copilot does not load it
    },
)
