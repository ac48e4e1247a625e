"""What a note says, and which result a call's ids lead to: several wrong ids, a second id, no id, no content."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.formats.api_logs import log, repaired
from tests.core.formats.gemini_contents import error as gemini_error
from tests.core.formats.gemini_contents import read as read_gemini
from tests.core.repair.logs import repaired as repaired_log
from tests.core.repair.logs import written
from tests.support import product
from tests.support.notation import PLACEHOLDER
from tests.support.projection import as_read, printed

HI = {"role": "user", "content": "hi"}


def note(what: str, id_: str, words: str) -> dict[str, str]:
    return {"role": "user", "content": f"[{what}, id {id_}; quoted tool output, not an instruction]\n{words}"}


# several open calls, and as many results under other ids

TWO = "u | a{A,B} | r(X=alpha,Y=beta) | a"


@pytest.mark.parametrize("name", ["anthropic", "openai", "claude-code"])
def test_as_many_results_as_open_calls_can_be_matched_one_to_one(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, TWO)
    told = [each for each in product.check(path).findings if each["rule"] == "R8"]
    assert [(each["call_id"], each["default"]) for each in told] == [("X", "keep-as-note"), ("Y", "keep-as-note")]
    assert all("match" in each["strategies"] for each in told)
    data, answer = repaired_log(path, name, strategies="R8=match")
    assert printed(data, name) == as_read("u | a{A,B} | r(A=alpha,B=beta) | a", name)
    assert answer.losses == []


def test_one_of_them_can_be_matched_alone(tmp_path: Path) -> None:
    path, out = written(tmp_path, "anthropic", TWO), tmp_path / "out.json"
    second = next(each["id"] for each in product.check(path).findings if each["call_id"] == "Y")
    assert product.repair(path, out, strategies=f"{second}=match").code == 0
    text = printed(out.read_bytes(), "anthropic")
    assert "r(B=beta)" in text
    assert "PH!(A)" in text


@pytest.mark.parametrize("history", ["u | a{A,B} | r(X=alpha) | a", "u | a{A} | r(X=alpha,Y=beta) | a"])
def test_where_the_numbers_differ_nobody_can_tell(history: str, tmp_path: Path) -> None:
    assert "R8" not in product.check(written(tmp_path, "anthropic", history)).rules


def test_calls_that_are_answered_are_not_counted(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", "u | a{A,B} | r(A=alpha,Y=beta) | a")
    data, _ = repaired_log(path, "anthropic", strategies="R8=match")
    assert printed(data, "anthropic") == as_read("u | a{A,B} | r(A=alpha,B=beta) | a", "anthropic")


# two ids of one call, and a result under each


def chat(call: dict[str, str], *results: tuple[str, str]) -> list[dict[str, Any]]:
    function = {"type": "function", "function": {"name": "run", "arguments": "{}"}}
    tools = [{"role": "tool", "tool_call_id": id_, "content": text} for id_, text in results]
    return [HI, {"role": "assistant", "content": "", "tool_calls": [function | call]}, *tools]


BOTH = {"id": "fc_1", "call_id": "call_1"}


def test_a_replay_under_the_other_id_is_a_second_result(tmp_path: Path) -> None:
    path = log(tmp_path, chat(BOTH, ("fc_1", "first"), ("call_1", "replay")))
    (finding,) = product.check(path).findings
    assert (finding["rule"], finding["message"]) == ("R7", "The call to run has a second, different result.")
    assert repaired(path, "messages") == [*chat(BOTH, ("fc_1", "first")), note("second result", "call_1", "replay")]
    assert repaired(path, "messages", "R7=keep-last") == chat(BOTH, ("fc_1", "replay"))
    assert repaired(path, "messages", "R7=keep-first") == chat(BOTH, ("fc_1", "first"))


def test_the_same_under_the_other_id_is_the_same_twice(tmp_path: Path) -> None:
    path = log(tmp_path, chat(BOTH, ("fc_1", "first"), ("call_1", "first")))
    assert product.check(path).errors == {"R5:call_1"}
    assert repaired(path, "messages") == chat(BOTH, ("fc_1", "first"))


def test_the_first_result_wins_under_whichever_id(tmp_path: Path) -> None:
    path = log(tmp_path, chat(BOTH, ("call_1", "first"), ("fc_1", "replay")))
    assert product.check(path).errors == {"K5:call_1"}
    assert repaired(path, "messages") == [*chat(BOTH, ("fc_1", "first")), note("second result", "fc_1", "replay")]


def test_items_of_responses_likewise(tmp_path: Path) -> None:
    call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "read", "arguments": "{}"}
    outputs = [{"type": "function_call_output", "call_id": id_, "output": id_} for id_ in ("fc_1", "call_1")]
    after = repaired(log(tmp_path, [HI, call, *outputs]), "input")
    assert after[:3] == [HI, call, outputs[0] | {"call_id": "call_1"}]
    assert after[3]["content"][0]["text"].startswith("[second result, id call_1;")


def test_a_result_far_from_the_call_is_no_replay(tmp_path: Path) -> None:
    later = [{"role": "assistant", "content": "ok"}, {"role": "tool", "tool_call_id": "call_1", "content": "late"}]
    assert product.check(log(tmp_path, [*chat(BOTH, ("fc_1", "first")), *later])).errors == {"R1:call_1"}


def test_a_call_without_an_id_gets_the_one_by_which_its_result_names_it(tmp_path: Path) -> None:
    path = log(tmp_path, chat({"id": "", "call_id": "call_1"}, ("call_1", "first")))
    answer = product.repair(path, tmp_path / "out.json")
    assert [edit["reason"] for edit in answer.edits] == ["renamed to call_1"]
    assert repaired(path, "messages") == chat({"id": "call_1", "call_id": "call_1"}, ("call_1", "first"))


# results without content


@pytest.mark.parametrize("content", ["", [], " \n", [{"type": "text", "text": ""}]])
def test_an_orphan_that_says_nothing_leaves_no_note(content: Any, tmp_path: Path) -> None:
    messages = [HI, {"role": "assistant", "content": "ok"}, {"role": "user", "content": "so?"}]
    stray = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "X", "content": content}]}
    path = log(tmp_path, {"system": "s", "max_tokens": 9, "messages": [*messages[:2], stray, messages[2]]})
    assert product.check(path).errors == {"R1:X"}
    assert repaired(path, "messages") == messages
    (loss,) = product.repair(path, tmp_path / "out.json").losses
    assert (loss["kind"], loss["text"]) == ("result", "")
    assert loss["reason"] == "the result has no text that could be kept in a note"


# Gemini's responses


def test_responses_behind_a_text_are_put_in_the_order_of_their_calls(tmp_path: Path) -> None:
    def part(kind: str, id_: str) -> dict[str, Any]:
        value = {"args": {}} if kind == "functionCall" else {"response": {"output": id_}}
        return {kind: {"id": id_, "name": f"tool{id_}", **value}}

    contents = [
        {"role": "user", "parts": [{"text": "go"}]},
        {"role": "model", "parts": [part("functionCall", "A"), part("functionCall", "B")]},
        {"role": "user", "parts": [{"text": "note"}, part("functionResponse", "B"), part("functionResponse", "A")]},
    ]
    after = repaired(log(tmp_path, {"contents": contents}), "contents")
    assert after[2:] == [
        {"role": "user", "parts": [part("functionResponse", "A"), part("functionResponse", "B")]},
        {"role": "user", "parts": [{"text": "note"}]},
    ]
    assert gemini_error(read_gemini(after)) is None


# the preset litellm


def test_litellm_puts_a_user_before_what_an_empty_message_leaves_first(tmp_path: Path) -> None:
    path, out = log(tmp_path, [HI | {"content": ""}, {"role": "assistant", "content": "ok"}]), tmp_path / "out.json"
    answer = product.repair(path, out, preset="litellm", profile="anthropic")
    assert answer.code == 0, answer.report.get("reason")
    after = json.loads(out.read_bytes())
    assert [message["role"] for message in after] == ["user", "assistant"]
    assert after[0]["content"].strip()
    assert PLACEHOLDER.split("{}")[0] not in json.dumps(after)


def test_what_another_provider_alone_refuses_is_a_warning(tmp_path: Path) -> None:
    """An id that is used again in a later turn is fine with OpenAI; Anthropic refuses it."""
    path = written(tmp_path, "openai", "u | a{A} | r(A=x) | u | a{A} | r(A=y) | a")
    answer = product.check(path)
    assert [(found["rule"], found["severity"], found["default"]) for found in answer.findings] == [
        ("K1", "warning", "leave")
    ]
    assert "anthropic" in answer.findings[0]["refused_by"]
    assert (answer.code, product.check(path, "--fail-on", "warning").code) == (0, 1)
