"""The folder of a run, on a disk or in object storage: its settings, its plan, and the results of its chunks.

    RUN/run.json                    the settings
    RUN/plan/000000.json.gz         some chunks of logs, from a part of the listing
    RUN/plan/end.json               how many logs there are, once all are listed
    RUN/000000-0000.parquet         the rows of a chunk
    RUN/000000-0000.faults.parquet  the rows of its logs that can be tried again
    RUN/manifests/000000-0000.json  written last: the chunk is done

Each object is written once, under its final name. Results without a manifest are made again, and take the same name.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from inspector.core.batch.judging import JudgingOptions, LogTask
from inspector.core.batch.many import CHUNK_BYTES, chunks_by_size
from inspector.core.batch.summary import Summary, SummaryState
from inspector.core.errors import FleetError
from inspector.core.fleet.sources import is_local, list_tasks, open_storage
from inspector.core.lazy import LazyModule
from inspector.core.report.tables import LogResult
from inspector.core.translation import tr
from inspector.version import __version__

if TYPE_CHECKING:
    import gzip
else:
    gzip = LazyModule("gzip")

_WINDOW = 20_000  # logs that are listed and sorted by size at once
_CHUNK_LOGS = 1_000
_PIECES = 8
_READS = 16  # objects at once
_RATE_SECONDS = 600
_SETTINGS, _PLAN, _END, _MANIFESTS = "run.json", "plan", "plan/end.json", "manifests"
_AGAIN = ".again"
ROWS, FAULTS = ".parquet", ".faults.parquet"


T = TypeVar("T")


def encode(value: object) -> bytes:
    """Return a struct as JSON. A path may have bytes that are not UTF-8, which msgspec does not encode."""
    return json.dumps(msgspec.to_builtins(value)).encode()


def decode(data: bytes, kind: type[T]) -> T:
    """Return the struct that was encoded."""
    return msgspec.convert(json.loads(data), kind)


def pack(value: object) -> bytes:
    """Return a struct as compressed JSON: the names of logs resemble each other."""
    return gzip.compress(encode(value), mtime=0)


def unpack(data: bytes, kind: type[T]) -> T:
    """Return the struct that was packed."""
    return decode(gzip.decompress(data), kind)


class RunSettings(Struct, frozen=True):
    """What a run is about. It is continued by the version of the program that began it."""

    sources: list[str]
    options: JudgingOptions
    version: str = __version__


class Chunk(Struct, frozen=True):
    """Logs that are judged together, and whose rows are in one object."""

    name: str
    tasks: list[LogTask]

    def pieces(self) -> list[Chunk]:
        """Return the chunk in pieces, which are always the same."""
        size = -(-len(self.tasks) // _PIECES)
        starts = range(0, len(self.tasks), size)
        return [Chunk(f"{self.name}.{at // size}", self.tasks[at : at + size]) for at in starts]


class Tally(Struct):
    """How many logs there are, findings by severity, and what a summary counts."""

    logs: int = 0
    errors: int = 0
    warnings: int = 0
    summary: SummaryState = field(default_factory=SummaryState)


class ResultCounter:
    """Counts results, and adds up tallies."""

    def __init__(self) -> None:
        self.logs = self.errors = self.warnings = 0
        self.summary = Summary()

    def count(self, result: LogResult) -> None:
        """Count the result of a log."""
        self.logs += 1
        self.errors += sum(session.errors for session in result.sessions)
        self.warnings += sum(session.warnings for session in result.sessions)
        self.summary.add(result)

    def add(self, tally: Tally) -> None:
        """Count what was counted elsewhere."""
        self.logs += tally.logs
        self.errors += tally.errors
        self.warnings += tally.warnings
        self.summary.merge(tally.summary)

    def tally(self) -> Tally:
        """Return the counts."""
        return Tally(self.logs, self.errors, self.warnings, self.summary.state())


class Manifest(Struct):
    """A chunk that is done. `faulty` counts the logs in `faults`, which can be tried again, and `judged` the others.

    `is_split`: its logs ended their workers, so it was split into pieces, which have manifests of their own.
    """

    chunk: str
    judged: Tally = field(default_factory=Tally)
    faulty: Tally = field(default_factory=Tally)
    faults: list[LogTask] = []
    is_split: bool = False
    finished: float = field(default_factory=time.time)

    @property
    def again(self) -> Chunk:
        """The chunk that tries the faults again."""
        return Chunk(self.chunk + _AGAIN, self.faults)


class PlanEnd(Struct, frozen=True):
    """How much a complete plan has."""

    logs: int
    bytes: int


class RunFolder:
    """Reads and writes the objects of a run. Every method raises FleetError."""

    def __init__(self, place: str) -> None:
        self.place = place.rstrip("/")
        self._storage, self._root = open_storage(self.place)

    def begin(self, settings: RunSettings) -> None:
        """Write the settings of a new run."""
        if self._read(_SETTINGS) is not None:
            raise FleetError(tr("{run} already contains a run. Add --resume to continue it.", run=self.place))
        self._write(_SETTINGS, encode(settings))

    def resume(self, settings: RunSettings) -> None:
        """Check that a run has these settings. It may be continued without its sources."""
        begun = self.settings()
        if settings != (begun if settings.sources else replace(begun, sources=[])):
            raise FleetError(
                tr(
                    "{run} was started with other logs, other options, or another version of this program ({version}).",
                    run=self.place,
                    version=begun.version,
                )
            )

    def settings(self) -> RunSettings:
        """Return the settings of the run."""
        data = self._read(_SETTINGS)
        if data is None:
            raise FleetError(tr("{run} does not contain a run.", run=self.place))
        return decode(data, RunSettings)

    def plan_part(self, number: int) -> list[Chunk] | None:
        """Return the chunks of a part of the plan, None if it was not written yet."""
        data = self._read(f"{_PLAN}/{number:06}.json.gz")
        return None if data is None else unpack(data, list[Chunk])

    def write_plan_part(self, number: int, chunks: list[Chunk]) -> None:
        """Write the chunks of a part of the plan."""
        self._write(f"{_PLAN}/{number:06}.json.gz", pack(chunks))

    def plan_end(self) -> PlanEnd | None:
        """Return the end of the plan, None as long as it is not complete."""
        data = self._read(_END)
        return None if data is None else decode(data, PlanEnd)

    def write_plan_end(self, end: PlanEnd) -> None:
        """Write that the plan is complete."""
        self._write(_END, encode(end))

    def manifests(self) -> Iterator[Manifest]:
        """Yield all manifests."""
        with self._errors():
            try:
                listed = self._storage.ls(f"{self._root}/{_MANIFESTS}", detail=False)
            except FileNotFoundError:
                return
        names = [f"{_MANIFESTS}/{name.rpartition('/')[2]}" for name in listed if name.endswith(".json")]
        with ThreadPoolExecutor(_READS) as threads:
            for at in range(0, len(names), 100 * _READS):
                for data in threads.map(self._read, names[at : at + 100 * _READS]):
                    if data is not None:
                        yield decode(data, Manifest)

    def finish(self, manifest: Manifest, files: dict[str, Path]) -> None:
        """Write the rows of a chunk from `files`, by the end of their names, and its manifest.

        The rows that they replace are removed first: a run that is interrupted here never has a row twice.
        """
        if manifest.chunk.endswith(_AGAIN):
            self._remove(manifest.chunk.removesuffix(_AGAIN) + FAULTS)
        if manifest.is_split:
            self._remove(manifest.chunk + ROWS)
            self._remove(manifest.chunk + FAULTS)
        for suffix, file in files.items():
            self._write(manifest.chunk + suffix, file.read_bytes())
        self._write(f"{_MANIFESTS}/{manifest.chunk}.json", encode(manifest))

    def _read(self, name: str) -> bytes | None:
        with self._errors(), suppress(FileNotFoundError):
            data: bytes = self._storage.cat_file(f"{self._root}/{name}")
            return data
        return None

    def _write(self, name: str, data: bytes) -> None:
        place = Path(self._root, name)
        with self._errors():
            if not is_local(self._storage):
                self._storage.pipe_file(f"{self._root}/{name}", data)
                return
            # Without a note of the temporary file: where machines share a home, another one would remove the file.
            place.parent.mkdir(parents=True, exist_ok=True)
            unfinished = place.with_name(f".{place.name}.{os.urandom(6).hex()}")
            unfinished.write_bytes(data)
            os.replace(unfinished, place)

    def _remove(self, name: str) -> None:
        with self._errors(), suppress(FileNotFoundError):
            self._storage.rm_file(f"{self._root}/{name}")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # each storage has errors of its own
            raise FleetError(tr("{run} cannot be used: {error}.", run=self.place, error=error)) from error


class RunStatus(NamedTuple):
    """How far a run is. `rate` is in logs per second, over the last minutes of work; 0 if it is not known yet."""

    counts: ResultCounter
    faults: int
    planned: int
    is_planned: bool
    rate: float


def run_status(run: RunFolder) -> RunStatus:
    """Count what was done."""
    counts, faulty, finished = ResultCounter(), dict[str, Tally](), list[tuple[float, int]]()
    names = set[str]()
    for manifest in run.manifests():
        names.add(manifest.chunk)
        finished.append((manifest.finished, manifest.judged.logs + manifest.faulty.logs))
        counts.add(manifest.judged)
        if manifest.faults:
            faulty[manifest.again.name] = manifest.faulty
    left = [tally for again, tally in faulty.items() if again not in names]
    for tally in left:
        counts.add(tally)
    plan = RunPlan(run)
    return RunStatus(counts, sum(tally.logs for tally in left), plan.logs, plan.is_complete, _rate(sorted(finished)))


def _rate(finished: list[tuple[float, int]]) -> float:
    """Return the logs per second of the last minutes: those that came after the first time in them."""
    recent = [(when, logs) for when, logs in finished if when > finished[-1][0] - _RATE_SECONDS]
    seconds = recent[-1][0] - recent[0][0] if recent else 0
    return sum(logs for _, logs in recent[1:]) / seconds if seconds else 0.0


class RunPlan:
    """The chunks of a run. Its sources are listed only as far as chunks are asked for, or `extend` is called.

    `logs` and `bytes` are how much is planned so far, and `is_complete` whether that is all.
    """

    def __init__(self, run: RunFolder) -> None:
        self._run, end, self._parts = run, run.plan_end(), 0
        # Hashes of the paths that an interrupted run planned: there may be millions of them.
        self._known: set[int] = set()
        self.is_complete, self.logs, self.bytes = end is not None, 0, 0
        if end is not None:
            self.logs, self.bytes = end.logs, end.bytes
            return
        while (chunks := run.plan_part(self._parts)) is not None:
            self._add(chunks)
            self._known.update(hash(task.path) for chunk in chunks for task in chunk.tasks)
        tasks = list_tasks(run.settings().sources)
        self._unplanned = (task for task in tasks if hash(task.path) not in self._known)

    def _add(self, chunks: list[Chunk]) -> None:
        self._parts += 1
        self.logs += sum(len(chunk.tasks) for chunk in chunks)
        self.bytes += sum(task.size for chunk in chunks for task in chunk.tasks)

    def extend(self) -> None:
        """List some more logs and plan them, the largest first."""
        window = list(islice(self._unplanned, _WINDOW))
        chunks = [
            Chunk(f"{self._parts:06}-{number:04}", [window[at] for at in places])
            for number, places in enumerate(chunks_by_size(window, CHUNK_BYTES, _CHUNK_LOGS))
        ]
        if chunks:
            self._run.write_plan_part(self._parts, chunks)
            self._add(chunks)
        else:
            self._run.write_plan_end(PlanEnd(self.logs, self.bytes))
            self.is_complete = True

    def chunks(self) -> Iterator[Chunk]:
        """Yield all chunks."""
        number = 0
        while True:
            chunks = self._run.plan_part(number)
            if chunks is None:
                if self.is_complete:
                    return
                self.extend()
                continue
            yield from chunks
            number += 1
