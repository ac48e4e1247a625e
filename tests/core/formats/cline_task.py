"""Cline, Roo Code and Kilo Code tasks: one line of JSON, results in the next user message, before its text.

`load` is what would be sent, told from RooCodeInc/Roo-Code `getEffectiveApiHistory` and `getMessagesSinceLastSummary`,
and from cline/cline `getTruncatedMessages` with what `ensureToolResultsFollowToolUse` does at the edge of its gap.
A text that begins with "[TOOL …] Result:" is a result, too (`ToolResultUtils.ts`: where the call's id is not known).
"""

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.core.formats.written import NO_DEVELOPER, WrittenFormat
from tests.support import notation, projection
from tests.support.judges import JUDGES
from tests.support.notation import Call, History, Part, Result, Text, Turn

_TOLD = re.compile(r"\[([\w.-]+)(?:\]|\s(?s:.*?)\]) Result:")
TASK = "1764579600000"
START = int(TASK)


def messages(history: History) -> list[dict[str, Any]]:
    made = notation.anthropic_messages(history)
    for number, message in enumerate(made):
        if isinstance(message["content"], str):
            message["content"] = [{"type": "text", "text": message["content"]}]
        message["ts"] = START + number * 1000
    return made


def write_messages(made: list[dict[str, Any]], folder: Path) -> Path:
    """As the extension does: a line of JSON in the folder of its task."""
    task = folder / "tasks" / TASK
    task.mkdir(parents=True, exist_ok=True)
    path = task / "api_conversation_history.json"
    path.write_text(json.dumps(made, ensure_ascii=False, separators=(",", ":")), "utf-8")
    return path


def write(history: History, folder: Path) -> Path:
    return write_messages(messages(history), folder)


def write_range(folder: Path, *span: int) -> Path:
    """The list of tasks that Cline keeps beside the tasks, with the deleted range of this one."""
    state = folder / "state" / "taskHistory.json"
    state.parent.mkdir(exist_ok=True)
    item = {"id": TASK, "task": "go", "conversationHistoryDeletedRange": list(span), "totalCost": 0.10}
    state.write_text(json.dumps([{"id": "1", "conversationHistoryDeletedRange": [2, 9]}, item]), "utf-8")
    return state


def range_end(path: Path) -> int:
    state = path.parent.parent.parent / "state" / "taskHistory.json"
    if not state.exists():
        return -1
    item = next(item for item in json.loads(state.read_text("utf-8")) if item["id"] == path.parent.name)
    return int(item["conversationHistoryDeletedRange"][1])


def sent(made: list[dict[str, Any]], end: int = -1) -> list[dict[str, Any]]:
    """The messages that a request holds."""
    if 2 <= end < len(made) - 1:
        return [made[0], made[1], edge(made[1], made[end + 1]), *made[end + 2 :]]
    last = max((number for number, message in enumerate(made) if message.get("isSummary")), default=-1)
    lead: list[dict[str, Any]] = []
    if last > 0 and made[last]["role"] != "user":
        lead = made[:1]
    visible = lead + made[max(last, 0) :]
    markers = {message["truncationId"] for message in visible if message.get("isTruncationMarker")}
    return [message for message in visible if message.get("truncationParent") not in markers]


def edge(before: dict[str, Any], first: dict[str, Any]) -> dict[str, Any]:
    """The first message behind the gap: without its results, and with one for every call before the gap."""
    calls = [block["id"] for block in before["content"] if block["type"] == "tool_use"]
    results = [{"type": "tool_result", "tool_use_id": call, "content": "result missing"} for call in calls]
    others = [block for block in first["content"] if block["type"] != "tool_result"]
    return first | {"content": results + others}


def load(path: Path) -> History:
    made = json.loads(path.read_text("utf-8"))
    assert isinstance(made, list), "Roo Code would start an empty history"
    kept = [{key: message[key] for key in ("role", "content")} for message in sent(made, range_end(path))]
    return told(projection.read(json.dumps(kept).encode(), "anthropic"))


def told(history: History) -> History:
    """With results for the texts that tell them: each answers an open call of its tool, else the first open one."""
    read = history[:1]
    for before, turn in pairwise(history):
        answered = [result.id for result in turn.of(Result)]
        waiting = [call for call in before.of(Call) if call.id not in answered]
        parts: list[Part] = []
        for part in turn.parts:
            text = part.text if isinstance(part, Text) and turn.role == "user" and waiting else ""
            heading = _TOLD.match(text)
            if heading is None or "no provider takes" in heading[0] or "quoted tool output" in heading[0]:
                parts.append(part)
                continue
            call = next((each for each in waiting if each.name == heading[1]), waiting[0])
            waiting.remove(call)
            parts.append(Result(call.id, text))
        if parts != list(turn.parts):
            parts.sort(key=lambda part: not isinstance(part, Result))
        read.append(Turn(turn.role, tuple(parts)))
    return read


FORMAT = WrittenFormat("cline-task", write, load, JUDGES["anthropic"][0], cannot=NO_DEVELOPER)
