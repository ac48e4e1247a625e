"""Messages of the system among Anthropic's own (M13): where they may stand, and which models take them."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.providers.error_parser import explain_error
from tests.core.formats.api_logs import log, repaired
from tests.core.repair.logs import saved
from tests.support import product
from tests.support.notation import claude_code_records, lines, parse

NEW, OLD = "claude-opus-4-8", "claude-sonnet-4-5"
MESSAGES: dict[str, dict[str, Any]] = {
    "u": {"role": "user", "content": "hi"},
    "a": {"role": "assistant", "content": "ok"},
    "s": {"role": "system", "content": "Be brief."},
    "c": {"role": "assistant", "content": [{"type": "tool_use", "id": "A", "name": "f", "input": {}}]},
    "r": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "A", "content": "x"}]},
    "w": {
        "role": "assistant",
        "content": [
            {"type": "server_tool_use", "id": "S", "name": "web_search", "input": {}},
            {"type": "web_search_tool_result", "tool_use_id": "S", "content": []},
        ],
    },
    "U": {"role": "user", "content": "Be brief."},
}
FOLLOWS = "role 'system' must follow a 'user' message"
PRECEDES = "role 'system' must precede an 'assistant' message"


def told(order: str) -> list[dict[str, Any]]:
    return [MESSAGES[each] for each in order]


def request(folder: Path, order: str, model: str = NEW) -> Path:
    return log(folder, {"model": model, "max_tokens": 9, "messages": told(order)})


@pytest.mark.parametrize("order", ["usau", "us", "ucrsau", "uwsa", "uwsau", "uauscr"])
def test_where_a_message_of_the_system_may_stand(order: str, tmp_path: Path) -> None:
    assert "M13" not in product.check(request(tmp_path, order)).rules


@pytest.mark.parametrize(
    ("order", "at", "text", "left"),
    [
        ("usua", 1, PRECEDES, "uusa"),
        ("uasua", 2, FOLLOWS, "uausa"),
        ("uasau", 2, FOLLOWS, "uaaus"),
        ("uas", 2, FOLLOWS, "uaU"),
        ("ucsra", 2, FOLLOWS, "ucrsa"),
        ("uwsua", 2, PRECEDES, "uwusa"),
        ("uassu", 2, FOLLOWS, "uauss"),
    ],
)
def test_where_it_may_not(order: str, at: int, text: str, left: str, tmp_path: Path) -> None:
    path = request(tmp_path, order)
    answer = product.check(path)
    finding = next(each for each in answer.findings if each["rule"] == "M13")
    assert (finding["severity"], finding["record"], answer.session["verdict"]) == ("error", at, "broken")
    refusal = finding["refused_by"]["anthropic"]
    assert f"messages.{at}: {text}" in refusal
    explained = explain_error(refusal)
    assert explained is not None
    assert explained.rules[0] == "M13"
    assert repaired(path, "messages") == told(left)
    assert product.repair(path, tmp_path / "again.json").losses == []


@pytest.mark.parametrize(
    ("model", "refuses"),
    [
        *((each, True) for each in (OLD, "claude-3-7-sonnet-20250219", "claude-opus-4-20250514", "claude-opus-4-7")),
        *((each, False) for each in (NEW, "claude-opus-5", "claude-opus-4-10", "claude-sonnet-5", "", "minimax-m2")),
    ],
)
def test_models_that_take_none(model: str, refuses: bool, tmp_path: Path) -> None:
    path = request(tmp_path, "usa", model)
    assert ("M13" in product.check(path).rules) == refuses
    assert repaired(path, "messages") == told("uUa" if refuses else "usa")
    if refuses:
        (finding,) = product.check(path).findings
        assert finding["refused_by"]["anthropic"] == "messages: role 'system' is not supported on this model"


def test_an_older_model_takes_none_wherever_it_is_moved(tmp_path: Path) -> None:
    assert repaired(request(tmp_path, "ucsra", OLD), "messages") == told("ucrUa")


def test_claude_code_keeps_notes_of_that_type_and_does_not_send_them(tmp_path: Path) -> None:
    records = claude_code_records(parse("u | a | u | a"))
    note = {key: records[1][key] for key in ("sessionId", "isSidechain", "version", "timestamp")}
    note |= {
        "type": "system",
        "subtype": "informational",
        "content": "Be brief.",
        "uuid": "n",
        "parentUuid": records[1]["uuid"],
    }
    records[2]["parentUuid"] = "n"
    path = saved(tmp_path, "claude-code", lines([*records[:2], note, *records[2:]]))
    assert product.check(path).session["verdict"] == "healthy"


def test_claude_code_sends_a_line_by_its_type_and_not_by_its_role(tmp_path: Path) -> None:
    """Claude Code 2.1.330 was run on such a log."""
    records = claude_code_records(parse("u | a | u | a"))
    records[1]["message"]["role"] = "system"
    assert "M13" not in product.check(saved(tmp_path, "claude-code", lines(records))).rules


def test_other_apis_take_them_anywhere(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps({"model": "gpt-4o", "messages": told("uasua")}))
    assert product.check(path).findings == []
