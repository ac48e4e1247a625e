"""Which part of the program may know which other part, and how much a reader has to take in at once."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from importlinter.application import use_cases
from importlinter.configuration import configure

MOST_LINES, MOST_LINES_OF_A_FUNCTION = 700, 60
PROBE = "import importlib, sys; importlib.import_module(sys.argv[1]); print(*sorted(sys.modules), sep='\\n')"


def modules_after_importing(name: str, root: Path, depth: int = 1) -> set[str]:
    """The names of modules, each cut to so many parts."""
    run = subprocess.run([sys.executable, "-c", PROBE, name], cwd=root, capture_output=True, text=True, check=True)
    return {".".join(line.split(".")[:depth]) for line in run.stdout.split()}


def test_contracts_hold(root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    configure()
    kept = use_cases.lint_imports(config_filename="pyproject.toml", cache_dir=None, no_logo=True)
    assert kept, capsys.readouterr().out


@pytest.mark.parametrize(
    "module",
    [
        "inspector.core.engine.window_engine",
        "inspector.cli.app",
        "inspector.cli.check",
        "inspector.cli.check_runner",
        "inspector.cli.window",
        "inspector.__main__",
    ],
)
def test_works_without_qt(module: str, root: Path) -> None:
    loaded = modules_after_importing(module, root)
    assert "inspector" in loaded
    assert not loaded & {"PySide6", "shiboken6"}


def test_core_needs_no_terminal_library(root: Path) -> None:
    assert not modules_after_importing("inspector.core.engine.window_engine", root) & {"click", "rich"}


def test_a_window_starts_without_what_judges_and_repairs(root: Path) -> None:
    """That runs in its children, and would keep the first rows waiting."""
    loaded = modules_after_importing("inspector.gui.window.main_window", root, depth=3)
    assert not loaded & {"inspector.core.rules", "inspector.core.save", "inspector.core.convert"}


def test_no_module_and_no_function_is_longer_than_a_reader_takes_in(root: Path) -> None:
    long = []
    for path in sorted((root / "inspector").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        long += [str(path)] if len(text.splitlines()) > MOST_LINES else []
        long += [f"{path}: {name}" for name, count in functions_in(text) if count > MOST_LINES_OF_A_FUNCTION]
    assert not long


def functions_in(text: str) -> Iterator[tuple[str, int]]:
    """The functions of a module, and of how many lines each is."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1
