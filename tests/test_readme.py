"""The README's commands do what it says."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")


@pytest.fixture(scope="module")
def commands() -> list[str]:
    return re.findall(r"^python3 -m venv .+$", README, re.MULTILINE)


def test_has_two_commands(commands: list[str]) -> None:
    opens, checks = commands
    assert opens.endswith(" resources/samples/claude-code-broken.jsonl")
    assert checks.endswith(" -m tests")
    assert " -c tests/constraints.txt " in checks


def test_ci_and_contributing_run_the_second(root: Path, commands: list[str]) -> None:
    pattern = re.search(r"grep -m 1 -E '(.+)' README\.md", (root / ".ci" / "run").read_text("utf-8"))
    assert pattern
    assert [command for command in commands if re.search(pattern[1], command)] == commands[1:]
    assert commands[1] in (root / ".github" / "CONTRIBUTING.md").read_text("utf-8")


@pytest.mark.slow
def test_first_reports_without_a_display(
    root: Path, commands: list[str], tmp_path: Path, outer_environment: dict[str, str]
) -> None:
    tracked = ("pyproject.toml", "README.md", "inspector", "resources")
    for name in tracked:
        source = root / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, tmp_path / name)
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environment = {name: value for name, value in outer_environment.items() if name not in screens}
    environment["PIP_CONSTRAINT"] = (root / "tests" / "constraints.txt").as_uri()
    environment["PATH"] = os.pathsep.join([str(Path(sys.base_prefix) / "bin"), environment["PATH"]])
    done = subprocess.run(
        ["bash", "-c", commands[0]], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "claude-code-broken.jsonl: broken" in done.stdout
    assert "no display" in done.stderr


def test_is_read_in_one_go() -> None:
    """What is long has a page of its own in `resources/docs`."""
    assert len(README.encode()) <= 12 * 1024
