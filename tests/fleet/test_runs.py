"""A run on a cluster has the rows of one process, whatever happens to its workers, its scheduler and the logs."""

import json
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import dask
import distributed
import msgspec
import pytest
import s3fs

import inspector
from inspector.core.errors import FleetError
from inspector.core.fleet import run_folder
from inspector.core.fleet.cluster import Cluster, Run, dask_cluster
from inspector.core.fleet.run_folder import RunFolder, RunSettings, run_status
from inspector.core.report.tables import LogResult
from tests.fleet.local_cluster import LocalCluster
from tests.fleet.made_logs import (
    REFERENCE,
    hostile_format,
    hostile_log,
    made_logs,
    rows_in,
    rows_of,
    stored_sessions,
    write,
)

OPTIONS = inspector.JudgingOptions(max_seconds=8, max_memory=200 << 20)


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_folder, "_CHUNK_LOGS", 50)


@contextmanager
def local_threads() -> Iterator[Cluster]:
    """A cluster without Dask: each thread judges chunks in a process."""
    with ThreadPoolExecutor(2) as executor:
        yield Cluster(executor, lambda: 2)


def begun(place: str, *sources: object) -> RunFolder:
    run = RunFolder(place)
    run.begin(RunSettings([*map(str, sources)], OPTIONS))
    return run


def of_one_process(folder: Path, environment: dict[str, str]) -> list[str]:
    command = [sys.executable, "-c", REFERENCE, str(folder), msgspec.json.encode(OPTIONS).decode()]
    run = subprocess.run(command, env=os.environ | environment, capture_output=True, check=True)
    return rows_of([msgspec.json.decode(line, type=LogResult) for line in run.stdout.splitlines()])


@pytest.fixture(autouse=True)
def short_waits() -> Iterator[None]:
    with dask.config.set({"distributed.comm.timeouts.connect": "5s"}):
        yield


def finish_with_trouble(run: RunFolder, workers: Cluster, cluster: LocalCluster) -> None:
    """Kill a worker soon after the beginning, and the scheduler later."""
    for number, _ in enumerate(Run(run, workers).manifests()):
        if number == 4:
            with distributed.Client(cluster.address, set_as_default=False) as client:
                os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        if number == 12:
            cluster.kill()


def test_a_killed_worker_and_a_killed_scheduler_cost_no_row(cluster: LocalCluster, tmp_path: Path) -> None:
    logs = write(tmp_path / "logs", made_logs(2000, 40))
    cluster.environment = hostile_format(tmp_path / "packages")
    expected = of_one_process(logs, cluster.environment)
    run = begun(f"file://{tmp_path}/run", logs.as_uri())
    with pytest.raises(FleetError, match="--resume"), dask_cluster(cluster.start()) as workers:
        finish_with_trouble(run, workers, cluster)
    done = run_status(run).counts.logs
    assert 0 < done < 2000
    with dask_cluster(cluster.start()) as workers:
        rest = Run(run, workers)
        assert sum(manifest.judged.logs + manifest.faulty.logs for manifest in rest.manifests()) == 2000 - done
    assert rows_in(f"{tmp_path}/run") == expected
    status = run_status(run)
    assert (status.counts.logs, status.planned, status.faults) == (2000, 2000, 28)
    assert status.counts.summary.statuses["fault"] == 28


def test_sessions_of_the_agent_sdk_in_object_storage(cluster: LocalCluster, bucket: str, tmp_path: Path) -> None:
    s3 = s3fs.S3FileSystem()
    members = dict([*stored_sessions(300), *((f"tickets/{name}", data) for name, data in made_logs(40, 0))])
    cut = {name: data for name, data in made_logs(8, 8) if name.endswith(".zip")}
    for name, data in (members | cut).items():
        s3.pipe_file(f"sessions/mirror/{name}", data)
    expected = inspector.judge(f"{bucket}/mirror")
    assert len(expected.files) == 300 + 75 + 40 + len(cut)
    run = begun(f"{bucket}/runs/1", f"{bucket}/mirror")
    with dask_cluster(cluster.start()) as workers:
        deque(Run(run, workers).manifests(), 0)
    s3.get("sessions/runs/1/*.parquet", f"{tmp_path}/")
    assert rows_in(str(tmp_path)) == rows_of([expected])
    on_disk = inspector.judge(write(tmp_path / "mirror", iter((members | cut).items())))
    assert sorted(file.sha256 or "" for file in expected.files) == sorted(file.sha256 or "" for file in on_disk.files)
    assert sorted((row.id, row.verdict, row.records) for row in expected.sessions) == sorted(
        (row.id, row.verdict, row.records) for row in on_disk.sessions
    )
    assert expected.files[0].source.startswith(f"{bucket}/mirror/-home-project-0/00000000-")


def test_a_log_that_kills_its_workers_is_a_fault(cluster: LocalCluster, tmp_path: Path) -> None:
    logs = write(tmp_path / "logs", made_logs(20, 0))
    (logs / "poison.jsonl").write_bytes(hostile_log("kill-worker"))
    cluster.environment = hostile_format(tmp_path / "packages")
    run = begun(f"{tmp_path}/run", logs)
    with dask_cluster(cluster.start()) as workers:
        deque(Run(run, workers).manifests(), 0)
    rows = [row for table, row in map(json.loads, rows_in(f"{tmp_path}/run")) if table == "files"]
    assert [row["source"] for row in rows if row["status"] == "fault"] == [str(logs / "poison.jsonl")]
    assert len(rows) == 21


def test_faults_are_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = write(tmp_path / "logs", made_logs(120, 4))
    for name, value in hostile_format(tmp_path / "packages").items():
        monkeypatch.setenv(name, value)
    run = begun(f"{tmp_path}/run", logs)
    with local_threads() as threads:
        assert sum(manifest.faulty.logs for manifest in Run(run, threads).manifests()) == 3
        assert run_status(run).faults == 3
        assert [*Run(run, threads).manifests()] == []
    monkeypatch.undo()  # to processes without that format, those logs are harmless
    with local_threads() as threads:
        again = [*Run(run, threads, retries_faults=True).manifests()]
    assert sum(manifest.judged.logs for manifest in again) == 3
    assert rows_in(f"{tmp_path}/run") == rows_of([inspector.judge(logs)])
    status = run_status(run)
    assert (status.faults, status.counts.logs) == (0, 120)


def test_a_listing_that_was_interrupted_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = write(tmp_path / "logs", made_logs(100, 0))
    monkeypatch.setattr(run_folder, "_WINDOW", 30)
    monkeypatch.setattr(run_folder, "_CHUNK_LOGS", 20)
    run = begun(f"{tmp_path}/run", logs)
    with local_threads() as threads:
        first = Run(run, threads)
        first.plan.extend()
        assert (first.plan.logs, run_status(run).is_planned) == (30, False)
        second = Run(run, threads)
        deque(second.manifests(), 0)
    assert (second.plan.is_complete, second.done) == (True, 100)
    assert rows_in(f"{tmp_path}/run") == rows_of([inspector.judge(logs)])


def test_a_run_is_continued_only_as_it_was_begun(tmp_path: Path) -> None:
    run = begun(f"{tmp_path}/run", "logs")
    with pytest.raises(FleetError, match="Add --resume"):
        run.begin(RunSettings(["logs"], OPTIONS))
    run.resume(RunSettings(["logs"], OPTIONS))
    run.resume(RunSettings([], OPTIONS))
    for settings in (RunSettings(["others"], OPTIONS), RunSettings(["logs"], inspector.JudgingOptions())):
        with pytest.raises(FleetError, match="other logs, other options"):
            run.resume(settings)
