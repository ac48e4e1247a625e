"""The adapters of `frameworks.md`, with the real packages against the fake provider: ADAPTERS is the table.

Each history of HISTORIES goes on with a new prompt, first as it is and then with the code of the page. `refuses` is
what was refused without it when the versions were pinned, by the provider or by the framework itself.
"""

import re
from dataclasses import dataclass
from typing import Any

from tests.interop.agents.provider import Provider
from tests.interop.agents.provider.script import DONE
from tests.interop.third_party.environments import ENVIRONMENTS
from tests.interop.third_party.judges import HISTORIES
from tests.interop.third_party.shapes import SHAPES
from tests.support.notation import parse
from tests.support.paths import ROOT

PAGE = ROOT / "resources" / "docs" / "frameworks.md"
ENVIRONMENT = ENVIRONMENTS["frameworks"]
# A result without a call becomes a text, which names its call. Of two equal results, one is dropped with its message.
GIVEN_UP = {"B2": {"A"}, "B4": {"m3"}}


@dataclass(frozen=True)
class Adapter:
    """`name` is its heading in the page, `packages` are those that the page names, `module` is imported by its code."""

    name: str
    module: str
    packages: str
    program: str
    shape: str
    refuses: str

    @property
    def section(self) -> str:
        """Its part of the page."""
        return PAGE.read_text("utf-8").split(f"\n## {self.name}\n")[1].split("\n## ")[0]

    @property
    def blocks(self) -> list[str]:
        """The code of the page."""
        return re.findall(r"```python\n(.*?)```", self.section, re.DOTALL)


@dataclass(frozen=True)
class Trial:
    """What became of a history: `refused` is why it was refused without the adapter, `wrong` is what must not be."""

    history: str
    refused: str
    wrong: str


ADAPTERS = (
    Adapter(
        "LangGraph",
        "langgraph",
        "langgraph langchain langchain-core langchain-openai",
        "langgraph_adapter.py",
        "langchain",
        refuses="B1 B2 B3 B4 B5 B6 B7 B8",
    ),
    Adapter("Pydantic AI", "pydantic_ai", "pydantic-ai-slim", "pydantic_ai_adapter.py", "pydantic-ai", "B4 B6 B7"),
    Adapter("OpenAI Agents SDK", "agents", "openai-agents", "openai_agents_adapter.py", "responses", "B2 B3"),
    Adapter("LiteLLM", "litellm", "litellm", "litellm_adapter.py", "openai", "B1 B2 B3 B4 B5 B6 B7 B8"),
)


def tried(adapter: Adapter, python: str) -> list[Trial]:
    """Each history without and with the adapter. `python` has the packages."""
    histories = {name: SHAPES[adapter.shape](parse(text)) for name, text in HISTORIES.items()}
    with Provider() as provider:
        rows: list[dict[str, Any]] = [
            {"url": provider.url, "history": history, "blocks": blocks}
            for blocks in ([], adapter.blocks)
            for history in histories.values()
        ]
        told = ENVIRONMENT.run([python], adapter.program, rows)
    without, adapted = told[: len(histories)], told[len(histories) :]
    return [
        Trial(name, alone.get("error", ""), _wrong(adapter, name, alone, repaired, len(histories[name])))
        for name, alone, repaired in zip(histories, without, adapted, strict=True)
    ]


def _wrong(adapter: Adapter, name: str, alone: dict[str, Any], repaired: dict[str, Any], number: int) -> str:
    if ("error" in alone) != (name in adapter.refuses.split()):
        return f"without the adapter: {alone}"
    if repaired.get("answer") != DONE.text:
        return f"with the adapter: {repaired}"
    if not set(repaired["lost"]) <= GIVEN_UP.get(name, set()):
        return f"ids are lost: {repaired['lost']}"
    if name.startswith("S") and repaired["kept"] != number:
        return f"of {number} messages of a sound history, {repaired['kept']} are the same"
    return ""
