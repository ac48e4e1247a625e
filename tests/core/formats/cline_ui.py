"""What the extension's window showed: `ui_messages.json`, read by `JSON.parse`; a call and its result are texts."""

import json
from pathlib import Path
from typing import Any

from tests.core.formats.written import WrittenFormat, file_writer
from tests.support.notation import Call, History, Result, Text, Turn

_NO_CALLS = "calls and results are told in texts, without ids: there is nothing to pair"


def messages(history: History) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for turn in history:
        for part in turn.parts:
            if isinstance(part, Call):
                message = {"type": "ask", "ask": "tool", "text": json.dumps({"tool": part.name, **part.input})}
            else:
                kind = "text" if turn.role == "assistant" else "user_feedback" if made else "task"
                text = part.text if isinstance(part, Text | Result) else ""
                message = {"type": "say", "say": kind, "text": text}
            made.append({"ts": 1764579600000 + len(made), **message})
    return made


def render(history: History) -> bytes:
    return json.dumps(messages(history), ensure_ascii=False, separators=(",", ":")).encode()


def load(path: Path) -> History:
    made = json.loads(path.read_text("utf-8"))
    return [Turn("user", (Text(message["text"]),)) for message in made]


def judge(history: History) -> str | None:
    return None if history else "an empty window"


FORMAT = WrittenFormat(
    "cline-ui",
    file_writer("ui_messages.json", render),
    load,
    judge,
    dict.fromkeys(("D1", "D2", "D3", "R1", "R3", "R5"), _NO_CALLS),
    holds_calls=False,
    is_message=lambda value: "say" in value or "ask" in value,
    says=("say", "ask"),
)
