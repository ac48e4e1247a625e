"""Calls of the provider's own tools and their results: paired inside their turn, and never answered from outside."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.providers.error_parser import explain_error
from tests.core.formats import WRITABLE
from tests.core.repair.logs import repaired, saved, written
from tests.support import product
from tests.support.notation import FORMATS, anthropic_messages, parse, show
from tests.support.projection import printed

BOTH = ["anthropic", "claude-code"]


def found(path: Path) -> list[str]:
    return [f"{each['rule']} {each['severity']}" for each in product.check(path).findings if each["rule"][0] == "X"]


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize(
    "history",
    [
        pytest.param('u | a s{S}sr(S)"t" | u', id="in one message"),
        pytest.param('u | A[m1]s{S} | A[m1]sr(S) | A[m1]"t" | u', id="in fragments of one message"),
        pytest.param('u | a s{S}{A} | r(A=x) | a sr(S)"t" | u', id="it waits for a call of the person's tool"),
        pytest.param('u | a s{S}sr(S)"t"{A} | r(A=x) | a s{T}sr(T)"t" | u', id="several"),
    ],
)
def test_pairs_within_a_turn_are_sound(history: str, name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, history)
    assert product.check(path).session["verdict"] == "healthy"
    assert found(path) == []
    out = path.with_name(f"out{path.suffix}")
    product.repair(path, out)
    assert out.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize(
    ("history", "rule", "expected", "lost"),
    [
        pytest.param('u | a s{S}"t" | u"q"', "X1", 'u | a"t" | u"q"', ["call"], id="T47"),
        pytest.param('u | a s{S} | u"q"', "X1", 'u | u"q"', ["call"], id="T47 and nothing else"),
        pytest.param('u | A[m1]"t" | A[m1]s{S} | u"q"', "X1", 'u | a"t" | u"q"', ["call"], id="T47 in fragments"),
        pytest.param('u | a sr(S)"t" | u', "X2", 'u | a"t" | u', ["result"], id="T48"),
        pytest.param('u | a sr(S) | u"q"', "X2", 'u | u"q"', ["result"], id="T48 and nothing else"),
        pytest.param('u | a sr(S)s{S}"t" | u', "X1 X2", 'u | a"t" | u', ["call", "result"], id="in the wrong order"),
        pytest.param(
            'u | a s{S}{A} | r(A=x)+"more" | a"t" | u',
            "X1",
            'u | a{A} | r(A=x)+"more" | a"t" | u',
            ["call"],
            id="ended",
        ),
        pytest.param(
            'u | a s{S}{A} | r(A=x) | a"t"',
            "X1",
            'u | a{A} | r(A=x) | a"t"',
            ["call"],
            id="passed over by the next message",
        ),
        pytest.param('u | a s{S}s{S}sr(S)"t" | u', "X1", 'u | a s{S}sr(S)"t" | u', ["call"], id="two of one id"),
        pytest.param('u | a[th]s{S}"t" | u', "X1", 'u | a"t" | u', ["call", "reasoning"], id="beside reasoning"),
    ],
)
def test_a_half_goes_alone(history: str, rule: str, expected: str, lost: list[str], name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, history)
    assert sorted(found(path)) == [f"{each} error" for each in rule.split()]
    data, answer = repaired(path, name)
    assert printed(data, name) == printed(FORMATS[name].render(parse(expected)), name)
    assert sorted(loss["kind"] for loss in answer.losses) == lost
    assert not any("tool_result" in json.dumps(edit["after"]) for edit in answer.edits if edit["action"] == "insert")


@pytest.mark.parametrize("odd", [b"7", b'""', b"null"])
def test_a_half_without_an_id_has_no_other_half(odd: bytes, tmp_path: Path) -> None:
    format = WRITABLE["cline-task"]
    path, out = format.write(parse('u"q" | a s{S}sr(S)"t" | u"more"'), tmp_path), tmp_path / "out.json"
    path.write_bytes(path.read_bytes().replace(b'"S"', odd))
    assert found(path) == ["X1 error", "X2 error"]
    assert product.repair(path, out).code == 0
    assert show(format.load(out)) == 'u"q" | a"t" | u"more"'


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize(("history", "rule"), [('u | a s{S}"t" | u"q"', "X1"), ('u | a sr(S)"t" | u"q"', "X2")])
def test_what_the_provider_would_say(history: str, rule: str, name: str, tmp_path: Path) -> None:
    (finding,) = product.check(written(tmp_path, name, history)).findings
    assert (finding["rule"], finding["call_id"], finding["id"]) == (rule, "S", f"{rule}:0:S:0")
    text = finding["refused_by"]["anthropic"]
    explained = explain_error(text)
    assert explained is not None
    assert explained.rules == (rule,)


def test_fragments_between_the_results_are_not_the_next_message(tmp_path: Path) -> None:
    history = 'u | A[m1]s{S} | A[m1]{A} | r(A=x) | A[m1]{B} | r(B=y) | a sr(S)"t" | u'
    assert found(written(tmp_path, "claude-code", history)) == []


def test_code_that_calls_tools_itself_may_go_through_several_rounds(tmp_path: Path) -> None:
    messages = anthropic_messages(parse('u | a s{S}{A} | r(A=x) | a{B} | r(B=y) | a sr(S)"t" | u'))
    messages[1]["content"][0]["name"] = "code_execution"
    assert found(saved(tmp_path, "anthropic", json.dumps({"messages": messages}).encode())) == []


@pytest.mark.parametrize(("name", "severity"), [("anthropic", "info"), ("claude-code", "error")])
def test_an_open_turn_waits_in_messages_and_is_ended_by_an_agents_next_words(
    name: str, severity: str, tmp_path: Path
) -> None:
    assert found(written(tmp_path, name, 'u | a"t"s{S}')) == [f"X1 {severity}"]


@pytest.mark.parametrize(
    ("call", "result"),
    [
        ("mcp_tool_use", "mcp_tool_result"),
        ("server_tool_use", "web_search_tool_result"),
        ("server_tool_use", "web_fetch_tool_result"),
        ("server_tool_use", "code_execution_tool_result"),
        ("server_tool_use", "bash_code_execution_tool_result"),
        ("server_tool_use", "text_editor_code_execution_tool_result"),
        ("server_tool_use", "tool_search_tool_result"),
        ("server_tool_use", "advisor_tool_result"),
    ],
)
def test_every_kind_of_server_tool(call: str, result: str, tmp_path: Path) -> None:
    def log(*blocks: dict[str, Any]) -> Path:
        messages = anthropic_messages(parse('u | a"t" | u'))
        messages[1]["content"] = [*blocks, *messages[1]["content"]]
        return saved(tmp_path, "anthropic", json.dumps({"messages": messages}).encode())

    asked: dict[str, Any] = {"type": call, "id": "srvtoolu_1", "name": "n", "input": {}}
    told: dict[str, Any] = {"type": result, "tool_use_id": "srvtoolu_1", "content": []}
    assert found(log(asked, told)) == []
    assert found(log(asked)) == ["X1 error"]
    assert found(log(told)) == ["X2 error"]


def test_items_that_hold_their_own_result_need_none(tmp_path: Path) -> None:
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search"}}
    message = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "u"}]}
    path = tmp_path / "input.json"
    path.write_text(json.dumps({"input": [message, search, message]}))
    assert found(path) == []
