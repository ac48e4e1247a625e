"""Calls in messages that broke off (T43): open ones are told as such, answered ones stay pairs."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.core.formats import FORMATS
from tests.support import product
from tests.support.notation import parse

OPEN, PAIRED = "u | a{A} | u | a", "u | a{A} | r(A=alpha) | u | a"


def _lines(edit: Callable[[dict[str, Any]], None]) -> Callable[[Path], None]:
    def marked(path: Path) -> None:
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        for row in rows:
            edit(row)
        path.write_text("".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows))

    return marked


def _document(edit: Callable[[dict[str, Any]], None]) -> Callable[[Path], None]:
    def marked(path: Path) -> None:
        value = json.loads(path.read_text())
        for row in value if isinstance(value, list) else next(v for v in value.values() if isinstance(v, list)):
            edit(row)
        path.write_text(json.dumps(value))

    return marked


def _claude(row: dict[str, Any]) -> None:
    message = row.get("message")
    if isinstance(message, dict) and message["role"] == "assistant" and '"tool_use"' in json.dumps(message["content"]):
        message["stop_reason"] = "max_tokens"


def _message(member: str, reason: str) -> Callable[[dict[str, Any]], None]:
    def edit(row: dict[str, Any]) -> None:
        if row.get("role") == "assistant" and ("tool_calls" in row or '"tool_use"' in json.dumps(row)):
            row[member] = reason

    return edit


def _item(row: dict[str, Any]) -> None:
    item = row.get("payload", row)
    if isinstance(item, dict) and item.get("type") == "function_call":
        item["status"] = "incomplete"


def _langchain(row: dict[str, Any]) -> None:
    fields = row.get("data", row.get("kwargs", row))
    if fields.get("tool_calls"):
        fields.setdefault("response_metadata", {})["finish_reason"] = "length"


def _kimi(row: dict[str, Any]) -> None:
    event = row.get("event", {})
    if event.get("type") == "step.end":
        event["finishReason"] = "interrupted"


def _cline(row: dict[str, Any]) -> None:
    if row.get("role") == "assistant" and '"tool_use"' in json.dumps(row):
        row["content"].insert(0, {"type": "text", "text": "Let me see\n\n[Response interrupted by user]"})


MARKS: dict[str, Callable[[Path], None]] = {
    "claude-code": _lines(_claude),
    "claude-stream": _lines(_claude),
    "anthropic-messages": _document(_message("stop_reason", "max_tokens")),
    "openai-chat": _document(_message("finish_reason", "length")),
    "openai-responses": _document(_item),
    "codex": _lines(_item),
    "langchain": _document(_langchain),
    "kimi-code": _lines(_kimi),
    "cline-task": _document(_cline),
}


def written(name: str, history: str, folder: Path) -> Path:
    path = FORMATS[name].write(parse(history), folder)
    MARKS[name](path)
    return path


@pytest.mark.parametrize("name", MARKS)
def test_an_open_call_in_a_message_that_broke_off(name: str, tmp_path: Path) -> None:
    path, out, again = written(name, OPEN, tmp_path), tmp_path / "out", tmp_path / "again"
    answer = product.check(path)
    assert answer.errors == {"D5:A"}
    (finding,) = [found for found in answer.findings if found["rule"] == "D5"]
    assert "was cut off" in finding["message"]
    assert finding["default"] == "answer"
    assert product.repair(path, out).code == 0
    repaired = product.check(out)
    assert (repaired.session["verdict"], repaired.errors) == ("healthy", set())
    assert product.repair(out, again).code == 0
    assert again.read_bytes() == out.read_bytes()


@pytest.mark.parametrize("name", MARKS)
def test_t43_an_answered_call_in_such_a_message_stays_a_pair(name: str, tmp_path: Path) -> None:
    path, out = written(name, PAIRED, tmp_path), tmp_path / "out"
    answer = product.check(path)
    assert (answer.session["verdict"], answer.errors) == ("healthy", set())
    assert product.repair(path, out).code == 0
    assert out.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("value", [None, 1, [], {}, "end_turn", "tool_use", ""])
def test_other_values_are_no_reason(value: Any, tmp_path: Path) -> None:
    path = FORMATS["anthropic-messages"].write(parse(OPEN), tmp_path)
    _document(lambda row: row.update(stop_reason=value, status=value, error=value))(path)
    assert product.check(path).errors == {"D2:A"}


@pytest.mark.parametrize(
    "spelled", ['"stop_reason": "max\\u005ftokens"', '"stop\\u005freason" : "MAX-tokens"', '"stop_reason":"max_tokens"']
)
def test_a_reason_may_be_spelled_in_other_ways(spelled: str, tmp_path: Path) -> None:
    path = written("anthropic-messages", OPEN, tmp_path)
    text = path.read_text()
    path.write_text(text.replace('"stop_reason": "max_tokens"', spelled))
    assert spelled in path.read_text()
    assert product.check(path).errors == {"D5:A"}


@pytest.mark.parametrize("strategy", ["drop-call", "drop-exchange", "cut-tail"])
def test_each_strategy_leaves_a_sound_history(strategy: str, tmp_path: Path) -> None:
    path, out = written("anthropic-messages", OPEN, tmp_path), tmp_path / "out.json"
    answer = product.repair(path, out, strategies=f"D5={strategy}")
    assert answer.code == 0
    assert product.check(out).errors == set()
    assert answer.losses[0]["kind"] == "call"
