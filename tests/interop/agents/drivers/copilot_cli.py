"""GitHub Copilot CLI with a provider of one's own: OpenAI chat; events as lines of `events.jsonl`."""

from pathlib import Path
from typing import Any

from tests.interop.agents.drivers.agent import Agent
from tests.interop.agents.drivers.breaking import Layout


class CopilotCLI(Agent):
    name = "copilot-cli-1.0.102"
    logs = ".copilot/session-state/*/events.jsonl"
    typed = "copilot"
    breaking = Layout(
        call=lambda record: record["data"].get("toolRequests"),
        result=lambda record: record["type"] == "tool.execution_complete",
        message=lambda record: record["type"] in ("user.message", "assistant.message", "tool.execution_complete"),
        id="id",
        parent="parentId",
    )

    def environment(self, url: str) -> dict[str, str]:
        return {
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
            "COPILOT_PROVIDER_API_KEY": "none",
            "COPILOT_MODEL": "gpt-5-mini",
            "COPILOT_AUTO_UPDATE": "false",
        }

    def shell(self, command: str) -> tuple[str, dict[str, Any]]:
        return "bash", {"command": command, "description": "Run it"}

    def begin(self, prompt: str) -> list[str]:
        return ["-p", prompt, "--allow-all-tools"]

    def resume(self, session: str, prompt: str) -> list[str]:
        return [f"--resume={session}", "-p", prompt, "--allow-all-tools"]

    def around(self, prompt: str) -> tuple[list[str], list[str]]:
        return [], ["-p", prompt, "--allow-all-tools"]

    def session(self, log: Path) -> str:
        return log.parent.name
