"""Calls of OpenAI's chat API that lack what makes them one (K9), and one that is not the assistant's (R11)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.formats.api_logs import log, repaired
from tests.support import product

HELLO = {"role": "user", "content": "hi"}
FUNCTION = {"name": "read", "arguments": '{"path": "a"}'}
SOUND = {"id": "A", "type": "function", "function": FUNCTION}
RESULT = {"role": "tool", "tool_call_id": "A", "content": "alpha"}


def history(*calls: Any) -> list[Any]:
    return [HELLO, {"role": "assistant", "content": None, "tool_calls": list(calls)}, RESULT]


def test_a_type_that_is_missing_is_put_in_and_nothing_else_is_changed(tmp_path: Path) -> None:
    path, out = tmp_path / "log.json", tmp_path / "out.json"
    path.write_text(
        '[{"role":"user","content":"hi"},\n {"role":"assistant", "tool_calls":[{"id":"A","function":{"name":"read",'
        '"arguments":"{}"}}]},\n {"role":"tool","tool_call_id":"A","content":"alpha"}]'
    )
    answer = product.check(path)
    assert answer.errors == {"K9:A"}
    (finding,) = answer.findings
    assert "Missing required parameter: 'messages[1].tool_calls[0].type'" in finding["refused_by"]["openai-chat"]
    assert product.repair(path, out).code == 0
    assert out.read_text() == path.read_text().replace('"arguments":"{}"}}', '"arguments":"{}"},"type":"function"}')


@pytest.mark.parametrize("kind", [None, "", 7, "custom", "tool_use"])
def test_a_type_that_is_no_text_is_none(kind: Any, tmp_path: Path) -> None:
    path = log(tmp_path, history(SOUND | {"type": kind}))
    assert product.check(path).errors == {"K9:A"}
    assert repaired(path, "messages") == history(SOUND)


@pytest.mark.parametrize(
    "call",
    [
        {"id": "A"},
        {"id": "A", "type": "function"},
        {"id": "A", "type": "function", "function": None},
    ],
)
def test_a_call_without_a_function_gets_one_and_keeps_its_result(call: dict[str, Any], tmp_path: Path) -> None:
    path = log(tmp_path, history(call))
    assert product.check(path).errors == {"K9:A", "K7:A"}
    made = {"name": "invalid_tool_call", "arguments": "{}"}
    assert repaired(path, "messages") == history(call | {"type": "function", "function": made})


def test_what_stands_beside_the_function_is_put_into_it_letter_by_letter(tmp_path: Path) -> None:
    path, out = tmp_path / "log.json", tmp_path / "out.json"
    flat = '{"id":"A","name":"read","arguments":{"n": 12345678901234567890123, "at": 1.50}}'
    path.write_text(json.dumps(history("CALL")).replace('"CALL"', flat))
    assert product.check(path).errors == {"K9:A"}
    assert product.repair(path, out).code == 0
    (call,) = json.loads(out.read_text())[1]["tool_calls"]
    assert call == {"id": "A", "type": "function", "function": call["function"]}
    assert call["function"] == {"name": "read", "arguments": '{"n": 12345678901234567890123, "at": 1.50}'}


def test_the_call_can_go_instead(tmp_path: Path) -> None:
    path = log(tmp_path, history({"id": "A"}))
    answer = product.repair(path, tmp_path / "out.json", strategies="K9=drop-call K7=drop-call")
    assert (answer.code, "alpha" in answer.lost_text) == (0, True)
    assert json.loads((tmp_path / "out.json").read_text()) == [HELLO]


@pytest.mark.parametrize(
    "call",
    [
        SOUND,
        {"id": "A", "type": "custom", "custom": {"name": "read", "input": "x"}},
        {"id": "A", "name": "read", "arguments": {"path": "a"}, "requestor": "assistant"},
    ],
)
def test_what_is_a_call_in_its_own_way_is_left(call: dict[str, Any], tmp_path: Path) -> None:
    assert "K9" not in product.check(log(tmp_path, history(call))).rules


def test_providers_differ_in_what_they_ask_of_a_call(tmp_path: Path) -> None:
    untyped = {"id": "aaaaaaaa1", "function": FUNCTION}
    shapeless = {"id": "aaaaaaaa1", "type": "function", "name": "read"}
    result = RESULT | {"tool_call_id": "aaaaaaaa1"}
    for call, refused in ((untyped, False), (shapeless, True)):
        path = log(tmp_path, [*history(call)[:2], result])
        assert ("K9:aaaaaaaa1" in product.check(path, profile="mistral").errors) == refused
        assert "K9" in product.check(path, profile="mistral").rules


def test_a_call_that_the_user_makes_goes_alone(tmp_path: Path) -> None:
    """No message of the assistant holds it."""
    call = {"type": "tool_use", "id": "A", "name": "read", "input": {"path": "a"}}
    words = {"type": "text", "text": "hi there"}
    path = log(tmp_path, {"max_tokens": 9, "messages": [{"role": "user", "content": [words, call]}]})
    assert product.check(path).errors >= {"R11:A"}
    assert repaired(path, "messages") == [{"role": "user", "content": [words]}]


def test_the_result_of_a_call_that_goes_is_not_moved_to_it_in_the_same_pass(tmp_path: Path) -> None:
    """It would be told as lost, and yet stand there."""
    call = {"type": "tool_use", "id": "A", "name": "read", "input": {}}
    late = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "A", "content": "alpha beta"}]}
    said = {"role": "assistant", "content": [{"type": "text", "text": "ok"}]}
    path = log(tmp_path, {"max_tokens": 9, "messages": [{"role": "user", "content": [call]}, said, late, said, HELLO]})
    answer = product.repair(path, tmp_path / "out.json")
    assert (answer.code, [loss["kind"] for loss in answer.losses]) == (0, ["result", "call"])
    assert "alpha beta" not in (tmp_path / "out.json").read_text()
