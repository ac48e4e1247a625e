"""omp (oh-my-pi), a fork of pi: OpenAI chat, to a provider of the settings; pi's records with more around them."""

from typing import Any

from tests.interop.agents.drivers.pi import PROMPT, Pi


class Omp(Pi):
    logs = ".omp/agent/sessions/*/*.jsonl"
    typed = "omp"

    def __init__(self, version: str) -> None:
        self.name = f"omp-{version}"

    def files(self, url: str) -> dict[str, Any]:
        models = [{"id": "fake-model", "name": "Fake", "input": ["text"], "contextWindow": 200000, "maxTokens": 4000}]
        provider = {"baseUrl": f"{url}/v1", "api": "openai-completions", "apiKey": "none", "models": models}
        return {".omp/agent/models.yml": {"providers": {"fake": provider}}}

    def begin(self, prompt: str) -> list[str]:
        return [*_WORDS, "-p", prompt]

    def resume(self, session: str, prompt: str) -> list[str]:
        return [*_WORDS, "--resume", session, "-p", prompt]

    def around(self, prompt: str) -> tuple[list[str], list[str]]:
        return _WORDS, ["-p", prompt]


_WORDS = ["--system-prompt", PROMPT, "--model", "fake/fake-model", "--auto-approve", "--no-title", "--no-lsp"]
