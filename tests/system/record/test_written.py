"""Files that earlier versions wrote are loaded by this one."""

import tarfile
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.system.record.files import load
from tests.system.record.running import Room

WRITTEN = sorted(Path(__file__).with_name("written").glob("*.tar.xz"))


@pytest.mark.slow
@pytest.mark.parametrize("written", WRITTEN, ids=lambda path: path.name)
def test_what_a_version_wrote_is_loaded(written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert loaded(written, tmp_path, monkeypatch, settings=False) == 5


@pytest.mark.thorough
@pytest.mark.parametrize("written", WRITTEN, ids=lambda path: path.name)
def test_its_settings_are_loaded(written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dozens of windows are opened, so settings that a later version wrote with the same bytes are loaded there."""
    if settings_in(written) not in map(settings_in, WRITTEN[WRITTEN.index(written) + 1 :]):
        assert loaded(written, tmp_path, monkeypatch, settings=True) == 6


def loaded(written: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, settings: bool) -> int:
    """Load what a version wrote, and return how many files that were."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    with tarfile.open(written) as packed:
        packed.extractall(folder / "files", filter="data")
    came = dict(load(folder / "files", Room.here(folder / "room"), settings))
    assert came == dict.fromkeys(came, "")
    return len(came)


def settings_in(written: Path) -> bytes:
    with tarfile.open(written) as packed:
        (settings,) = (member for member in packed if member.name.endswith(".ini"))
        file = packed.extractfile(settings)
        assert file is not None
        return file.read()
