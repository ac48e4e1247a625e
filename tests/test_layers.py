"""Which part of the program may know which other part."""

import subprocess
import sys
from pathlib import Path

import pytest
from importlinter.application import use_cases
from importlinter.configuration import configure

PROBE = "import importlib, sys; importlib.import_module(sys.argv[1]); print(*sorted(sys.modules), sep='\\n')"


def modules_after_importing(name: str, root: Path) -> set[str]:
    run = subprocess.run([sys.executable, "-c", PROBE, name], cwd=root, capture_output=True, text=True, check=True)
    return {line.partition(".")[0] for line in run.stdout.split()}


def test_contracts_hold(root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    configure()
    kept = use_cases.lint_imports(config_filename="pyproject.toml", cache_dir=None, no_logo=True)
    assert kept, capsys.readouterr().out


@pytest.mark.parametrize(
    "module",
    [
        "inspector.core.engine.engine",
        "inspector.cli.app",
        "inspector.cli.check",
        "inspector.cli.window",
        "inspector.__main__",
    ],
)
def test_works_without_qt(module: str, root: Path) -> None:
    loaded = modules_after_importing(module, root)
    assert "inspector" in loaded
    assert not loaded & {"PySide6", "shiboken6"}


def test_core_needs_no_terminal_library(root: Path) -> None:
    assert not modules_after_importing("inspector.core.engine.engine", root) & {"click", "rich"}
