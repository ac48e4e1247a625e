"""kimi-cli's context file: written as `soul/context.py` appends to it, loaded as its `restore` does.

`_usage` lies between an answer and its results, `_checkpoint` before what the person says (MoonshotAI/kimi-cli 1.49.0).
"""

import json
from pathlib import Path
from typing import Any

from tests.core.formats.written import NO_BLANKS, NO_THINKING, WrittenFormat
from tests.support.judges import openai_error
from tests.support.notation import Call, History, Odd, Part, Result, Text, Turn, lines, openai_messages


def write(history: History, folder: Path) -> Path:
    rows: list[dict[str, Any]] = [{"role": "_system_prompt", "content": "You are an agent."}]
    checkpoints = 0
    for message in openai_messages(history):
        if message["role"] == "user":
            rows.append({"role": "_checkpoint", "id": checkpoints})
            checkpoints += 1
        if message["role"] == "developer":
            message["role"] = "system"
        if message["role"] == "assistant":
            message["content"] = [{"type": "text", "text": message["content"]}] if message["content"] else []
        rows.append(message)
        if message["role"] == "assistant":
            rows.append({"role": "_usage", "token_count": 100 + len(rows)})
    path = folder / "context.jsonl"
    path.write_bytes(lines(rows))
    return path


ROLES = ("system", "user", "assistant", "tool")  # of kosong's `Message`; a line of another role makes none


def load(path: Path) -> History:
    """Lines that are no messages are skipped; checkpoints must go up."""
    history: History = []
    checkpoint = -1
    for line in path.read_bytes().splitlines():
        try:
            row = json.loads(line, strict=False)
        except ValueError:
            history.append(Turn("user", (Odd("a line is skipped"),)))
            continue
        if row["role"] == "_checkpoint":
            assert row["id"] > checkpoint
            checkpoint = row["id"]
        elif row["role"] == "tool":
            result = Result(row["tool_call_id"], _text(row["content"]))
            if history and all(isinstance(part, Result) for part in history[-1].parts):
                history[-1] = Turn("user", (*history[-1].parts, result))
            else:
                history.append(Turn("user", (result,)))
        elif row["role"] in ROLES:
            assert row.get("tool_calls") != []
            said = _text(row["content"])
            # Content that is empty goes out as it is, which OpenAI takes (openai/openai-python#1812).
            parts: list[Part] = [Text(said)] if said or not row.get("tool_calls") else []
            for call in row.get("tool_calls") or ():
                parts.append(Call(call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])))
            history.append(Turn("developer" if row["role"] == "system" else row["role"], tuple(parts)))
    return history


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or ())


FORMAT = WrittenFormat("kimi-cli", write, load, openai_error, provider="openai-chat", cannot=NO_BLANKS | NO_THINKING)
