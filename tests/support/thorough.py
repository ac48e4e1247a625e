"""Which of many cases the default tests try; `python -m tests` tries them all."""

from collections.abc import Iterable, Iterator
from itertools import cycle
from typing import Any

import pytest

are_steps_counted = False  # where they are, a longer way that is gone every third time would count as growth


def one_of(count: int, number: int) -> tuple[pytest.MarkDecorator, ...]:
    """Return the marks of the case with this number, of which pytest alone tries every `count`th."""
    return (pytest.mark.thorough,) if number % count else ()


def every(count: int, cases: Iterable[Any], first: int = 0) -> list[Any]:
    """Return cases with their marks: pytest alone tries every `count`th, from number `first`."""
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=one_of(count, number - first))
        for number, case in enumerate(cases)
    ]


def worked_out_twice(config: pytest.Config) -> Iterator[bool]:
    """Yield whether an answer is compared with that of a longer way: always by `python -m tests`, else every third."""
    is_thorough = "not thorough" not in config.getoption("markexpr")
    for is_tried in cycle((True, is_thorough, is_thorough)):
        yield is_tried and not are_steps_counted
