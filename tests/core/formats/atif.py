"""ATIF: a trajectory, as the models of atif 1.8.0 take it, and the messages in it."""

import json
from typing import Any

from tests.core.formats.written import NO_THINKING, RESULTS_IN_CALLS, WrittenFormat, file_writer
from tests.support.judges import JUDGES
from tests.support.notation import Call, History, Result, Text, Turn
from tests.support.projection import from_chat
from tests.system.corpus.otherwise import OfFormat

Item = dict[str, Any]


def steps(history: History) -> list[Item]:
    """The turns as steps. Results are in the step of the agent before them, or else in a step without a message."""
    made: list[Item] = []
    for turn in history:
        results = [
            {"source_call_id": part.id, "content": part.text} for part in turn.of(Result) if isinstance(part, Result)
        ]
        if results:
            if not made or made[-1]["source"] != "agent":
                made.append({"source": "system", "message": ""})
            made[-1].setdefault("observation", {"results": []})["results"] += results
        texts = [part.text for part in turn.of(Text)]
        if texts or turn.role == "assistant":
            made.append(_step(turn, "\n".join(texts)))
    return [{"step_id": number, **step} for number, step in enumerate(made, 1)]


def _step(turn: Turn, text: str) -> Item:
    step: Item = {"source": {"assistant": "agent", "developer": "system"}.get(turn.role, "user"), "message": text}
    calls = [
        {"tool_call_id": call.id, "function_name": call.name, "arguments": call.input}
        for call in turn.of(Call)
        if isinstance(call, Call)
    ]
    return step | ({"tool_calls": calls} if calls else {})


def trajectory(made: list[Item], name: str = "run-1") -> Item:
    agent = {"name": "solver", "version": "1.0.0", "model_name": "example-model"}
    return {"schema_version": "ATIF-v1.7", "session_id": name, "agent": agent, "steps": made}


def messages(made: list[Item]) -> list[Item]:
    """The steps as chat messages."""
    sent: list[Item] = []
    for step in made:
        message: Item = {"role": {"agent": "assistant"}.get(step["source"], step["source"]), "content": step["message"]}
        if step.get("tool_calls"):
            message["content"] = step["message"] or None
            message["tool_calls"] = [
                {"id": call["tool_call_id"], "function": {"name": call["function_name"], "arguments": "{}"}}
                for call in step["tool_calls"]
            ]
        sent.append(message)
        for result in step.get("observation", {}).get("results", ()):
            sent.append({"role": "tool", "tool_call_id": result["source_call_id"], "content": result["content"]})
    return sent


FORMAT = WrittenFormat(
    "atif",
    file_writer("trajectory.json", lambda history: json.dumps(trajectory(steps(history)), indent=2).encode()),
    lambda path: from_chat(messages(json.loads(path.read_bytes())["steps"])),
    JUDGES["openai"][0],
    provider="openai-chat",
    cannot=NO_THINKING | RESULTS_IN_CALLS,
    written_back=False,
    is_message=lambda value: "step_id" in value,
    says=("message", "observation"),
)
CORPUS = OfFormat((), ("atif/*tool-calls.json",), {})
