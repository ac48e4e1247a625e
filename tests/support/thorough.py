"""Which of many cases the default tests try; `python -m tests` tries them all."""

from collections.abc import Iterable
from typing import Any

import pytest


def one_of(count: int, number: int) -> tuple[pytest.MarkDecorator, ...]:
    """Return the marks of the case with this number, of which pytest alone tries every `count`th."""
    return (pytest.mark.thorough,) if number % count else ()


def every(count: int, cases: Iterable[Any], first: int = 0) -> list[Any]:
    """Return cases with their marks: pytest alone tries every `count`th, from number `first`."""
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=one_of(count, number - first))
        for number, case in enumerate(cases)
    ]
