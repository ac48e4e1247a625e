"""`claude -p --output-format stream-json`: one content block an event, a result event at the end.

Loaded as the SDK's `parse_message` hands the events out: in their order, unknown types passed over, fragments of one
`message.id` joined up to the next prompt; what a subagent says is no part of the main thread. Who speaks is told by the
event's type alone.
"""

import json
from pathlib import Path
from typing import Any

from tests.core.formats.written import NO_DEVELOPER, WrittenFormat, file_writer
from tests.support.judges import JUDGES
from tests.support.notation import SESSION, History, NotExpressible, anthropic_messages, lines, uuid
from tests.support.projection import read

INIT = {"type": "system", "subtype": "init", "cwd": "/w", "session_id": SESSION, "tools": ["Read"], "uuid": uuid(900)}
END = {"type": "result", "subtype": "success", "is_error": False, "num_turns": 1, "result": "done"}


def events(history: History) -> list[dict[str, Any]]:
    """The events of a turn without its end."""
    found: list[dict[str, Any]] = [INIT]
    for number, (turn, message) in enumerate(zip(history, anthropic_messages(history), strict=True)):
        if turn.role == "developer":
            raise NotExpressible("a developer message")
        content = message["content"]
        pieces = [[block] for block in content] if turn.role == "assistant" else [content]
        for piece in pieces:
            body: dict[str, Any] = {"role": turn.role, "content": piece}
            if turn.role == "assistant":
                body = {"id": f"msg_{turn.message or number}", "model": "claude-sonnet-4-5"} | body
            event = {"type": turn.role, "message": body, "parent_tool_use_id": None, "session_id": SESSION}
            found.append(event | {"uuid": uuid(len(found))})
    return found


def end(**more: Any) -> dict[str, Any]:
    return END | {"session_id": SESSION, "permission_denials": []} | more


def load(path: Path) -> History:
    messages: list[dict[str, Any]] = []
    fragments: dict[str, dict[str, Any]] = {}
    events = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert len({event.get("session_id") for event in events}) < 2, "this reader knows one session"
    for event in events:
        parent = event.get("parent_tool_use_id")
        if event["type"] not in ("user", "assistant") or isinstance(parent, str):
            continue
        assert parent is None  # Whose the event is, nobody can tell.
        message, by_user = event["message"], event["type"] == "user"
        if not by_user and message["id"] in fragments:
            fragments[message["id"]]["content"] += message["content"]
            continue
        messages.append({"role": event["type"], "content": message["content"]})
        if not by_user:
            fragments[message["id"]] = messages[-1]
        elif not any(isinstance(block, dict) and block["type"] == "tool_result" for block in message["content"]):
            fragments = {}
    return read(json.dumps(messages).encode(), "anthropic")


FORMAT = WrittenFormat(
    "claude-stream",
    file_writer("stream.jsonl", lambda history: lines([*events(history), end()])),
    load,
    JUDGES["anthropic"][0],
    cannot=NO_DEVELOPER,
    bookkeeping=("tools", "slash_commands", "apiKeySource", "permissionMode"),  # of the program, not of the talk
)
