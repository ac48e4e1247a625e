"""Many logs: the same rows in the same order on every executor, also if a log ends its worker."""

import os
import signal
import sys
import time
import zipfile
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import inspector
from inspector.core.batch import judging, many
from inspector.core.batch.judging import JudgingOptions, LogTask, judge_task
from inspector.core.engine.work_limits import resident_bytes
from inspector.core.report.tables import LogResult
from inspector.core.storage.source import Source
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


def test_the_last_chunks_are_smaller() -> None:
    sizes = [5, 300, *[20] * 20]
    tasks = [LogTask(str(number), "", size=size << 20) for number, size in enumerate(sizes)]
    chunks = [*many.chunks_by_size(tasks, 64 << 20, 200)]
    lines = [" ".join(str(sizes[number]) for number in chunk) for chunk in chunks]
    assert lines == ["300", *["20 20 20"] * 3, *["20 20"] * 2, *["20"] * 7, "5"]
    assert sorted(number for chunk in chunks for number in chunk) == [*range(len(sizes))]


def test_bytes_are_no_path() -> None:
    with pytest.raises(TypeError, match="To pass the bytes of a log, use `judge`"):
        next(inspector.judge_many([b"{}"], jobs=1))  # type: ignore[list-item]


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
    def judge_or_die(task: LogTask, options: JudgingOptions, *begin: Any) -> object:
        if task.path.endswith("05.jsonl"):
            os.kill(os.getpid(), signal.SIGKILL)
        return judge_task(task, options, *begin)

    monkeypatch.setattr(many, "judge_task", judge_or_die)
    monkeypatch.setattr(many, "can_fork", lambda: True)
    with ProcessPoolExecutor(1) as pool:
        results = [*inspector.judge_many([folder], pool)]
    (fault,) = [file for result in results for file in result.files if file.status == "fault"]
    assert Path(fault.source).name == "05.jsonl"
    assert "exit code -9" in fault.reason
    assert len(results) == len(os.listdir(folder))


def slow(task: LogTask, options: JudgingOptions, *begin: Any) -> object:
    judged = judge_task(task, options, *begin)
    if task.path.endswith("05.jsonl"):
        sum(range(1 << 62))  # never comes back to Python
    return judged


def greedy(task: LogTask, options: JudgingOptions, *begin: Any) -> object:
    judged = judge_task(task, options, *begin)
    if task.path.endswith("05.jsonl"):
        held = bytearray(b"x") * (400 << 20)
        time.sleep(60)
        del held
    return judged


@pytest.mark.skipif(sys.platform != "linux", reason="workers have limits on Linux")
@pytest.mark.parametrize(
    ("judge", "options", "reason"),
    [
        (slow, JudgingOptions(max_seconds=0.7), "The check of this log exceeded the time limit and was stopped."),
        (
            greedy,
            JudgingOptions(max_memory=resident_bytes() + (300 << 20)),
            "The check of this log exceeded the memory limit and was stopped.",
        ),
    ],
    ids=["time", "memory"],
)
def test_a_log_that_exceeds_a_limit_costs_itself_alone(
    judge: Any, options: JudgingOptions, reason: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = {file.source: file.status for result in inspector.judge_many([folder]) for file in result.files}
    monkeypatch.setattr(many, "judge_task", judge)
    monkeypatch.setattr(many, "can_fork", lambda: True)
    files = [file for result in inspector.judge_many([folder], options=options) for file in result.files]
    assert [(Path(file.source).name, file.reason) for file in files if file.status == "fault"] == [
        ("05.jsonl", f"{reason} Try checking this log on its own.")
    ]
    expected[str(folder / "05.jsonl")] = "fault"
    assert {file.source: file.status for file in files} == expected


@pytest.mark.skipif(sys.platform != "linux", reason="workers have limits on Linux")
def test_a_log_in_an_archive_costs_itself_alone(samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("pi-broken", "codex-broken", "pi-healthy", "codex-healthy")
    with zipfile.ZipFile(tmp_path / "ticket.zip", "w") as archive:
        for name in names:
            archive.write(samples / f"{name}.jsonl", f"{name}.jsonl")
    judge_source = judging._judge_source

    def slow_for_codex(source: Source, path: str, member: str, options: JudgingOptions) -> LogResult:
        if "codex" in member:
            sum(range(1 << 62))
        return judge_source(source, path, member, options)

    monkeypatch.setattr(judging, "_judge_source", slow_for_codex)
    monkeypatch.setattr(many, "can_fork", lambda: True)
    (result,) = inspector.judge_many([tmp_path / "ticket.zip"], options=JudgingOptions(max_seconds=0.7))
    assert [(file.member, file.status, bool(file.reason)) for file in result.files] == [
        ("pi-broken.jsonl", "judged", False),
        ("codex-broken.jsonl", "fault", True),
        ("pi-healthy.jsonl", "judged", False),
        ("codex-healthy.jsonl", "fault", True),
    ]
    assert [session.verdict for session in result.sessions] == ["broken", "healthy"]
