"""Gemini CLI: written as `ChatRecordingService` appends, loaded as `loadConversationRecord` and
`convertSessionToClientHistory` of @google/gemini-cli-core 0.61.0 do it.

What the program does before it sends is done here, too: thoughts are stripped, and neighbouring turns of the model are
joined. A response that stands in its call and in a message of its own is one response, written twice by the program.
A text beside responses is no error: `coalesceConsecutiveRoles` (core/geminiChat.ts) joins a turn of responses with the
prompt behind it, and `convertToFunctionResponse` (utils/generateContentResponseUtilities.ts) writes files there.
"""

import json
from functools import partial
from pathlib import Path
from typing import Any

from tests.core.formats import gemini_contents
from tests.core.formats.written import (
    NO_BLANKS,
    NO_DEVELOPER,
    NO_IDS,
    NO_THINKING,
    RESULTS_FIRST,
    RESULTS_IN_CALLS,
    WrittenFormat,
    file_writer,
)
from tests.support.notation import Call, History, NotExpressible, Result, Text, clock, lines, uuid

SESSION = "5f0c2f6e-7a51-4c1e-9f43-0d2a8b6f1c11"
METADATA = {"sessionId": SESSION, "projectHash": "0" * 64, "startTime": clock(0), "lastUpdated": clock(0)}
NAME = f"session-2026-01-01T00-00-{SESSION[:8]}.jsonl"
IGNORED = ("/", "?", "<session_context>", "<hook_context>")


def response(part: Result, name: str) -> dict[str, Any]:
    value = {"error" if part.error else "output": part.text}
    return {"functionResponse": {"id": part.id, "name": name, "response": value}}


def messages(history: History) -> list[dict[str, Any]]:
    """The messages as they are at the end. A result right behind its call stands in the call, others by themselves."""
    made: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    fresh: list[dict[str, Any]] = []
    for turn in history:
        if turn.role == "developer":
            raise NotExpressible("a developer message")
        texts = "".join(part.text for part in turn.of(Text))
        if turn.role == "assistant":
            message = {"id": uuid(len(made) + 1), "timestamp": clock(len(made)), "type": "gemini", "content": texts}
            made.append(message | {"thoughts": [], "model": "gemini-3-pro"})
            entries = [entry(call, clock(len(made))) for call in turn.of(Call)]
            names |= {each["id"]: each["name"] for each in entries}
            fresh = list(entries)
            if entries:
                made[-1]["toolCalls"] = entries
            continue
        apart = []
        for part in turn.of(Result):
            given = response(part, names.get(part.id, "Read"))
            if asked := next((each for each in fresh if each["id"] == part.id), None):
                asked |= {"result": [given], "status": "error" if part.error else "success"}
                fresh.remove(asked)
            else:
                apart.append(given)
        parts = apart + [{"text": part.text} for part in turn.of(Text)]
        if parts:
            head = {"id": uuid(len(made) + 1), "timestamp": clock(len(made)), "type": "user"}
            made.append(head | {"content": parts})
            fresh = []
    return made


def entry(call: Call, when: str) -> dict[str, Any]:
    return {"id": call.id, "name": call.name, "args": call.input, "status": "executing", "timestamp": when}


def records(history: History) -> list[dict[str, Any]]:
    """The lines: a message of the model comes without its calls first, and again when they are done."""
    found: list[dict[str, Any]] = [METADATA | {"kind": "main"}]
    for message in messages(history):
        if "toolCalls" in message:
            found.append({key: value for key, value in message.items() if key != "toolCalls"})
        found += [message, {"$set": {"lastUpdated": message["timestamp"]}}]
    return found


def document(history: History) -> bytes:
    """The chat as older versions wrote it."""
    return json.dumps(METADATA | {"messages": messages(history)}, indent=2, ensure_ascii=False).encode()


def load(path: Path) -> History:
    return sent(converted(folded(path.read_bytes())))


def folded(data: bytes) -> list[dict[str, Any]]:
    """`loadConversationRecord`."""
    metadata: dict[str, Any] = {}
    kept: dict[str, dict[str, Any]] = {}
    for line in data.split(b"\n"):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if not isinstance(record, dict):
            continue
        if isinstance(target := record.get("$rewindTo"), str):
            ids = list(kept)
            for gone in ids[ids.index(target) :] if target in kept else ids:
                del kept[gone]
        elif isinstance(record.get("id"), str):
            kept[record["id"]] = record
        elif isinstance(changes := record.get("$set"), dict):
            if isinstance(changes.get("messages"), list):
                kept = {each["id"]: each for each in changes["messages"] if isinstance(each.get("id"), str)}
            metadata |= changes
        elif "sessionId" in record and "projectHash" in record:
            metadata |= record
            kept |= {each["id"]: each for each in record.get("messages", []) if isinstance(each.get("id"), str)}
    if metadata.get("sessionId") and metadata.get("projectHash"):
        return list(kept.values())
    whole = json.loads(data)
    assert "sessionId" in whole
    return list(whole["messages"])


def parts_of(content: Any) -> list[dict[str, Any]]:
    listed = content if isinstance(content, list) else [content] if content else []
    return [{"text": part} if isinstance(part, str) else part for part in listed]


def said(part: dict[str, Any]) -> str:
    return f"[{part}]" if {"functionCall", "functionResponse", "thought"} & part.keys() else str(part.get("text", ""))


def converted(loaded: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """`convertSessionToClientHistory`, without the thoughts, which are not sent: role and parts of each turn."""
    turns: list[tuple[str, list[dict[str, Any]]]] = []
    for message in loaded:
        parts = parts_of(message.get("content"))
        if message["type"] == "user":
            words = "".join(map(said, parts)).strip()
            if words and not words.startswith(IGNORED):
                turns.append(("user", parts))
        elif message["type"] == "gemini":
            calls = message.get("toolCalls") or []
            if not any("functionCall" in part or part.get("thought") for part in parts):
                keys = ("id", "name", "args")
                parts = [*parts, *({"functionCall": {key: call.get(key) for key in keys}} for call in calls)]
            if parts:
                turns.append(("model", parts))
                answers = [part for call in calls if call.get("result") for part in parts_of(_result(call))]
                turns += [("user", answers)] if answers else []
    return [(role, [part for part in parts if not part.get("thought")]) for role, parts in turns]


def _result(call: dict[str, Any]) -> Any:
    """A text stands for the response of its call."""
    told = {"id": call.get("id"), "name": call.get("name"), "response": {"output": call["result"]}}
    return {"functionResponse": told} if isinstance(call["result"], str) else call["result"]


def sent(turns: list[tuple[str, list[dict[str, Any]]]]) -> History:
    """The request: neighbouring turns of the model joined, and each response once."""
    contents: list[dict[str, Any]] = []
    for role, parts in turns:
        previous: dict[str, Any] = contents[-1] if contents else {"role": "", "parts": []}
        parts = _once([part["functionResponse"].get("id") for part in previous["parts"] if _is_response(part)], parts)
        if parts and role == previous["role"] == "model":
            previous["parts"] += parts
        elif parts:
            contents.append({"role": role, "parts": parts})
    return gemini_contents.read(contents)


def _once(answered: list[Any], parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without the responses that were there: a checkpoint holds all of a turn in each of its calls.

    Two calls of one id have each their own, which are not the same.
    """
    kept: list[dict[str, Any]] = []
    told: list[dict[str, Any]] = []
    for part in parts:
        response = part["functionResponse"] if _is_response(part) else {}
        if response.get("id") is None or (response["id"] not in answered and response not in told):
            kept.append(part)
            told.append(response)
    return kept


def _is_response(part: dict[str, Any]) -> bool:
    return isinstance(part.get("functionResponse"), dict)


FORMAT = WrittenFormat(
    "gemini-cli",
    file_writer(NAME, lambda history: lines(records(history))),
    load,
    partial(gemini_contents.error, alone=False),
    cannot=NO_BLANKS
    | NO_DEVELOPER
    | NO_THINKING
    | RESULTS_FIRST
    | NO_IDS
    | RESULTS_IN_CALLS
    | dict.fromkeys(
        ("R5", "T19"), "a second copy of a result is how the program itself writes it: in the call, and as a message"
    ),
    provider="gemini",
    is_message=lambda value: value.get("type") in ("user", "gemini"),
)
