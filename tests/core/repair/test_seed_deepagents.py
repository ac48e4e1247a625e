"""deepagents' PatchToolCallsMiddleware, explained: its three scenarios, its demonstration, its edge cases."""

import json
from pathlib import Path

import pytest

from tests.core.repair.logs import refused, repaired, written
from tests.support import product
from tests.support.notation import Result
from tests.support.projection import printed, read

WORDING = "Tool call {} with id {} was cancelled - another message came in before it could be completed."
DEMONSTRATION = (
    'u"Search for Python docs" | a"I\'ll search for you"{call_1@search q=Python,call_2@search q=docs}'
    ' | r(call_2="Found docs") | u"Thanks"'
)


def answers(data: bytes, name: str = "openai") -> dict[str, str]:
    return {result.id: result.text for turn in read(data, name) for result in turn.of(Result)}


def test_the_demonstration(tmp_path: Path) -> None:
    path = written(tmp_path, "openai", DEMONSTRATION)
    assert product.check(path).errors == {"D3:call_1"}
    data, answer = repaired(path, "openai", preset="deepagents")
    assert answers(data) == {"call_1": WORDING.format("search", "call_1"), "call_2": "Found docs"}
    before, after = json.loads(path.read_bytes())["messages"], json.loads(data)["messages"]
    assert [message for message in after if message in before] == before
    assert len(after) == len(before) + 1
    assert answer.losses == []


@pytest.mark.parametrize("name", ["openai", "anthropic"])
@pytest.mark.parametrize(
    ("history", "code"),
    [
        ('u"find it" | a"I shall search."{c@search_web q=x} | u"wait, not yet"', "D2:c"),
        ('u"analyse" | a"Let me look."{c@read_file q=x}', "D1:c"),
        ('u"run it" | a"I run it."{c@execute q=x}', "D1:c"),
    ],
    ids=["user interrupts", "stream breaks off", "tool raises"],
)
def test_scenarios(history: str, code: str, name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, history)
    assert product.check(path).errors == {code}
    tool = history.partition("@")[2].partition(" ")[0]
    data, _ = repaired(path, name, preset="deepagents")
    assert answers(data, name) == {"c": WORDING.format(tool, "c")}


def test_without_calls_nothing_is_done(tmp_path: Path) -> None:
    path = written(tmp_path, "openai", 'u | a"hello" | u"q" | a{A} | r(A=alpha) | a"ok"')
    assert repaired(path, "openai", preset="deepagents")[0] == path.read_bytes()


def test_several_calls_of_one_message(tmp_path: Path) -> None:
    path = written(tmp_path, "openai", "u | a{c1@search,c2@read_file,c3@execute} | u")
    data, _ = repaired(path, "openai", preset="deepagents")
    tools = {"c1": "search", "c2": "read_file", "c3": "execute"}
    assert answers(data) == {id_: WORDING.format(tool, id_) for id_, tool in tools.items()}


def test_chained_dangling_calls_are_each_answered_in_place(tmp_path: Path) -> None:
    path = written(tmp_path, "openai", "u | a{call1@search} | a{call2@search}")
    data, _ = repaired(path, "openai", preset="deepagents")
    roles = [message["role"] for message in json.loads(data)["messages"]]
    assert roles == ["user", "assistant", "tool", "assistant", "tool"]
    assert answers(data) == {id_: WORDING.format("search", id_) for id_ in ("call1", "call2")}


def test_its_blind_spots_are_not_written(tmp_path: Path) -> None:
    """It only adds: an orphan, or a result before its call, stays, so this preset alone gives no valid history."""
    refused(written(tmp_path, "openai", "u | r(Z=zeta) | a | u"), preset="deepagents")
    refused(written(tmp_path, "openai", "u | r(A=alpha) | a{A} | u"), preset="deepagents")


def test_the_default_wording_claims_no_cancellation(tmp_path: Path) -> None:
    data, _ = repaired(written(tmp_path, "openai", DEMONSTRATION), "openai")
    assert "cancelled" not in answers(data)["call_1"]
    assert answers(data)["call_1"].startswith("[No result was recorded for this call to search")
    assert printed(data, "openai").count("PH(call_1)") == 1
