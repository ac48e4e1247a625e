"""Broken sessions of the OpenAI Agents SDK, resumed by the SDK itself before and after a repair: BREAKS is the table.

Each is a history of items as the SDK stores them. `outcome` is what the SDK does with it: it refuses, or the provider
does ("refuses"); it leaves something out ("mends"); or it sends everything ("as-is").
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.core.formats.openai_agents import Item, add_items
from tests.core.formats.test_openai_agents import PLACEHOLDER_ID, call, output, reasoning, said, user
from tests.interop.agents.provider import Provider, Request
from tests.interop.agents.provider.script import DONE
from tests.interop.third_party.environments import ENVIRONMENTS
from tests.support import product

ENVIRONMENT = ENVIRONMENTS["openai-agents"]
_CALLS = (reasoning("rs_1"), call("A", amount=1), call("B", amount=2))
_FIRST = (user("go"), *_CALLS, output("A", "one"), output("B", "two"))
_ENDED = (said("Done.", "msg_9"),)


def _of_chat(*items: Item) -> tuple[Item, ...]:
    """The same items as a model without the Responses API makes them."""
    made = (item | {"id": PLACEHOLDER_ID} if "id" in item else item for item in items)
    return tuple(item for item in made if item.get("type") != "reasoning")


BREAKS: dict[str, tuple[str, tuple[Item | str, ...]]] = {
    "sound": ("as-is", (*_FIRST, *_ENDED)),
    "killed in a tool": ("as-is", (*_FIRST, *_ENDED, user("and then?"))),
    "waiting for an approval": ("mends", _FIRST[:5]),
    "approved, but not saved": ("mends", (user("go"), call("A", amount=1), said("Paid."))),
    "one of two saved": ("mends", (*_FIRST[:5], *_ENDED)),
    "reasoning before a lost output": ("mends", (*_FIRST, reasoning("rs_2"), call("C"), said("Paid."))),
    "call never saved": ("refuses", (user("go"), output("A"), said("Paid."))),
    "call cut off": ("refuses", (*_FIRST[3:], *_ENDED)),
    "output before its call": ("refuses", (user("go"), output("A"), call("A"), *_ENDED)),
    "output after a prompt": ("as-is", (user("go"), call("A"), user("and?"), said("Soon."), output("A"), *_ENDED)),
    "output twice": ("mends", (*_FIRST, output("B", "two"), *_ENDED)),
    "two different outputs": ("mends", (*_FIRST, output("B", "three"), *_ENDED)),
    "turn twice": ("mends", (*_FIRST, *_FIRST[1:], *_ENDED)),
    "reasoning at the end": ("refuses", (*_FIRST, reasoning("rs_2"))),
    "row that is not JSON": ("mends", (*_FIRST, '{"type": "mess', *_ENDED)),
    "half of a character": ("refuses", (user("\ud83d go"), *_ENDED)),
    "chat: sound": ("as-is", _of_chat(*_FIRST, *_ENDED)),
    "chat: text after the calls": ("as-is", _of_chat(*_FIRST[:4], said("Wait."), *_FIRST[4:], *_ENDED)),
    "chat: approved, but not saved": ("mends", _of_chat(user("go"), call("A"), said("Paid."))),
    "chat: output after a prompt": (
        "refuses",
        _of_chat(user("go"), call("A"), user("and?"), said("Soon."), output("A"), *_ENDED),
    ),
    "chat: call never saved": ("refuses", _of_chat(user("go"), output("A"), said("Paid."))),
}


@dataclass(frozen=True)
class Resumed:
    """What became of a session: whether its request was refused, and what was in it."""

    refused: str
    sent: list[Any]


@dataclass(frozen=True)
class Tried:
    """A broken session: what was told of it, what the SDK did with it, and what it did with the repaired one."""

    name: str
    verdict: str
    outcome: str
    predicted: list[Any]
    before: Resumed
    after: Resumed
    lost: set[str]

    @property
    def wrong(self) -> list[str]:
        """What must not be: another outcome or request than predicted, a refusal of the repair, or a lost result."""
        found = []
        if self.outcome != BREAKS[self.name][0]:
            found.append(f"it was said to be {self.outcome}")
        if bool(self.before.refused) != (self.outcome == "refuses"):
            found.append(f"said to be {self.outcome}, and the answer was {self.before.refused or 'no refusal'}")
        if self.before.sent and self.predicted and self.before.sent != self.predicted:
            found.append(f"{self.predicted} was predicted, and {self.before.sent} was sent")
        if self.after.refused:
            found.append(f"the repaired session was refused: {self.after.refused}")
        return [*found, *(f"the result {text} is not sent" for text in sorted(self.lost))]


def shown(items: list[Any]) -> list[Any]:
    """Items or messages, as far as they are compared: ids, outputs and texts."""
    return [_shown(item) for item in items]


def _shown(item: dict[str, Any]) -> Any:
    content = item.get("content")
    text = content if isinstance(content, str) else "".join(part["text"] for part in content or ())
    calls = [call["id"] for call in item.get("tool_calls") or ()]
    own = item.get("id") if item.get("type") in ("reasoning", "function_call") else None
    return [item.get("call_id") or item.get("tool_call_id"), own, item.get("output"), text, *calls]


def tried(folder: Path, python: str) -> list[Tried]:
    """Every break, before and after its repair."""
    logs = {name: add_items(folder / f"{number}.db", items) for number, (name, (_, items)) in enumerate(BREAKS.items())}
    repaired = {}
    for name, path in logs.items():
        out = path.with_suffix(".out.db")
        answer = product.repair(path, out)
        repaired[name] = out if out.exists() else path
        assert answer.code == 0, (name, answer.report)
    with Provider() as provider:
        before, after = (_resumed(provider, python, paths) for paths in (logs, repaired))
    return [_tried(name, path, before[name], after[name]) for name, path in logs.items()]


def _tried(name: str, path: Path, before: Resumed, after: Resumed) -> Tried:
    session = product.check(path).session
    request = product.sent(path).report
    predicted = request.get("input") or request.get("messages") or []
    results = {item["output"] for item in BREAKS[name][1] if isinstance(item, dict) and "output" in item}
    lost = {text for text in results if not any(text in str(item) for item in after.sent)}
    outcome = session["on_resume"]["outcome"]
    return Tried(name, session["verdict"], outcome, shown(predicted), before, after, lost)


def _resumed(provider: Provider, python: str, paths: dict[str, Path]) -> dict[str, Resumed]:
    """What the SDK sends of each session, with a new prompt by which the request is known."""
    rows = [
        {"url": provider.url, "path": str(path), "session": "user_123", "prompt": f"go on: {name}"}
        | {"responses": not name.startswith("chat")}
        for name, path in paths.items()
    ]
    provider.play([DONE] * len(rows))
    told = ENVIRONMENT.run([python], "openai_agents_session.py", rows)
    by_prompt = {_shown(turn.messages[-1])[3]: turn for turn in provider.turns}
    return {
        name: _as_resumed(by_prompt.get(f"go on: {name}"), answer.get("error", ""))
        for name, answer in zip(paths, told, strict=True)
    }


def _as_resumed(turn: Request | None, error: str) -> Resumed:
    return Resumed(error, shown(turn.messages[:-1]) if turn is not None else [])
