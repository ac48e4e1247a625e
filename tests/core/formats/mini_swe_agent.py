"""mini-swe-agent: a trajectory, as `DefaultAgent.serialize` of 2.4.6 writes it, and the messages that it sends."""

import json
from typing import Any

from tests.core.formats.written import NO_THINKING, WrittenFormat, file_writer
from tests.support.judges import JUDGES
from tests.support.projection import chat, from_chat
from tests.system.corpus.otherwise import OfFormat

Item = dict[str, Any]


def trajectory(messages: list[Item]) -> Item:
    config = {"agent": {"step_limit": 0}, "agent_type": "minisweagent.agents.default.DefaultAgent"}
    info = {"model_stats": {"instance_cost": 0.0, "api_calls": 1}, "config": config, "mini_version": "2.4.6"}
    kept = [{**message, "extra": {"timestamp": 1.0}} for message in messages]
    return {"info": info, "messages": kept, "trajectory_format": "mini-swe-agent-1.1"}


def sent(path: Any) -> list[Item]:
    messages = json.loads(path.read_bytes())["messages"]
    kept = ({key: value for key, value in message.items() if key != "extra"} for message in messages)
    return [message for message in kept if message["role"] != "exit"]


FORMAT = WrittenFormat(
    "mini-swe-agent",
    file_writer("task-1.traj.json", lambda history: json.dumps(trajectory(chat(history)), indent=2).encode()),
    lambda path: from_chat(sent(path)),
    JUDGES["openai"][0],
    provider="openai-chat",
    cannot=NO_THINKING,
    written_back=False,
)
CORPUS = OfFormat((), ("swe-agent/*.traj.json",), {})
