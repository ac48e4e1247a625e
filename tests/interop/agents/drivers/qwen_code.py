"""Qwen Code: OpenAI chat on the wire, Gemini's parts in the log; records linked by `parentUuid`."""

from pathlib import Path
from typing import Any

from tests.interop.agents.drivers.agent import Agent
from tests.interop.agents.drivers.breaking import Layout, Record


def _has(record: Record, kind: str) -> bool:
    return any(kind in part for part in (record.get("message") or {}).get("parts") or [])


class QwenCode(Agent):
    name = "qwen-code-0.24.4"
    logs = ".qwen/projects/*/chats/*.jsonl"
    typed = "qwen"
    breaking = Layout(
        call=lambda record: _has(record, "functionCall"),
        result=lambda record: _has(record, "functionResponse"),
        message=lambda record: record["type"] in ("user", "assistant", "tool_result"),
        id="uuid",
        parent="parentUuid",
    )

    def files(self, url: str) -> dict[str, Any]:
        settings = {
            "security": {"auth": {"selectedType": "openai"}},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
            "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
        }
        return {".qwen/settings.json": settings}

    def environment(self, url: str) -> dict[str, str]:
        return {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "fake-model"}

    def shell(self, command: str) -> tuple[str, dict[str, Any]]:
        return "run_shell_command", {"command": command, "description": "Run it", "is_background": False}

    def begin(self, prompt: str) -> list[str]:
        return ["--yolo", "-p", prompt]

    def resume(self, session: str, prompt: str) -> list[str]:
        return ["--yolo", "--resume", session, "-p", prompt]

    def around(self, prompt: str) -> tuple[list[str], list[str]]:
        return ["--yolo"], ["-p", prompt]

    def session(self, log: Path) -> str:
        return log.stem
