"""Model messages of the AI SDK, read as `convertToLanguageModelPrompt` (`ai` 7.0.173) reads them.

Neighbouring tool messages are one, an empty text is left out, and so is what is no part of the prompt.
"""

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from tests.core.formats.written import NO_BLANKS, NO_THINKING, WrittenFormat, file_writer
from tests.support.judges import JUDGES
from tests.support.notation import TOOL, Call, History, NotExpressible, Odd, Part, Result, Text, Turn

Message = dict[str, Any]
ROLES = {"developer": "system", "system": "developer"}
_FAILED = ("error-text", "error-json", "execution-denied")


def messages(history: History) -> list[Message]:
    names = {call.id: call.name for turn in history for call in turn.of(Call)}
    made: list[Message] = []
    for turn in history:
        for is_result, parts in groupby(turn.parts, lambda part: isinstance(part, Result)):
            role = "tool" if is_result else ROLES.get(turn.role, turn.role)
            content: Any = [_part(part, names) for part in parts]
            made.append({"role": role, "content": content[0]["text"] if role == "system" else content})
            made[-1]["providerOptions"] = {"app": {"time": 1764579600000 + len(made)}}
    return made


def _part(part: Part, names: dict[str, str]) -> Message:
    if isinstance(part, Call):
        return {"type": "tool-call", "toolCallId": part.id, "toolName": part.name, "input": part.input}
    if isinstance(part, Result):
        output = {"type": "error-text" if part.error else "text", "value": part.text}
        name = names.get(part.id, TOOL)
        return {"type": "tool-result", "toolCallId": part.id, "toolName": name, "output": output}
    if not isinstance(part, Text):
        raise NotExpressible(str(part))
    return {"type": "text", "text": part.text}


def render(history: History) -> bytes:
    return json.dumps({"messages": messages(history)}, ensure_ascii=False, indent=2).encode() + b"\n"


def load(path: Path) -> History:
    turns: History = []
    for message in json.loads(path.read_bytes())["messages"]:
        role, content = message["role"], message["content"]
        parts = (Text(content),) if isinstance(content, str) else tuple(_parts(content, role))
        if role == "assistant" and not parts:
            parts = (Text(""),)  # which OpenAI takes
        if role == "tool" and turns and turns[-1].role == "tool":
            turns[-1] = Turn(role, turns[-1].parts + parts)
        elif parts or role != "tool":
            turns.append(Turn(role, parts))
    return [Turn("user" if turn.role == "tool" else ROLES.get(turn.role, turn.role), turn.parts) for turn in turns]


def _parts(content: list[Message], role: str) -> Iterator[Part]:
    """The parts; the results in messages of the assistant are those of the provider, and OpenAI Chat gets none."""
    own = {part.get("toolCallId") for part in content if part.get("type") == "tool-call"}
    for part in content:
        if role == "assistant" and part.get("type") == "tool-result" and part.get("toolCallId") not in own:
            continue
        match part:
            case {"type": "tool-call", "toolCallId": str(id_), "toolName": str(name), "input": value}:
                yield Call(id_, name, value)
            case {"type": "tool-result", "toolCallId": str(id_), "output": {"type": kind, "value": str(text)}}:
                yield Result(id_, text, kind in _FAILED)
            case {"type": "text", "text": str(text)}:
                yield from [Text(text)] if text else []
            case {"type": "file" | "image"}:
                yield Text(f"[{part['type']}]")
            case _:
                yield Odd(str(part))


FORMAT = WrittenFormat(
    "ai-sdk",
    file_writer("messages.json", render),
    load,
    JUDGES["openai"][0],
    provider="openai-chat",
    also=("keeps-inputs",),
    cannot=NO_BLANKS | NO_THINKING,
)
