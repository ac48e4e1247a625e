"""Which of many cases the default tests try; `python -m tests` tries them all."""

import pytest


def one_of(count: int, number: int) -> tuple[pytest.MarkDecorator, ...]:
    """Return the marks of the case with this number, of which pytest alone tries every `count`th."""
    return (pytest.mark.thorough,) if number % count else ()
