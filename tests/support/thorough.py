"""Which of many cases the default tests try; `python -m tests` tries them all."""

from collections.abc import Iterable, Iterator
from itertools import cycle
from typing import Any

import pytest

are_steps_counted = False  # where they are, a longer way that is gone now and then would count as growth
ONE_OF_ANSWERS = 10


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
    """Yield whether an answer is compared with that of a longer way: always by `python -m tests`, else one of ten."""
    is_thorough = "not thorough" not in config.getoption("markexpr")
    for number in cycle(range(ONE_OF_ANSWERS)):
        yield (is_thorough or number == 0) and not are_steps_counted
