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
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    with tarfile.open(written) as packed:
        packed.extractall(tmp_path / "files", filter="data")
    # Settings that a later version wrote with the same bytes are loaded there.
    are_own = settings_in(written) not in map(settings_in, WRITTEN[WRITTEN.index(written) + 1 :])
    came = dict(load(tmp_path / "files", Room.here(tmp_path / "room"), are_own))
    assert came == dict.fromkeys(came, "")
    assert len(came) == 5 + are_own


def settings_in(written: Path) -> bytes:
    with tarfile.open(written) as packed:
        (settings,) = (member for member in packed if member.name.endswith(".ini"))
        file = packed.extractfile(settings)
        assert file is not None
        return file.read()
