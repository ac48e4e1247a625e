"""A result without content beside one that says something: the one that says something stays the result (R6)."""

from pathlib import Path
from typing import Any

import pytest

from tests.core.formats import WRITABLE
from tests.core.formats.api_logs import log, repaired
from tests.core.repair.every_format import beside, contents, write
from tests.core.rules.test_media import png
from tests.support import product
from tests.support.notation import PLACEHOLDER, Result, Turn, parse

# Formats in which a call can have two results, each with a content of its own.
NAMES = [name for name, written in WRITABLE.items() if "R7" not in written.cannot and "opencode" not in name]
BEFORE = [*parse("u | a{A}"), Turn("user", (Result("A", ""), Result("A", "alpha"))), *parse('a"ok"')]
BEHIND = [*parse("u | a{A}"), Turn("user", (Result("A", "alpha"), Result("A", " \n"))), *parse('a"ok"')]
LATER = [*parse("u | a{A}"), Turn("user", (Result("A", ""),)), *parse('u"so?" | r(A=alpha) | a"ok"')]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("history", [BEFORE, BEHIND, LATER], ids=["before", "behind", "later"])
def test_what_says_something_is_the_result(name: str, history: list[Turn], tmp_path: Path) -> None:
    written = WRITABLE[name]
    path = write(written, history, tmp_path / "log")
    if "R6:A" not in product.check(path).errors:
        pytest.skip(f"{name} keeps one result a call, or none that is empty")
    out, again = beside(path, "repaired"), beside(path, "again")
    answer = product.repair(path, out)
    after = written.load(out)
    assert [part.text for turn in after for part in turn.of(Result)] == ["alpha"]
    assert (answer.code, answer.losses, written.judge(after)) == (0, [], None)
    assert product.repair(out, again).code == 0
    assert contents(again) == contents(out)


def tool(content: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": "A", "content": content}


CALL = {"id": "A", "type": "function", "function": {"name": "run", "arguments": "{}"}}
START = [{"role": "user", "content": "x"}, {"role": "assistant", "content": None, "tool_calls": [CALL]}]


@pytest.mark.parametrize("empty", ["", None, [], " ", [{"type": "text", "text": ""}]])
def test_whatever_is_empty(empty: Any, tmp_path: Path) -> None:
    path = log(tmp_path, [*START, tool(empty), tool("alpha")])
    refused = {"M12"} if empty is None else set()  # a tool's message says something, and be it nothing
    assert product.check(path).errors == {"R6:A"} | refused
    assert repaired(path, "messages") == [*START, tool("alpha")]


def test_one_empty_result_is_a_result(tmp_path: Path) -> None:
    """A command may have nothing to say; it is no placeholder."""
    path = log(tmp_path, [*START, tool("")])
    assert product.check(path).findings == []


def test_two_empty_results_are_the_same_twice(tmp_path: Path) -> None:
    path = log(tmp_path, [*START, tool(""), tool("")])
    assert product.check(path).errors == {"R5:A"}
    assert repaired(path, "messages") == [*START, tool("")]


def test_an_empty_result_was_recorded_and_a_placeholder_was_not(tmp_path: Path) -> None:
    path = log(tmp_path, [*START, tool(PLACEHOLDER.format("run")), tool("")])
    assert product.check(path).errors == {"R6:A"}
    assert repaired(path, "messages") == [*START, tool("")]


def test_a_picture_is_a_content(tmp_path: Path) -> None:
    picture = [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": png(3, 4)}}]
    use = {"type": "tool_use", "id": "A", "name": "look", "input": {}}
    results = [{"type": "tool_result", "tool_use_id": "A", "content": each} for each in (picture, "seen")]
    messages = [START[0], {"role": "assistant", "content": [use]}, {"role": "user", "content": results}]
    assert product.check(log(tmp_path, messages)).errors == {"R7:A"}
