"""Twice the anomalies take twice the steps: nothing looks at the whole log, or at a whole message, for each of them.

Lines of the product that are run are counted instead of seconds, which other work on the machine would change.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import inspector
from inspector.core.check import check
from inspector.core.opening import open_log, open_source
from inspector.core.repair.choices import Choices
from inspector.core.repair.plan import plan
from tests.formats import WRITABLE
from tests.notation import Call, History, Result, Text, Turn

FEWEST = 15
# Of the steps that the second doubling adds to those that the first one adds: 2 is linear, 4 quadratic.
MOST = 2.4
HOME = os.path.dirname(inspector.__file__)


def user(*parts: Any) -> Turn:
    return Turn("user", parts or (Text("go on"),))


def exchanges(count: int, id_of: Callable[[int], str]) -> History:
    turns = [user()]
    for number in range(count):
        turns += [Turn("assistant", (Call(id_of(number)),)), user(Result(id_of(number), f"output {number}"))]
    return [*turns, Turn("assistant", (Text("ok"),))]


def reused_ids(count: int) -> History:
    return exchanges(count, lambda number: f"call_{number % (count // 5)}")


def unanswered_calls(count: int) -> History:
    turns = [turn for number in range(count) for turn in (Turn("assistant", (Call(f"call_{number}"),)), user())]
    return [user(), *turns]


def unanswered_calls_of_one_turn(count: int) -> History:
    return [user(), Turn("assistant", tuple(Call(f"call_{number}") for number in range(count))), user()]


def results_last(count: int) -> History:
    turns = [turn for number in range(count) for turn in (Turn("assistant", (Call(f"call_{number}"),)), user())]
    return [user(), *turns, *(user(Result(f"call_{number}", f"output {number}")) for number in range(count))]


def results_of_one_call(count: int) -> History:
    results = [user(Result("call", f"output {number}")) for number in range(count)]
    return [user(), Turn("assistant", (Call("call"),)), *results, Turn("assistant", (Text("ok"),))]


def results_of_one_call_in_one_turn(count: int) -> History:
    results = user(*(Result("call", f"output {number}") for number in range(count)))
    return [user(), Turn("assistant", (Call("call"),)), results, Turn("assistant", (Text("ok"),))]


def orphans_of_one_turn(count: int) -> History:
    orphans = user(*(Result(f"call_{number}", f"output {number}") for number in range(count)))
    return [user(), Turn("assistant", (Text("ok"),)), orphans, Turn("assistant", (Text("ok"),))]


HISTORIES = [
    reused_ids,
    unanswered_calls,
    unanswered_calls_of_one_turn,
    results_last,
    results_of_one_call,
    results_of_one_call_in_one_turn,
    orphans_of_one_turn,
]


def steps(path: Path) -> int:
    """The lines that checking a log and planning its repair runs."""
    count = 0

    def traced(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        if not frame.f_code.co_filename.startswith(HOME):
            return None
        count += event == "line"
        return traced

    with open_source(str(path)) as source:
        before = sys.gettrace()
        sys.settrace(traced)
        try:
            planned = plan(check(open_log(source)), Choices())
        finally:
            sys.settrace(before)
    assert planned.verified
    return count


# What else a message holds is looked at for each of its calls: they are a few, though nothing says so.
MESSAGE_BY_CALL = {"gemini-cli", "kimi-code", "langchain"}
OF_ONE_MESSAGE = [unanswered_calls_of_one_turn, orphans_of_one_turn]
CASES = [
    pytest.param(name, make, id=f"{name}-{make.__name__}")
    for name in WRITABLE
    for make in HISTORIES
    if not (name in MESSAGE_BY_CALL and make in OF_ONE_MESSAGE)
]


@pytest.mark.parametrize(("name", "make"), CASES)
def test_a_repair_grows_with_what_it_mends(name: str, make: Callable[[int], History], tmp_path: Path) -> None:
    counts = []
    for number in range(3):
        folder = tmp_path / str(number)
        folder.mkdir()
        counts.append(steps(WRITABLE[name].write(make(FEWEST << number), folder)))
    once, twice, four_times = counts
    assert four_times - twice <= MOST * (twice - once), counts
