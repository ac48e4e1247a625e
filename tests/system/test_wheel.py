"""The built wheel, installed where nothing of the checkout can help it."""

import json
import os
import shutil
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.project.test_readme import COMMANDS

# It is installed into an environment of its own.
pytestmark = [pytest.mark.slow, pytest.mark.thorough]


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=root, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def first_command(
    root: Path, tmp_path_factory: pytest.TempPathFactory, outer_environment: dict[str, str]
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """README's first command, which installs the product without a display: the folder it ran in, and what it said."""
    folder = tmp_path_factory.mktemp("installed")
    for name in ("pyproject.toml", "README.md", "inspector", "resources"):
        copy = shutil.copytree if (root / name).is_dir() else shutil.copy
        copy(root / name, folder / name)
    command, *_ = COMMANDS
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environment = {name: value for name, value in outer_environment.items() if name not in screens}
    environment["PIP_CONSTRAINT"] = (root / "tests" / "constraints.txt").as_uri()
    environment["PATH"] = os.pathsep.join([str(Path(sys.base_prefix) / "bin"), environment["PATH"]])
    run = ["bash", "-c", command]
    return folder, subprocess.run(run, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def installed(first_command: tuple[Path, subprocess.CompletedProcess[str]]) -> Path:
    """The bin folder of an environment that holds the wheel and what it depends on, in the versions last tried."""
    folder, done = first_command
    assert done.returncode == 0, done.stderr
    return folder / ".venv" / "bin"


@pytest.fixture
def installed_samples(installed: Path, tmp_path: Path) -> Path:
    ask = "import inspector; print(inspector.__file__)"
    run = [str(installed / "python"), "-c", ask]
    answer = subprocess.run(run, cwd=tmp_path, check=True, capture_output=True, text=True).stdout.strip()
    assert Path(answer).is_relative_to(installed.parent)
    return Path(answer).parent / "resources" / "samples"


def test_carries_resources_and_nothing_else(wheel: Path, root: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    resources = {path.relative_to(root) for path in (root / "resources").rglob("*") if path.is_file()}
    assert {f"inspector/{path.as_posix()}" for path in resources} <= names
    assert "inspector/py.typed" in names
    assert {name.partition("/")[0] for name in names} == {"inspector", wheel.name.partition("-py3")[0] + ".dist-info"}


def test_readme_reports_without_a_display(first_command: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    _, done = first_command
    assert done.returncode == 0, done.stderr
    assert "claude-code-broken.jsonl  BROKEN" in done.stdout
    assert "No display is available" in done.stderr


def test_renders_a_sample_from_another_folder(installed: Path, installed_samples: Path, tmp_path: Path) -> None:
    picture = tmp_path / "window.png"
    sample = installed_samples / "claude-code-broken.jsonl"
    command = [str(installed / "transcript-inspector"), "--screenshot", str(picture), str(sample)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", "a missing icon or a Qt warning"
    head = picture.read_bytes()[:24]
    assert head.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", head[16:])
    assert width >= 800
    assert height >= 500


def test_checks_a_sample_from_another_folder(installed: Path, installed_samples: Path, tmp_path: Path) -> None:
    sample = installed_samples / "neovate-broken.jsonl"
    command = [str(installed / "transcript-inspector"), "check", str(sample), "--format", "json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1, done.stderr
    (session,) = json.loads(done.stdout)["sessions"]
    assert session["verdict"] == "broken"
