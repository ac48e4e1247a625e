"""pi: written as `SessionManager` of pi-coding-agent 0.73.1 appends, loaded as its `buildSessionContext` does it.

What pi mends before it sends is not done here: the judge is to see the history as it stands.
"""

import json
from pathlib import Path
from typing import Any

from tests.core.formats.written import NO_DEVELOPER, WrittenFormat, file_writer, tear_file
from tests.support.judges import openai_error
from tests.support.notation import Call, History, NotExpressible, Odd, Part, Result, Text, Thinking, Turn, clock, lines
from tests.system.corpus.otherwise import OfFormat

SESSION = "01a20369-6b66-727e-acc6-9d4942e186e3"
NAME = f"2026-01-01T00-00-00-000Z_{SESSION}.jsonl"
MODEL = {"api": "openai-completions", "provider": "fake", "model": "fake-1"}
HEADER = {"type": "session", "version": 3, "id": SESSION, "timestamp": clock(0), "cwd": "/w"}


def messages(history: History) -> list[dict[str, Any]]:
    """pi's messages: every result is one of its own."""
    made: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    for turn in history:
        if turn.role == "developer":
            raise NotExpressible("a developer message")
        names |= {call.id: call.name for call in turn.of(Call)}
        if turn.role == "assistant":
            reason = "toolUse" if turn.of(Call) else "stop"
            made.append({"role": "assistant", "content": [_block(part) for part in turn.parts], **MODEL})
            made[-1] |= {"usage": {"input": 100, "output": 20}, "stopReason": reason, "timestamp": 1}
            continue
        for part in turn.parts:
            if isinstance(part, Result):
                told = {"role": "toolResult", "toolCallId": part.id, "toolName": names.get(part.id, "Read")}
                made.append({**told, "content": [_block(Text(part.text))], "isError": part.error, "timestamp": 1})
            else:
                made.append({"role": "user", "content": [_block(part)], "timestamp": 1})
    return made


def _block(part: Part) -> dict[str, Any]:
    match part:
        case Call(id, name, input):
            return {"type": "toolCall", "id": id, "name": name, "arguments": input}
        case Thinking(text):
            return {"type": "thinking", "thinking": text, "thinkingSignature": "reasoning_content"}
        case Text(text):
            return {"type": "text", "text": text}
    raise NotExpressible(str(part))


def entry(number: int, parent: int | None, kind: str, **more: Any) -> dict[str, Any]:
    """An entry with a readable id that hangs off another."""
    linked = {"id": f"{number:08x}", "parentId": None if parent is None else f"{parent:08x}"}
    return {"type": kind, **linked, "timestamp": clock(number), **more}


def records(history: History) -> list[dict[str, Any]]:
    """The lines: the header, what pi notes before the first prompt, then the messages, linked one to the next."""
    made = [HEADER, entry(1, None, "model_change", provider="fake", modelId="fake-1")]
    made.append(entry(2, 1, "thinking_level_change", thinkingLevel="off"))
    for number, message in enumerate(messages(history), 3):
        made.append(entry(number, number - 1, "message", message=message))
    return made


def load(path: Path) -> History:
    return read(context(path.read_bytes()))


def context(data: bytes) -> list[dict[str, Any]]:
    """`loadEntriesFromFile`, `_buildIndex` and `buildSessionContext`."""
    found = []
    for line in data.split(b"\n"):
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    if not found or found[0].get("type") != "session" or not isinstance(found[0].get("id"), str):
        raise ValueError("Session file is not a valid pi session")
    version = found[0].get("version")
    if (1 if version is None else version) < 2:
        _migrate(found)
    entries = [each for each in found if each["type"] != "session"]
    by_id = {each.get("id"): each for each in entries}
    path: list[dict[str, Any]] = []
    at = by_id.get(entries[-1].get("id")) if entries else None
    while at is not None:
        if at in path:
            raise RecursionError("the walk does not end")
        path.insert(0, at)
        at = by_id.get(at["parentId"]) if at.get("parentId") else None
    return _from_compaction(path)


def _migrate(found: list[dict[str, Any]]) -> None:
    """`migrateV1ToV2`: all entries are linked, one to the next."""
    before = None
    for number, each in enumerate(found[1:], 1):
        each["id"], each["parentId"] = f"v1-{number}", before
        before = each["id"]
    for each in found[1:]:
        if each["type"] == "compaction" and each.get("firstKeptEntryIndex"):
            each["firstKeptEntryId"] = found[each["firstKeptEntryIndex"]]["id"]


def _from_compaction(path: list[dict[str, Any]]) -> list[dict[str, Any]]:
    newest = max((at for at, each in enumerate(path) if each["type"] == "compaction"), default=-1)
    if newest < 0:
        return _projected(path)
    named = [each["id"] for each in path[:newest]]
    first = path[newest].get("firstKeptEntryId")
    kept = path[named.index(first) : newest] if first in named else []
    summary = {**path[newest], "type": "branch_summary"}
    return _projected([summary, *(each for each in kept if each["type"] != "compaction"), *path[newest + 1 :]])


def _projected(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """`buildSessionProjection` of 0.87: the newest edit of an entry can leave it out."""
    edits = {each["targetId"]: each["replacement"] for each in entries if each["type"] == "context_edit"}
    return [message for each in entries if edits.get(each.get("id"), "as it is") for message in _message(each)]


def _message(each: dict[str, Any]) -> list[dict[str, Any]]:
    """`appendMessage`, and of `convertToLlm` what is left out of every request; so are answers that failed."""
    if each["type"] == "custom_message":
        return [{"role": "user", "content": each["content"]}]
    if each["type"] == "branch_summary" and each["summary"]:
        return [{"role": "user", "content": each["summary"]}]
    if each["type"] != "message" or each["message"].get("excludeFromContext"):
        return []
    message = each["message"]
    if message["role"] == "bashExecution":
        return [{"role": "user", "content": f"{message['command']} {message['output']}"}]
    stopped = message["role"] == "assistant" and message.get("stopReason") in ("error", "aborted")
    known = message["role"] in ("user", "custom", "assistant", "toolResult")
    return [message] if known and not stopped else []


def read(found: list[dict[str, Any]]) -> History:
    history: History = []
    for message in found:
        content = message["content"]
        if message["role"] == "toolResult":
            text = content if isinstance(content, str) else "\n".join(part["text"] for part in content)
            result = Result(message["toolCallId"], text, message.get("isError", False))
            if history and history[-1].role == "user" and history[-1].of(Result) and not history[-1].of(Text):
                history[-1] = Turn("user", (*history[-1].parts, result))
            else:
                history.append(Turn("user", (result,)))
            continue
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        role = "assistant" if message["role"] == "assistant" else "user"
        if blocks:  # `convertMessages` of 0.73.1 leaves out a message whose list is empty
            history.append(Turn(role, tuple(map(_part, blocks))))
    return history


def _part(block: dict[str, Any]) -> Part:
    match block:
        case {"type": "toolCall", "name": name, "arguments": arguments}:
            return Call(block.get("id", ""), name, arguments)
        case {"type": "thinking", "thinking": text}:
            return Thinking(text)
        case {"type": "text", "text": str(text)}:
            return Text(text)
    return Odd(str(block))


FORMAT = WrittenFormat(
    "pi",
    file_writer(NAME, lambda history: lines(records(history))),
    load,
    openai_error,
    cannot=NO_DEVELOPER,
    tear=tear_file,
    provider="openai-chat",
    also=("keeps-inputs",),
    bookkeeping=("api",),
)
CORPUS = OfFormat(
    folders=("pi",),
    elsewhere=("agentsview-mixed/*agentsview__session.jsonl", "cass-mixed/*--test-project--*.jsonl"),
    broken={
        "agentsview-mixed/*agentsview__session.jsonl": "F6",
        "pi/*openclaw.[!l]*.jsonl": "G1 R12",  # made up: results hang off the ids of calls, which are no entries
        "pi/*pi.cleanup.jsonl": "F6 R1",
        "pi/*sample_pi_session.jsonl": "D1",
    },
)
