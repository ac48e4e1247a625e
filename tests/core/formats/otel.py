"""A trace of OpenTelemetry: spans of a tool and of a request, whose messages are JSON in attributes.

Written as `ReadableSpan.to_json` of opentelemetry-sdk 1.45.2 gives the spans of pydantic-ai-slim 2.68.0. No program
loads them again: `load` gives what was sent and answered.
"""

import json
from pathlib import Path
from typing import Any

from tests.core.formats.written import NO_BLANKS, NO_DEVELOPER, NO_THINKING, WrittenFormat, file_writer
from tests.support.judges import openai_error
from tests.support.notation import Call, History, NotExpressible, Part, Result, Text, Turn, clock

TRACE, INPUT, OUTPUT = "0x" + "1" * 32, "gen_ai.input.messages", "gen_ai.output.messages"
Json = dict[str, Any]


def part_of(part: Part) -> Json:
    if isinstance(part, Call):
        return {"type": "tool_call", "id": part.id, "name": part.name, "arguments": part.input}
    if isinstance(part, Result):
        return {"type": "tool_call_response", "id": part.id, "name": "Read", "result": part.text}
    if isinstance(part, Text):
        return {"type": "text", "content": part.text}
    raise NotExpressible(f"{part} in a trace")


def messages(history: History) -> list[Json]:
    if any(turn.role == "developer" for turn in history):
        raise NotExpressible("a developer message")
    return [{"role": turn.role, "parts": [part_of(part) for part in turn.parts]} for turn in history]


def span(number: int, name: str, attributes: Json, trace: str = TRACE, status: str = "UNSET") -> Json:
    context = {"trace_id": trace, "span_id": f"0x{number:016}", "trace_state": "[]"}
    times = {"start_time": clock(number), "end_time": clock(number + 1)}
    head = {"name": name, "context": context, "kind": "SpanKind.CLIENT", "parent_id": None, **times}
    return head | {"status": {"status_code": status}, "attributes": attributes, "events": [], "links": []}


def chat(number: int, sent: list[Json], answer: list[Json], **more: Any) -> Json:
    held = {key: json.dumps(value) for key, value in ((INPUT, sent), (OUTPUT, answer)) if value}
    return span(
        number, "chat gpt-5", {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai"} | held, **more
    )


def request(history: History, number: int = 5, **more: Any) -> Json:
    """A span whose answer is the last message of a history, if it is the assistant's."""
    all_messages = messages(history)
    answered = len(all_messages) > 1 and all_messages[-1]["role"] == "assistant"
    split = len(all_messages) - answered
    return chat(number, all_messages[:split], all_messages[split:], **more)


def load(path: Path) -> History:
    attributes = json.loads(path.read_bytes())[-1]["attributes"]
    found = [*json.loads(attributes.get(INPUT, "[]")), *json.loads(attributes.get(OUTPUT, "[]"))]
    return [Turn(each["role"], tuple(map(_read, each["parts"]))) for each in found]


def _read(part: Json) -> Part:
    if part["type"] == "tool_call":
        return Call(part["id"], part["name"], part["arguments"])
    return Text(part["content"]) if part["type"] == "text" else Result(part["id"], part["result"])


FORMAT = WrittenFormat(
    "otel",
    file_writer("spans.json", lambda history: json.dumps([request(history)], indent=4).encode()),
    load,
    openai_error,
    cannot=NO_DEVELOPER | NO_THINKING | NO_BLANKS,
    provider="openai-chat",
    written_back=False,
)
