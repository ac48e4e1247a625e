"""Who repairs: REPAIRERS is the table, ours the last of it. Each takes OpenAI chat messages and gives them back."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.interop.third_party.environments import ENVIRONMENTS, Environment
from tests.support import product

Messages = list[dict[str, Any]]


@dataclass(frozen=True)
class Made:
    """What came of one history; `base` is the history as the repairer's own message types give it back unrepaired."""

    base: Messages
    messages: Messages
    refused: str = ""


@dataclass(frozen=True)
class Repairer:
    name: str
    environment: Environment
    program: str

    @property
    def version(self) -> str:
        return self.environment.packages[0]

    def install(self) -> None:
        self.environment.install()

    def repair(self, histories: Iterable[Messages]) -> list[Made]:
        given = list(histories)
        answers = self.environment.ask(self.program, given)
        return [
            Made(answer.get("base", before), answer.get("messages", before), _reason(answer))
            for before, answer in zip(given, answers, strict=True)
        ]


class Ours(Repairer):
    """This product: a file in, a file out."""

    def __init__(self) -> None:
        super().__init__("transcript-inspector", ENVIRONMENTS["turnsafe"], "")

    @property
    def version(self) -> str:
        return "this checkout"

    def install(self) -> None:
        """It is here."""

    def repair(self, histories: Iterable[Messages]) -> list[Made]:
        made = []
        with TemporaryDirectory() as folder:
            path, out = Path(folder) / "chat.json", Path(folder) / "repaired.json"
            for before in histories:
                path.write_text(json.dumps(before), "utf-8")
                answer = product.repair(path, out)
                after = json.loads(out.read_text("utf-8")) if answer.code == 0 else before
                made.append(Made(before, after, answer.report.get("reason") or "" if answer.code else ""))
        return made


def _reason(answer: dict[str, Any]) -> str:
    refused = answer.get("refused", "")
    return refused if isinstance(refused, str) else ""


REPAIRERS: tuple[Repairer, ...] = (
    Repairer("deepagents", ENVIRONMENTS["deepagents"], "deepagents_patch.py"),
    Repairer("turnsafe", ENVIRONMENTS["turnsafe"], "turnsafe_repair.py"),
    Repairer("tool-call-repair", ENVIRONMENTS["tool-call-repair"], "tool_call_repair.py"),
    Repairer("tessera", ENVIRONMENTS["tessera"], "tessera_repair.py"),
    Repairer("LiteLLM", ENVIRONMENTS["litellm"], "litellm_sanitize.py"),
    Ours(),
)
