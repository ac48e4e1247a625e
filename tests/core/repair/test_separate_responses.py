"""A call is partly answered's neighbour (D3) only within one response of the model; single calls are D1 or D2."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.formats import WRITABLE
from tests.core.formats.codex import responses, rollout
from tests.core.repair.every_format import write
from tests.core.resume_request.requests import RECORDED
from tests.support import product
from tests.support.notation import parse

# (history, what is found, by those who keep each part of a response as a record)
HISTORIES = [
    ('u"go" | a"1"{A} | r(A=x) | a"2"{B}', "D1:B"),
    ('u"go" | a"1"{A} | a"2"{B} | r(B=y) | a"ok"', "D2:A"),
    ('u"go" | a"1"{A} | r(A=x) | a"2"{B} | a"3"{C} | r(C=z) | a"ok"', "D2:B"),
    ('u"go" | a"1"{A} | r(A=x) | a"2"{B,C} | r(B=y)', "D3:C"),
    ('u"go" | a"1"{A,B} | r(B=y) | a"2"{C} | r(C=z) | u"on"', "D3:A"),
]


@pytest.mark.parametrize(("history", "found"), HISTORIES)
@pytest.mark.parametrize("name", ["claude-code", "anthropic-messages", "cline-sdk", "codex", "opencode", "openai-chat"])
def test_single_calls_of_separate_responses_are_no_partly_answered_turn(
    name: str, history: str, found: str, tmp_path: Path
) -> None:
    path = write(WRITABLE[name], parse(history), tmp_path / "log")
    assert {error for error in product.check(path).errors if error[0] == "D"} == {found}


def call(name: str) -> dict[str, Any]:
    return {"type": "function_call", "call_id": name, "name": "f", "arguments": "{}"}


def output(name: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": name, "output": "ok"}


def said(text: str) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}


USER = {"role": "user", "content": "go"}
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "Z0FB"}


@pytest.mark.parametrize(
    ("items", "found"),
    [
        ([call("a"), said("and"), call("b"), output("b")], {"D2:a"}),
        ([call("a"), THOUGHT, call("b"), output("b"), said("ok")], {"D2:a"}),
        ([call("a"), output("a"), call("b")], {"D1:b"}),
        ([call("a"), THOUGHT, call("b"), output("a"), said("ok")], {"D3:b"}),  # a's output came behind b
        ([call("a"), call("b"), output("b"), said("ok")], {"D3:a"}),
    ],
)
def test_items_are_of_one_response_until_something_comes_between(
    items: list[dict[str, Any]], found: set[str], tmp_path: Path
) -> None:
    path = tmp_path / "input.json"
    path.write_text(json.dumps([USER, *items]))
    assert {error for error in product.check(path).errors if error[0] == "D"} == found
    log = tmp_path / "rollout.jsonl"
    log.write_bytes(rollout(*responses(parse('u"go"')), *(("response_item", item) for item in items)))
    assert {error for error in product.check(log).errors if error[0] == "D"} == found


def test_a_message_of_opencode_may_hold_several_steps(tmp_path: Path) -> None:
    path = write(WRITABLE["opencode-export"], parse('u"go" | a{A,B} | r(A=x)'), tmp_path / "log")
    assert product.check(path).errors == {"D3:B"}
    document = json.loads(path.read_bytes())
    parts = document["messages"][-1]["parts"]
    at = next(number for number, part in enumerate(parts) if part.get("callID") == "B")
    like = {key: value for key, value in parts[at].items() if key in ("messageID", "sessionID")}
    parts[at:at] = [{**like, "id": "prt_x", "type": "step-finish"}, {**like, "id": "prt_y", "type": "step-start"}]
    path.write_text(json.dumps(document))
    assert product.check(path).errors == {"D1:B"}


@pytest.mark.skipif(not RECORDED.is_dir(), reason="no logs of real agents beside the repository")
@pytest.mark.parametrize(
    ("log", "rule"),
    [
        ("opencode/killed-1.18.33.db", "D1"),
        ("opencode/lost-result-1.18.33.db", "D2"),
        ("opencode/subagent-par-killed-1.18.33.db", "D3"),
        ("codex/lost-result-0.169.0.jsonl", "D2"),
        ("codex/killed-par3-0.169.0.jsonl", "D3"),
    ],
)
def test_real_logs(log: str, rule: str) -> None:
    found = product.check(RECORDED / "logs" / log).findings
    assert {finding["rule"] for finding in found if finding["severity"] == "error"} == {rule}
