"""All data kept outside of the logs is in the table, and `forget` removes it; files kept beside logs are listed."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings

from inspector.core.engine import stored_data
from inspector.core.storage import temporary_files
from inspector.gui.common.settings import Settings
from tests.support import product


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home of its own, where Qt keeps its settings too."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(tmp_path)
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(home / ".config"))
    yield home
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, os.path.expanduser("~/.config"))


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def remembered(path: Path) -> Settings:
    settings = Settings()
    settings.add_recent(str(path))
    settings.folder = str(path.parent)
    settings.set_notes("ab12", [(1, "cd34", "look here")])
    store = settings.findChild(QSettings)
    assert isinstance(store, QSettings)
    store.sync()
    assert store.fileName() == str(stored_data.settings_file())
    return settings


def test_all_that_is_kept_is_in_the_table_and_goes(home: Path, tmp_path: Path, samples: Path) -> None:
    log = tmp_path / "logs" / "log.jsonl"
    log.parent.mkdir()
    shutil.copy(samples / "claude-code-broken.jsonl", log)
    remembered(log)
    dialog = home / ".config" / "QtProject.conf"
    dialog.write_bytes(b"[FileDialog]\nhistory=file:///customer\nlastVisited=file:///customer\nviewMode=Detail\n")
    for command in (
        "check {0} --summary",
        "bundle {0} -o b.zip",
        "repair {0} --send-back s.zip",
        "repair {0} --in-place",
    ):
        product.run(*command.format(log).split())
    left_over(home, log.parent / ".log.jsonl.00ab.part")
    places = [name.rpartition("/")[0] for name in files(home)]
    assert places == [
        ".cache/transcript-inspector",
        ".config",
        ".config/Transcript Inspector",
        ".local/state/transcript-inspector/unfinished",
    ]
    assert all(any(f"~/{place}" in row.where for row in stored_data.STORED_ITEMS) for place in places)

    dry = product.run("forget", "--dry-run").output.replace("Would be removed", "Removed")
    assert len(files(home)) == 4
    told = product.run("forget")
    assert (told.exit_code, told.output) == (0, dry)
    assert [line.partition(" (")[0] for line in told.output.splitlines() if line.startswith("Removed")] == [
        f"Removed: {stored_data.settings_file()}",
        f"Removed: {home / '.cache/transcript-inspector/checked.sqlite'}",
        f"Removed: the file dialog's recent folders, in {dialog}",
        f"Removed: {log.parent / '.log.jsonl.00ab.part'}",
    ]
    assert files(home) == [".config/QtProject.conf"]
    assert dialog.read_text("utf-8") == "[FileDialog]\nviewMode=Detail\n"
    assert not (home / ".local/state/transcript-inspector").exists()
    assert files(log.parent) == ["log.jsonl", "log.jsonl.backup", "log.jsonl.quarantine"]
    for name in ("log.jsonl.backup", "log.jsonl.quarantine"):
        assert f"  {log.parent / name}" in told.output.splitlines(), "the settings named its folder"
    assert product.run("forget").output.startswith("Nothing is stored outside the logs.")


def test_settings_behind_a_link_go_as_well(home: Path, tmp_path: Path) -> None:
    remembered(tmp_path / "log.jsonl")
    elsewhere = tmp_path / "elsewhere.ini"
    stored_data.settings_file().rename(elsewhere)
    stored_data.settings_file().symlink_to(elsewhere)
    (tmp_path / "dialog").write_bytes(b"[FileDialog]\nlastVisited=file:///customer\n")
    stored_data.dialog_settings_file().symlink_to(tmp_path / "dialog")
    assert product.run("forget").exit_code == 0
    assert (elsewhere.exists(), os.path.lexists(stored_data.settings_file())) == (False, False)
    assert (tmp_path / "dialog").read_bytes() == b"[FileDialog]\n"


def left_over(home: Path, path: Path, process: int = 0) -> None:
    """What a run leaves that was killed; by default one of a process that has ended."""
    if not process:
        ended = subprocess.Popen([sys.executable, "-c", ""])
        ended.wait()
        process = ended.pid
    path.write_bytes(b"a customer's words")
    note = temporary_files.leftover_notes_folder() / f"{process}-1"
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_bytes(os.fsencode(path))


def test_what_a_running_program_uses_stays_and_is_told(home: Path, tmp_path: Path) -> None:
    path = tmp_path / ".log.jsonl.00ab.part"
    left_over(home, path, os.getpid())
    told = product.run("forget")
    assert f"Not removed because it is in use or protected: {path}" in told.output
    assert path.exists()


@pytest.mark.parametrize("name", ["a b", "中文", 'quo"te', "com,ma;=", "back\\slash", "\udcff", "é\x01"])
def test_folders_are_read_as_the_window_writes_them(name: str, home: Path, tmp_path: Path) -> None:
    folder = tmp_path / name
    folder.mkdir()
    settings = remembered(folder / "one.jsonl")
    settings.add_recent(str(tmp_path / "two.jsonl"))
    store = settings.findChild(QSettings)
    assert isinstance(store, QSettings)
    store.sync()
    assert stored_data.folders_of_recent_logs() == [str(tmp_path), str(folder)]


def test_a_folder_that_is_named_is_looked_through(home: Path, tmp_path: Path) -> None:
    deep = tmp_path / "desk" / "one" / "two"
    deep.mkdir(parents=True)
    (deep / "log.jsonl.quarantine-2").write_bytes(b"x")
    (deep / "log.jsonl").write_bytes(b"x")
    told = product.run("forget", str(tmp_path / "desk"))
    assert [line for line in told.output.splitlines() if line.startswith("  ")] == [
        f"  {deep / 'log.jsonl.quarantine-2'}"
    ]
    assert len(files(deep)) == 2


def test_what_cannot_be_removed_is_told(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remembered(tmp_path / "log.jsonl")

    def refuse(path: Path, missing_ok: bool = False) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refuse)
    told = product.run("forget")
    assert (told.exit_code, "cannot be removed: Permission denied" in told.output) == (2, True)
