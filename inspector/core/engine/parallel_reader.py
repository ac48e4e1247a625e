"""Reading of one large log by several processes, which read parts of it and send back what they read."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from itertools import pairwise
from typing import Generic, TypeVar

from msgspec import Struct

from inspector.core.engine.workers import can_fork, run_in_workers
from inspector.core.errors import ChangedMeanwhile, InspectorError
from inspector.core.formats.base.format import IsCancelled, ReadOptions, read_as_one_part
from inspector.core.storage.source import FileStamp, Source

T = TypeVar("T")
# Bytes: the log size from which it pays to start processes, by a fork or by a spawn, and the size of a part.
FORK_MIN_SIZE, SPAWN_MIN_SIZE, PART_SIZE = 100_000_000, 500_000_000, 16 * 1024 * 1024
_LOOK = 64 * 1024


class ParallelReader(Struct, frozen=True):
    """A reader of a log in parts by `jobs` processes, to be set as `ReadOptions.in_parts`."""

    jobs: int

    def __call__(
        self, read: Callable[[Source, ReadOptions], T], source: Source, reading: ReadOptions
    ) -> Generator[T, None, None]:
        """Yield what `read` returns for every part, in order. Raises Cancelled, and what `read` raises for any part."""
        stamp, forks = source.stamps.get(source.path), can_fork()
        large = source.size >= (FORK_MIN_SIZE if forks else SPAWN_MIN_SIZE)
        is_plain = source.bytes_path == source.path  # the bytes of a packed log are elsewhere
        if self.jobs < 2 or not large or not is_plain or stamp is None or reading.limit is not None:
            yield from read_as_one_part(read, source, reading)
            return
        work = _Work(read, source.path, stamp, ReadOptions(reading.deep, valid_up_to=reading.valid_up_to))
        spans = list(pairwise(_cuts(source)))
        shared = run_in_workers(work, spans, self.jobs, _lost, reading.cancelled, lambda span: False, forks)
        with closing(shared) as answers:
            for answer, (_, end) in zip(answers, spans, strict=True):
                if isinstance(answer, InspectorError):
                    raise answer
                yield answer
                if reading.progress is not None:
                    reading.progress(end, source.size)


class _Work(Struct, Generic[T], frozen=True):
    """The work on a part, as it is sent to the processes."""

    read: Callable[[Source, ReadOptions], T]
    path: str
    stamp: FileStamp
    reading: ReadOptions

    def __call__(self, span: tuple[int, int], cancelled: IsCancelled | None) -> T | InspectorError:
        try:
            with Source.open(self.path) as source:
                stamp = source.stamps[self.path]
                if stamp is None or stamp.inode != self.stamp.inode or stamp.size < self.stamp.size:
                    raise ChangedMeanwhile.while_read(self.path)
                source.limit_to(*span)
                return self.read(source, self.reading)
        except InspectorError as error:
            return error


def _lost(span: tuple[int, int], sentence: str) -> InspectorError:
    return InspectorError(sentence)


def _cuts(source: Source) -> list[int]:
    """Return the offsets where parts of whole lines begin, and the one where the last part ends."""
    cuts = [source.start]
    while cuts[-1] < source.size:
        at, end = cuts[-1] + PART_SIZE, -1
        while at < source.size and (end := source.read(at, at + _LOOK).find(b"\n")) < 0:
            at += _LOOK
        cuts.append(at + end + 1 if at < source.size else source.size)
    return cuts
