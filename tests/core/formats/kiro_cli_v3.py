"""Kiro CLI, engine v3: the lines that it writes, and the messages of which they are parts.

The fold follows `effective_head_and_count` of aws/amazon-q-developer-cli at 1f3b2fd0b588
(crates/chat-cli-v2/src/agent/kas/v2_to_kas.rs) for tombstones. The engine that sends the messages is closed, and was
not run; neighboring lines of one speaker are read as one message.
"""

import json
from pathlib import Path
from typing import Any

from tests.core.formats import bedrock_converse
from tests.core.formats.written import NO_DEVELOPER, WrittenFormat
from tests.support.judges import merged
from tests.support.notation import Call, History, NotExpressible, Part, Result, Text, Thinking, Turn
from tests.system.corpus.otherwise import OfFormat

SESSION = "sess_0b5c8a6e-3f0d-4c57-9d7e-61f9d0a3c2b4"
TIME = "2026-10-08T20:32:08.897Z"
Json = dict[str, Any]


def line(number: int, type_: str, **more: Any) -> Json:
    return {"id": f"00000000-0000-4000-8000-{number:012}", "timestamp": TIME, "payload": {"type": type_, **more}}


def payload(role: str, part: Part) -> tuple[str, Json]:
    match part:
        case Call(id=id_, name=name, input=dict(value)):
            return "tool_call", {"toolCallId": id_, "toolName": name, "args": value, "status": "completed"}
        case Result(id=id_, text=text, error=error):
            return "tool_result", {"toolCallId": id_, "content": text, "success": not error}
        case Thinking(text=text):
            return "assistant", {"content": text, "operationType": "Reasoning", "reasoningSignature": "c2ln"}
        case Text(text=text) if role == "assistant":
            return "assistant", {"content": text, "operationType": "Say"}
        case Text(text=text) if role == "user":
            return "user", {"content": text}
    raise NotExpressible(f"{part} of the {role}")


def rows(history: History) -> list[Json]:
    parts = [payload(turn.role, part) for turn in history for part in turn.parts]
    return [line(number, kind, **more) for number, (kind, more) in enumerate(parts)]


def session_file(folder: Path, title: str = "A session", workspace: str = "/work/api") -> None:
    known = {"schemaVersion": "1.0.0", "id": folder.name, "title": title, "workspacePaths": [workspace]}
    (folder / "session.json").write_text(json.dumps(known), "utf-8")


def put(folder: Path, lines: list[Json | str]) -> Path:
    """Write a session; a text is a line as it is."""
    home = folder / SESSION
    home.mkdir(parents=True, exist_ok=True)
    session_file(home)
    texts = [each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in lines]
    path = home / "messages.jsonl"
    path.write_text("".join(f"{text}\n" for text in texts), "utf-8", "surrogatepass")
    return path


def kept(lines: list[Json]) -> list[Json]:
    """The lines that no tombstone removed."""
    left: list[Json] = []
    for each in lines:
        if each["payload"]["type"] != "tombstone":
            left.append(each)
            continue
        named = [number for number, row in enumerate(left) if row["id"] == each["payload"]["effectiveFromMessageId"]]
        del left[named[-1] if named else len(left) :]
    return left


def load(path: Path) -> History:
    lines = kept([json.loads(text) for text in path.read_text("utf-8").splitlines()])
    return merged([turn for turn in map(_turn, (each["payload"] for each in lines)) if turn])


def _turn(payload: Json) -> Turn | None:
    match payload:
        case {"type": "tool_call", "toolCallId": id_, "toolName": name, "args": value}:
            return Turn("assistant", (Call(id_, name, value),))
        case {"type": "tool_result", "toolCallId": id_, "content": text, "success": success}:
            return Turn("user", (Result(id_, text, not success),))
        case {"type": "assistant", "content": text, "operationType": "Reasoning"}:
            return Turn("assistant", (Thinking(text),))
        case {"type": "assistant" | "user" as role, "content": text}:
            return Turn(role, (Text(text),))
    return None


FORMAT = WrittenFormat(
    "kiro-cli-v3",
    lambda history, folder: put(folder, [*rows(history)]),
    load,
    bedrock_converse.error,
    cannot=NO_DEVELOPER,
    provider="bedrock-converse",
    written_back=False,
    is_message=lambda value: value.get("type") in ("user", "assistant", "tool_call", "tool_result"),
    says=("toolCallId", "toolName", "args"),
)
CORPUS = OfFormat(folders=(), elsewhere=(), broken={})
