"""What the window needs of the core, as one value, so that tests can hand in another."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from inspector.core.engine.log_paths import contains_logs
from inspector.core.model.views import RecordView
from inspector.core.presentation.overview import preview_head, view_record
from inspector.core.presentation.results import OpenedLogView

if TYPE_CHECKING:
    from inspector.core.engine.engine import Engine


def make_core_engine() -> Engine:
    """The core's engine, imported where it runs: the window's own process never needs the rules and the repairs."""
    made: Engine = import_module("inspector.core.engine.engine").Engine()
    return made


class Backend(NamedTuple):
    """`engine` makes an Engine in the child process, which is given the function's name.

    `view` parses one record, `head` reads the first rows, `holds_logs` tells what is listed rather than opened; they
    run in the window's own process.
    """

    engine: Callable[[], Engine] = make_core_engine
    view: Callable[[str, bytes], RecordView] = view_record
    head: Callable[[str, int], OpenedLogView] = preview_head
    holds_logs: Callable[[str], bool] = contains_logs
