"""Richer sessions that real agents wrote, broke and resumed: request, verdict and repair of each are as recorded.

Subagents, compaction, several resumes, two writers, torn and fused lines, broken characters. The folder has an index of
them, and a folder for each with its log and the request that the agent sent of it. The index names what the agent did.
"""

import csv
import json
import os
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.interop.agents import ours
from tests.interop.agents.compare import Item, Message, difference, items
from tests.interop.agents.recording import copied
from tests.support import product
from tests.support.paths import SHARED

FOLDER = Path(os.environ.get("TRANSCRIPT_RICH", SHARED / "agents" / "rich"))
INDEX = FOLDER / "INDEX.tsv"

# What is still wrong of a scenario, and why. A row that becomes right fails until it is removed.
_BASE = "the rollout that it continues is not among these logs"
STILL_WRONG: dict[str, dict[str, str]] = {
    "codex-0.169.0/fork-of-a-base-that-is-refused": {"request": _BASE, "verdict": _BASE},
    "codex-0.169.0/forked-new": {"request": _BASE, "verdict": _BASE},
}

# What a tool really said to a word, and the call that had it say so.
_REAL = re.compile(r"\b([a-z0-9]+)-real\b")
_SAYS = re.compile(r"\b([a-z0-9]+) real\b")
# What Claude Code appends anew to a result.
_REMINDERS = re.compile(r"\s*<system-reminder>.*</system-reminder>\s*", re.DOTALL)


@dataclass(frozen=True)
class Scenario:
    name: str
    version: str
    log: Path
    did: str

    @property
    def accepted(self) -> bool:
        return self.did.startswith("accepted")

    def sent(self) -> list[Message] | None:
        """The recorded request, None where there was none that can be kept as JSON."""
        path = self.log.parent / "request.json"
        if not path.exists():
            return None
        (messages,) = json.loads(path.read_bytes()).values()
        return [_without_what_is_new(message) for message in messages]


def _scenarios() -> list[Scenario]:
    if not INDEX.exists():
        return []
    with INDEX.open(newline="", encoding="utf-8") as file:
        rows = [*csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    return [
        Scenario(str(Path(r["log"]).parent), r["version"], FOLDER / r["log"], r["what the agent did"]) for r in rows
    ]


def _without_what_is_new(message: Message) -> Message:
    """A message without reminders in its results, and with a word for an image, which a prediction shows so, too."""
    content = message.get("content")
    if not isinstance(content, list):
        return message
    return message | {"content": [*map(_plain_part, content)]}


def _plain_part(part: Message) -> Message:
    if part.get("type") == "tool_result" and isinstance(part.get("content"), str):
        return part | {"content": _REMINDERS.sub("", part["content"])}
    return {"type": "text", "text": "[image_url]"} if part.get("type") == "image_url" else part


def _unsent(results: set[str], found: list[Item]) -> list[str]:
    """The words whose real results lie in the log, while their calls are sent with other ones."""
    answers: defaultdict[str, str] = defaultdict(str)
    for item in found:
        if item.kind == "result":
            answers[item.id] += item.content
    said = ((word, answers[call.id]) for call in found if call.kind == "call" for word in _SAYS.findall(call.content))
    return [word for word, answer in said if word in results and f"{word}-real" not in answer]


def _real_results(log: Path) -> set[str]:
    """The words of the real results that lie in readable records."""
    text = log.read_text(errors="replace")
    return set(_REAL.findall(text if log.suffix == ".sql" else "".join(filter(_is_json, text.split("\n")))))


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def wrong(scenario: Scenario, folder: Path) -> dict[str, str]:
    """What is wrong of the request that is predicted, of the verdict, of the repair; nothing where they are right."""
    log = copied(scenario.log, folder)
    version = ("--agent-version", scenario.version)
    report = product.sent(log, *version)
    told = ours.predicted(log, *version)
    if told.silent:
        return {"request": told.silent}
    sent = scenario.sent()
    results = _real_results(scenario.log)
    reasons = {
        "request": "" if sent is None else difference(told.wire, [*told.messages], sent),
        "verdict": _wrong_verdict(scenario, report.report, told.wire, sent, results),
        "repair": _wrong_repair(ours.predicted(log, *version, "--repaired"), results),
    }
    return {what: why for what, why in reasons.items() if why}


def _wrong_verdict(
    scenario: Scenario, report: dict[str, Any], wire: str, sent: list[Message] | None, results: set[str]
) -> str:
    if report["outcome"] == "unknown" or (report["outcome"] == "refuses") == scenario.accepted:
        return f"told was {report['outcome']!r}, the agent: {scenario.did[:100]}"
    untold = _unsent(results, items(wire, sent or [])) if not report["loses"] else []
    return f"the real results of {' and '.join(untold)} are replaced, which is not told" if untold else ""


def _wrong_repair(after: ours.Prediction, results: set[str]) -> str:
    if after.silent:
        return after.silent
    if after.refuses:
        return "the repaired log is refused"
    replaced = _unsent(results, items(after.wire, after.messages))
    return f"the real results of {' and '.join(replaced)} are replaced" if replaced else ""


@pytest.mark.skipif(not INDEX.exists(), reason="no richer sessions: TRANSCRIPT_RICH names no folder with an INDEX.tsv")
@pytest.mark.parametrize("scenario", _scenarios(), ids=lambda scenario: scenario.name)
def test_a_rich_session_is_as_recorded(scenario: Scenario, tmp_path: Path) -> None:
    found = wrong(scenario, tmp_path)
    known = STILL_WRONG.get(scenario.name, {})
    assert {what: why for what, why in found.items() if what not in known} == {}
    assert known.keys() <= found.keys(), "this is right now: remove it from STILL_WRONG"


@pytest.mark.skipif(not INDEX.exists(), reason="no richer sessions: TRANSCRIPT_RICH names no folder with an INDEX.tsv")
def test_what_is_still_wrong_names_scenarios() -> None:
    assert STILL_WRONG.keys() <= {scenario.name for scenario in _scenarios()}
