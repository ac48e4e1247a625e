"""Codex CLI: OpenAI Responses, the items themselves as lines, numbered."""

from pathlib import Path
from typing import Any

from tests.interop.agents.drivers.agent import Agent
from tests.interop.agents.drivers.breaking import Layout, Record

_SETTINGS = """\
model = "fake-model"
model_provider = "fake"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.fake]
name = "fake"
base_url = "{url}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
"""


def _item(record: Record) -> str:
    return str(record["payload"].get("type")) if record["type"] == "response_item" else ""


class Codex(Agent):
    name = "codex-0.169.0"
    logs = ".codex/sessions/*/*/*/rollout-*.jsonl"
    typed = "codex"
    saves = ("new session",)  # its index counts the lines of a log
    breaking = Layout(
        call=lambda record: _item(record) == "function_call",
        result=lambda record: _item(record) == "function_call_output",
        message=_item,
        ordinal="ordinal",
    )

    def files(self, url: str) -> dict[str, Any]:
        return {".codex/config.toml": _SETTINGS.format(url=url)}

    def environment(self, url: str) -> dict[str, str]:
        return {"FAKE_KEY": "none"}

    def shell(self, command: str) -> tuple[str, dict[str, Any]]:
        return "exec_command", {"cmd": command, "yield_time_ms": 30_000}

    def begin(self, prompt: str) -> list[str]:
        return ["exec", "--skip-git-repo-check", prompt]

    def resume(self, session: str, prompt: str) -> list[str]:
        return ["exec", "resume", "--skip-git-repo-check", session, prompt]

    def around(self, prompt: str) -> tuple[list[str], list[str]]:
        return ["exec"], ["--skip-git-repo-check", prompt]

    def session(self, log: Path) -> str:
        return log.stem[-36:]
