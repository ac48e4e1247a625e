"""Several calls in one message, and a session that waits for their results (a bridge to the Claude Code SDK)."""

from pathlib import Path

import pytest

from tests.core.repair.logs import repaired, written
from tests.support import product
from tests.support.projection import as_read, printed

NAMES = ["openai", "anthropic"]
THREE = 'u"create a.txt, b.txt, c.txt" | a{c1@create_file f=a,c2@create_file f=b,c3@create_file f=c}'


@pytest.mark.parametrize("name", [*NAMES, "claude-code", "neovate"])
def test_three_calls_without_results_are_interrupted_or_waiting(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, THREE)
    assert product.check(path).errors == {"D1:c1", "D1:c2", "D1:c3"}
    live = product.check(path, live=True)
    assert live.errors == set()
    assert live.session["verdict"] == "waiting"
    assert live.code == 0
    assert {finding["rule"] for finding in live.findings} == {"D6"}


@pytest.mark.parametrize("name", NAMES)
def test_the_first_result_alone_does_not_answer_the_others(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, THREE + " | r(c1=alpha)")
    assert product.check(path).errors == {"D3:c2", "D3:c3"}
    assert printed(repaired(path, name)[0], name) == as_read(THREE + " | r(c1=alpha),PH!(c2),PH!(c3)", name)


@pytest.mark.parametrize("name", [*NAMES, "claude-code", "neovate"])
def test_calls_of_an_agent_at_work_wait_although_one_of_them_has_its_result(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, THREE + " | r(c2=beta)")
    live = product.check(path, live=True)
    assert (live.session["verdict"], live.errors) == ("waiting", set())
    assert {finding["call_id"] for finding in live.findings} == {"c1", "c3"}
    written(tmp_path, name, THREE + ' | r(c2=beta) | u"and now?"')
    assert product.check(path, live=True).errors == {"D3:c1", "D3:c3"}


@pytest.mark.parametrize("name", NAMES)
def test_results_that_come_one_by_one_are_no_damage(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, THREE + ' | r(c1=alpha) | r(c2=beta) | r(c3=gamma) | a"created"')
    assert product.check(path).errors == set()
    assert repaired(path, name)[0] == path.read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_the_conversation_goes_on_after_a_result(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, 'u"list files" | a{c1@list_files} | r(c1="a.txt, b.txt")')
    answer = product.check(path)
    assert answer.errors == set()
    assert answer.session["verdict"] == "healthy"


@pytest.mark.parametrize("name", NAMES)
def test_calls_and_talk_alternate(name: str, tmp_path: Path) -> None:
    history = 'u | a"first"{A} | r(A=alpha) | a"between" | u"and now" | a"second"{B,C} | r(C=gamma),r(B=beta) | a"done"'
    path = written(tmp_path, name, history)
    assert product.check(path).errors == set()
    assert repaired(path, name)[0] == path.read_bytes()
