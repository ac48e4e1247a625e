"""inspect_ai: a log that is one document, as `EvalLog` of 0.3.285 writes it, and the messages of its sample."""

import json
from typing import Any

from tests.core.formats.written import NO_THINKING, WrittenFormat, file_writer
from tests.support.judges import JUDGES
from tests.support.projection import chat, from_chat
from tests.system.corpus.otherwise import OfFormat

Item = dict[str, Any]


def kept(message: Item) -> Item:
    """A chat message as a message of a sample."""
    item: Item = {"id": "m1", **message, "content": message.get("content") or ""}
    if message.get("tool_calls"):
        item["tool_calls"] = [
            {"id": call["id"], "function": call["function"]["name"], "arguments": _input(call), "type": "function"}
            for call in message["tool_calls"]
        ]
    return item


def _input(call: Item) -> Any:
    return json.loads(call["function"]["arguments"])


def sent(item: Item) -> Item:
    """A message of a sample as a provider of chat messages gets it."""
    message: Item = {key: item[key] for key in ("role", "content", "tool_call_id") if key in item}
    if item.get("tool_calls"):
        message["tool_calls"] = [
            {"id": call["id"], "function": {"name": call["function"], "arguments": json.dumps(call["arguments"])}}
            for call in item["tool_calls"]
        ]
        message["content"] = item["content"] or None
    return message


def sample(messages: list[Item], name: str = "1", epoch: int = 1) -> Item:
    begun = {"id": name, "epoch": epoch, "input": "go", "target": "done", "messages": [kept(each) for each in messages]}
    return begun | {"output": {"model": "mockllm/model", "choices": []}, "scores": {}, "events": [], "attachments": {}}


def log(*samples: Item) -> Item:
    told = {"task": "adding", "created": "2026-11-02T09:00:00+00:00", "model": "mockllm/model", "dataset": {}}
    head = {"version": 2, "status": "success", "eval": told, "plan": {"steps": []}, "results": {"total_samples": 1}}
    return head | {"stats": {"model_usage": {}}, "samples": list(samples)}


FORMAT = WrittenFormat(
    "inspect-ai",
    file_writer("log.json", lambda history: json.dumps(log(sample(chat(history))), indent=2).encode()),
    lambda path: from_chat(map(sent, json.loads(path.read_bytes())["samples"][0]["messages"])),
    JUDGES["openai"][0],
    provider="openai-chat",
    cannot=NO_THINKING,
    written_back=False,
)
CORPUS = OfFormat(("inspect",), (), {})
