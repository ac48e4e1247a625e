"""Logs opened as the window opens them, closed when the test ends."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from tests.support import product

Opener = Callable[[Path], product.Door]


@pytest.fixture
def opened() -> Iterator[Opener]:
    with ExitStack() as stack:
        yield lambda path: stack.enter_context(closing(product.Door(path)))


@pytest.fixture(autouse=True)
def under_watch(watched: None) -> None:
    """Every save of these tests is watched."""
