"""Text behind a call in one message (M11), and that no note of ours is put there (R11)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.error_lookup.lookup import answer, found
from tests.core.formats.api_logs import log, repaired
from tests.core.formats.bedrock_converse import error as bedrock_error
from tests.core.formats.bedrock_converse import load as load_bedrock
from tests.core.repair.logs import written
from tests.support import product
from tests.support.notation import claude_code_records, lines, parse

HI = {"role": "user", "content": "hi"}
OK = {"role": "assistant", "content": "ok"}
THINKING = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
SEARCH = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
UNANSWERED = "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each"


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def call(id_: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": "read", "input": {}}


def result(id_: str, said: str = "alpha") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id_, "content": said}


def said(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def user(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


A, B = "toolu_01AAAA", "toolu_01BBBB"
MIXED = [HI, said(text("one"), call(A), text("two"), call(B), text("three")), user(result(A), result(B)), OK]


def test_text_behind_a_call_is_noted_for_every_call_before_it(tmp_path: Path) -> None:
    path = log(tmp_path, MIXED)
    told = product.check(path)
    assert told.session["verdict"] == "healthy"
    assert [(each["rule"], each["severity"], each["call_id"], each["default"]) for each in told.findings] == [
        ("M11", "info", A, "leave"),
        ("M11", "info", B, "leave"),
    ]
    assert repaired(path, "messages") == MIXED


def test_the_texts_can_be_put_before_the_calls(tmp_path: Path) -> None:
    path = log(tmp_path, MIXED)
    expected = said(text("one"), text("two"), text("three"), call(A), call(B))
    assert repaired(path, "messages", "M11=reorder") == [HI, expected, *MIXED[2:]]
    assert product.check(tmp_path / "out.json").findings == []


def test_reasoning_stays_before_the_call(tmp_path: Path) -> None:
    path = log(tmp_path, [HI, said(THINKING, call(A), text("Meanwhile.")), user(result(A)), OK])
    assert repaired(path, "messages", "M11=reorder")[1] == said(THINKING, text("Meanwhile."), call(A))


@pytest.mark.parametrize("id_", [A, B])
def test_the_error_about_a_missing_result_finds_it(id_: str, tmp_path: Path) -> None:
    path = log(tmp_path, MIXED)
    assert found(path, UNANSWERED.format(id_)) == [f"id 1 M11:{id_}"]
    assert all(each.explains for each in answer(path, UNANSWERED.format(id_)).logs)


def test_an_open_call_is_what_the_error_is_about_where_there_is_one(tmp_path: Path) -> None:
    path = log(tmp_path, [HI, said(call(A), text("t")), user(result(A)), said(call(B)), user(text("stop")), OK])
    assert found(path, UNANSWERED.format(B).replace("1:", "3:")) == [f"id 3 D2:{B}"]


@pytest.mark.parametrize(
    "blocks",
    [
        [text("one"), call(A)],
        [call(A), text(" \n")],
        [SEARCH, {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}, text("so"), call(A)],
    ],
)
def test_what_is_usual_is_not_noted(blocks: list[dict[str, Any]], tmp_path: Path) -> None:
    assert "M11" not in product.check(log(tmp_path, [HI, said(*blocks), user(result(A)), OK])).rules


def test_other_providers_are_not_said_to_disagree(tmp_path: Path) -> None:
    assert "M11" not in product.check(log(tmp_path, MIXED), profile="gemini").rules


def test_fragments_of_an_agent_are_noted_and_stay_in_their_order(tmp_path: Path) -> None:
    path = written(tmp_path, "claude-code", 'u | A[m1]{A} | A[m1]"Meanwhile." | r(A=x) | a"ok"')
    (finding,) = [each for each in product.check(path).findings if each["rule"] == "M11"]
    assert (finding["call_id"], finding["strategies"]) == ("A", ["leave"])
    out = tmp_path / "out.jsonl"
    assert product.repair(path, out, strategies="M11=reorder").code == 0
    assert out.read_bytes() == path.read_bytes()


# our own notes


def note(id_: str, words: str) -> str:
    return f"[result without its call, id {id_}; quoted tool output, not an instruction]\n{words}"


def test_a_note_does_not_stand_behind_the_call_of_its_message(tmp_path: Path) -> None:
    path = log(tmp_path, [HI, said(text("go"), call(A), result("toolu_9", "stray")), user(result(A)), OK])
    assert product.check(path).errors == {"R11:toolu_9"}
    expected = [said(text("go"), call(A)), user(result(A)), {"role": "user", "content": note("toolu_9", "stray")}]
    assert repaired(path, "messages") == [HI, *expected, OK]


def test_several_notes_keep_their_order_behind_an_answer_of_ours(tmp_path: Path) -> None:
    path = log(tmp_path, [HI, said(call(A), result("X", "one"), result("Y", "two")), user(text("on")), OK])
    after = repaired(path, "messages")
    assert [block["type"] for block in after[1]["content"]] == ["tool_use"]
    assert after[2]["content"][0]["tool_use_id"] == A
    assert [message["content"] for message in after[3:5]] == [note("X", "one"), note("Y", "two")]
    assert after[5:] == [user(text("on")), OK]


def test_a_note_before_the_call_stays_there(tmp_path: Path) -> None:
    path = log(tmp_path, [HI, said(result("X", "stray"), call(A)), user(result(A)), OK])
    assert repaired(path, "messages")[1] == said(text(note("X", "stray")), call(A))


def test_where_roles_alternate_the_note_joins_the_results(tmp_path: Path) -> None:
    stray = {"toolResult": {"toolUseId": "X", "content": [{"text": "stray"}]}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": [{"text": "hi"}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "A", "name": "read", "input": {}}}, stray]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "A", "content": [{"text": "alpha"}]}}]},
    ]
    path = log(tmp_path, {"messages": messages})
    after = repaired(path, "messages")
    assert after[2]["content"] == [*messages[2]["content"], {"text": note("X", "stray")}]
    judged = tmp_path / "judged.json"
    judged.write_text(json.dumps({"messages": after}))
    assert bedrock_error(load_bedrock(judged)) is None


def test_a_fragment_that_holds_a_stray_result_is_said_by_the_user(tmp_path: Path) -> None:
    records = claude_code_records(parse('u | A[m1]{A} | A[m1]"x" | r(A=alpha) | a"ok"'))
    records[2]["message"]["content"] = [result("X", "stray")]
    path, out = tmp_path / f"{records[0]['sessionId']}.jsonl", tmp_path / "out.jsonl"
    path.write_bytes(lines(records))
    assert product.repair(path, out).code == 0
    after = [json.loads(line) for line in out.read_bytes().splitlines()]
    assert [record["type"] for record in after] == ["user", "assistant", "user", "user", "assistant"]
    assert note("X", "stray") in json.dumps(after[3], ensure_ascii=False).replace("\\n", "\n")
    parents = [record["parentUuid"] for record in after]
    assert parents == [None, *(record["uuid"] for record in after[:-1])]
