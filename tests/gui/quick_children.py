"""Children that come from a server which has imported the core once: a spawned one imports it for each test anew."""

import multiprocessing
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

import pytest

from inspector.core.engine.window_engine import WindowEngine
from inspector.gui.worker import child_main
from inspector.gui.worker.child_main import serve

PRELOADED = [__name__, "inspector.core.engine.window_engine"]


@contextmanager
def quick_children() -> Iterator[None]:
    """Where there is such a server, windows get their children from it."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        yield
        return
    multiprocessing.set_forkserver_preload(PRELOADED)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(child_main, "launch_child", launch)
        yield


def launch(make_engine: Callable[[], WindowEngine], nice: int) -> tuple[BaseProcess, Connection]:
    """As `child_main.launch_child`."""
    context = multiprocessing.get_context("forkserver")
    ours, theirs = context.Pipe()
    arguments = (dict(os.environ), os.getcwd(), theirs, make_engine, nice)
    process = context.Process(target=serve_there, args=arguments, daemon=True)
    process.start()
    theirs.close()
    return process, ours


def serve_there(
    environment: dict[str, str], folder: str, pipe: Connection, make_engine: Callable[[], WindowEngine], nice: int
) -> None:
    """Serve in the test's surroundings, which are not those of the server."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    serve(pipe, make_engine, nice)
