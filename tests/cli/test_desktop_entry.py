"""The entry in the application menu: written with its icon, removed again, and only on Linux."""

import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest

from inspector.cli.window import open_window

ENTRY, ICON = "applications/transcript-inspector.desktop", "icons/hicolor/scalable/apps/transcript-inspector.svg"

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="desktop entries are of Linux")


@pytest.fixture
def data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "b i$n" / "transcript-inspector"), "--install-desktop"])
    return tmp_path / "share"


def test_it_is_written_with_its_icon_and_removed_again(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert open_window(["--install-desktop"]) == 0
    written = [f"Written: {data / ENTRY}", f"Written: {data / ICON}"]
    assert capsys.readouterr().out.splitlines() == [*written, "To undo: transcript-inspector --uninstall-desktop"]
    assert "<svg" in (data / ICON).read_text("utf-8")
    assert open_window(["--uninstall-desktop"]) == 0
    assert capsys.readouterr().out.splitlines() == [line.replace("Written", "Removed") for line in written]
    assert [path for path in data.rglob("*") if path.is_file()] == []
    assert open_window(["--uninstall-desktop"]) == 0
    assert capsys.readouterr().out == f"There is no desktop entry in {data}.\n"


def test_it_starts_this_program_whatever_the_path_of_the_desktop(data: Path, tmp_path: Path) -> None:
    open_window(["--install-desktop"])
    assert f'Exec="{tmp_path}/b i\\\\$n/transcript-inspector" %F\n' in (data / ENTRY).read_text("utf-8")


def test_a_program_without_a_name_of_its_own_is_started_by_python(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/x/inspector/__main__.py"])
    monkeypatch.setenv("PATH", "/nowhere")
    open_window(["--install-desktop"])
    assert f'Exec="{sys.executable}" -m inspector %F\n' in (data / ENTRY).read_text("utf-8")


def test_it_is_valid(data: Path) -> None:
    if not which("desktop-file-validate"):
        pytest.skip("desktop-file-validate is not installed here")
    open_window(["--install-desktop"])
    done = subprocess.run(["desktop-file-validate", str(data / ENTRY)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_folder_that_cannot_be_made_is_a_sentence(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data.write_text("", "utf-8")
    assert open_window(["--install-desktop"]) == 2
    assert "cannot be changed: " in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--install-desktop", "--uninstall-desktop"])
def test_elsewhere_a_sentence_says_how_to_start(
    option: str, data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert open_window([option]) == 2
    assert capsys.readouterr().err.startswith(f"{option} works only on Linux.")
    assert not data.exists()
