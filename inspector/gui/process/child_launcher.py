"""Starts the child process."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import TYPE_CHECKING

from inspector.gui.process.child import serve

if TYPE_CHECKING:
    from inspector.core.engine.engine import Engine


def launch(make_engine: Callable[[], Engine], nice: int) -> tuple[SpawnProcess, Connection]:
    """A child that answers requests, and our end of the pipe.

    Spawned, never forked: a fork would copy Qt's threads half.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs, make_engine, nice), daemon=True)
    process.start()
    theirs.close()
    return process, ours
