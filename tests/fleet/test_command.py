"""`check --engine dask` and `status` on the command line."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fleet.local_cluster import LocalCluster
from tests.fleet.made_logs import made_logs, rows_in, write


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "inspector", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_check_on_a_cluster_sums_up_as_on_this_machine(cluster: LocalCluster, tmp_path: Path) -> None:
    logs, folder = write(tmp_path / "logs", made_logs(60, 0)), tmp_path / "run"
    engine = ("--engine", "dask", "--scheduler", cluster.start(), "--run", folder)
    done, here = run("check", logs, *engine), run("check", logs, "--summary", "--no-cache")
    assert done.stdout == here.stdout + f"Written: {folder}/*.parquet\n"
    assert (done.returncode, here.returncode) == (1, 1)
    assert len(rows_in(str(folder))) > 120
    assert run("check", logs, *engine).stderr.startswith(f"{folder} already contains a run.")
    again = run("check", *engine, "--resume")
    assert (again.stdout, again.returncode) == (done.stdout, 1)
    told = run("status", folder)
    assert (told.stdout.splitlines()[:3], told.returncode) == (
        ["          60  logs done", "           0  logs left", "           0  faults"],
        0,
    )


def test_what_does_not_answer_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "2s")
    logs = write(tmp_path / "logs", made_logs(1, 0))
    nobody = run("check", logs, "--engine", "dask", "--scheduler", "tcp://127.0.0.1:9", "--run", tmp_path / "run")
    assert (nobody.returncode, nobody.stderr.count("\n")) == (2, 1)
    assert "tcp://127.0.0.1:9 is not responding" in nobody.stderr
    assert run("status", tmp_path / "run").stderr == f"{tmp_path}/run does not contain a run.\n"
