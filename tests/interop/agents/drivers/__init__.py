"""The agents, a module each: AGENTS is the table."""

from tests.interop.agents.drivers.agent import Agent
from tests.interop.agents.drivers.claude_code import ClaudeCode
from tests.interop.agents.drivers.cline import Cline
from tests.interop.agents.drivers.codex import Codex
from tests.interop.agents.drivers.copilot_cli import CopilotCLI
from tests.interop.agents.drivers.gemini_cli import GeminiCLI
from tests.interop.agents.drivers.kimi_cli import KimiCLI
from tests.interop.agents.drivers.kimi_code import KimiCode
from tests.interop.agents.drivers.omp import Omp
from tests.interop.agents.drivers.openclaw import OpenClaw
from tests.interop.agents.drivers.opencode import OpenCode
from tests.interop.agents.drivers.pi import Pi
from tests.interop.agents.drivers.qwen_code import QwenCode

AGENTS: dict[str, Agent] = {
    agent.name: agent
    for agent in (
        ClaudeCode("2.1.112"),
        ClaudeCode("2.1.330"),
        Codex(),
        GeminiCLI(),
        OpenCode(),
        KimiCLI(),
        KimiCode(),
        Cline(),
        QwenCode(),
        CopilotCLI(),
        Pi("0.73.1"),
        Pi("0.87.1"),
        Pi("1.5.2"),
        OpenClaw("2026.6.11"),
        Omp("18.2.3"),
    )
}
