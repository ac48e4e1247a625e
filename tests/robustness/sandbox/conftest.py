"""Temporary files have a folder of their own: that of pytest holds all that the tests have."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_spare_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    spare = tmp_path_factory.mktemp("spare")
    monkeypatch.setattr("tempfile.tempdir", str(spare))
    monkeypatch.setenv("TMPDIR", str(spare))
    return spare
