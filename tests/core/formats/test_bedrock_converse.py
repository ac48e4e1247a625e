"""Bedrock Converse: results join the next user message, ids are used once, and the containers."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.model.views import BlockKind
from inspector.core.providers.bedrock_converse.schema import views_of_message
from tests.core.formats import api_logs
from tests.core.formats.api_logs import log
from tests.core.formats.bedrock_converse import FORMAT, error, messages
from tests.support import product
from tests.support.notation import parse

NONE = (
    "[No result was recorded for this call to w. "
    "It may or may not have run; check the current state before repeating it.]"
)


def text(said: str) -> dict[str, Any]:
    return {"text": said}


def call(id_: str, value: Any = None) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": id_, "name": "w", "input": {} if value is None else value}}


def result(id_: str, *content: Any) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": id_, "content": list(content) or [text("ok")]}}


def none(id_: str) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": id_, "status": "error", "content": [text(NONE)]}}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def model(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


HI, OK = user(text("hi")), model(text("ok"))


def repaired(path: Path, strategies: str = "") -> list[dict[str, Any]]:
    """What the strict judge accepts, too."""
    messages = api_logs.repaired(path, "messages", strategies)
    judged = path.with_name("judged.json")
    judged.write_text(json.dumps({"messages": messages}))
    assert error(FORMAT.load(judged)) is None
    return messages


def test_a_placeholder_joins_the_words_that_follow(tmp_path: Path) -> None:
    path = log(tmp_path, {"messages": [HI, model(call("a"), call("b")), user(text("stop")), OK]})
    assert product.check(path).errors == {"D2:a", "D2:b"}
    assert repaired(path)[2] == user(none("a"), none("b"), text("stop"))


def test_a_displaced_result_joins_the_words_that_follow(tmp_path: Path) -> None:
    path = log(tmp_path, [HI, model(call("a")), user(text("stop")), OK, user(result("a"), text("late")), OK])
    assert product.check(path).errors == {"R4:a"}
    assert repaired(path)[2:5] == [user(result("a"), text("stop")), OK, user(text("late"))]


def test_results_lead(tmp_path: Path) -> None:
    path = log(tmp_path, [HI, model(call("a")), user(text("so"), result("a")), OK])
    assert product.check(path).errors == {"R9:a"}
    assert repaired(path)[2] == user(result("a"), text("so"))


def test_split_results_are_merged(tmp_path: Path) -> None:
    path = log(tmp_path, [HI, model(call("a"), call("b")), user(result("a")), user(result("b")), OK])
    assert product.check(path).errors == {"R10:b", "M3"}
    assert repaired(path)[2] == user(result("a"), result("b"))


def test_an_orphan_beside_an_open_call_stays_in_its_message(tmp_path: Path) -> None:
    path = log(tmp_path, [HI, model(call("a")), user(result("x", text("1")), result("y", text("2"))), OK])
    left = repaired(path)[2]["content"]
    assert left[0] == none("a")
    assert [list(block) for block in left[1:]] == [["text"], ["text"]]


def test_an_id_is_used_once(tmp_path: Path) -> None:
    path = log(tmp_path, [HI, model(call("a")), user(result("a")), model(call("a")), user(result("a")), OK])
    assert product.check(path).errors == {"K1:a"}
    assert repaired(path)[3:5] == [model(call("a-2")), user(result("a-2"))]


def test_input_must_be_an_object(tmp_path: Path) -> None:
    path = log(tmp_path, [HI, model(call("a", '{"p":1}')), user(result("a")), OK])
    assert product.check(path).errors == {"K6:a"}
    assert repaired(path)[1] == model(call("a", {"p": 1}))


def test_pictures_of_an_orphan_are_kept(tmp_path: Path) -> None:
    picture = {"image": {"format": "png", "source": {"bytes": "iVBOR"}}}
    path = log(tmp_path, [HI, OK, user(result("x", text("seen"), picture)), OK])
    left = repaired(path)[2]["content"]
    assert "seen" in left[0]["text"]
    assert left[1] == picture


def test_the_providers_own_tool_is_left_alone(tmp_path: Path) -> None:
    own = {"toolUse": {"toolUseId": "s", "name": "web", "input": {}, "type": "server_tool_use"}}
    answer = {"toolResult": {"toolUseId": "s", "content": [text("x")], "type": "web_result"}}
    assert product.check(log(tmp_path, [HI, model(own, answer, text("ok"))])).findings == []


def test_a_block_of_two_members_is_shown_as_its_first() -> None:
    two = {"text": "x", "toolUse": {"toolUseId": "s", "type": "server_tool_use"}}
    assert [view.kind for view in views_of_message({"role": "assistant", "content": [two]})] == [BlockKind.TEXT]


def test_a_call_of_another_type_is_answered_like_any(tmp_path: Path) -> None:
    own = call("a")
    own["toolUse"]["type"] = "running"
    path = log(tmp_path, {"messages": [HI, model(own), user(result("a")), OK]})
    assert product.check(path).session["verdict"] == "healthy"


@pytest.mark.parametrize("behind", [[model(text("ok"))], [HI, model(text("ok"))]])
def test_the_system_speaks_behind_the_user(behind: list[Any], tmp_path: Path) -> None:
    said = {"role": "system", "content": [text("be brief")]}
    path = log(tmp_path, {"messages": [said, *behind], "toolConfig": {}})
    assert product.check(path).errors == {"M4"}
    messages = repaired(path)
    assert ([each["role"] for each in messages], messages[1]) == (["user", "system", "assistant"], said)


def test_the_user_goes_on_behind_the_system(tmp_path: Path) -> None:
    said = {"role": "system", "content": [text("be brief")]}
    path = log(tmp_path, {"messages": [HI, said, HI, OK], "toolConfig": {}})
    assert product.check(path).errors == {"M3"}
    assert repaired(path) == [user(text("hi"), text("hi")), said, OK]


def test_a_result_of_the_user_is_not_the_providers_own(tmp_path: Path) -> None:
    told = result("a")
    told["toolResult"]["type"] = "success"
    path = log(tmp_path, {"messages": [HI, model(call("a")), user(told), OK]})
    assert product.check(path).session["verdict"] == "healthy"


def test_a_response_waits_for_its_calls_to_be_run(tmp_path: Path) -> None:
    answer = product.check(log(tmp_path, {"output": {"message": model(call("a"))}, "stopReason": "tool_use"}))
    assert (answer.session["format"], answer.session["verdict"], answer.rules) == (
        "bedrock-converse",
        "waiting",
        {"D6"},
    )


@pytest.mark.parametrize("bare", [True, False])
def test_text_alone_is_told_by_its_shape(tmp_path: Path, bare: bool) -> None:
    made = messages(parse('u"hi" | a"ok"'))
    path = log(tmp_path, made if bare else {"messages": made})
    assert product.check(path).session["format"] == "bedrock-converse"


def test_neighbours_of_one_role_are_one_message(tmp_path: Path) -> None:
    path = log(
        tmp_path, [HI, user(text("hello?")), user(text("!")), model(text("yes")), model(call("a")), user(result("a"))]
    )
    assert {error.partition(":")[0] for error in product.check(path).errors} == {"M2", "M3"}
    assert repaired(path) == [
        user(text("hi"), text("hello?"), text("!")),
        model(text("yes"), call("a")),
        user(result("a")),
    ]


def test_a_result_without_an_id_is_not_the_providers_own(tmp_path: Path) -> None:
    use = {"toolUse": {"toolUseId": "A", "name": "f", "input": {}}}
    told = {"toolResult": {"type": "A", "content": [{"text": "x"}]}}
    messages = [("user", {"text": "hi"}), ("assistant", use), ("user", told)]
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"messages": [{"role": role, "content": [part]} for role, part in messages]}))
    assert product.check(path).session["verdict"] == "broken"
    out = tmp_path / "out.json"
    assert product.repair(path, out).code == 0
    kept = json.loads(out.read_bytes())["messages"][-1]["content"]
    assert all("toolUseId" in part["toolResult"] for part in kept if "toolResult" in part)
