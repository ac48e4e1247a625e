"""Claude Code: Anthropic Messages, a line a block, linked by `parentUuid`.

As root it refuses to run without asking at all; what may run is named instead.
"""

from pathlib import Path
from typing import Any

from tests.interop.agents.drivers.agent import Agent
from tests.interop.agents.drivers.breaking import Layout, Record


def _has(record: Record, kind: str) -> bool:
    content = (record.get("message") or {}).get("content")
    return isinstance(content, list) and any(block["type"] == kind for block in content)


class ClaudeCode(Agent):
    logs = ".claude/projects/*/*.jsonl"
    typed = "claude"
    breaking = Layout(
        call=lambda record: _has(record, "tool_use"),
        result=lambda record: _has(record, "tool_result"),
        message=lambda record: record.get("type") in ("user", "assistant"),
        together=lambda record: (record.get("message") or {}).get("id"),
        id="uuid",
        parent="parentUuid",
    )

    def __init__(self, version: str) -> None:
        self.name = f"claude-code-{version}"

    def environment(self, url: str) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "none",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "0",
        }

    def shell(self, command: str) -> tuple[str, dict[str, Any]]:
        return "Bash", {"command": command, "description": "Run it"}

    def begin(self, prompt: str) -> list[str]:
        return ["--allowedTools", "Bash", "-p", prompt]

    def resume(self, session: str, prompt: str) -> list[str]:
        return ["--allowedTools", "Bash", "--resume", session, "-p", prompt]

    def around(self, prompt: str) -> tuple[list[str], list[str]]:
        return ["--allowedTools", "Bash"], ["-p", prompt]

    def session(self, log: Path) -> str:
        return log.stem
