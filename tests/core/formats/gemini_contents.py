"""Gemini contents: as google-genai types them, judged as the API answers in public reports.

The judge counts as the API does (gemini-cli#16415, eino-ext#571): as many responses as calls, in the very next content;
a call turn follows a user or response turn (gemini-cli#11814);
by id where both sides have one (CLIProxyAPI#5199), else name by name (gemini-cli#6974).
"""

import json
from itertools import groupby
from pathlib import Path
from typing import Any

from tests.core.formats.written import NO_DEVELOPER, NO_IDS, WrittenFormat, file_writer
from tests.support.notation import Call, History, NotExpressible, Odd, Part, Result, Text, Thinking, Turn


def contents(history: History, *, ids: bool = True, snake: bool = False) -> list[dict[str, Any]]:
    """The history as contents; without `ids`, calls and responses are bound by name and order alone.

    Responses stand in a content by themselves: with a text beside them the API refuses them (vellum-assistant#39495).
    """
    if any(turn.role == "developer" for turn in history):
        raise NotExpressible("a developer message")
    names = {call.id: call.name for turn in history for call in turn.of(Call)}
    call_key, response_key = ("function_call", "function_response") if snake else ("functionCall", "functionResponse")

    def made(part: Part) -> dict[str, Any]:
        if isinstance(part, Call):
            return {call_key: ({"id": part.id} if ids else {}) | {"name": part.name, "args": part.input}}
        if isinstance(part, Result):
            name = names.get(part.id, part.id)
            value = {"error" if part.error else "output": part.text}
            return {response_key: ({"id": part.id} if ids else {}) | {"name": name, "response": value}}
        assert isinstance(part, Text | Thinking)
        return {"text": part.text} | ({"thought": True} if isinstance(part, Thinking) else {})

    roles = {"assistant": "model", "user": "user"}
    apart = [Turn(turn.role, tuple(group)) for turn in history for _, group in groupby(turn.parts, _is_result)]
    return [{"role": roles[turn.role], "parts": [made(part) for part in turn.parts]} for turn in apart]


def _is_result(part: Part) -> bool:
    return isinstance(part, Result)


def render(history: History) -> bytes:
    document = {"contents": contents(history), "generationConfig": {"temperature": 0.1}}
    return json.dumps(document, ensure_ascii=False, indent=2).encode() + b"\n"


def load(path: Path) -> History:
    return read(json.loads(path.read_bytes())["contents"])


def read(found: list[dict[str, Any]]) -> History:
    roles = {"model": "assistant", "user": "user"}
    return [Turn(roles[content["role"]], tuple(_part(part) for part in content["parts"])) for content in found]


def _part(part: dict[str, Any]) -> Part:
    match part:
        case {"functionCall": {"name": name, "args": dict() | None as args, **more}}:
            return Call(str(more.get("id") or ""), name, args)
        case {"functionResponse": {"name": str(name), "response": dict(response), **more}} if len(response) == 1:
            ((kind, text),) = response.items()
            return Result(str(more.get("id") or f"name:{name}"), text, kind == "error")
        case {"functionResponse": {"name": str(name), "response": response, **more}} if response == {}:
            return Result(str(more.get("id") or f"name:{name}"), "")
        case {"text": str(text)}:
            return Thinking(text) if part.get("thought") else Text(text)
    return Odd(str(part))


def error(history: History, alone: bool = True) -> str | None:
    """What the API says of contents; with `alone`, nothing stands beside responses."""
    before: Turn | None = None
    for number, turn in enumerate(history):
        if turn.of(Odd) or not turn.parts:
            return f"contents[{number}]: {turn.of(Odd) or 'contents.parts must not be empty'}"
        calls, results = turn.of(Call), turn.of(Result)
        if (calls and turn.role != "assistant") or (results and turn.role != "user"):
            return f"contents[{number}]: a call or response in the wrong role"
        if calls and (before is None or before.role != "user"):
            return f"contents[{number}]: function call turn comes immediately after a user turn or a response turn"
        asked = before.of(Call) if before else []
        if results and not asked:
            return f"contents[{number}]: function response turn comes immediately after a function call turn"
        if len(asked) != len(results):
            return f"contents[{number}]: {len(results)} function response parts, {len(asked)} function call parts"
        if alone and len(results) not in (0, len(turn.parts)):
            return f"contents[{number}]: other parts stand beside the responses"
        open_calls = list(asked)
        for result in sorted(results, key=lambda each: each.id.startswith("name:")):  # those with an id know their call
            answered = [call for call in open_calls if not call.id or result.id in (call.id, f"name:{call.name}")]
            if not answered:
                return f"contents[{number}]: a response to {result.id} where {open_calls} were asked"
            open_calls.remove(min(answered, key=lambda call: call.id != result.id))
        before = turn
    return f"contents[{len(history)}]: no function response parts" if before and before.of(Call) else None


FORMAT = WrittenFormat(
    "gemini-contents",
    file_writer("contents.json", render),
    load,
    error,
    provider="gemini",
    cannot=NO_DEVELOPER | NO_IDS,
)
