"""kimi-cli: OpenAI chat; the messages themselves as lines of `context.jsonl`."""

from pathlib import Path
from typing import Any

from tests.interop.agents.drivers.agent import Agent
from tests.interop.agents.drivers.breaking import Layout

SETTINGS = """\
default_model = "fake"
telemetry = false
[models.fake]
provider = "fake"
model = "fake-model"
max_context_size = 200000
[providers.fake]
type = "kimi"
base_url = "{url}/v1"
api_key = "none"
"""


class KimiCLI(Agent):
    name = "kimi-cli-1.49.0"
    logs = ".kimi/sessions/*/*/context.jsonl"
    typed = "kimi"
    breaking = Layout(
        call=lambda record: record.get("tool_calls"),
        result=lambda record: record["role"] == "tool",
        message=lambda record: record["role"] in ("user", "assistant", "tool"),
    )

    def files(self, url: str) -> dict[str, Any]:
        return {".kimi/config.toml": "default_thinking = false\n" + SETTINGS.format(url=url)}

    def environment(self, url: str) -> dict[str, str]:
        return {"KIMI_CLI_NO_AUTO_UPDATE": "1"}

    def shell(self, command: str) -> tuple[str, dict[str, Any]]:
        return "Shell", {"command": command}

    def begin(self, prompt: str) -> list[str]:
        return ["--print", "-p", prompt]

    def resume(self, session: str, prompt: str) -> list[str]:
        return ["--session", session, "--print", "-p", prompt]

    def around(self, prompt: str) -> tuple[list[str], list[str]]:
        return [], ["--print", "-p", prompt]

    def session(self, log: Path) -> str:
        return log.parent.name if log.name == "context.jsonl" else log.stem  # it takes a file for a session, too
