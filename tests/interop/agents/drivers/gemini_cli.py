"""Gemini CLI: Gemini contents; a result stands in the record of its call and in a user's record behind it."""

import json
from pathlib import Path
from typing import Any

from tests.interop.agents.drivers.agent import Agent
from tests.interop.agents.drivers.breaking import Layout, Record

_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
    "hasSeenIdeIntegrationNudge": True,
}


def _answers(record: Record) -> bool:
    content = record.get("content")
    return isinstance(content, list) and any("functionResponse" in part for part in content)


class _Lines(Layout):
    """What is lost is lost in both places."""

    def breaks(self, path: Path, how: str) -> bool:
        super().breaks(path, how)
        if how.endswith("result lost"):
            records = self.read(path)
            answered = self.results(path)
            for call in (call for record in records for call in record.get("toolCalls") or []):
                if call["id"] not in answered:
                    call["status"] = "executing"
                    del call["result"]
            self.write(path, records)
        return True


class GeminiCLI(Agent):
    name = "gemini-cli-0.61.0"
    logs = ".gemini/tmp/*/chats/session-*.jsonl"
    typed = "gemini"
    breaking = _Lines(
        call=lambda record: record.get("toolCalls"),
        result=_answers,
        message=lambda record: record.get("type") in ("user", "gemini"),
        together=lambda record: record.get("id"),
    )

    def files(self, url: str) -> dict[str, Any]:
        return {".gemini/settings.json": _SETTINGS}

    def environment(self, url: str) -> dict[str, str]:
        return {
            "GEMINI_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": url,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_CLI_NO_RELAUNCH": "true",
        }

    def shell(self, command: str) -> tuple[str, dict[str, Any]]:
        return "run_shell_command", {"command": command, "description": "Run it"}

    def begin(self, prompt: str) -> list[str]:
        return ["-m", "gemini-2.5-flash", "--yolo", "-p", prompt]

    def resume(self, session: str, prompt: str) -> list[str]:
        return ["-m", "gemini-2.5-flash", "--yolo", "--resume", session, "-p", prompt]

    def around(self, prompt: str) -> tuple[list[str], list[str]]:
        return ["-m", "gemini-2.5-flash", "--yolo"], ["-p", prompt]

    def session(self, log: Path) -> str:
        return str(json.loads(log.read_bytes().splitlines()[0])["sessionId"])
