"""SWE-agent: a trajectory, as `save_trajectory` of SWE-agent/SWE-agent @3ea751c writes it, and what is sent of it."""

import json
from typing import Any

from tests.core.formats.written import NO_THINKING, WrittenFormat, file_writer
from tests.support.judges import JUDGES
from tests.support.projection import chat, from_chat
from tests.system.corpus.otherwise import OfFormat

Item = dict[str, Any]


def kept(message: Item) -> Item:
    """A chat message as an item of the history."""
    item = {"agent": "main", "message_type": "observation", **message}
    if message["role"] == "tool":
        item["tool_call_ids"] = [item.pop("tool_call_id")]
    if message["role"] == "assistant":
        item |= {"message_type": "action", "thought": message["content"] or "", "action": "ls"}
    return item


def sent(item: Item) -> Item:
    """An item of the history as `_history_to_messages` sends it."""
    message = {"role": item["role"], "content": item["content"]}
    if item["role"] == "tool":
        message["tool_call_id"] = item["tool_call_ids"][0]
    elif item.get("tool_calls") is not None:
        message["tool_calls"] = item["tool_calls"]
    return message


def trajectory(messages: list[Item]) -> Item:
    history = [kept(message) for message in messages]
    steps = [
        {"action": "ls", "observation": "", "response": "", "thought": "", "execution_time": 0.1, "state": {}}
        for message in messages
        if message["role"] == "assistant"
    ]
    info = {"exit_status": None, "submission": None, "model_stats": {"api_calls": len(steps)}}
    return {"trajectory": steps, "history": history, "info": info, "replay_config": "{}", "environment": "main"}


FORMAT = WrittenFormat(
    "swe-agent",
    file_writer("task-1.traj", lambda history: json.dumps(trajectory(chat(history)), indent=2).encode()),
    lambda path: from_chat(map(sent, json.loads(path.read_bytes())["history"])),
    JUDGES["openai"][0],
    provider="openai-chat",
    cannot=NO_THINKING,
    written_back=False,
)
CORPUS = OfFormat(("swe-agent",), ("other/*function_calling_simple.traj",), {})
