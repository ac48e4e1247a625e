"""The work on a chunk: a worker of a cluster copies its logs, has them judged in a process of its own, and writes rows.

The logs are judged in another process because only the main thread of a process of its own can fork, and only forked
processes have limits of time and memory: see `core/engine/workers.py`. Thus a log that hangs, or ends its process,
costs neither the worker nor the other logs. `python -m inspector.core.fleet.chunk_work` is that process.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.core.batch.judging import JudgingOptions, fault_result, judge
from inspector.core.batch.many import judge_tasks
from inspector.core.batch.table_files import write_parquet
from inspector.core.errors import FleetError
from inspector.core.fleet.run_folder import (
    FAULTS,
    ROWS,
    Chunk,
    Manifest,
    ResultCounter,
    RunFolder,
    decode,
    encode,
    unpack,
)
from inspector.core.fleet.sources import LocalTask, copy_tasks, temporary_folder
from inspector.core.lazy import LazyModule
from inspector.core.report.tables import LogResult, encode_row
from inspector.core.storage.nesting_limits import raise_recursion_limit
from inspector.core.translation import tr
from inspector.resource_folder import resources_folder
from inspector.version import __version__

if TYPE_CHECKING:
    import subprocess
else:
    subprocess = LazyModule("subprocess")


_REQUEST, _MANIFEST = "request.json", "manifest.json"
_SAMPLE = "claude-code-broken.jsonl"
_FILES = {ROWS: "rows", FAULTS: "faults"}


class ChunkLost(Exception):
    """The process that judged a chunk ended unexpectedly."""


class _Request(Struct):
    """What the process is asked to judge: a chunk, and its logs on this machine."""

    chunk: Chunk
    copies: list[LocalTask]
    options: JudgingOptions


class _JudgingProcess(threading.local):
    """The process of a thread of the worker, which is started when there is none. It ends with the worker."""

    _process: subprocess.Popen[str] | None = None

    def judge(self, folder: Path) -> None:
        """Have the chunk in a folder judged. Raises ChunkLost."""
        if self._process is None:
            command = [sys.executable, "-P", "-m", __name__]  # not what is in the current folder
            # With this setting, Dask has its workers return free memory at once. Judging takes longer with it.
            environment = {name: value for name, value in os.environ.items() if name != "MALLOC_TRIM_THRESHOLD_"}
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(OSError):
            print(folder, file=self._process.stdin, flush=True)
            if self._process.stdout.readline():
                return
        self._process.kill()
        self._process.communicate()
        self._process = None
        raise ChunkLost(folder)


_THREAD = _JudgingProcess()


def judge_chunk(packed: bytes, place: str, options: JudgingOptions, version: str) -> Manifest:
    """Judge the logs of a chunk, and write the results to the run at `place`. This is what is sent to a cluster.

    The chunk is packed, because a scheduler of Dask keeps a part of what is sent through it. Raises ChunkLost,
    FleetError, CannotWrite.
    """
    if version != __version__:
        raise FleetError(
            tr(
                "A worker is running version {worker} of this program instead of version {version}.",
                worker=__version__,
                version=version,
            )
        )
    chunk = unpack(packed, Chunk)
    with temporary_folder() as folder:
        request = _Request(chunk, copy_tasks(chunk.tasks, folder), options)
        (folder / _REQUEST).write_bytes(encode(request))
        _THREAD.judge(folder)
        return _finish(decode((folder / _MANIFEST).read_bytes(), Manifest), place, folder)


def write_fault(chunk: Chunk, place: str, reason: str) -> Manifest:
    """Write to a run that the log of a chunk ended its workers."""
    with temporary_folder() as folder:
        return _finish(_write_rows(chunk, [fault_result(chunk.tasks[0], reason)], folder), place, folder)


def _finish(manifest: Manifest, place: str, folder: Path) -> Manifest:
    files = {}
    for suffix, name in _FILES.items():
        rows, table = folder / f"{name}.ndjson", folder / f"{name}.parquet"
        if rows.stat().st_size:
            write_parquet(rows, table)
            files[suffix] = table
    RunFolder(place).finish(manifest, files)
    return manifest


def _write_rows(chunk: Chunk, results: Iterable[LogResult], folder: Path) -> Manifest:
    """Write the rows to files in a folder, those of logs with faults to one of their own."""
    judged, faulty, faults = ResultCounter(), ResultCounter(), []
    with (
        (folder / f"{_FILES[ROWS]}.ndjson").open("wb") as rows,
        (folder / f"{_FILES[FAULTS]}.ndjson").open("wb") as fault_rows,
    ):
        for task, result in zip(chunk.tasks, results, strict=True):
            is_fault = any(file.status == "fault" for file in result.files)
            (faulty if is_fault else judged).count(result)
            (fault_rows if is_fault else rows).writelines(map(encode_row, result.rows()))
            faults += [task] if is_fault else []
    return Manifest(chunk.name, judged.tally(), faulty.tally(), faults)


def _results(request: _Request) -> Iterator[LogResult]:
    worker = os.getppid()
    tasks = [copy.task for copy in request.copies if not copy.fault]
    with closing(judge_tasks(tasks, request.options, 1)) as answers:
        for copy in request.copies:
            if os.getppid() != worker:
                raise ChunkLost(request.chunk.name)  # the worker is gone, and another one does its work
            yield copy.fault_result() if copy.fault else copy.named(next(answers)[1])


def main() -> None:
    """Judge chunks, whose folders come as lines on standard input, and answer each with a line."""
    raise_recursion_limit()
    gc.disable()  # as for a command, see inspector/__main__.py
    judge(resources_folder() / "samples" / _SAMPLE)  # otherwise each fork loads again what only judging loads
    gc.freeze()  # collecting what a chunk leaves behind need not look at the program
    with os.fdopen(os.dup(1), "w") as answers:
        os.dup2(2, 1)  # formats of other packages may print something
        for line in sys.stdin:
            folder = Path(line.removesuffix("\n"))
            request = decode((folder / _REQUEST).read_bytes(), _Request)
            (folder / _MANIFEST).write_bytes(encode(_write_rows(request.chunk, _results(request), folder)))
            print("done", file=answers, flush=True)
            gc.collect()


if __name__ == "__main__":
    main()
