"""A request that went through LiteLLM, with its response: the last message of a history if it is the assistant's.

Written as the log of OpenHands is (software-agent-sdk, `llm/utils/telemetry.py`), loaded as what was sent and answered.
"""

import json
from pathlib import Path
from typing import Any

from tests.core.formats.written import NO_BLANKS, NO_THINKING, WrittenFormat, file_writer
from tests.support.judges import openai_error
from tests.support.notation import History, openai_messages
from tests.support.projection import from_chat


def logged(messages: list[dict[str, Any]], answer: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    reason = "tool_calls" if (answer or {}).get("tool_calls") else "stop"
    choices = [{"index": 0, "finish_reason": reason, "message": answer}] if answer else []
    response = {"id": "chatcmpl-1", "object": "chat.completion", "model": "gpt-5", "choices": choices}
    return {
        "messages": messages,
        "tools": [],
        "kwargs": {},
        **more,
        "response": response,
        "cost": 0.01,
        "latency_sec": 1.5,
    }


def render(history: History) -> bytes:
    *messages, last = openai_messages(history)
    value = logged(messages, last) if last["role"] == "assistant" and messages else logged([*messages, last])
    return json.dumps(value, ensure_ascii=False).encode()


def load(path: Path) -> History:
    value = json.loads(path.read_bytes())
    return from_chat([*value["messages"], *(each["message"] for each in value["response"]["choices"])])


FORMAT = WrittenFormat(
    "litellm-log",
    file_writer("request.json", render),
    load,
    openai_error,
    cannot=NO_BLANKS | NO_THINKING,
    provider="openai-chat",
    written_back=False,
)
