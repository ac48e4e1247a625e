"""What the bench saw, as small fixtures: logs, and what the agent sent of each when it was broken, then of its repair.

Long texts are cut in both, in the same way; tool definitions are left out. Paths are made neutral, so that nothing
identifies the machine. `recorded` holds what `python -m tests.interop.agents --record tests/interop/agents/recorded`
wrote.
"""

import contextlib
import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.interop.agents.drivers import AGENTS
from tests.interop.agents.drivers.agent import Agent
from tests.interop.agents.outcome import BROKEN, Outcome, Seen
from tests.interop.agents.provider.wire import Body
from tests.interop.agents.scenarios import SCENARIOS, Scenario

HOME = "/home/agent"
LONGEST, HEAD = 300, 60  # characters of a text: what may stay, and what stays of a longer one
LEFT_OUT = ("tools", "systemPrompt", "system_prompt")  # their values become empty
REQUESTS = ".requests.json"
LINE_END = ",\n"


@dataclass(frozen=True)
class Sent:
    """A request that an agent sent; `refused` is the provider's answer to it, "" for none."""

    wire: str
    refused: str
    messages: list[Body]


@dataclass(frozen=True)
class Recorded:
    """One fixture: the log before it was broken, and what was sent of it when it was broken, None for nothing.

    `repaired` is what was sent of its repair, None where the repair was not yet right.
    """

    agent: Agent
    scenario: Scenario
    log: Path
    broken: Sent | None
    repaired: Sent | None


def record(folder: Path, agent: Agent, outcome: Outcome, home: Path) -> None:
    """Write the fixture of a scenario that was played in this home. Raises ValueError when it tells of the machine."""
    if not outcome.seen:
        return
    suffix, log = outcome.log
    save = agent.saves[0]
    repaired = None if outcome.repaired[save].no else outcome.seen.get(save)
    requests = as_lines(*(request_of(seen, home) for seen in (outcome.seen[BROKEN], repaired)))
    files = {
        f"{_log_name(outcome.scenario)}{suffix}": small_log(neutral(log, home)),
        f"{_file_name(outcome.scenario.name)}{REQUESTS}": requests,
    }
    for name, data in files.items():
        if home.parent.name.encode() in data:
            raise ValueError(f"{name} of {agent.name} tells of {home}")
        path = folder / agent.name / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def recorded(folder: Path) -> Iterator[Recorded]:
    """The fixtures of a folder, in the order of the tables."""
    for agent in AGENTS.values():
        for scenario in SCENARIOS.values():
            requests = folder / agent.name / f"{_file_name(scenario.name)}{REQUESTS}"
            if requests.exists():
                (log,) = set(requests.parent.glob(f"{_log_name(scenario)}.*")) - {*requests.parent.glob(f"*{REQUESTS}")}
                broken, repaired = (Sent(**sent) if sent else None for sent in json.loads(requests.read_bytes()))
                yield Recorded(agent, scenario, log, broken, repaired)


def restored(fixture: Recorded, folder: Path) -> Path:
    """The log of a fixture, broken as it was."""
    path = copied(fixture.log, folder)
    if fixture.scenario.broken:
        fixture.agent.breaking.breaks(path, fixture.scenario.broken)
    return path


def copied(log: Path, folder: Path) -> Path:
    """A copy of a kept log in another folder; a dump of a database becomes one."""
    if log.suffix != ".sql":
        path = folder / log.name
        path.write_bytes(log.read_bytes())
        return path
    path = folder / f"{log.stem}.db"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript(log.read_text())
    return path


def _log_name(scenario: Scenario) -> str:
    """What is broken by hand is broken anew: the log before is kept once."""
    return _file_name(scenario.base if scenario.broken else scenario.name)


def _file_name(scenario: str) -> str:
    return re.sub("[^a-z]+", "-", scenario)


def neutral(data: bytes, home: Path) -> bytes:
    """With another home, also where agents made a name of the path, or left its first character out."""
    for spelled in (str, _dashed):
        data = data.replace(spelled(home)[1:].encode(), spelled(HOME)[1:].encode())
    return data


def _dashed(path: Path | str) -> str:
    return re.sub("[^A-Za-z0-9]", "-", str(path))


def small_log(data: bytes) -> bytes:
    """A log of JSON with its long texts cut; what is no JSON, a document or a line, stays as it is."""
    if (whole := _small_json(data)) != data:
        return whole
    return b"".join(_small_json(line) for line in data.splitlines(keepends=True))


def small(value: Any) -> Any:
    """A JSON value with its long texts cut."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST else value[:HEAD] + "…"
    if isinstance(value, list):
        return [small(each) for each in value]
    if isinstance(value, dict):
        return {key: type(each)() if key in LEFT_OUT else small(each) for key, each in value.items()}
    return value


def _small_json(text: bytes) -> bytes:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    if (less := small(value)) == value:
        return text
    end = b"\n" if text.endswith(b"\n") else b""
    return json.dumps(less, ensure_ascii=False, separators=(",", ":")).encode() + end


def request_of(seen: Seen | None, home: Path) -> dict[str, Any] | None:
    """Neutral first, then cut: the length of a path decides where a text is cut, here as in the log."""
    if seen is None or seen.sent is None:
        return None
    messages = small(json.loads(neutral(json.dumps(seen.sent.messages).encode(), home)))
    return {"wire": seen.sent.wire.name, "refused": seen.sent.refused, "messages": messages}


def as_lines(*requests: dict[str, Any] | None) -> bytes:
    """JSON with a line for each message."""
    return b"[" + LINE_END.encode().join(_lines_of(request) for request in requests) + b"]\n"


def _lines_of(request: dict[str, Any] | None) -> bytes:
    if request is None:
        return b"null"
    head = json.dumps(request | {"messages": []}).removesuffix("]}")
    return f"{head}\n{LINE_END.join(map(json.dumps, request['messages']))}]}}".encode()
