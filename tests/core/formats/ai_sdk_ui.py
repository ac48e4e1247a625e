"""UI messages of the AI SDK, read as `convertToModelMessages` (`ai` 7.0.173) reads them, with open calls left open.

A message is split where a step starts. An empty text is left out, and a call that has no result stays without one.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.core.formats.opencode import ONE_PART, outcomes_of
from tests.core.formats.written import NO_BLANKS, NO_THINKING, RESULTS_IN_CALLS, WrittenFormat, file_writer
from tests.support.judges import JUDGES
from tests.support.notation import Call, History, NotExpressible, Odd, Part, Result, Text, Thinking, Turn

Message = dict[str, Any]
STEP = {"type": "step-start"}
CANNOT = NO_BLANKS | NO_THINKING | RESULTS_IN_CALLS | {f"R{number}": ONE_PART for number in range(1, 10)}
_RESULTS = ("output-available", "output-error")


def message(number: int, role: str, parts: list[Message]) -> Message:
    return {"id": f"msg_{number}", "role": role, "parts": parts}


def messages(history: History) -> list[Message]:
    outcomes = outcomes_of(history)
    made: list[Message] = []
    for number, turn in enumerate(history):
        if turn.role == "assistant":
            parts = [_part(part, outcomes.get((number, place))) for place, part in enumerate(turn.parts)]
            made.append(message(len(made), "assistant", [STEP, *parts]))
        elif said := [_part(part) for part in turn.parts if not isinstance(part, Result)]:
            made.append(message(len(made), "system" if turn.role == "developer" else "user", said))
    return made


def _part(part: Part, outcome: Result | None = None) -> Message:
    if isinstance(part, Call):
        given = {"type": f"tool-{part.name}", "toolCallId": part.id, "input": part.input}
        if outcome is None:
            return given | {"state": "input-available"}
        if outcome.error:
            return given | {"state": "output-error", "errorText": outcome.text}
        return given | {"state": "output-available", "output": outcome.text}
    if not isinstance(part, Text):
        raise NotExpressible(str(part))
    return {"type": "text", "text": part.text}


def render(history: History) -> bytes:
    return json.dumps({"id": "chat", "messages": messages(history)}, ensure_ascii=False, indent=2).encode() + b"\n"


def load(path: Path) -> History:
    turns: History = []
    for each in json.loads(path.read_bytes())["messages"]:
        if each["role"] == "assistant":
            turns += _steps(each["parts"])
        elif each["role"] == "system":
            words = "".join(part["text"] for part in each["parts"] if part["type"] == "text")
            turns.append(Turn("developer", (Text(words),)))
        else:
            turns.append(Turn("user", tuple(part for part in map(_said, each["parts"]) if part is not None)))
    return turns


def _steps(parts: list[Message]) -> Iterator[Turn]:
    said: list[Part] = []
    results: list[Part] = []
    for part in (*parts, STEP):
        if part["type"] == "step-start":
            yield from [Turn("assistant", tuple(said))] if said else []
            yield from [Turn("user", tuple(results))] if results else []
            said, results = [], []
        elif part["type"].startswith("tool-"):
            said.append(Call(part["toolCallId"], part["type"].removeprefix("tool-"), part.get("input")))
            if part.get("state") in _RESULTS:
                told = part["errorText"] if part["state"] == "output-error" else part["output"]
                words = told if isinstance(told, str) else json.dumps(told, ensure_ascii=False, separators=(",", ":"))
                results.append(Result(part["toolCallId"], words, part["state"] == "output-error"))
        elif (other := _said(part)) is not None:
            said.append(other)


def _said(part: Message) -> Part | None:
    match part:
        case {"type": "text", "text": ""}:
            return None
        case {"type": "text", "text": str(text)}:
            return Text(text)
        case {"type": "file", "mediaType": str(kind)}:
            return Text(f"[{kind}]")
        case {"type": "reasoning", "text": str(text)}:
            return Thinking(text)
    return Odd(str(part))


FORMAT = WrittenFormat(
    "ai-sdk-ui",
    file_writer("chat.json", render),
    load,
    JUDGES["openai"][0],
    provider="openai-chat",
    also=("keeps-inputs",),
    cannot=CANNOT,
)
