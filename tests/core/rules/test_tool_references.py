"""References to a tool that the provider missed (X3): only where the log ends with an error that names it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.repair.logs import saved
from tests.core.repair.test_reasoning import session
from tests.support import product

GONE = (
    'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"Tool reference \'%s\' not found '
)
GONE += 'in available tools"}}'
X, Y = ({"type": "tool_reference", "tool_name": f"mcp__{name}__get"} for name in ("x", "y"))
WORDS = {"type": "text", "text": "found"}


def log(folder: Path, content: list[Any], error: str = GONE % X["tool_name"]) -> Path:
    def refer(records: list[dict[str, Any]]) -> None:
        records[2]["message"]["content"][0]["content"] = content

    return saved(folder, "claude-code", session("u | a{A} | r(A=x) | a | u", refer, error))


def content_of(path: Path) -> Any:
    return json.loads(path.read_bytes().splitlines()[2])["message"]["content"][0]["content"]


@pytest.mark.parametrize("content", [[X], [WORDS, X, Y], [X, X]])
def test_a_reference_that_the_provider_missed(content: list[dict[str, Any]], tmp_path: Path) -> None:
    path = log(tmp_path, content)
    out = path.with_name("out.jsonl")
    answer = product.check(path)
    (finding,) = answer.findings
    assert (finding["rule"], finding["severity"], finding["pointer"]) == ("X3", "error", "/message/content/0")
    assert (answer.session["verdict"], "mcp__x__get" in finding["message"]) == ("broken", True)
    repaired = product.repair(path, out)
    assert (repaired.code, {loss["text"] for loss in repaired.losses}) == (0, {X["tool_name"]})
    left = content_of(out)
    assert [each for each in left if each["type"] == "tool_reference"] == [each for each in content if each is Y]
    assert sum(X["tool_name"] in each.get("text", "") for each in left) == content.count(X)
    assert product.check(out).session["verdict"] == "healthy"


@pytest.mark.parametrize(
    ("content", "error", "verdict"),
    [
        pytest.param([X], "", "healthy", id="no error"),
        pytest.param([Y], GONE % X["tool_name"], "unexplained", id="of another tool"),
        pytest.param([X], "API Error: 400 the harbour is closed", "unexplained", id="of another cause"),
    ],
)
def test_a_reference_that_nothing_is_said_of(content: list[Any], error: str, verdict: str, tmp_path: Path) -> None:
    answer = product.check(log(tmp_path, content, error))
    assert (answer.session["verdict"], answer.errors) == (verdict, set())
    assert "X3" not in answer.rules
