"""Calls interrupted in the middle of a history (Kimi Code's fix), told in the formats that we write."""

from pathlib import Path

import pytest

from tests.core.repair.logs import repaired, written
from tests.support import product
from tests.support.projection import as_read, printed

NAMES = ["openai", "anthropic"]
HISTORY = 'u | a{A} | a{B} | u"deferred" | a{C} | r(C=gamma)'


def test_each_interrupted_step_is_closed_in_its_place(tmp_path: Path) -> None:
    path = written(tmp_path, "openai", HISTORY)
    assert {error.partition(":")[2] for error in product.check(path).errors} == {"A", "B"}
    data, _ = repaired(path, "openai")
    assert printed(data, "openai") == 'u | a{A} | PH(A) | a{B} | PH(B) | u"deferred" | a{C} | r(C=gamma)'


def test_anthropic_takes_both_steps_for_one_message(tmp_path: Path) -> None:
    data, _ = repaired(written(tmp_path, "anthropic", HISTORY), "anthropic")
    assert printed(data, "anthropic") == 'u | a{A} | a{B} | PH!(A),PH!(B)+"deferred" | a{C} | r(C=gamma)'


@pytest.mark.parametrize("name", NAMES)
def test_a_placeholder_left_at_the_tail_by_an_older_repair_goes(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, 'u | a{A} | PH(A) | u"q" | a"ok" | PH(A)')
    data, answer = repaired(path, name)
    assert printed(data, name) == as_read('u | a{A} | PH(A) | u"q" | a"ok"', name)
    assert answer.losses == []


@pytest.mark.parametrize("name", NAMES)
def test_several_open_calls_of_one_step_are_closed_in_the_order_of_the_calls(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, 'u | a{A,B,C} | u"next" | a"ok"')
    assert printed(repaired(path, name)[0], name) == as_read('u | a{A,B,C} | PH!(A),PH!(B),PH!(C)+"next" | a"ok"', name)


@pytest.mark.parametrize("name", NAMES)
def test_only_the_unresolved_call_gets_a_placeholder(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, 'u | a{A,B} | r(A=alpha) | u"next" | a"ok"')
    assert printed(repaired(path, name)[0], name) == as_read('u | a{A,B} | r(A=alpha),PH!(B)+"next" | a"ok"', name)
