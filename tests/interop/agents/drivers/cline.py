"""Cline CLI with an OpenAI-compatible provider: OpenAI chat on the wire, one document with Anthropic's blocks as log.

It begins without a terminal, and resumes only at one.
"""

import json
from pathlib import Path
from typing import Any

from tests.interop.agents.drivers.agent import Agent
from tests.interop.agents.drivers.breaking import BYTES, Layout, Record, Records, record_of


def _has(record: Record, kind: str) -> bool:
    return isinstance(record["content"], list) and any(block["type"] == kind for block in record["content"])


class _Document(Layout):
    """The messages of the document; half of a message is half of the document."""

    def breaks(self, path: Path, how: str) -> bool:
        if how in ("damaged middle", *BYTES):
            return False
        if how == "torn last line":
            data = path.read_bytes()
            path.write_bytes(data[: data.rindex(b'"role"')])
            return True
        return super().breaks(path, how)

    def read(self, path: Path) -> Records:
        return list((record_of(path.read_bytes()) or {"messages": []})["messages"])

    def write(self, path: Path, records: Records) -> None:
        path.write_text(json.dumps(json.loads(path.read_bytes()) | {"messages": records}, indent=2))


class Cline(Agent):
    name = "cline-3.0.65"
    logs = ".cline/data/sessions/*/*.messages.json"
    typed = "cline"
    prompted = "Ask anything"
    saves = ("in place",)
    breaking = _Document(
        call=lambda record: _has(record, "tool_use"),
        result=lambda record: _has(record, "tool_result"),
        message=lambda record: True,
    )

    def files(self, url: str) -> dict[str, Any]:
        name = "openai-compatible"
        provider = {"provider": name, "apiKey": "none", "model": "fake-model", "baseUrl": f"{url}/v1"}
        row = {"settings": provider, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}
        settings = {"version": 1, "lastUsedProvider": name, "modes": {}, "providers": {name: row}}
        return {".cline/data/settings/providers.json": settings}

    def environment(self, url: str) -> dict[str, str]:
        return {"CLINE_TELEMETRY_DISABLED": "1", "CLINE_NO_AUTO_UPDATE": "1"}

    def shell(self, command: str) -> tuple[str, dict[str, Any]]:
        return "run_commands", {"commands": [command]}

    def begin(self, prompt: str) -> list[str]:
        return ["--auto-approve", "true", prompt]

    def resume(self, session: str, prompt: str) -> list[str]:
        return ["--id", session]

    def around(self, prompt: str) -> tuple[list[str], list[str]]:
        return [], []

    def session(self, log: Path) -> str:
        return log.parent.name
