"""`gemini --output-format stream-json`: an event for each text, call and result, and a result event at the end.

Written as `runNonInteractive` of @google/gemini-cli 0.61.0 emits the events. No program loads them again: `load` gives
what they show, where neighbouring events of the model, and neighbouring results, are one turn.
"""

import json
from pathlib import Path
from typing import Any

from tests.core.formats.written import NO_BLANKS, NO_DEVELOPER, NO_THINKING, WrittenFormat, file_writer
from tests.support.judges import openai_error
from tests.support.notation import SESSION, Call, History, NotExpressible, Part, Result, Text, Turn, clock, lines

END = {"type": "result", "status": "success", "stats": {"total_tokens": 90}}


def init(session: str = SESSION) -> dict[str, Any]:
    return {"type": "init", "timestamp": clock(0), "session_id": session, "model": "gemini-2.5-flash"}


def event(role: str, part: Part) -> dict[str, Any]:
    if isinstance(part, Call):
        return {"type": "tool_use", "tool_name": part.name, "tool_id": part.id, "parameters": part.input}
    if isinstance(part, Result):
        told: dict[str, Any] = {"status": "success", "output": part.text}
        if part.error:
            told |= {"status": "error", "error": {"type": "TOOL_EXECUTION_ERROR", "message": part.text}}
        return {"type": "tool_result", "tool_id": part.id, **told}
    if isinstance(part, Text):
        delta = {"delta": True} if role == "assistant" else {}
        return {"type": "message", "role": role, "content": part.text, **delta}
    raise NotExpressible(f"{part} in a stream")


def events(history: History) -> list[dict[str, Any]]:
    """The events without the end of the run."""
    found = [init()]
    for turn in history:
        if turn.role == "developer":
            raise NotExpressible("a developer message")
        found += [event(turn.role, part) for part in turn.parts]
    return [{"type": each["type"], "timestamp": clock(number)} | each for number, each in enumerate(found)]


def load(path: Path) -> History:
    history: History = []
    for row in map(json.loads, path.read_bytes().splitlines()):
        part: Part
        role = "user"
        if row["type"] == "message":
            part, role = Text(row["content"]), row["role"]
        elif row["type"] == "tool_use":
            part, role = Call(row["tool_id"], row["tool_name"], row["parameters"]), "assistant"
        elif row["type"] == "tool_result":
            part = Result(row["tool_id"], row["output"], row["status"] == "error")
        else:
            continue
        if history and history[-1].role == role and type(part) in map(type, (*history[-1].parts, Call("", ""))):
            history[-1] = Turn(role, (*history[-1].parts, part))
        else:
            history.append(Turn(role, (part,)))
    return history


FORMAT = WrittenFormat(
    "gemini-stream",
    file_writer("stream.jsonl", lambda history: lines([*events(history), END | {"timestamp": clock(99)}])),
    load,
    openai_error,
    cannot=NO_DEVELOPER | NO_THINKING | NO_BLANKS,
    provider="gemini",
    written_back=False,
    is_message=lambda value: value.get("type") in ("message", "tool_use", "tool_result"),
    says=("content", "tool_name", "tool_id", "parameters", "output", "status", "type"),
)
