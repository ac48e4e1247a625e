"""Kimi Code: OpenAI chat; events of a loop as lines of `wire.jsonl`, from which it folds the messages."""

from pathlib import Path
from typing import Any

from tests.interop.agents.drivers.agent import Agent
from tests.interop.agents.drivers.breaking import Layout, Record
from tests.interop.agents.drivers.kimi_cli import SETTINGS


def _event(record: Record) -> Record:
    event = record.get("event")
    return event if record["type"] == "context.append_loop_event" and isinstance(event, dict) else {}


def _kind(record: Record) -> str:
    return str(_event(record).get("type"))


class KimiCode(Agent):
    name = "kimi-code-2.1.0"
    logs = ".kimi-code/sessions/*/*/agents/main/wire.jsonl"
    typed = "kimi"
    saves = ("in place",)
    breaking = Layout(
        call=lambda record: _kind(record) == "tool.call",
        result=lambda record: _kind(record) == "tool.result",
        message=_event,
        together=lambda record: _event(record).get("stepUuid"),
    )

    def files(self, url: str) -> dict[str, Any]:
        return {".kimi-code/config.toml": SETTINGS.format(url=url)}

    def environment(self, url: str) -> dict[str, str]:
        return {"KIMI_CODE_NO_AUTO_UPDATE": "1", "KIMI_DISABLE_TELEMETRY": "1"}

    def shell(self, command: str) -> tuple[str, dict[str, Any]]:
        return "Bash", {"command": command}

    def begin(self, prompt: str) -> list[str]:
        return ["-p", prompt]

    def resume(self, session: str, prompt: str) -> list[str]:
        return ["--session", session, "-p", prompt]

    def session(self, log: Path) -> str:
        return log.parents[2].name
