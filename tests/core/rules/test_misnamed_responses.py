"""Responses of Gemini that name another tool than their call (K13)."""

from pathlib import Path
from typing import Any

import pytest

from inspector.core.providers.error_parser import explain_error
from tests.core.formats.api_logs import log, repaired
from tests.support import product

USER = {"role": "user", "parts": [{"text": "go"}]}
CALL: dict[str, Any] = {"role": "model", "parts": [{"functionCall": {"id": "1", "name": "f", "args": {}}}]}


def response(name: str, said: str = "", own: str | None = "1") -> dict[str, Any]:
    held = {"name": name, "response": {"output": said}}
    return {"functionResponse": held if own is None else {"id": own, **held}}


def contents(*responses: dict[str, Any]) -> dict[str, Any]:
    return {"contents": [USER, CALL, {"role": "user", "parts": [*responses]}]}


def test_a_misnamed_response_is_named_as_its_call(tmp_path: Path) -> None:
    path = log(tmp_path, contents(response("g", "x")))
    (finding,) = product.check(path).findings
    assert (finding["rule"], finding["severity"], finding["pointer"]) == ("K13", "error", "/parts/0")
    assert finding["message"] == "The response to the 'f' call has the tool name 'g'."
    assert finding["refused_by"] == {"gemini": "Request contains an invalid argument. (contents[2])"}
    assert repaired(path, "contents") == contents(response("f", "x"))["contents"]
    losses = product.repair(path, tmp_path / "again.json").losses
    assert [(loss["kind"], loss["text"]) for loss in losses] == [("name", "g")]


@pytest.mark.parametrize("snake", [False, True])
def test_a_name_that_fits_stays(snake: bool, tmp_path: Path) -> None:
    value = contents(response("f", "x"))
    if snake:
        value["contents"][1] = {"role": "model", "parts": [{"function_call": CALL["parts"][0]["functionCall"]}]}
        value["contents"][2]["parts"] = [{"function_response": response("f", "x")["functionResponse"]}]
    assert product.check(log(tmp_path, value)).findings == []


@pytest.mark.parametrize("turned", [False, True])
def test_of_two_responses_the_one_with_the_right_name_is_kept(turned: bool, tmp_path: Path) -> None:
    both = [response("g", "of g"), response("f", "of f")]
    path = log(tmp_path, contents(*(both[::-1] if turned else both)))
    (finding,) = product.check(path).findings
    assert (finding["rule"], finding["message"]) == ("R7", "The call to f has a second, different result.")
    assert finding["pointer"] == ("/parts/1" if turned else "/parts/0")
    told = repaired(path, "contents")
    assert told[2]["parts"][0] == response("f", "of f")
    assert "of g" in str(told[3])
    assert "of f" not in str(told[3])


def test_a_real_result_is_kept_whatever_its_name(tmp_path: Path) -> None:
    path = log(tmp_path, contents(response("f", ""), response("g", "real")))
    assert repaired(path, "contents")[2]["parts"] == [response("f", "real")]


def test_the_bare_answer_may_mean_a_name() -> None:
    """Gemini says the same of other things."""
    explained = explain_error("Request contains an invalid argument.")
    assert explained is not None
    assert "K13" in explained.rules
