"""One message that says nothing among others: the log is told by the others, and judged."""

from pathlib import Path
from typing import Any

import pytest

from tests.core.formats.api_logs import log, repaired
from tests.support import product

CONVERSE = [
    {"role": "user", "content": [{"text": "hi"}]},
    {"role": "assistant", "content": [{"toolUse": {"toolUseId": "A", "name": "read", "input": {}}}]},
    {"role": "user", "content": [{"toolResult": {"toolUseId": "A", "content": [{"text": "alpha"}]}}]},
    {"role": "assistant", "content": [{"text": "ok"}]},
]
ANTHROPIC = [
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "A", "name": "read", "input": {}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "A", "content": "alpha"}]},
    {"role": "assistant", "content": [{"type": "text", "text": "ok"}]},
]
GEMINI = [
    {"role": "user", "parts": [{"text": "hi"}]},
    {"role": "model", "parts": [{"functionCall": {"id": "A", "name": "read", "args": {}}}]},
    {"role": "user", "parts": [{"functionResponse": {"id": "A", "name": "read", "response": {"output": "alpha"}}}]},
    {"role": "model", "parts": [{"text": "ok"}]},
]
HISTORIES: dict[str, tuple[str, str, list[Any]]] = {
    "bedrock-converse": ("messages", "content", CONVERSE),
    "anthropic-messages": ("messages", "content", ANTHROPIC),
    "gemini-contents": ("contents", "parts", GEMINI),
}


def empty_messages(content: str) -> list[Any]:
    return [{"role": "user", content: []}, {"role": "user", content: ""}, {"role": "user"}, {content: None}, {}, None]


@pytest.mark.parametrize(("name", "number"), [(name, number) for name in HISTORIES for number in range(6)])
def test_an_empty_message_does_not_keep_a_log_from_being_judged(name: str, number: int, tmp_path: Path) -> None:
    key, content, messages = HISTORIES[name]
    path = log(tmp_path, {key: [*messages, empty_messages(content)[number]]})
    answer = product.check(path)
    assert (answer.session["format"], answer.session["verdict"]) == (name, "broken")
    assert answer.errors == {"M7"}
    assert repaired(path, key) == messages


def test_what_is_no_message_is_kept_beside_the_output(tmp_path: Path) -> None:
    path, out = log(tmp_path, {"messages": [*ANTHROPIC, "stray words"]}), tmp_path / "out.json"
    answer = product.repair(path, out)
    assert (answer.code, answer.errors) == (0, {"M7"})
    assert "stray words" in answer.lost_text
    assert repaired(path, "messages") == ANTHROPIC


@pytest.mark.parametrize("name", HISTORIES)
def test_empty_messages_alone_tell_no_format(name: str, tmp_path: Path) -> None:
    key, content, _ = HISTORIES[name]
    path = log(tmp_path, {key: [{}, {content: None}]})
    assert product.check(path).session["verdict"] == "not-judged"
