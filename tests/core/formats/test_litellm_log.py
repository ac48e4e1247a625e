"""Logs of requests through LiteLLM: a request and its response are one history, which is judged and never written."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.engine.log import OpenLog
from tests.core.formats.litellm_log import logged
from tests.support import product
from tests.support.notation import lines, openai_messages, parse

USER = {"role": "user", "content": "go"}
CALLS = openai_messages(parse("a{A}"))[0]
SHORT = "u | a{A} | r(A=x)"


def put(folder: Path, value: Any) -> Path:
    path = folder / "request.json"
    path.write_text(json.dumps(value), "utf-8")
    return path


def told(path: Path) -> list[tuple[str, str, int, set[str]]]:
    """The format, the verdict, the messages and the errors of each session."""
    sessions = product.check(path).report["sessions"]
    return [
        (
            session["format"],
            session["verdict"],
            session["messages"],
            {finding["rule"] for finding in session["findings"] if finding["severity"] == "error"},
        )
        for session in sessions
    ]


@pytest.mark.parametrize(
    ("text", "answer", "verdict", "rules"),
    [
        (SHORT, "a{B}", "waiting", set()),
        (SHORT, 'a"done"', "healthy", set()),
        ("u | a{A,B} | r(A=x)", 'a"done"', "broken", {"D3"}),
        ("u | a{A}", 'a"done"', "broken", {"D2"}),
        ("u | r(A=x)", "a{B}", "broken", {"R1"}),
    ],
)
def test_the_calls_of_the_response_wait_and_those_of_the_request_do_not(
    text: str, answer: str, verdict: str, rules: set[str], tmp_path: Path
) -> None:
    messages = openai_messages(parse(text))
    path = put(tmp_path, logged(messages, openai_messages(parse(answer))[0]))
    assert told(path) == [("litellm-log", verdict, len(messages) + 1, rules)]


def test_the_calls_of_a_model_without_function_calls_are_found_where_they_are(tmp_path: Path) -> None:
    """They are sent as texts, and kept as they were made."""
    sent = [USER, {"role": "assistant", "content": "<function=terminal></function>"}]
    made = [USER, CALLS, {"role": "tool", "tool_call_id": "B", "content": "done"}]
    path = put(tmp_path, {"messages": sent, "raw_messages": made, "cost": 0.1})
    assert told(path) == [("litellm-log", "broken", 3, {"D2", "R8"})]
    assert told(put(tmp_path, logged(sent, CALLS, raw_messages=[USER]))) == [("litellm-log", "waiting", 2, set())]


def test_an_answer_does_not_show_that_another_history_was_sent(tmp_path: Path) -> None:
    path = put(tmp_path, logged(openai_messages(parse("u | a{A} | u")), {"role": "assistant", "content": "a"}))
    assert "continues past" not in product.run("check", str(path)).output


def test_each_line_and_each_element_is_a_request(tmp_path: Path) -> None:
    values = [logged([USER], CALLS), logged(openai_messages(parse("u | a{A}")), USER | {"role": "assistant"})]
    expected = [("litellm-log", "waiting", 2, set()), ("litellm-log", "broken", 3, {"D2"})]
    assert told(put(tmp_path, values)) == expected
    path = tmp_path / "requests.jsonl"
    path.write_bytes(lines(values))
    assert told(path) == expected
    path.write_bytes(lines(values) + b'{"messages": [{"role": "us')
    assert [rules for *_, rules in told(path)] == [set(), {"D2", "F1"}]


def test_only_the_first_of_several_choices_is_the_answer(tmp_path: Path) -> None:
    value = logged([USER], CALLS)
    value["response"]["choices"] *= 2
    assert told(put(tmp_path, value)) == [("litellm-log", "waiting", 2, set())]


def test_a_failed_request_is_judged_and_its_error_is_told(tmp_path: Path) -> None:
    """LiteLLM's own payload for logging callbacks."""
    error = {"error_class": "BadRequestError", "error_message": "AnthropicException - tool_use ids were found"}
    payload = {"id": "chatcmpl-7", "call_type": "acompletion", "status": "failure", "error_information": error}
    path = put(tmp_path, payload | {"messages": openai_messages(parse("u | a{A} | u")), "response": {}})
    assert told(path) == [("litellm-log", "broken", 3, {"D2"})]
    with OpenLog.at(path) as log:
        session = log.check().sessions[0].session
    assert session.id == "chatcmpl-7"
    assert session.state == "the request failed (BadRequestError)"


def test_a_log_that_is_longer_than_its_head_is_recognized(tmp_path: Path) -> None:
    long = [USER, *openai_messages(parse('a{A} | r(A=x) | a"ok"')), USER | {"content": "x" * 400_000}]
    assert told(put(tmp_path, logged(long, CALLS))) == [("litellm-log", "waiting", 6, set())]


@pytest.mark.parametrize("cut", [10, 200])
def test_a_log_that_is_cut_off_is_damaged(cut: int, tmp_path: Path) -> None:
    path = put(tmp_path, logged(openai_messages(parse(SHORT)), CALLS))
    path.write_bytes(path.read_bytes()[:-cut])
    assert {rule for *_, rules in told(path) for rule in rules} >= {"F1"}


def test_messages_of_anthropic_are_not_read_as_those_of_openai(tmp_path: Path) -> None:
    block = {"type": "tool_use", "id": "A", "name": "Read", "input": {}}
    path = put(
        tmp_path, logged([USER, {"role": "assistant", "content": [block]}], {"role": "assistant", "content": "a"})
    )
    assert "litellm-log" not in {format for format, *_ in told(path)}


def test_it_is_never_written_and_the_converted_messages_are_repaired(tmp_path: Path) -> None:
    path = put(tmp_path, logged(openai_messages(parse("u | a{A,B} | r(A=x)")), {"role": "assistant", "content": "a"}))
    refused = product.repair(path, tmp_path / "out.json")
    assert (refused.code, (tmp_path / "out.json").exists()) == (1, False)
    assert "the log of the agent that sent the request" in refused.report["reason"]
    out = tmp_path / "messages.json"
    assert product.convert(path, "openai", out).code == 0
    assert product.repair(out, tmp_path / "repaired.json").code == 0
    assert product.check(tmp_path / "repaired.json").session["verdict"] == "healthy"
