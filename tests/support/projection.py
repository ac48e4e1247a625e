"""The independent reader: what the agent or the provider would see of a log, told from its bytes with plain `json`.

Nothing of the product is used here: this is the judge that re-reads what the product wrote.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from tests.support.notation import (
    FORMATS,
    PLACEHOLDER_START,
    Call,
    History,
    Note,
    Odd,
    Part,
    Result,
    ServerCall,
    ServerResult,
    Text,
    Thinking,
    Turn,
    openai_messages,
    parse,
    show,
)

OTHERS_PLACEHOLDERS = ("aborted",)  # Codex's, the only one that the cases use
PARENT_GAP = 5.0  # seconds: how far back Claude Code looks when a parent is missing


def read(data: bytes, format_name: str) -> History:
    """The history that would be sent, adjacent user turns merged where the provider merges them."""
    return READERS[format_name](data)


def printed(data: bytes, format_name: str, notes: Sequence[Note] = ()) -> str:
    """The history in the notation; a user text that holds id and text of an expected note prints as that note."""
    return show(with_notes(read(data, format_name), notes))


def with_notes(history: History, notes: Sequence[Note]) -> History:
    open_notes = list(notes)

    def told(part: Part) -> Part:
        if isinstance(part, Text):
            for note in open_notes:
                if note.id in part.text and note.text in part.text and len(part.text) > len(note.text):
                    open_notes.remove(note)
                    return note
        return part

    return [turn if turn.role == "assistant" else replace(turn, parts=tuple(map(told, turn.parts))) for turn in history]


def notes_in(text: str) -> list[Note]:
    return [part for turn in parse(text) for part in turn.of(Note)]


def as_read(text: str, format_name: str) -> str:
    """The notation as the format's reader would print it: user turns merged, flags that it cannot hold left out."""
    history = [
        replace(turn, parts=tuple(Text(f"note: {p.id} {p.text}") if isinstance(p, Note) else p for p in turn.parts))
        for turn in parse(text)
    ]
    return printed(FORMATS[format_name].render(history), format_name, notes_in(text))


def texts(history: History) -> list[str]:
    """What was really said: texts and real results, placeholders not."""
    said = [p.text for turn in history for p in turn.parts if isinstance(p, Text | Result | Note)]
    return [text for text in said if not text.startswith(PLACEHOLDER_START) and text not in OTHERS_PLACEHOLDERS]


# --- blocks


def _blocks(content: Any) -> list[Part]:
    if isinstance(content, str):
        return [Text(content)]
    if not isinstance(content, list):
        return [Odd(f"content {content!r}")]
    return [_block(block) for block in content]


def _block(block: Any) -> Part:
    if not isinstance(block, dict):
        return Odd(f"block {block!r}")
    kind = block.get("type")
    if kind == "text":
        return Text(block["text"])
    if kind in ("thinking", "redacted_thinking"):
        return Thinking(block.get("thinking", "th"))
    if kind in ("server_tool_use", "mcp_tool_use"):
        return ServerCall(block["id"], "code_execution" in str(block.get("name")))
    if isinstance(kind, str) and kind.endswith("_tool_result") and "tool_use_id" in block:
        return ServerResult(block["tool_use_id"])
    if kind == "tool_use":
        return Call(block.get("id") or "", block.get("name", ""), block.get("input"))
    if kind in ("tool-result", "tool_result") and "result" in block:
        result = block["result"]
        id_ = block["toolCallId"] if kind == "tool-result" else block["id"]
        return Result(id_, _plain_text(result["llmContent"]), bool(result.get("isError")))
    if kind == "tool_result":
        return Result(block.get("tool_use_id", ""), _plain_text(block.get("content", "")), bool(block.get("is_error")))
    return Text(f"<{kind}>")


def _plain_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(block.get("text", f"<{block.get('type')}>") for block in content)


def _merge_users(turns: Iterable[Turn]) -> History:
    merged: History = []
    for turn in turns:
        if merged and turn.role == merged[-1].role == "user":
            merged[-1] = replace(merged[-1], parts=merged[-1].parts + turn.parts)
        else:
            merged.append(turn)
    return merged


# --- provider messages


def _messages(data: bytes) -> list[dict[str, Any]]:
    document = json.loads(data)
    messages: list[dict[str, Any]] = document["messages"] if isinstance(document, dict) else document
    return messages


def _read_anthropic(data: bytes) -> History:
    return _merge_users(Turn(m["role"], tuple(_blocks(m["content"]))) for m in _messages(data))


def _read_openai(data: bytes) -> History:
    return from_chat(_messages(data))


def from_chat(messages: Iterable[dict[str, Any]]) -> History:
    """OpenAI chat messages as a history; the results in a row are one turn."""
    history: History = []
    for message in messages:
        role, content = message["role"], message.get("content")
        if role == "tool":
            result = Result(message["tool_call_id"], _plain_text(content or ""))
            if history and history[-1].role == "user" and all(isinstance(p, Result) for p in history[-1].parts):
                history[-1] = replace(history[-1], parts=(*history[-1].parts, result))
            else:
                history.append(Turn("user", (result,)))
        elif role == "assistant":
            parts: list[Part] = [] if content is None else _blocks(content)
            for call in message.get("tool_calls") or []:
                function = call["function"]
                parts.append(Call(call.get("id") or "", function["name"], _arguments(function["arguments"])))
            if message.get("tool_calls") == [] or not parts:
                parts.append(Odd("an empty list of calls or no content"))
            history.append(Turn(role, tuple(parts)))
        else:
            history.append(Turn("user" if role == "user" else "developer", tuple(_blocks(content))))
    return history


def _arguments(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


# --- Claude Code


def json_lines(data: bytes) -> list[dict[str, Any]]:
    """The lines that are JSON objects; an agent skips the others."""
    found = []
    for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            found.append(record)
    return found


def claude_code_chain(data: bytes) -> list[dict[str, Any]]:
    """The records that Claude Code walks on resume, oldest first, siblings of parallel calls recovered."""
    records = [record | _doubles(record, "uuid", "parentUuid") for record in json_lines(data)]
    bridges = {r["uuid"]: r.get("parentUuid") for r in records if r.get("type") == "progress" and "uuid" in r}
    kept = [r for r in records if r.get("type") in ("user", "assistant", "attachment", "system") and r.get("uuid")]
    by_uuid = {record["uuid"]: record for record in kept}
    main = [r for r in kept if not r.get("isSidechain")]
    chain: list[dict[str, Any]] = []
    seen: set[str] = set()
    record = by_uuid[_leaf(main or kept, by_uuid)] if kept else None
    while record is not None and record["uuid"] not in seen:
        seen.add(record["uuid"])
        chain.append(record)
        record = _parent(record, by_uuid, bridges, seen)
    chain.reverse()
    while chain and chain[-1]["type"] not in ("user", "assistant"):
        chain.pop()
    # The loader knows one record of an id, and one of those without any (cli.js 2.1.112: `_.set(h.uuid, h)`).
    nameless = [{**r, "uuid": None} for r in records if r.get("type") in ("user", "assistant") and not r.get("uuid")]
    return _recover_siblings(chain, [*by_uuid.values(), *nameless[-1:]])


def _leaf(records: list[dict[str, Any]], by_uuid: dict[str, dict[str, Any]]) -> Any:
    """The last line, or what alone hangs off it (`leafUuids`): lines may stand again, or in another order."""
    last = records[-1]["uuid"]
    named = {record.get("parentUuid") for record in by_uuid.values()}
    leaves = [uuid for uuid in by_uuid if uuid not in named]
    above, seen = leaves[0] if len(leaves) == 1 else None, set[Any]()
    while above in by_uuid and above not in seen:
        seen.add(above)
        above = by_uuid[above].get("parentUuid")
    return leaves[0] if last in seen and by_uuid[leaves[0]]["type"] in ("user", "assistant") else last


def _doubles(record: dict[str, Any], *keys: str) -> dict[str, float]:
    """Numbers as JavaScript has them: two that round to one are the same, however they are spelled."""
    return {key: float(record[key]) for key in keys if type(record.get(key)) is int}


def _parent(
    record: dict[str, Any], by_uuid: dict[str, dict[str, Any]], bridges: dict[str, str | None], seen: set[str]
) -> dict[str, Any] | None:
    parent, steps = record.get("parentUuid"), 0
    while parent in bridges and steps <= len(bridges):
        parent, steps = bridges[parent], steps + 1
    if not parent or parent in by_uuid:  # `parentUuid ? messages.get(parentUuid) : undefined`
        return by_uuid.get(parent or "")
    side, now = bool(record.get("isSidechain")), _time(record)
    near = [
        other
        for other in by_uuid.values()
        if bool(other.get("isSidechain")) == side
        and other["uuid"] not in seen
        and 0 <= now - _time(other) <= PARENT_GAP
    ]
    return max(near, key=_time, default=None)


def _time(record: dict[str, Any]) -> float:
    return datetime.fromisoformat(record.get("timestamp", "1970-01-01T00:00:00Z")).timestamp()


def _message_id(record: dict[str, Any]) -> str | None:
    return record["message"].get("id") if record["type"] == "assistant" else None


def _recover_siblings(chain: list[dict[str, Any]], kept: list[dict[str, Any]]) -> list[dict[str, Any]]:
    on_chain = {record["uuid"] for record in chain}
    last_of = {_message_id(record): record["uuid"] for record in chain if _message_id(record)}
    whole: list[dict[str, Any]] = []
    for record in chain:
        whole.append(record)
        message_id = _message_id(record)
        if message_id is None or last_of[message_id] != record["uuid"]:
            continue
        siblings = [r for r in kept if _message_id(r) == message_id]
        uuids = {r["uuid"] for r in siblings} - {None}
        results = [r for r in kept if r["type"] == "user" and r.get("parentUuid") in uuids and _holds_result(r)]
        for group in (siblings, results):
            whole += sorted((r for r in group if r["uuid"] not in on_chain), key=_time)
    return whole


def _holds_result(record: dict[str, Any]) -> bool:
    content = record["message"]["content"]
    return isinstance(content, list) and any(block.get("type") == "tool_result" for block in content)


def _read_claude_code(data: bytes) -> History:
    history: History = []
    for record in claude_code_chain(data):
        if record["type"] not in ("user", "assistant") or record.get("isApiErrorMessage"):
            continue
        if record["type"] == "assistant" and isinstance(record["message"]["content"], str):
            raise ValueError("2.1.112 loads no answer that is a text: content.find is not a function")
        parts, message_id = tuple(_blocks(record["message"]["content"])), _message_id(record) or ""
        at = _fragment_of(history, message_id) if record["type"] == "assistant" else None
        if at is None:
            history.append(Turn(record["type"], parts, message_id))
        else:
            history[at] = replace(history[at], parts=history[at].parts + parts)
    spoken = [turn for turn in history if not _is_white(turn)]
    return [replace(turn, message="") for turn in _merge_users(spoken)]


def _is_white(turn: Turn) -> bool:
    """An answer of blank texts alone, which is left out (`e48`)."""
    texts = [part.text for part in turn.parts if isinstance(part, Text)]
    return turn.role == "assistant" and len(texts) == len(turn.parts) > 0 and not "".join(texts).strip()


def _fragment_of(history: History, message_id: str) -> int | None:
    """Where the message began of which this is a fragment: only results and other answers may lie between."""
    for at in range(len(history) - 1, -1, -1):
        turn = history[at]
        if turn.role == "assistant" and turn.message == message_id:
            return at
        if turn.role == "user" and not all(isinstance(part, Result) for part in turn.parts):
            return None
    return None


# --- Neovate


def neovate_path(data: bytes) -> list[dict[str, Any]]:
    """`filterMessages`: from the last message line up to the root, in file order. A bad line is an exception."""
    messages = [json.loads(line) for line in data.split(b"\n") if line.strip()]
    messages = [message for message in messages if message.get("type") == "message"]
    by_uuid = {message["uuid"]: message for message in messages}
    path: set[str] = set()
    current = messages[-1] if messages else None
    while current is not None:
        if current["uuid"] in path:
            raise ValueError("the parents form a circle: Neovate would hang")
        path.add(current["uuid"])
        parent = current["parentUuid"]
        current = None if parent is None else by_uuid.get(parent)  # an empty id is one like any other
    return [message for message in messages if message["uuid"] in path]


def _read_neovate(data: bytes) -> History:
    history: History = []
    for message in neovate_path(data):
        turn = Turn("assistant" if message["role"] == "assistant" else "user", tuple(_blocks(message["content"])))
        if history and turn.of(Result) and history[-1].of(Result):
            history[-1] = replace(history[-1], parts=history[-1].parts + turn.parts)
        else:
            history.append(turn)
    return history


READERS = {
    "anthropic": _read_anthropic,
    "openai": _read_openai,
    "claude-code": _read_claude_code,
    "neovate": _read_neovate,
}


# --- history → OpenAI chat, for judges of that shape


def chat(history: History) -> list[dict[str, Any]]:
    """Without thinking; developer messages as the user's: other providers take no system message behind a result."""

    def plain(turn: Turn) -> Turn:
        role = "user" if turn.role == "developer" else turn.role
        parts = [Text(part.what) if isinstance(part, Odd) else part for part in turn.parts]
        return replace(turn, role=role, parts=tuple(part for part in parts if not isinstance(part, Thinking)))

    return openai_messages([plain(turn) for turn in history])
