"""Gemini contents: pairing without ids, counts, spellings, signatures, and the containers."""

from pathlib import Path
from typing import Any

import pytest

from tests.core.formats import api_logs
from tests.core.formats.api_logs import log
from tests.core.formats.gemini_contents import contents, error, read
from tests.support import product
from tests.support.notation import parse

NONE = (
    "[No result was recorded for this call to {}. "
    "It may or may not have run; check the current state before repeating it.]"
)


def text(said: str) -> dict[str, Any]:
    return {"text": said}


def call(name: str, **more: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": {}}, **more}


def response(name: str, value: str = "ok") -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": {"output": value}}}


def none(name: str) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": {"error": NONE.format(name)}}}


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


def model(*parts: Any) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


HI, OK = user(text("hi")), model(text("ok"))


def repaired(path: Path, strategies: str = "") -> list[dict[str, Any]]:
    return api_logs.repaired(path, "contents", strategies)


def test_calls_of_one_name_are_counted_and_not_told_apart(tmp_path: Path) -> None:
    path = log(tmp_path, [HI, model(call("w"), call("w")), user(response("w", "1"), response("w", "2")), OK])
    session = product.check(path).session
    assert (session["verdict"], session["calls"], session["results"]) == ("healthy", 2, 2)


def test_the_second_of_a_name_is_the_missing_one(tmp_path: Path) -> None:
    path = log(tmp_path, [HI, model(call("w"), call("w")), user(response("w", "1")), OK])
    assert [f["pointer"] for f in product.check(path).findings] == ["/parts/1"]
    assert repaired(path)[2] == user(response("w", "1"), none("w"))


@pytest.mark.parametrize(("missing", "order"), [("a", "abc"), ("b", "abc"), ("c", "abc")])
def test_a_placeholder_stands_at_the_place_of_its_call(tmp_path: Path, missing: str, order: str) -> None:
    answered = [response(name) for name in order if name != missing]
    path = log(tmp_path, [HI, model(*map(call, order)), user(*answered), OK])
    left = repaired(path)
    assert left[2] == user(*(none(name) if name == missing else response(name) for name in order))
    assert error(read(left)) is None


def test_an_id_on_one_side_alone_does_not_part_them(tmp_path: Path) -> None:
    named = {"functionCall": {"id": "x1", "name": "w", "args": {}}}
    back = {"functionResponse": {"id": "x2", "name": "v", "response": {"output": "ok"}}}
    path = log(tmp_path, [HI, model(named, call("v")), user(response("w"), back), OK])
    assert product.check(path).findings == []


def test_ids_bind_before_names(tmp_path: Path) -> None:
    first, second = ({"functionCall": {"id": name, "name": "w", "args": {}}} for name in "ab")
    back = {"functionResponse": {"id": "b", "name": "w", "response": {"output": "ok"}}}
    path = log(tmp_path, [HI, model(first, second), user(back), OK])
    assert product.check(path).errors == {"D3:a"}
    held = {"id": "a", "name": "w", "response": {"error": NONE.format("w")}}
    assert repaired(path)[2] == user({"functionResponse": held}, back)


def test_a_surplus_response_is_kept_as_words(tmp_path: Path) -> None:
    path = log(tmp_path, [HI, model(call("w")), user(response("w"), response("v", "lost")), OK])
    assert {f["rule"] for f in product.check(path).findings} == {"R1"}
    left = repaired(path)
    assert left[2] == user(response("w"))
    assert "lost" in left[3]["parts"][0]["text"]
    assert error(read(left)) is None


def test_an_old_open_call_takes_no_response_of_a_later_turn(tmp_path: Path) -> None:
    path = log(tmp_path, [HI, model(call("w")), HI, model(call("w")), user(response("w", "new")), OK])
    assert [(f["rule"], f["record"]) for f in product.check(path).findings] == [("D2", 1)]
    assert repaired(path)[2] == user(none("w"))


def test_a_late_response_goes_back_to_its_call(tmp_path: Path) -> None:
    path = log(tmp_path, [HI, model(call("w")), user(text("wait")), OK, user(response("w", "real")), OK])
    assert {f["rule"] for f in product.check(path).findings} == {"R4"}
    assert repaired(path)[:4] == [HI, model(call("w")), user(response("w", "real")), user(text("wait"))]


def test_responses_of_a_turn_stand_in_one_content(tmp_path: Path) -> None:
    path = log(tmp_path, [HI, model(call("w"), call("v")), user(response("w")), user(response("v")), OK])
    assert product.check(path).errors == {"R10:no-id:v:1.1"}
    assert repaired(path)[2] == user(response("w"), response("v"))


def test_a_response_content_is_kept_free_of_words(tmp_path: Path) -> None:
    path = log(tmp_path, [HI, model(call("w")), user(text("stop")), OK])
    assert repaired(path)[2:4] == [user(none("w")), user(text("stop"))]


def test_signatures_and_unknown_members_stay(tmp_path: Path) -> None:
    signed = call("w", thoughtSignature="QUJD", later={"x": 1})
    path = log(tmp_path, {"contents": [HI, model({"text": "hm", "thought": True}, signed)], "generationConfig": {}})
    assert repaired(path)[1] == model({"text": "hm", "thought": True}, signed)


@pytest.mark.parametrize("ids", [True, False])
def test_snake_case_is_answered_in_snake_case(tmp_path: Path, ids: bool) -> None:
    made = contents(parse('u"hi" | a{A@w x=1,B@v} | r(A=1) | a"ok"'), ids=ids, snake=True)
    path = log(tmp_path, {"contents": made})
    assert product.check(path).session["format"] == "gemini-contents"
    held = ({"id": "B"} if ids else {}) | {"name": "v", "response": {"error": NONE.format("v")}}
    assert repaired(path)[2]["parts"][1] == {"function_response": held}


def test_a_role_of_its_own_for_responses(tmp_path: Path) -> None:
    given = {"role": "function", "parts": [response("v", "lost")]}
    path = log(tmp_path, [HI, OK, given, OK])
    left = repaired(path)
    assert left[2]["role"] == "user"
    assert list(left[2]["parts"][0]) == ["text"]


def test_arguments_may_be_absent_and_must_be_an_object(tmp_path: Path) -> None:
    bare = {"functionCall": {"name": "w"}}
    assert product.check(log(tmp_path, [HI, model(bare), user(response("w")), OK])).findings == []
    bad = {"functionCall": {"name": "w", "args": '{"city":"Oslo"}'}}
    path = log(tmp_path, [HI, model(bad), user(response("w")), OK])
    assert {f["rule"] for f in product.check(path).findings} == {"K6"}
    assert repaired(path)[1] == model({"functionCall": {"name": "w", "args": {"city": "Oslo"}}})


def test_a_candidate_waits_for_its_calls_to_be_run(tmp_path: Path) -> None:
    answer = product.check(log(tmp_path, {"candidates": [{"content": model(call("w")), "finishReason": "STOP"}]}))
    assert (answer.session["format"], answer.session["verdict"], answer.rules) == ("gemini-contents", "waiting", {"D6"})


def test_contents_of_another_make_are_not_claimed(tmp_path: Path) -> None:
    shown = [{"role": "user", "parts": [{"type": "text", "text": "hi"}]}]
    assert product.check(log(tmp_path, shown)).session["format"] != "gemini-contents"


def test_an_empty_content_is_refused(tmp_path: Path) -> None:
    path = log(tmp_path, [HI, model(), user(text("so?")), OK])
    assert {error.partition(":")[0] for error in product.check(path).errors} == {"M7"}


def test_a_call_turn_joins_the_words_before_it(tmp_path: Path) -> None:
    signed = call("w", thoughtSignature="QUJD")
    path = log(tmp_path, [HI, HI, OK, model(signed), user(response("w")), OK, model(text("more"))])
    assert {f["rule"] for f in product.check(path).findings if f["severity"] == "error"} == {"M2"}
    assert repaired(path) == [HI, HI, model(text("ok"), signed), user(response("w")), OK, model(text("more"))]


@pytest.mark.parametrize("history", ['u | a{A} | "n"+r(A=x) | a"ok"', 'u | a{A} | r(A=x)+"n" | a"ok"'])
def test_what_stands_beside_responses_is_put_into_a_content_of_its_own(history: str, tmp_path: Path) -> None:
    """Refused as it stands (vellum-ai/vellum-assistant#39495)."""
    parts = {"u": text("n"), "r": response("Read", "x")}
    beside = [parts[name] for name in ("ur" if '"n"+r' in history else "ru")]
    asked = user(text("u")), model(call("Read")), user(*beside), model(text("ok"))
    path = log(tmp_path, {"contents": list(asked)})
    assert product.check(path).errors == {f"R9:{product.check(path).findings[0]['call_id']}"}
    repaired = api_logs.repaired(path, "contents")
    assert repaired == [asked[0], asked[1], user(parts["r"]), user(parts["u"]), asked[3]]


@pytest.mark.parametrize(
    ("call", "response", "errors"), [("A", "B", {"D2:A", "R8:B"}), ("", "B", set()), ("A", "", set())]
)
def test_a_response_answers_no_call_of_another_id(call: str, response: str, errors: set[str], tmp_path: Path) -> None:
    asked = {"name": "f", "args": {}} | ({"id": call} if call else {})
    told = {"name": "f", "response": {"output": "x"}} | ({"id": response} if response else {})
    parts = [("user", {"text": "hi"}), ("model", {"functionCall": asked}), ("user", {"functionResponse": told})]
    path = log(tmp_path, {"contents": [{"role": role, "parts": [part]} for role, part in parts]})
    assert product.check(path).errors == errors


def test_a_response_with_an_id_that_answers_a_call_without_one_keeps_it(tmp_path: Path) -> None:
    """It answers the second call, whose id is none, until that one has an id of its own."""
    ids: list[Any] = ["B", {}]
    asked = model(*({"functionCall": {"id": each, "name": "w", "args": {}}} for each in ids))
    named = {"functionResponse": {"id": "A", "name": "w", "response": {"output": "1"}}}
    after = repaired(log(tmp_path, [HI, asked, user(named), OK]))
    assert "result without its call, id A;" in str(after)
    assert error(read(after)) is None


def test_a_response_without_an_id_is_bound_anew_as_it_reads_back(tmp_path: Path) -> None:
    """The placeholders of the first turn name both ids: what answers without one is bound as if it were just read."""
    asked = model(*({"functionCall": {"id": each, "name": "w", "args": {}}} for each in "AB"))
    named = {"functionResponse": {"id": "A", "name": "w", "response": {"output": "2"}}}
    path = log(tmp_path, [asked, HI, asked, user(response("w", "1"), named), OK])
    after = repaired(path)
    assert "1" in str(after[5])
    assert error(read(after)) is None
