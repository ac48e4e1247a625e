"""Reasoning items with one id (T7): the newest stays, before what the first led to."""

from pathlib import Path
from typing import Any

from tests.core.formats.api_logs import log, repaired
from tests.support import product

USER = {"role": "user", "content": "hi"}
CALL = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "read", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "call_1", "output": "alpha"}
DONE = {"type": "message", "role": "assistant", "content": "done"}


def thought(said: str, name: str = "rs_1") -> dict[str, Any]:
    return {"type": "reasoning", "id": name, "summary": [{"type": "summary_text", "text": said}]}


TWICE = [USER, thought("old"), CALL, thought("new"), DONE, OUTPUT]


def losses(path: Path, strategies: str = "") -> list[tuple[str, str]]:
    answer = product.repair(path, path.with_name("out.json"), strategies=strategies)
    return [(loss["kind"], loss["text"]) for loss in answer.losses]


def test_the_newest_takes_the_place_of_the_first(tmp_path: Path) -> None:
    path = log(tmp_path, TWICE)
    assert product.check(path).errors == {"T7:rs_1"}
    assert repaired(path, "input") == [USER, thought("new"), CALL, DONE, OUTPUT]
    assert losses(path) == [("reasoning", "old")]


def test_the_first_can_be_kept_instead(tmp_path: Path) -> None:
    path = log(tmp_path, TWICE)
    assert repaired(path, "input", "T7=keep-first") == [USER, thought("old"), CALL, DONE, OUTPUT]
    assert losses(path, "T7=keep-first") == [("reasoning", "new")]


def test_of_three_the_others_are_told(tmp_path: Path) -> None:
    path = log(tmp_path, [USER, thought("one"), thought("two"), CALL, OUTPUT, thought("three"), DONE])
    assert repaired(path, "input") == [USER, thought("three"), CALL, OUTPUT, DONE]
    assert sorted(losses(path)) == [("reasoning", "one"), ("reasoning", "two")]


def test_the_same_twice_is_no_loss(tmp_path: Path) -> None:
    path = log(tmp_path, [USER, thought("same"), CALL, OUTPUT, thought("same"), DONE])
    assert repaired(path, "input") == [USER, thought("same"), CALL, OUTPUT, DONE]
    assert losses(path) == []


def test_items_with_ids_of_their_own_are_left(tmp_path: Path) -> None:
    items = [USER, thought("old"), CALL, OUTPUT, thought("new", "rs_2"), DONE]
    path = log(tmp_path, items)
    assert "T7" not in product.check(path).rules
    assert repaired(path, "input") == items
