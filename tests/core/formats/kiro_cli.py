"""Kiro CLI, engines v1 and v2: the lines that it writes, and what it makes of them when the session is resumed.

The folds follow aws/amazon-q-developer-cli, crates/agent/src/agent: `event_log.rs` at 052219486d4c (`apply`), and
`enforce_conversation_invariants` and `detect_invariant_violations` of `mod.rs` at eeb60e98df72. The program itself was
not run.
"""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.core.formats import bedrock_converse
from tests.core.formats.written import NO_DEVELOPER, WrittenFormat, file_writer
from tests.support.notation import Call, History, NotExpressible, Part, Result, Text, Thinking, Turn
from tests.system.corpus.otherwise import OfFormat

SESSION = "0b5c8a6e-3f0d-4c57-9d7e-61f9d0a3c2b4"
PROMPT = Text("Go on.")
CANCELLED = "Tool use was cancelled by the user"
Json = dict[str, Any]


def block(part: Part) -> Json:
    match part:
        case Call():
            return {"kind": "toolUse", "data": {"toolUseId": part.id, "name": part.name, "input": part.input}}
        case Result():
            content = [{"kind": "text", "data": part.text}]
            status = "error" if part.error else "success"
            return {"kind": "toolResult", "data": {"toolUseId": part.id, "content": content, "status": status}}
        case Thinking():
            return {"kind": "thinking", "data": {"text": part.text, "signature": "c2ln"}}
        case Text():
            return {"kind": "text", "data": part.text}
    raise NotExpressible(str(part))


def part_of(block: Json) -> Part:
    match block:
        case {"kind": "toolUse", "data": {"toolUseId": id_, "name": name, "input": value}}:
            return Call(id_, name, value)
        case {"kind": "toolResult", "data": {"toolUseId": id_, "content": content, "status": status}}:
            return Result(id_, "\n".join(str(part["data"]) for part in content), status == "error")
        case {"kind": "thinking", "data": {"text": text}}:
            return Thinking(text)
        case {"kind": "text", "data": text}:
            return Text(text)
    return Text(f"[{block['kind']}]")


def entry(kind: str, data: Json | None = None) -> Json:
    return {"version": "v1", "kind": kind, **({} if data is None else {"data": data})}


def entry_of(turn: Turn, number: int) -> Json:
    data: Json = {
        "message_id": f"00000000-0000-4000-8000-{number:012}",
        "content": [block(part) for part in turn.parts],
    }
    if turn.role == "assistant":
        return entry("AssistantMessage", data)
    if turn.role != "user":
        raise NotExpressible(f"a message of the {turn.role}")
    if not (results := turn.of(Result)):
        return entry("Prompt", {**data, "meta": {"timestamp": 1785399519 + number}})
    returned = {
        result.id: {"tool": None, "result": {"Success": {"items": [{"Text": result.text}]}}} for result in results
    }
    return entry("ToolResults", {**data, "results": returned})


def snapshot(history: History, summary: str = "So far: nothing.") -> Json:
    messages = [
        {"id": None, "role": turn.role, "content": [block(part) for part in turn.parts], "timestamp": None}
        for turn in history
    ]
    strategy = {"messages_to_exclude": 0, "truncate_large_messages": False, "max_message_length": 25000}
    return entry("Compaction", {"summary": summary, "strategy": strategy, "messages_snapshot": messages})


def render(history: History) -> bytes:
    entries = [entry_of(turn, number) for number, turn in enumerate(history)]
    return b"".join(json.dumps(each, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for each in entries)


def derived(entries: list[Json]) -> History:
    """The messages after these entries (`derive_messages_up_to`)."""
    history: History = []
    for each in entries:
        data = each.get("data", {})
        match each["kind"]:
            case "Compaction":
                history = [_turn(message["role"], message["content"]) for message in data["messages_snapshot"]]
            case "ResetTo":
                history = derived(entries[: data["target_index"]])
            case "Clear":
                history = []
            case "CancelledPrompt":
                if history and history[-1].role == "user":
                    history.pop()
            case kind:
                history.append(_turn("assistant" if kind == "AssistantMessage" else "user", data["content"]))
    return history


def _turn(role: str, content: list[Json]) -> Turn:
    return Turn(role, tuple(map(part_of, content)))


def load(path: Path) -> History:
    return derived([json.loads(line) for line in path.read_text("utf-8").splitlines()])


def sent(history: History) -> History:
    """What is sent with the next prompt (`enforce_conversation_invariants`), with the results in front."""
    turns = [*history, Turn("user", (PROMPT,))]
    before = [Turn("assistant", ()), *turns]
    made = [_answering(before[n].of(Call), turn) if n % 2 == 0 else turn for n, turn in enumerate(turns)]
    return [
        Turn(turn.role, (*turn.of(Result), *(part for part in turn.parts if not isinstance(part, Result))))
        for turn in made
    ]


def _answering(calls: list[Call], turn: Turn) -> Turn:
    ids, answered = {call.id for call in calls}, {result.id for result in turn.of(Result)}
    parts = (Text(part.text) if isinstance(part, Result) and part.id not in ids else part for part in turn.parts)
    missing = (Result(call.id, CANCELLED, error=True) for call in calls if call.id not in answered)
    return Turn(turn.role, (*parts, *missing))


def stop(turns: History) -> str | None:
    """Why Kiro sends nothing (`detect_invariant_violations`)."""
    if turns[0].role != "user" or any(before.role == after.role for before, after in pairwise(turns)):
        return "invalid conversation history received"
    return None


def outcome(history: History) -> str:
    """What becomes of a session: `as-is`, `mends` or `refuses`."""
    turns = sent(history)
    if stop(turns) or bedrock_converse.error(turns):
        return "refuses"
    return "as-is" if turns == [*history, Turn("user", (PROMPT,))] else "mends"


def error(history: History) -> str | None:
    return None if (found := outcome(history)) == "as-is" else found


FORMAT = WrittenFormat(
    "kiro-cli",
    file_writer(f"{SESSION}.jsonl", render),
    load,
    error,
    cannot=NO_DEVELOPER,
    provider="bedrock-converse",
    written_back=False,
    is_message=lambda value: "message_id" in value,
)
CORPUS = OfFormat(folders=(), elsewhere=(), broken={})
