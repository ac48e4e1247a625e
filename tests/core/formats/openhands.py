"""OpenHands: events of its SDK, one on each line, after OpenHands/software-agent-sdk @611629e, sdk/event/."""

import json
from pathlib import Path
from typing import Any

from tests.core.formats.written import NO_THINKING, WrittenFormat, file_writer
from tests.support.judges import JUDGES
from tests.support.notation import Call, History, Result, Text, lines
from tests.support.projection import from_chat
from tests.system.corpus.otherwise import OfFormat

Item = dict[str, Any]


def text(said: str) -> Item:
    return {"cache_prompt": False, "type": "text", "text": said}


def message(role: str, said: str) -> Item:
    source = {"assistant": "agent"}.get(role, "user")
    return {"source": source, "llm_message": {"role": role, "content": [text(said)]}, "kind": "MessageEvent"}


def action(call: Call, thought: list[Item], response: str) -> Item:
    made = {"id": call.id, "name": call.name, "arguments": json.dumps(call.input), "origin": "completion"}
    told = {"thought": thought, "action": {"command": "ls", "kind": "TerminalAction"}, "tool_name": call.name}
    names = {"tool_call_id": call.id, "tool_call": made, "llm_response_id": response}
    return {"source": "agent", **told, **names, "kind": "ActionEvent"}


def observation(result: Result) -> Item:
    told = {"content": [text(result.text)], "is_error": result.error, "kind": "TerminalObservation"}
    names = {"tool_name": "Read", "tool_call_id": result.id, "observation": told, "action_id": f"event-of-{result.id}"}
    return {"source": "environment", **names, "kind": "ObservationEvent"}


def events(history: History) -> list[Item]:
    made: list[Item] = []
    for number, turn in enumerate(history):
        made += map(observation, turn.of(Result))
        said, calls = [part.text for part in turn.of(Text)], turn.of(Call)
        thought = [text("\n".join(said))] if said else []
        for place, call in enumerate(calls):
            made.append(action(call, [] if place else thought, f"response-{number}"))
        if said and not calls:
            made.append(message({"developer": "system"}.get(turn.role, turn.role), "\n".join(said)))
    return [
        {"id": f"00000000-0000-4000-8000-{at:012}", "timestamp": f"2026-11-02T09:00:00.{at:06}", **event}
        for at, event in enumerate(made)
    ]


def messages(path: Path) -> list[Item]:
    """The events as chat messages; the actions of one response are one message."""
    sent: list[Item] = []
    response = ""
    for event in map(json.loads, path.read_bytes().splitlines()):
        if event["kind"] == "MessageEvent":
            sent.append({"role": event["llm_message"]["role"], "content": event["llm_message"]["content"]})
        elif event["kind"] == "ActionEvent":
            call = event["tool_call"]
            made = {"id": call["id"], "function": {"name": call["name"], "arguments": call["arguments"]}}
            if event["llm_response_id"] == response:
                sent[-1]["tool_calls"].append(made)
            else:
                sent.append({"role": "assistant", "content": event["thought"] or None, "tool_calls": [made]})
            response = event["llm_response_id"]
        else:
            content = event["observation"]["content"]
            sent.append({"role": "tool", "tool_call_id": event["tool_call_id"], "content": content})
    return sent


FORMAT = WrittenFormat(
    "openhands",
    file_writer("events.jsonl", lambda history: lines(events(history))),
    lambda path: from_chat(messages(path)),
    JUDGES["openai"][0],
    provider="openai-chat",
    cannot=NO_THINKING,
    written_back=False,
    is_message=lambda value: "kind" in value and "timestamp" in value,
    says=("llm_message", "thought", "tool_call", "tool_name", "observation"),
)
CORPUS = OfFormat(
    (), ("openhands/*goal.events.jsonl", "openhands/*tool-calls.json"), {"openhands/*goal.events.jsonl": "R1"}
)
