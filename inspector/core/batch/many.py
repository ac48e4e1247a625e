"""Judge many sources, in their order, in worker processes of our own or on any executor of `concurrent.futures`.

The work is sent to an executor in chunks of about the same size, the largest logs first.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import closing
from functools import partial
from itertools import chain, islice
from typing import TypeAlias

from msgspec.structs import replace

from inspector.core.batch.cache import ResultCache
from inspector.core.batch.judging import (
    JudgedTask,
    JudgingOptions,
    LogTask,
    decode_judged,
    encode_judged,
    fault_result,
    judge_task,
    tasks_at,
)
from inspector.core.engine.work_limits import work_limits
from inspector.core.engine.workers import (
    available_cores,
    can_fork,
    in_worker,
    map_in_order,
    report_current_task,
    run_in_workers,
)
from inspector.core.formats.base.format import IsCancelled
from inspector.core.report.tables import LogResult
from inspector.core.translation import tr

CHUNK_BYTES, CHUNK_LOGS = 64 << 20, 200
"""A chunk of work for an executor has at most so many bytes and logs, but at least one log."""
_LAST_CHUNK_BYTES, _REMAINING_SHARE = 16 << 20, 4  # see `chunks_by_size`
_WORKER_CHUNK_BYTES, _WORKER_CHUNK_LOGS = 1 << 18, 16  # sent to a worker of our own at once
_WINDOW = 4000  # logs that are sorted by size, and whose results may wait for an earlier one
_CHUNKS_AHEAD = 4  # for each core


def judge_many(
    sources: Iterable[str | os.PathLike[str]],
    executor: Executor | None = None,
    options: JudgingOptions | None = None,
    jobs: int = 0,
) -> Generator[LogResult, None, None]:
    """Yield a result for each log, in the order of `sources`. A folder is replaced by its files.

    Without an `executor`, `jobs` worker processes of this machine do the work (by default one for each core). Close the
    generator or exhaust it. Never raises for a bad log: a log that ends its worker has the status `fault`.
    """
    tasks, options = tasks_at(map(_path, sources)), options or JudgingOptions()
    if executor is not None:
        yield from _judge_on_executor(tasks, executor, options)
        return
    with closing(judge_tasks(tasks, options, jobs or available_cores())) as answers:
        for _, result in answers:
            yield result


def _path(source: str | os.PathLike[str]) -> str:
    path: object = os.fspath(source)
    if not isinstance(path, str):
        raise TypeError(tr("`judge_many` takes the paths of logs. To pass the bytes of a log, use `judge`."))
    return path


def judge_tasks(
    tasks: Iterable[LogTask], options: JudgingOptions, jobs: int, cache: ResultCache | None = None
) -> Generator[tuple[LogTask, LogResult], None, None]:
    """Yield the tasks with their results, in their order, from `jobs` worker processes. Close the generator.

    Results in the `cache` are used, and new ones are added.
    """
    waiting: deque[tuple[LogTask, LogResult | None]] = deque()  # taken from `tasks`, and not yielded yet

    def chunks() -> Iterator[list[LogTask]]:
        chunk: list[LogTask] = []
        size = 0
        for number, task in enumerate(tasks, 1):
            known = cache.find(task) if cache else None
            waiting.append((task, known))
            if known is None:
                chunk.append(task)
                size += task.size
            if number % _WORKER_CHUNK_LOGS == 0 or size >= _WORKER_CHUNK_BYTES:
                yield chunk
                chunk, size = [], 0
        yield chunk

    def judge_again(crashed: int | LogTask) -> Iterator[bytes]:
        """Judge the next chunk, of which a log ended the worker, a log at a time."""
        unknown = (task for task, known in waiting if known is None)
        tasks = [crashed] if isinstance(crashed, LogTask) else islice(unknown, crashed)
        return (_judge_alone(task, work) for task in [*tasks])

    work = partial(_judge_in_worker, options)
    with closing(_in_workers(work, chunks(), jobs)) as answers:
        for answer in answers:
            encoded = deque(answer if isinstance(answer, list) else judge_again(answer))
            while waiting and (waiting[0][1] is not None or encoded):
                task, known = waiting.popleft()
                if known is None:
                    judged = decode_judged(encoded[0])
                    known = judged.result
                    if cache is not None:
                        cache.add(task, judged, encoded[0])
                    encoded.popleft()
                yield task, known


# The results of a chunk, encoded; how many logs it has if one of them ended the worker, or the task that is left.
_Answer: TypeAlias = list[bytes] | int | LogTask
_Work: TypeAlias = Callable[[list[LogTask], IsCancelled | None], _Answer]


def _in_workers(work: _Work, chunks: Iterator[list[LogTask]], jobs: int) -> Generator[_Answer, None, None]:
    """Yield the answers to chunks, from worker processes at once where they are forked: only they have limits.

    No more processes are started than there are chunks, and none while all results are known.
    """
    if not can_fork():
        yield from map_in_order(work, chunks, jobs, _crashed, runs_here=_is_empty)
        return
    while ahead := [*islice(chunks, jobs)]:
        if busy := sum(map(bool, ahead)):
            needed = jobs if len(ahead) == jobs else busy
            yield from run_in_workers(work, chain(ahead, chunks), needed, _crashed, None, _is_empty, True)
            return
        yield from (work(chunk, None) for chunk in ahead)


def _judge_alone(task: LogTask, work: _Work) -> bytes:
    """Judge a log in a worker of its own, or an archive without the logs that ended their workers."""
    while True:
        with closing(run_in_workers(work, [[task]], 1, _crashed, None, _is_empty, can_fork())) as answers:
            answer = next(answers)
        if isinstance(answer, list):
            return answer[0]
        assert isinstance(answer, LogTask)
        task = answer


def _is_empty(chunk: list[LogTask]) -> bool:
    return not chunk


def _judge_in_worker(options: JudgingOptions, chunk: list[LogTask], cancelled: IsCancelled | None) -> _Answer:
    """Judge some logs, and encode the results, because pickling their rows takes longer."""
    if not in_worker():
        return [encode_judged(judge_task(task, options)) for task in chunk]
    with work_limits(options.max_seconds, options.max_memory) as restart:

        def begin(task: LogTask) -> None:
            restart()
            if task.member and len(chunk) == 1:
                report_current_task([task])

        return [encode_judged(judge_task(task, options, begin)) for task in chunk]


def _crashed(chunk: list[LogTask], sentence: str) -> _Answer:
    """Return the answer for a log that ended its worker.

    For several logs, return their number, because one of them did. For an archive, return the task without the log.
    """
    if len(chunk) > 1:
        return len(chunk)
    (task,) = chunk
    if task.member and task.member not in task.without:
        return replace(task, member="", without={**task.without, task.member: sentence})
    return [encode_judged(JudgedTask(fault_result(task, sentence), {}))]


def judge_chunk(tasks: list[LogTask], options: JudgingOptions) -> list[LogResult]:
    """Judge a chunk of logs. This is what is sent to an executor."""
    return [judge_task(task, options).result for task in tasks]


def _judge_on_executor(
    tasks: Iterator[LogTask], executor: Executor, options: JudgingOptions
) -> Generator[LogResult, None, None]:
    while window := list(islice(tasks, _WINDOW)):
        results: dict[int, LogResult] = {}
        wanted = 0
        work = _WindowWork(window, executor, options)
        try:
            for number, result in work.results():
                results[number] = result
                while wanted in results:
                    yield results.pop(wanted)
                    wanted += 1
        finally:
            work.cancel()


class _WindowWork:
    """The work on some logs: chunks that wait, and those that were sent to the executor."""

    def __init__(self, tasks: list[LogTask], executor: Executor, options: JudgingOptions) -> None:
        self._tasks, self._executor, self._options = tasks, executor, options
        self._waiting = deque(chunks_by_size(tasks, CHUNK_BYTES, CHUNK_LOGS))
        self._sent: deque[tuple[list[int], Future[list[LogResult]]]] = deque()

    def results(self) -> Iterator[tuple[int, LogResult]]:
        """Yield the results with the numbers of their logs."""
        while self._waiting or self._sent:
            while self._waiting and len(self._sent) < _CHUNKS_AHEAD * available_cores():
                chunk = self._waiting.popleft()
                try:
                    tasks = [self._tasks[number] for number in chunk]
                    self._sent.append((chunk, self._executor.submit(judge_chunk, tasks, self._options)))
                except (BrokenExecutor, RuntimeError):
                    self._waiting.appendleft(chunk)
                    yield from self._judge_here()
                    return
            chunk, future = self._sent.popleft()
            try:
                results = future.result()
            except BrokenExecutor:
                # The executor is gone for good. Which log broke it is found by workers that are replaced.
                self._waiting.appendleft(chunk)
                yield from self._judge_here()
                return
            except Exception as error:
                yield from self._split(chunk, error)
                continue
            yield from zip(chunk, results, strict=True)

    def _split(self, chunk: list[int], error: Exception) -> Iterator[tuple[int, LogResult]]:
        """Send a chunk that failed again in two halves. A log that fails alone is a fault."""
        if len(chunk) == 1:
            reason = tr("The worker process that read the log failed: {error}.", error=type(error).__name__)
            yield chunk[0], fault_result(self._tasks[chunk[0]], reason)
            return
        half = len(chunk) // 2
        self._waiting.extendleft((chunk[half:], chunk[:half]))

    def _judge_here(self) -> Iterator[tuple[int, LogResult]]:
        """Judge what is left in worker processes of our own."""
        left = sorted(number for chunk in (*self._waiting, *(chunk for chunk, _ in self._sent)) for number in chunk)
        self.cancel()
        self._waiting.clear()
        self._sent.clear()
        tasks = (self._tasks[number] for number in left)
        with closing(judge_tasks(tasks, self._options, available_cores())) as answers:
            for number, (_, result) in zip(left, answers, strict=True):
                yield number, result

    def cancel(self) -> None:
        """Cancel the chunks that were sent and have not begun."""
        for _, future in self._sent:
            future.cancel()


def chunks_by_size(tasks: list[LogTask], most_bytes: int, most_logs: int) -> Iterator[list[int]]:
    """Yield the numbers of tasks in chunks, the largest logs first. A log above `most_bytes` is a chunk of its own.

    The last chunks are smaller, so that all workers finish at about the same time.
    """
    chunk: list[int] = []
    size, limit, remaining = 0, most_bytes, sum(task.size for task in tasks)
    for number in sorted(range(len(tasks)), key=lambda number: -tasks[number].size):
        if chunk and (size + tasks[number].size > limit or len(chunk) >= most_logs):
            yield chunk
            remaining -= size
            chunk, size = [], 0
        if not chunk:
            limit = min(most_bytes, max(remaining // _REMAINING_SHARE, _LAST_CHUNK_BYTES))
        chunk.append(number)
        size += tasks[number].size
    if chunk:
        yield chunk
