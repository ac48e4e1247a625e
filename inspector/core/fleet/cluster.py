"""A run on a cluster: its chunks are sent to an executor, a few ahead, and split where they end their workers."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from contextlib import contextmanager
from itertools import chain, islice
from typing import TYPE_CHECKING

from msgspec import Struct

from inspector.core.errors import FleetError, InspectorError
from inspector.core.fleet.chunk_work import ChunkLost, judge_chunk, write_fault
from inspector.core.fleet.run_folder import Chunk, Manifest, RunFolder, RunPlan, pack
from inspector.core.fleet.sources import NOT_INSTALLED
from inspector.core.lazy import LazyModule
from inspector.core.translation import tr
from inspector.version import __version__

if TYPE_CHECKING:
    import distributed
else:
    distributed = LazyModule("distributed")  # an extra

_CHUNKS_AHEAD = 3  # for each thread of a worker
_WORKERS_SECONDS = 60
_SCHEDULER_LOST = tr("The connection to the scheduler was lost. Add --resume to continue the run.")


class Cluster(Struct, frozen=True):
    """Where chunks are judged.

    `threads` returns how many chunks can be judged at once, `lost` are the errors of a chunk that ended its workers,
    and `link` is the page that shows the work.
    """

    executor: Executor
    threads: Callable[[], int]
    lost: tuple[type[Exception], ...] = ()
    link: str = ""


@contextmanager
def dask_cluster(address: str) -> Iterator[Cluster]:
    """Connect to the scheduler of a Dask cluster. Raises FleetError."""
    try:
        client = distributed.Client(address)
    except ImportError as error:
        raise FleetError(NOT_INSTALLED) from error
    except (OSError, ValueError) as error:
        raise FleetError(
            tr("The scheduler {address} is not responding: {error}.", address=address, error=error)
        ) from error
    with client:
        try:
            client.wait_for_workers(1, _WORKERS_SECONDS)
        except TimeoutError as error:
            raise FleetError(
                tr("The scheduler {address} has no workers. Start one: dask worker {address}", address=address)
            ) from error

        def threads() -> int:
            try:
                return sum(client.nthreads().values())
            except OSError as error:
                raise FleetError(_SCHEDULER_LOST) from error

        executor = client.get_executor(pure=False)
        yield Cluster(executor, threads, (distributed.KilledWorker,), client.dashboard_link)


class Run:
    """The work on a run. `done` counts the logs that were judged, also those of an interrupted run, without faults."""

    def __init__(self, folder: RunFolder, cluster: Cluster, retries_faults: bool = False) -> None:
        self._folder, self._cluster, self._retries_faults = folder, cluster, retries_faults
        self._options = folder.settings().options
        self._lost: tuple[type[Exception], ...] = (ChunkLost, *cluster.lost)
        self._finished: dict[str, bool] = {}  # the chunks that are done, and whether each was split
        self._faulty: list[Chunk] = []
        self.plan, self.done = RunPlan(folder), 0
        for manifest in folder.manifests():
            self._finished[manifest.chunk] = manifest.is_split
            self._faulty += [manifest.again] if manifest.faults else []
            self.done += manifest.judged.logs

    def manifests(self) -> Generator[Manifest, None, None]:
        """Do what is left, and yield the manifest of each chunk. Close the generator or exhaust it. Raises FleetError.

        While chunks are judged, further sources are listed.
        """
        waiting, sent = self._chunks_left(), dict[Future[Manifest], Chunk]()
        try:
            while True:
                room = _CHUNKS_AHEAD * max(1, self._cluster.threads()) - len(sent)
                for chunk in islice(waiting, max(0, room)):
                    sent[self._send(chunk)] = chunk
                if not sent:
                    return
                ended, _ = wait(sent, None if self.plan.is_complete else 0, FIRST_COMPLETED)
                if not ended:
                    self.plan.extend()
                for future in ended:
                    chunk = sent.pop(future)
                    manifest = self._answer(chunk, future)
                    if manifest.is_split:
                        waiting = chain(chunk.pieces(), waiting)
                    self.done += manifest.judged.logs
                    yield manifest
        finally:
            for future in sent:
                future.cancel()

    def _chunks_left(self) -> Iterator[Chunk]:
        for chunk in self.plan.chunks():
            yield from self._unfinished(chunk)
        for chunk in self._faulty:
            if self._retries_faults or chunk.name in self._finished:
                yield from self._unfinished(chunk)

    def _unfinished(self, chunk: Chunk) -> Iterator[Chunk]:
        is_split = self._finished.get(chunk.name)
        if is_split is None:
            yield chunk
        elif is_split:
            for piece in chunk.pieces():
                yield from self._unfinished(piece)

    def _send(self, chunk: Chunk) -> Future[Manifest]:
        return self._cluster.executor.submit(judge_chunk, pack(chunk), self._folder.place, self._options, __version__)

    def _answer(self, chunk: Chunk, future: Future[Manifest]) -> Manifest:
        """Return the manifest of a chunk that was judged, or that is split because it ended its workers."""
        try:
            return future.result()
        except self._lost:
            if len(chunk.tasks) == 1:
                return write_fault(
                    chunk, self._folder.place, tr("Every worker that tried to check the log exited unexpectedly.")
                )
            manifest = Manifest(chunk.name, is_split=True)
            self._folder.finish(manifest, {})
            return manifest
        except InspectorError:
            raise
        except CancelledError as error:
            raise FleetError(_SCHEDULER_LOST) from error
        except Exception as error:
            raise FleetError(tr("A worker failed: {error}", error=repr(error))) from error
