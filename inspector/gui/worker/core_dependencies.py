"""What the window uses of the core, as one value, so that tests can replace it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from inspector.core.engine.path_checks import contains_logs
from inspector.core.model.views import RecordView
from inspector.core.presentation.engine_results import OpenedLogView
from inspector.core.presentation.opened_log_facts import preview_log_start, view_record

if TYPE_CHECKING:
    from inspector.core.engine.window_engine import WindowEngine


def make_core_engine() -> WindowEngine:
    """Make the core's engine.

    It is imported here, because the process of the window never needs the rules and repairs.
    """
    engine: WindowEngine = import_module("inspector.core.engine.window_engine").WindowEngine()
    return engine


class CoreDependencies(NamedTuple):
    """The parts of the core that the window uses.

    `engine` makes an Engine. It is called in the child process, which receives the function by name. The others run in
    the process of the window: `view` parses one record, `head` reads the first rows, and `holds_logs` returns whether a
    path is listed instead of opened.
    """

    engine: Callable[[], WindowEngine] = make_core_engine
    view: Callable[[str, bytes], RecordView] = view_record
    head: Callable[[str, int], OpenedLogView] = preview_log_start
    holds_logs: Callable[[str], bool] = contains_logs
