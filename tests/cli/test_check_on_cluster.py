"""`check --engine dask` without the libraries that it needs, and with options that it does not have."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import inspector
from inspector.cli.app import main
from inspector.core.fleet import cluster, sources
from inspector.core.lazy import LazyModule
from tests.project.test_layers import modules_after_importing

INSTALL = (
    "Clusters and object storage require additional libraries. To install them, run: "
    'pip install "transcript-inspector[fleet]"\n'
)
ENGINE = ("--engine", "dask", "--scheduler", "tcp://127.0.0.1:9", "--run", "run")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def plain_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "distributed", LazyModule("distributed_is_not_installed"))
    monkeypatch.setattr(sources, "fsspec_core", LazyModule("fsspec_is_not_installed"))


@pytest.mark.usefixtures("plain_install")
def test_without_the_libraries_the_command_to_install_them_is_named(tmp_path: Path) -> None:
    for arguments in (("check", tmp_path, *ENGINE), ("status", tmp_path)):
        result = run(*arguments)
        assert (result.exit_code, result.stdout, result.stderr) == (2, "", INSTALL)
    with pytest.raises(inspector.FleetError, match="require additional libraries"):
        inspector.judge("s3://bucket/one.jsonl")


def test_a_check_on_this_machine_loads_nothing_for_clusters(root: Path) -> None:
    loaded = modules_after_importing("inspector.cli.check", root, depth=3)
    assert "inspector.core.engine" in loaded
    assert not loaded & {"inspector.core.fleet", "distributed", "fsspec"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--engine", "dask"), "--engine dask requires --scheduler and --run."),
        (("--run", "run"), "--scheduler, --run, --resume and --retry-faults can be used only with --engine dask."),
        ((*ENGINE, "--rule", "D2"), "--rule and --verdict can be used only"),
        ((*ENGINE, "--names", "none"), "--names applies only to tables"),
        ((*ENGINE, "--to", "x.sqlite"), "--to cannot be combined with --engine dask, which writes all rows."),
    ],
)
def test_options_that_exclude_each_other(arguments: tuple[str, ...], sentence: str, tmp_path: Path) -> None:
    result = run("check", tmp_path, *arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr
