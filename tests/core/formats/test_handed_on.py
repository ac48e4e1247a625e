"""Messages that an agent hands on, or stops at, as they are written: what its provider takes from nobody is found.

What each program does with them was seen by running it: pi 0.73.1, kimi-cli 1.49.0, Kimi Code 2.1.0, Qwen Code 0.24.4,
Claude Code 2.1.112 and 2.1.330, Cline 3.0.65; Neovate's source tells.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.core.formats import FORMATS
from tests.support import product
from tests.support.notation import lines, parse

HISTORY = 'u"one" | a"first" | u"two" | a"t"{A p=1} | r(A=alpha) | a"LAST"'
WORDS = "words that nobody may lose"
Edit = Callable[[dict[str, Any]], None]


def broken(name: str, folder: Path, where: Callable[[dict[str, Any]], bool], edit: Edit) -> Path:
    """A log of the agent with the last record of a kind edited."""
    path = FORMATS[name].write(parse(HISTORY), folder)
    if path.suffix != ".jsonl":
        document = json.loads(path.read_bytes())
        edit([each for each in document["messages"] if where(each)][-1])
        path.write_text(json.dumps(document))
        return path
    records = [json.loads(line) for line in path.read_bytes().splitlines()]
    edit([each for each in records if where(each)][-1])
    path.write_bytes(lines(records))
    return path


def put(*path: str, value: Any) -> Edit:
    def edit(record: dict[str, Any]) -> None:
        for key in path[:-1]:
            record = record[key]
        record[path[-1]] = value

    return edit


def says(text: str) -> Callable[[dict[str, Any]], bool]:
    return lambda record: f'"{text}"' in json.dumps(record)


def speaks(record: dict[str, Any]) -> bool:
    return record.get("type") == "context.append_message"


ODD_TEXT = [{"type": "text", "text": {"type": "text", "text": WORDS}}]
BARE = [WORDS]
CASES = [
    ("claude-code", says("LAST"), put("message", "content", value=ODD_TEXT)),
    ("claude-code", says("LAST"), put("message", "content", value=BARE)),
    ("claude-code", says("LAST"), put("message", "content", value=[{"type": "thinking", "thinking": {"text": WORDS}}])),
    ("claude-code", says("two"), put("message", value=None)),
    ("claude-stream", says("LAST"), put("message", "content", value=ODD_TEXT)),
    ("claude-stream", says("LAST"), put("message", "content", value=BARE)),
    ("neovate", says("LAST"), put("content", value=ODD_TEXT)),
    ("neovate", says("two"), put("role", value="boss")),
    ("cline-sdk", says("two"), put("role", value="boss")),
    ("pi", says("LAST"), put("message", "content", value=ODD_TEXT)),
    ("pi", says("LAST"), put("message", "content", value=WORDS)),
    ("pi", says("two"), put("message", "content", value={"text": WORDS})),
    ("pi", says("alpha"), put("message", "content", value=None)),
    ("pi", says("two"), put("message", value=None)),
    ("kimi-code", says("LAST"), put("event", "part", value=ODD_TEXT[0])),
    ("kimi-code", says("LAST"), put("event", "part", value=WORDS)),
    ("kimi-code", says("LAST"), put("event", "part", value={"type": "think", "think": None})),
    ("kimi-code", says("alpha"), put("event", "result", "output", value=5)),
    ("kimi-code", says("alpha"), put("event", "result", value=None)),
    ("kimi-code", speaks, put("message", "content", value=ODD_TEXT)),
    ("kimi-code", speaks, put("message", "role", value="boss")),
    ("kimi-cli", says("LAST"), put("content", value=ODD_TEXT)),
    ("kimi-cli", says("LAST"), put("content", value=BARE)),
    ("qwen-code", says("LAST"), put("message", "parts", value=[{"text": {"text": WORDS}}])),
    ("qwen-code", says("LAST"), put("message", "role", value="boss")),
]


@pytest.mark.parametrize(("name", "where", "edit"), CASES)
def test_what_no_provider_takes_is_found_mended_and_kept(
    name: str, where: Callable[[dict[str, Any]], bool], edit: Edit, tmp_path: Path
) -> None:
    path = broken(name, tmp_path, where, edit)
    before = path.read_text()
    assert product.check(path).errors == {"M12"}
    out = tmp_path / "out" / path.name
    out.parent.mkdir()
    answer = product.repair(path, out)
    assert answer.code == 0
    assert product.check(out).session["verdict"] == "healthy"
    assert WORDS not in before or WORDS in out.read_text()


SKIPPED = [
    ("pi", says("two"), put("message", "content", value=[])),
    ("pi", says("two"), put("message", "role", value="boss")),
    ("kimi-cli", says("two"), put("role", value="boss")),
    ("qwen-code", says("two"), put("message", "parts", value=[])),
    ("claude-code", says("LAST"), put("message", "role", value="boss")),
]


@pytest.mark.parametrize(("name", "where", "edit"), SKIPPED)
def test_what_the_program_passes_over_is_no_error(
    name: str, where: Callable[[dict[str, Any]], bool], edit: Edit, tmp_path: Path
) -> None:
    path = broken(name, tmp_path, where, edit)
    assert product.check(path).errors == set()
    assert FORMATS[name].judge(FORMATS[name].load(path)) is None


@pytest.mark.parametrize(
    ("name", "where", "edit"),
    [
        ("claude-code", says("two"), put("type", value="of a newer version")),
        ("claude-code", says("two"), put("uuid", value="")),
        ("neovate", says("two"), put("type", value="of a newer version")),
    ],
)
def test_what_the_loader_does_not_know_is_nobodys_parent(
    name: str, where: Callable[[dict[str, Any]], bool], edit: Edit, tmp_path: Path
) -> None:
    assert "G1" in product.check(broken(name, tmp_path, where, edit)).errors


def test_a_result_of_the_providers_own_tool_needs_its_call_in_neovate_too(tmp_path: Path) -> None:
    result = {"type": "web_search_tool_result", "tool_use_id": "S", "content": []}
    path = broken("neovate", tmp_path, says("LAST"), put("content", value=[result, {"type": "text", "text": "LAST"}]))
    assert product.check(path).errors == {"X2:S"}


def test_a_result_that_holds_none_is_no_result_to_neovate(tmp_path: Path) -> None:
    bare = {"type": "tool-result", "toolCallId": "A", "toolName": "Read", "input": {}, "content": {"llmContent": WORDS}}
    path = broken("neovate", tmp_path, says("alpha"), put("content", value=[bare]))
    assert "M12" in product.check(path).errors
    out = tmp_path / "out.jsonl"
    assert product.repair(path, out).code == 0
    assert WORDS in out.read_text("utf-8")
    assert "No result was recorded" in out.read_text("utf-8")
