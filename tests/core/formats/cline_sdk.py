"""Sessions of the Cline SDK: `buildMessagesFilePayload`, pretty printed; every result is a user message of its own.

`load` is `readPersistedMessagesFile`: the array under `messages`, whose neighbouring user messages are one turn.
"""

import json
from dataclasses import replace
from itertools import dropwhile
from pathlib import Path
from typing import Any

from tests.core.formats.written import NO_DEVELOPER, RESULTS_FIRST, WrittenFormat, file_writer
from tests.support import notation, projection
from tests.support.judges import JUDGES
from tests.support.notation import Call, History, Result

SESSION = "1764579600000_k3x9q"


def messages(history: History) -> list[dict[str, Any]]:
    single = []
    names = {call.id: call.name for turn in history for call in turn.of(Call)}
    for turn in history:
        results = turn.of(Result)
        others = tuple(part for part in turn.parts if not isinstance(part, Result))
        single += [replace(turn, parts=(result,)) for result in results]
        single += [replace(turn, parts=others)] if others else []
    made = []
    for number, message in enumerate(notation.anthropic_messages(single)):
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for block in blocks:
            if block["type"] == "tool_result":
                block["name"] = names.get(block["tool_use_id"], "")
        made.append({"id": f"msg_{number}", "role": message["role"], "content": blocks, "ts": 1764579600000 + number})
    return made


def render(history: History) -> bytes:
    document = {
        "version": 1,
        "updated_at": "2026-12-01T09:00:20.000Z",
        "agent": "lead",
        "sessionId": SESSION,
        "messages": messages(history),
        "system_prompt": "You are Cline.",
    }
    return json.dumps(document, ensure_ascii=False, indent=2).encode() + b"\n"


def load(path: Path) -> History:
    """Its library hands what the system says before anyone else over as the system prompt (`ai` 7, for Anthropic)."""
    document = json.loads(path.read_text("utf-8"))
    messages = dropwhile(lambda message: message["role"] == "system", document["messages"])
    kept = [{key: message[key] for key in ("role", "content")} for message in messages]
    return projection.read(json.dumps(kept).encode(), "anthropic")


FORMAT = WrittenFormat(
    "cline-sdk",
    file_writer(f"{SESSION}.messages.json", render),
    load,
    JUDGES["anthropic"][0],
    cannot=NO_DEVELOPER | RESULTS_FIRST,
    bookkeeping=("family",),
)
