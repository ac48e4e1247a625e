"""Starts the child process."""

from __future__ import annotations

import importlib
import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.core.engine.engine import Engine


def launch(module: str, make_engine: Callable[[], Engine]) -> tuple[SpawnProcess, Connection]:
    """A child that runs `serve` of a module, and our end of the pipe.

    Spawned, never forked: a fork would copy Qt's threads half.
    """
    serve = importlib.import_module(module).serve
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs, make_engine), daemon=True)
    process.start()
    theirs.close()
    return process, ours
