"""Messages that say nothing (M6, M7), that end in reasoning (M8), and a history that ends with the assistant (M5)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.formats.api_logs import log
from tests.core.formats.api_logs import repaired as repaired_messages
from tests.core.repair.logs import repaired, written
from tests.support import product

HI, SO = {"role": "user", "content": "hi"}, {"role": "user", "content": "so?"}
OK = {"role": "assistant", "content": [{"type": "text", "text": "ok"}]}
THINKING = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
CALL = {"type": "tool_use", "id": "A", "name": "read", "input": {}}


def said(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def rules(path: Path, profile: str = "") -> set[tuple[str, str]]:
    return {(found["rule"], found["severity"]) for found in product.check(path, profile=profile).findings}


BODY = {"model": "claude-sonnet-4-5", "max_tokens": 9}


@pytest.mark.parametrize("empty", [[], "", " \n", [text("")], [text(" "), text("\t")], None])
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_message_that_says_nothing_goes(role: str, empty: Any, tmp_path: Path) -> None:
    path = log(tmp_path, BODY | {"messages": [HI, OK, SO, {"role": role, "content": empty}, SO, OK]})
    answer = product.check(path)
    assert answer.errors == {"M7"}
    assert [found["pointer"] for found in answer.findings] == [""]
    assert repaired_messages(path, "messages") == [HI, OK, SO, SO, OK]


def test_a_blank_text_beside_something_goes_alone(tmp_path: Path) -> None:
    path = log(tmp_path, BODY | {"messages": [HI, said(text(""), text("ok"), text("  ")), SO, OK]})
    answer = product.check(path)
    assert [(found["rule"], found["pointer"]) for found in answer.findings] == [
        ("M6", "/content/0"),
        ("M6", "/content/2"),
    ]
    assert repaired_messages(path, "messages") == [HI, OK, SO, OK]


def test_a_blank_text_of_the_user_goes_alone(tmp_path: Path) -> None:
    path = log(tmp_path, BODY | {"messages": [{"role": "user", "content": [text(" "), text("hi")]}, OK, SO, OK]})
    assert product.check(path).errors == {"M6"}
    assert repaired_messages(path, "messages") == [{"role": "user", "content": [text("hi")]}, OK, SO, OK]


def test_blank_fragments_of_an_agent_are_only_noted(tmp_path: Path) -> None:
    path = written(tmp_path, "claude-code", 'u | A[m1]" " | A[m1]{A} | r(A=alpha) | a"ok"')
    assert rules(path) == {("M6", "info")}
    assert repaired(path, "claude-code")[0] == path.read_bytes()


# reasoning at the end


def test_a_last_message_that_ends_in_thinking(tmp_path: Path) -> None:
    path = log(tmp_path, BODY | {"messages": [HI, OK, SO, said(THINKING)]})
    (finding,) = product.check(path).findings
    assert (finding["rule"], finding["severity"], finding["pointer"]) == ("M8", "error", "/content/0")
    assert "final block in an assistant message cannot be `thinking`" in finding["refused_by"]["anthropic"]
    assert repaired_messages(path, "messages") == [HI, OK, SO]
    out = tmp_path / "lost.json"
    assert [loss["kind"] for loss in product.repair(path, out).losses] == ["reasoning"]


def test_words_before_it_stay(tmp_path: Path) -> None:
    last = said(text("well"), THINKING, {"type": "redacted_thinking", "data": "eA=="})
    path = log(tmp_path, BODY | {"messages": [HI, last]})
    assert repaired_messages(path, "messages") == [HI, said(text("well"))]


def test_behind_a_user_it_is_taken(tmp_path: Path) -> None:
    messages = [HI, said(THINKING), SO, said(THINKING, text("ok"))]
    path, out = log(tmp_path, BODY | {"messages": messages}), tmp_path / "out.json"
    assert rules(path) == {("M8", "info")}
    assert product.check(path).session["verdict"] == "healthy"
    assert product.repair(path, out).code == 0
    assert out.read_bytes() == path.read_bytes()


def test_thinking_before_a_call_is_no_end(tmp_path: Path) -> None:
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "A", "content": "alpha"}]}
    assert rules(log(tmp_path, BODY | {"messages": [HI, said(THINKING, CALL), result]})) == set()


@pytest.mark.parametrize(
    ("history", "told"),
    [
        ('u | A[m1]th | A[m1]"t" | A[m1]{A} | r(A=alpha) | a"ok"', set()),
        ("u | A[m1]th | A[m1]{A} | r(A=alpha) | A[m1]th | A[m1]{B} | r(B=beta)", set()),
        ("u | a[th]", {("M8", "info")}),
        ('u | a[th] | u | a"ok"', set()),
    ],
)
def test_fragments_of_an_agent(history: str, told: set[tuple[str, str]], tmp_path: Path) -> None:
    path = written(tmp_path, "claude-code", history)
    assert rules(path) == told
    assert repaired(path, "claude-code")[0] == path.read_bytes()


# the end of the history


@pytest.mark.parametrize(("profile", "told"), [("mistral", True), ("anthropic", False), ("lax", False)])
def test_a_history_that_ends_with_the_assistant(profile: str, told: bool, tmp_path: Path) -> None:
    path, out = written(tmp_path, "openai", 'u | a"ok"'), tmp_path / "out.json"
    assert (("M5", "info") in rules(path, profile)) == told
    assert product.check(path, profile=profile).session["verdict"] == "healthy"
    assert product.repair(path, out, profile=profile).code == 0
    assert out.read_bytes() == path.read_bytes()


def test_a_history_that_ends_with_the_user(tmp_path: Path) -> None:
    assert rules(written(tmp_path, "openai", 'u | a"ok" | u'), "mistral") == set()
    assert rules(log(tmp_path, json.loads('{"messages": []}')), "mistral") == set()


@pytest.mark.parametrize(
    ("message", "errors"),
    [
        ({"content": None}, {"M7"}),
        ({"content": None, "tool_calls": []}, {"M7", "M9"}),
        ({"content": []}, {"M7"}),
        ({"content": ""}, set()),
        ({"content": None, "refusal": "no"}, set()),
        ({"content": None, "function_call": {"name": "f", "arguments": "{}"}}, set()),
        ({"role": "user", "content": [], "tool_calls": "local_shell_call"}, {"M7"}),
    ],
)
def test_openai_takes_an_empty_text_and_refuses_null(message: dict[str, Any], errors: set[str], tmp_path: Path) -> None:
    path = log(tmp_path, {"model": "gpt-4o", "messages": [HI, {"role": "assistant", **message}, SO]})
    answer = product.check(path, "--accepted-by", "openai-chat")
    assert answer.errors == errors
    told = [found["refused_by"]["openai-chat"] for found in answer.findings if "openai-chat" in found["refused_by"]]
    said = "empty array" if message["content"] == [] else "expected a string, got null"
    assert any(said in text for text in told) == bool(errors)
    assert answer.session["accepted_by"]["openai-chat"]["accepts"] is (not errors)
    if errors:
        assert repaired_messages(path, "messages") == [HI, SO]


def test_a_call_where_no_content_is_read_lies_beside(tmp_path: Path) -> None:
    history = 'u"hi" | a"t"{B} | r(B=x) | a"ok" | u"more" | a{A path="one.txt"} | r(A=alpha) | a"ok"'
    path, out = written(tmp_path, "claude-code", history), tmp_path / "out.jsonl"
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    (asking,) = (line["message"] for line in lines if "one.txt" in json.dumps(line))
    (asking["content"],) = asking["content"]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert "one.txt" in product.repair(path, out).lost_text
    assert "one.txt" in Path(f"{out}.quarantine").read_text()
