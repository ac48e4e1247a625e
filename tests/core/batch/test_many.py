"""Many logs: the same rows in the same order on every executor, also if a log ends its worker."""

import os
import signal
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import inspector
from inspector.core.batch import many
from inspector.core.batch.judging import JudgingOptions, LogTask, judge_task
from inspector.core.engine.workers import run_in_workers
from inspector.core.report.tables import LogResult
from tests.core.batch.folders import mixed_folder


def without_times(results: list[LogResult]) -> list[LogResult]:
    return [
        LogResult(tuple(replace(file, seconds=0.0) for file in result.files), result.sessions, result.findings)
        for result in results
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return mixed_folder(tmp_path)


@pytest.mark.parametrize("executor", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_rows_do_not_depend_on_the_executor(
    executor: Callable[[int], Executor], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(many, "CHUNK_LOGS", 3)
    expected = without_times([*inspector.judge_many([folder], jobs=1)])
    with executor(2) as pool:
        assert without_times([*inspector.judge_many([folder], pool)]) == expected
    assert [Path(result.files[0].source).name for result in expected] == sorted(os.listdir(folder))


class LosingExecutor(Executor):
    """Loses the worker of every chunk that has a certain log, as a cluster does, and goes on."""

    def __init__(self, fatal: str) -> None:
        self.fatal = fatal
        self.sizes: list[int] = []

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        tasks: list[LogTask] = args[0]
        self.sizes.append(len(tasks))
        if any(task.path.endswith(self.fatal) for task in tasks):
            future.set_exception(ConnectionResetError())
        else:
            future.set_result(function(*args, **kwargs))
        return future


def test_a_log_that_ends_its_worker_is_found_by_splitting_its_chunk(folder: Path) -> None:
    executor = LosingExecutor("05.jsonl")
    results = [*inspector.judge_many([folder], executor)]
    assert [file.source for result in results for file in result.files if file.status == "fault"] == [
        str(folder / "05.jsonl")
    ]
    assert len(results) == len(os.listdir(folder))
    assert executor.sizes[:3] == [17, 8, 9]


def test_a_pool_that_breaks_is_replaced_by_own_processes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def judge_or_die(task: LogTask, options: JudgingOptions) -> object:
        if task.path.endswith("05.jsonl"):
            os.kill(os.getpid(), signal.SIGKILL)
        return judge_task(task, options)

    monkeypatch.setattr(many, "judge_task", judge_or_die)
    monkeypatch.setattr(many, "map_in_order", _in_workers)
    with ProcessPoolExecutor(1) as pool:
        results = [*inspector.judge_many([folder], pool)]
    (fault,) = [file for result in results for file in result.files if file.status == "fault"]
    assert Path(fault.source).name == "05.jsonl"
    assert "exit code -9" in fault.reason
    assert len(results) == len(os.listdir(folder))


def _in_workers(work: Any, tasks: Any, jobs: int, on_crash: Any, runs_here: Any) -> Any:
    """`map_in_order` that starts its workers at once."""
    return run_in_workers(work, tasks, jobs, on_crash, None, runs_here, forks=True)
