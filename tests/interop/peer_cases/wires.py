"""How a history of each wire is written down, read again as its provider would read it, and judged: WIRES."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.core.formats import bedrock_converse, codex, gemini_contents, openai_responses
from tests.support import projection
from tests.support.judges import Judge, anthropic_error, openai_error
from tests.support.notation import Call, History, Text, lines

Messages = list[dict[str, Any]]
# What the own id of an item begins with, as the API answers in public reports.
BEGINS = {"message": "msg", "reasoning": "rs", "function_call": "fc", "function_call_output": "fc"}


@dataclass(frozen=True)
class Wire:
    """`key` is the member of a request that holds the messages, "" where a message is a line of a log.

    `shape` tells what is wrong with the messages themselves, `judge` with what is read of them. `in_order`: a result
    must stand right behind its call.
    """

    file: str
    key: str
    load: Callable[[Path], History]
    judge: Judge
    shape: Callable[[Messages], str | None] = lambda messages: None
    in_order: bool = True

    def write(self, messages: Messages, folder: Path) -> Path:
        path = folder / self.file
        path.write_bytes(json.dumps({self.key: messages}, indent=1).encode() if self.key else lines(messages))
        return path

    def read(self, path: Path) -> Messages:
        data = path.read_bytes()
        found: Messages = json.loads(data)[self.key] if self.key else [json.loads(line) for line in data.splitlines()]
        return found

    def error(self, path: Path) -> str | None:
        return self.shape(self.read(path)) or self.judge(self.load(path))


def untyped_call(messages: Messages) -> str | None:
    calls = [call for message in messages for call in message.get("tool_calls", ())]
    return next((f"a call without its type: {call}" for call in calls if call.get("type") != "function"), None)


def foreign_id(items: Messages) -> str | None:
    own = [(item.get("payload", item).get("type"), item.get("payload", item).get("id")) for item in items]
    wrong = [(kind, id_) for kind, id_ in own if id_ is not None and not id_.startswith(BEGINS.get(kind, ""))]
    return f"Invalid id {wrong[0]}" if wrong else None


def text_behind_call(history: History) -> str | None:
    """What some of Anthropic's models and gateways refuse."""
    for turn in history:
        kinds = [type(part) for part in turn.parts]
        if Call in kinds and Text in kinds[kinds.index(Call) :]:
            return f"text stands behind a call: {turn}"
    return None


def own_items(path: Path) -> History:
    """Without the searches that the server ran by itself, each with its outcome beside it."""
    items = json.loads(path.read_bytes())["input"]
    return openai_responses.folded([item for item in items if item.get("execution") != "server"])


WIRES = {
    "anthropic-messages": Wire(
        "messages.json", "messages", lambda path: projection.read(path.read_bytes(), "anthropic"), anthropic_error
    ),
    "openai-chat": Wire(
        "chat.json",
        "messages",
        lambda path: projection.read(path.read_bytes(), "openai"),
        openai_error,
        untyped_call,
    ),
    "openai-responses": Wire("items.json", "input", own_items, openai_responses.error, foreign_id, in_order=False),
    "gemini-contents": Wire("contents.json", "contents", gemini_contents.load, gemini_contents.error),
    "bedrock-converse": Wire("converse.json", "messages", bedrock_converse.load, bedrock_converse.error),
    "codex": Wire(
        codex.FILE,
        "",
        lambda path: codex.history_of(codex.rebuilt(path.read_bytes())),
        openai_responses.pairing_error,
        foreign_id,
        in_order=False,
    ),
}
