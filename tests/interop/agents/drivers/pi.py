"""pi: OpenAI chat, to a provider of the settings; records linked by `parentId` behind a header."""

from pathlib import Path
from typing import Any

from tests.interop.agents.drivers.agent import Agent
from tests.interop.agents.drivers.breaking import Layout, Record

PROMPT = "You are an agent."  # its own names files of the machine


def _is(record: Record, role: str) -> bool:
    return bool(record["type"] == "message" and record["message"]["role"] == role)


def _calls(record: Record) -> bool:
    return _is(record, "assistant") and any(block["type"] == "toolCall" for block in record["message"]["content"])


LAYOUT = Layout(
    call=_calls,
    result=lambda record: _is(record, "toolResult"),
    message=lambda record: record["type"] == "message",
    id="id",
    parent="parentId",
)


class Pi(Agent):
    logs = ".pi/agent/sessions/*/*.jsonl"
    typed = "pi"
    breaking = LAYOUT

    def __init__(self, version: str) -> None:
        self.name = f"pi-{version}"

    def files(self, url: str) -> dict[str, Any]:
        models = [{"id": "fake-model", "input": ["text"], "contextWindow": 200000, "maxTokens": 4000}]
        provider = {"baseUrl": f"{url}/v1", "api": "openai-completions", "apiKey": "none", "models": models}
        settings = {"defaultProvider": "fake", "defaultModel": "fake-model", "retry": {"enabled": False}}
        return {".pi/agent/models.json": {"providers": {"fake": provider}}, ".pi/agent/settings.json": settings}

    def environment(self, url: str) -> dict[str, str]:
        return {"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0"}

    def shell(self, command: str) -> tuple[str, dict[str, Any]]:
        return "bash", {"command": command}

    def begin(self, prompt: str) -> list[str]:
        return ["--system-prompt", PROMPT, "-p", prompt]

    def resume(self, session: str, prompt: str) -> list[str]:
        return ["--system-prompt", PROMPT, "--session", session, "-p", prompt]

    def around(self, prompt: str) -> tuple[list[str], list[str]]:
        return ["--system-prompt", PROMPT], ["-p", prompt]

    def session(self, log: Path) -> str:
        return str(log)
