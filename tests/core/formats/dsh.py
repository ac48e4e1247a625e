"""DeepSeek Harness: written as 0.1.1-rc.2 appends its events, loaded as its reader restores them.

The turn that it closes on resume is left open here: the judge is to see the history as it stands.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.core.formats.written import NO_DEVELOPER, WrittenFormat, tear_file
from tests.support.judges import openai_error
from tests.support.notation import Call, History, NotExpressible, Odd, Part, Result, Text, Thinking, Turn
from tests.system.corpus.otherwise import OfFormat

SESSION = "session-5b0c7e1e-8d0f-4b8f-9a55-0d3c2f6a7b18"
NAME = f"{SESSION}/session.jsonl"
START = 1767225600000
HEADER = {"type": "session", "version": 0, "id": SESSION, "createdAt": START, "cwd": "/w", "delegationDepth": 0}
MODEL = {"kind": "model", "provider": "fake", "model": "fake-1"}
CHUNK_TYPES = {"text-chunks": "texts", "reasoning-chunks": "texts", "tool-call-chunks": "args"}


def numbered(events: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """The rows of events: a message is appended to the surface, and a row of chunks takes a number for each."""
    rows, seq = list[dict[str, Any]](), 0
    for kind, data in events:
        if kind in CHUNK_TYPES:
            rows.append({"type": kind, "seq0": seq, "time0": START + seq, "data": data})
            seq += len(data[CHUNK_TYPES[kind]])
            continue
        rows.append({"type": kind, "seq": seq, "time": START + seq, "data": data})
        if kind in ("user/message", "assistant/message", "tool/result"):
            rows[-1]["surfaceOp"] = "append"
        seq += 1
    return rows


def prompt(number: int, *texts: str) -> tuple[str, dict[str, Any]]:
    content = [{"type": "text", "text": text} for text in texts]
    return "user/message", {"content": content, "source": {"kind": "user"}, "role": "user", "id": f"m{number}"}


def answer(number: int, content: list[dict[str, Any]], turn: int = 1) -> tuple[str, dict[str, Any]]:
    message = {"role": "assistant", "content": content, "source": MODEL, "id": f"m{number}"}
    return "assistant/message", {"turn": turn, "step": 1, "message": message}


def result(number: int, call: str, text: str, error: bool = False, turn: int = 1) -> tuple[str, dict[str, Any]]:
    block = {"type": "tool-result", "toolCallId": call, "content": [{"type": "text", "text": text}], "isError": error}
    message = {"source": {"kind": "tool", "callId": call}, "content": [block], "role": "user", "id": f"m{number}"}
    return "tool/result", {"turn": turn, "step": 1, "message": message}


def events(history: History) -> Iterator[tuple[str, dict[str, Any]]]:
    """The events of a history. The last turn stays open unless it ends with an answer."""
    number = turn = 0
    is_open = False
    for each in history:
        if each.role == "developer":
            raise NotExpressible("a developer message")
        number += 1
        if each.role == "assistant":
            if not is_open:
                turn += 1
                yield "turn/start", {"turn": turn}
                is_open = True
            yield "step/start", {"turn": turn, "step": 1}
            yield "text-chunks", {"turn": turn, "step": 1, "index": 0, "dt": [1], "texts": ["a", "b"]}
            yield answer(number, [_block(part) for part in each.parts], turn)
            for call in each.of(Call):
                started = {"turn": turn, "step": 1, "callId": call.id, "name": call.name}
                yield "tool/call", {**started, "arguments": json.dumps(call.input)}
            continue
        for part in each.parts:
            if isinstance(part, Result):
                yield result(number, part.id, part.text, part.error, max(turn, 1))
                continue
            if is_open:
                yield "step/end", {"turn": turn, "step": 1}
                yield "turn/end", {"turn": turn, "reason": {"kind": "completed"}}
            turn, is_open = turn + 1, True
            yield "turn/start", {"turn": turn}
            assert isinstance(part, Text)
            yield prompt(number, part.text)
    if is_open and history[-1].role == "assistant" and not history[-1].of(Call):
        yield "step/end", {"turn": turn, "step": 1}
        yield "turn/end", {"turn": turn, "reason": {"kind": "completed"}}


def _block(part: Part) -> dict[str, Any]:
    match part:
        case Call(id, name, input):
            return {"type": "tool-call", "id": id, "name": name, "arguments": json.dumps(input)}
        case Thinking(text):
            return {"type": "reasoning", "text": text}
        case Text(text):
            return {"type": "text", "text": text}
    raise NotExpressible(str(part))


def records(history: History) -> list[dict[str, Any]]:
    return [HEADER, *numbered(list(events(history)))]


def write(history: History, folder: Path) -> Path:
    path = folder / NAME
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"".join(json.dumps(each, ensure_ascii=False).encode() + b"\n" for each in records(history)))
    return path


def load(path: Path) -> History:
    return read(surface(scan(path.read_bytes())))


def scan(data: bytes) -> list[dict[str, Any]]:
    """`SessionLogScanner`: the events before the first damaged row. It fails if a turn ends behind that."""
    header, *rows = data.split(b"\n")[:-1]
    if json.loads(header).get("type") != "session":
        raise ValueError("corrupt session log: first line is not a session header")
    found = list[dict[str, Any]]()
    is_damaged = False
    for row in rows:
        try:
            decoded = list(_expanded(json.loads(row)))
        except ValueError:
            is_damaged = True
            continue
        seqs = range(len(found), len(found) + len(decoded))
        is_damaged = is_damaged or [each.get("seq") for each in decoded] != [*seqs]
        if is_damaged and any(each.get("type") == "turn/end" for each in decoded):
            raise ValueError("corrupt session log: seq gap in committed region")
        found += [] if is_damaged else decoded
    return found


def _expanded(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if row["type"] not in CHUNK_TYPES:
        yield row
        return
    for number in range(len(row["data"][CHUNK_TYPES[row["type"]]])):
        yield {"type": "assistant/chunk", "seq": row["seq0"] + number}


def surface(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """`foldSurface` and `assertMessageEventShape`: the messages in the order in which they are sent."""
    nodes = list[int]()
    for event in found:
        if event["type"] not in ("user/message", "assistant/message", "tool/result"):
            continue
        message = event["data"] if event["type"] == "user/message" else event["data"]["message"]
        if not message.get("id") or not isinstance(message.get("content"), list) or "kind" not in message["source"]:
            raise ValueError("seed message lacks an identified message")
        if event["type"] == "tool/result" and message["content"][0]["toolCallId"] != message["source"]["callId"]:
            raise ValueError("seed message has mismatched tool call ids")
        if any(seq >= event["seq"] for seq in event.get("sourceEventSeqs", ())):
            raise ValueError("sourceEventSeqs must reference earlier events")
        placed = event["surfaceOp"]
        if placed == "append":
            nodes.append(event["seq"])
        else:
            nodes[nodes.index(placed["start"]) : nodes.index(placed["end"]) + 1] = [event["seq"]]
    return [found[seq] for seq in nodes]


def read(found: list[dict[str, Any]]) -> History:
    """`serializeMessages`: a prompt without blocks is sent with an empty text."""
    history: History = []
    for event in found:
        data = event["data"]
        if event["type"] == "tool/result":
            (block,) = data["message"]["content"]
            text = "".join(part["text"] for part in block["content"])
            told = Result(block["toolCallId"], text, bool(block.get("isError")))
            if history and history[-1].role == "user" and history[-1].of(Result) and not history[-1].of(Text):
                history[-1] = Turn("user", (*history[-1].parts, told))
            else:
                history.append(Turn("user", (told,)))
        elif event["type"] == "assistant/message":
            if data["message"]["content"]:
                history.append(Turn("assistant", tuple(map(_part, data["message"]["content"]))))
        else:
            history.append(Turn("user", tuple(map(_part, data["content"])) or (Text(""),)))
    return history


def _part(block: dict[str, Any]) -> Part:
    match block:
        case {"type": "tool-call", "id": id, "name": name, "arguments": str(arguments)}:
            try:
                return Call(id, name, json.loads(arguments))
            except ValueError:
                return Call(id, name, arguments)
        case {"type": "reasoning", "text": str(text)}:
            return Thinking(text)
        case {"type": "text", "text": str(text)}:
            return Text(text)
    return Odd(str(block))


FORMAT = WrittenFormat(
    "dsh",
    write,
    load,
    openai_error,
    cannot=NO_DEVELOPER,
    tear=tear_file,
    provider="openai-chat",
    is_message=lambda value: str(value.get("type")) in ("user/message", "assistant/message", "tool/result"),
    says=("data", "type"),
    bookkeeping=("surfaceOp", "plugin"),
)
CORPUS = OfFormat(
    folders=("deepseek-harness",),
    elsewhere=(),
    # made up: its numbers are not in order, its messages have no ids, and its call is in no message
    broken={"deepseek-harness/*deja-vu__session.jsonl": "G8 M12 R1"},
)
