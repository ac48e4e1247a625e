"""OpenClaw: OpenAI chat, to a provider of its settings; pi's records, in a file that is named by the session."""

from pathlib import Path
from typing import Any

from tests.interop.agents.drivers.agent import Agent
from tests.interop.agents.drivers.pi import LAYOUT


class OpenClaw(Agent):
    logs = ".openclaw/agents/main/sessions/*[!y].jsonl"  # a trajectory lies beside each
    typed = "openclaw"
    folder = ".openclaw/workspace"  # of its agent, wherever it is started
    depends_on_folder = False
    breaking = LAYOUT

    def __init__(self, version: str) -> None:
        self.name = f"openclaw-{version}"

    def files(self, url: str) -> dict[str, Any]:
        model = {"id": "fake-model", "name": "Fake", "input": ["text"], "contextWindow": 200000, "maxTokens": 4000}
        provider = {"baseUrl": f"{url}/v1", "api": "openai-completions", "apiKey": "none", "models": [model]}
        defaults = {"model": {"primary": "fake/fake-model"}, "skipBootstrap": True}
        tools = {"exec": {"host": "gateway", "security": "full", "ask": "off"}}
        return {
            ".openclaw/openclaw.json": {
                "models": {"mode": "replace", "providers": {"fake": provider}},
                "agents": {"defaults": defaults},
                "tools": tools,
                "plugins": {"enabled": False},
            }
        }

    def environment(self, url: str) -> dict[str, str]:
        return {"OPENCLAW_NO_RESPAWN": "1", "OPENCLAW_DISABLE_BONJOUR": "1"}

    def shell(self, command: str) -> tuple[str, dict[str, Any]]:
        return "exec", {"command": command}

    def begin(self, prompt: str) -> list[str]:
        return ["agent", "--local", "--agent", "main", "--message", prompt]

    def resume(self, session: str, prompt: str) -> list[str]:
        return ["agent", "--local", "--agent", "main", "--session-id", session, "--message", prompt]

    def around(self, prompt: str) -> tuple[list[str], list[str]]:
        return [], ["--local", "--message", prompt]

    def session(self, log: Path) -> str:
        return log.stem
