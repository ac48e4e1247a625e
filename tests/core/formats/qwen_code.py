"""Qwen Code: written as `ChatRecordingService` appends, loaded as `prepareTranscriptRecords` and
`SessionApiHistoryAccumulator` of @qwen-code/qwen-code 0.24.4 do it.

What the program mends before it sends is not done here: the judge is to see the history as it stands. Neighbouring
contents of the user are joined, as `extractCuratedHistory` does it.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.core.formats.written import NO_DEVELOPER, WrittenFormat, file_writer, tear_file
from tests.support.judges import openai_error
from tests.support.notation import (
    Call,
    History,
    NotExpressible,
    Odd,
    Part,
    Result,
    Text,
    Thinking,
    Turn,
    clock,
    lines,
    uuid,
)

SESSION = "7d1f4a52-0c8e-4b36-9a7d-3e5f60718293"
NAME = f"{SESSION}.jsonl"
ASIDE = ("session_artifact_event", "session_artifact_snapshot", "session_sources_snapshot")
_PROVENANCE = {"user": "real_user", "assistant": "assistant_output", "tool_result": "tool_result", "system": "system"}


def contents(history: History) -> Iterator[tuple[str, dict[str, Any]]]:
    """The type of each record with its message: every result is a record of its own."""
    names: dict[str, str] = {}
    for turn in history:
        if turn.role == "developer":
            raise NotExpressible("a developer message")
        names |= {call.id: call.name for call in turn.of(Call)}
        if turn.role == "assistant":
            yield "assistant", {"role": "model", "parts": [part_of(part, names) for part in turn.parts]}
            continue
        for part in turn.parts:
            kind = "tool_result" if isinstance(part, Result) else "user"
            yield kind, {"role": "user", "parts": [part_of(part, names)]}


def part_of(part: Part, names: dict[str, str]) -> dict[str, Any]:
    if isinstance(part, Call):
        return {"functionCall": {"id": part.id, "name": part.name, "args": part.input}}
    if isinstance(part, Result):
        value = {"error" if part.error else "output": part.text}
        return {"functionResponse": {"id": part.id, "name": names.get(part.id, "Read"), "response": value}}
    assert isinstance(part, Text | Thinking)
    return {"text": part.text} | ({"thought": True} if isinstance(part, Thinking) else {})


def records(history: History) -> list[dict[str, Any]]:
    """The lines, linked one to the next; what was counted stands in the chain like all else."""
    made: list[dict[str, Any]] = []

    def add(kind: str, **more: Any) -> None:
        head = {"uuid": uuid(len(made) + 1), "parentUuid": made[-1]["uuid"] if made else None, "sessionId": SESSION}
        told = {"timestamp": clock(len(made)), "type": kind, "provenance": _PROVENANCE[kind]}
        made.append(head | told | {"cwd": "/w", "version": "0.24.4"} | more)

    for kind, message in contents(history):
        more: dict[str, Any] = {}
        if kind == "assistant":
            event = {"event.name": "qwen-code.api_response", "model": "fake-1", "status_code": 200}
            add("system", subtype="ui_telemetry", systemPayload={"uiEvent": event})
            more = {"model": "fake-1", "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 20}}
        elif kind == "tool_result":
            response = message["parts"][0]["functionResponse"]
            status = "error" if "error" in response["response"] else "success"
            more = {"toolCallResult": {"callId": response["id"], "status": status}}
        add(kind, message=message, **more)
    return made


def load(path: Path) -> History:
    return read(api_history(prepared(path.read_bytes())))


def prepared(data: bytes) -> list[dict[str, Any]]:
    """`prepareTranscriptRecords`: the chain from the last record, fragments of one id joined at the first of them."""
    found = [record for line in data.split(b"\n") for record in _records_in(line)]
    if len({record["sessionId"] for record in found}) > 1:
        raise ValueError("mixed_session_ids")
    found = [record for record in found if not (record["type"] == "system" and record.get("subtype") in ASIDE)]
    fragments: dict[str, list[dict[str, Any]]] = {}
    for record in found:
        fragments.setdefault(record["uuid"], []).append(record)
    chain: list[str] = []
    at = found[-1]["uuid"] if found else None
    while at in fragments and at not in chain:
        chain.append(at)
        at = fragments[at][0]["parentUuid"]
    return [joined(fragments[each]) for each in reversed(chain)]


def _records_in(line: bytes) -> list[dict[str, Any]]:
    """`parseLineTolerant` for what is no damage of a test, and `validateTranscriptRecord`."""
    try:
        record = json.loads(line)
    except ValueError:
        return []
    if not isinstance(record, dict) or record.get("type") not in _PROVENANCE or "parentUuid" not in record:
        return []
    named = all(record.get(key) and isinstance(record[key], str) for key in ("uuid", "sessionId"))
    return [record] if named and isinstance(record["parentUuid"], str | None) else []


def joined(fragments: list[dict[str, Any]]) -> dict[str, Any]:
    """`aggregateTranscriptRecordFragments`."""
    first = dict(fragments[0])
    parts = [part for each in fragments for part in each.get("message", {}).get("parts", [])]
    return first | ({"message": first["message"] | {"parts": parts}} if "message" in first else {})


def api_history(chain: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """`SessionApiHistoryAccumulator`: a compression replaces everything before it."""
    history: list[dict[str, Any]] = []
    for record in chain:
        kept = record.get("systemPayload", {}).get("compressedHistory")
        if record["type"] == "system":
            history = list(kept) if record.get("subtype") == "chat_compression" and kept is not None else history
        elif "message" in record and record.get("subtype") != "realtime_message":
            history.append(record["message"])
    return history


def read(found: list[dict[str, Any]]) -> History:
    history: History = []
    for content in found:
        # Each converter puts the responses of a content before what else it says.
        parts = sorted(map(_part, content["parts"]), key=lambda part: not isinstance(part, Result))
        turn = Turn("assistant" if content["role"] == "model" else "user", tuple(parts))
        if history and turn.of(Result) and history[-1].role == "user" and history[-1].of(Result):
            history[-1] = Turn("user", history[-1].parts + turn.parts)
        elif turn.parts:  # 0.24.4 leaves out a content without parts
            history.append(turn)
    return history


def _part(part: dict[str, Any]) -> Part:
    match part:
        case {"functionCall": {"name": name, "args": args, **more}}:
            return Call(str(more.get("id", "")), name, args)
        case {"functionResponse": {"response": dict(response), **more}} if len(response) == 1:
            ((kind, text),) = response.items()
            return Result(str(more.get("id", "")), text, kind == "error")
        case {"text": str(text)}:
            return Thinking(text) if part.get("thought") else Text(text)
    return Odd(str(part))


FORMAT = WrittenFormat(
    "qwen-code",
    file_writer(NAME, lambda history: lines(records(history))),
    load,
    openai_error,
    cannot=NO_DEVELOPER,
    tear=tear_file,
    provider="openai-chat",
    also=("keeps-inputs",),
)
