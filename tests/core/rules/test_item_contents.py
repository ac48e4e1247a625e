"""Items and messages that hold what the provider takes from nobody: reasoning in clear (T8), or of the user (T9)."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.providers.error_parser import explain_error
from tests.core.formats.api_logs import log, repaired
from tests.core.formats.codex import FILE, rollout
from tests.core.repair.logs import saved
from tests.support import product
from tests.support.notation import claude_code_records, lines, parse

USER = {"role": "user", "content": "go"}
CALL = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "r"}
TEXT = [{"type": "reasoning_text", "text": "hm"}]
BARE = {"type": "reasoning", "summary": []}
OF_OPENAI = BARE | {"id": "rs_1", "encrypted_content": "gAAA"}


def request(*items: dict[str, Any], model: str = "gpt-5") -> dict[str, Any]:
    return {"model": model, "input": [USER, *items, CALL, OUTPUT]}


# --- T8


@pytest.mark.parametrize(
    ("item", "left"),
    [
        pytest.param(OF_OPENAI | {"content": TEXT}, [OF_OPENAI], id="OpenAI knows the reasoning without its text"),
        pytest.param(BARE | {"content": TEXT}, [], id="nothing is left that OpenAI knows"),
        pytest.param(BARE | {"content": TEXT, "encrypted_content": None}, [], id="nothing is encrypted"),
    ],
)
def test_reasoning_in_clear(item: dict[str, Any], left: list[dict[str, Any]], tmp_path: Path) -> None:
    path = log(tmp_path, request(item))
    answer = product.check(path)
    (finding,) = answer.findings
    assert (finding["rule"], finding["severity"], finding["record"]) == ("T8", "error", 1)
    told = finding["refused_by"]["openai-responses"]
    assert told.startswith("Invalid 'input[1].content': array too long.")
    explained = explain_error(told)
    assert explained is not None
    assert explained.rules == ("T8",)
    assert repaired(path, "input") == [USER, *left, CALL, OUTPUT]
    losses = product.repair(path, tmp_path / "again.json").losses
    assert [(loss["kind"], loss["text"]) for loss in losses] == [("reasoning", "hm")]


@pytest.mark.parametrize("content", [[], None, "hm"])
def test_an_empty_content_is_what_openai_takes(content: Any, tmp_path: Path) -> None:
    assert "T8" not in product.check(log(tmp_path, request(OF_OPENAI | {"content": content}))).rules


@pytest.mark.parametrize("model", ["gpt-oss-120b", "qwen3-max", "deepseek-flash"])
def test_another_server_takes_its_own_items_back(model: str, tmp_path: Path) -> None:
    answer = product.check(log(tmp_path, request(BARE | {"content": TEXT}, model=model)))
    assert (answer.session["verdict"], answer.errors) == ("healthy", set())


@pytest.mark.parametrize(
    ("kind", "provider", "severity"),
    [("reasoning_text", "openai", ["error"]), ("reasoning_text", "ollama", ["warning"]), ("text", "openai", [])],
)
def test_codex_sends_the_text_of_the_model_alone(kind: str, provider: str, severity: list[str], tmp_path: Path) -> None:
    item = OF_OPENAI | {"content": [{"type": kind, "text": "hm"}]}
    path = tmp_path / FILE
    path.write_bytes(rollout(*(("response_item", each) for each in (item, CALL, OUTPUT)), model_provider=provider))
    assert [each["severity"] for each in product.check(path).findings if each["rule"] == "T8"] == severity


# --- T9

THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
SEALED = {"type": "redacted_thinking", "data": "c2ln"}


@pytest.mark.parametrize("thought", [THOUGHT, SEALED])
def test_reasoning_of_the_user(thought: dict[str, Any], tmp_path: Path) -> None:
    words = {"type": "text", "text": "hi"}
    said: list[dict[str, Any]] = [{"role": "user", "content": [words, thought]}, {"role": "assistant", "content": "ok"}]
    path = log(tmp_path, {"messages": said, "max_tokens": 9, "model": "claude-sonnet-4-5"})
    (finding,) = product.check(path).findings
    assert (finding["rule"], finding["severity"], finding["pointer"]) == ("T9", "error", "/content/1")
    told = finding["refused_by"]["anthropic"]
    assert told == "messages.0.content: thinking blocks may only be in `assistant` messages"
    explained = explain_error(told)
    assert explained is not None
    assert explained.rules == ("T9",)
    assert repaired(path, "messages") == [said[0] | {"content": [words]}, said[1]]


def test_claude_code_sends_it_unchanged(tmp_path: Path) -> None:
    records = claude_code_records(parse('u"hi" | a'))
    records[0]["message"]["content"] = [{"type": "text", "text": "hi"}, THOUGHT]
    path = saved(tmp_path, "claude-code", lines(records))
    out = path.with_name("out.jsonl")
    answer = product.check(path)
    assert (answer.rules, answer.session["verdict"]) == ({"T9"}, "broken")
    assert answer.session["on_resume"]["outcome"] == "refuses"
    assert product.repair(path, out).code == 0
    assert json.loads(out.read_bytes().splitlines()[0])["message"]["content"] == [{"type": "text", "text": "hi"}]
    assert product.check(out).session["verdict"] == "healthy"


def test_another_provider_is_not_said_to_refuse_it(tmp_path: Path) -> None:
    said = [
        {"role": "user", "content": [{"type": "text", "text": "hi"}, THOUGHT]},
        {"role": "assistant", "content": "ok"},
    ]
    path = log(tmp_path, {"messages": said, "max_tokens": 9, "model": "claude-sonnet-4-5"})
    assert product.check(path, profile="openai-chat").errors == set()
