"""No original is lost: not to a second saver, a link, a failing disk, a trigger, or a run that is killed."""

import os
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from inspector.core.presentation.engine_results import Backup
from inspector.core.save import atomic
from inspector.core.save.restore import backup_at, restore
from inspector.core.storage import temporary_files
from tests.core.formats import opencode
from tests.core.formats.opencode import assistant, text, tool, user
from tests.core.save.conftest import Opener
from tests.support import product
from tests.support.notation import SESSION, Call, claude_code, parse

BROKEN = claude_code(parse('u | a"t"{A} | u"stop" | a"ok"'))
DAMAGED = BROKEN.replace(b"\n", b"\n{torn\n", 1)
STORED = [user(1, text("go")), assistant(2, tool(Call("A"), None)), user(3, text("stop")), assistant(4, text("ok"))]
PART = "part/msg_0002/prt_000201.json"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "store" / f"{SESSION}.jsonl"
    path.parent.mkdir()
    path.write_bytes(BROKEN)
    return path


@pytest.fixture
def database(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return opencode.write_database(STORED, tmp_path / "data" / "opencode.db")


def failing(monkeypatch: pytest.MonkeyPatch, name: str, when: Callable[[str], bool]) -> None:
    real = getattr(os, name)

    def fail(*arguments: object, **more: object) -> object:
        if any(when(str(argument)) for argument in arguments):
            raise OSError(28, "No space left on device")
        return real(*arguments, **more)

    monkeypatch.setattr(os, name, fail)


# --- two at once


def test_of_two_savers_one_wins_and_the_other_is_told(log: Path, opened: Opener) -> None:
    doors, told = [opened(log), opened(log)], []

    def save(door: product.Door) -> None:
        try:
            told.append(door.save("in-place").backup)
        except product.Refused as error:
            told.append(str(error))

    threads = [threading.Thread(target=save, args=(door,)) for door in doors]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    backups = list(log.parent.glob("*.backup*"))
    assert [path.read_bytes() for path in backups] == [BROKEN]
    told.remove(str(backups[0]))
    assert "saved by another process" in told[0] or "changed" in told[0]


def test_a_backup_takes_a_name_that_nobody_has(log: Path, opened: Opener) -> None:
    for name in (f"{log.name}.backup", f"{log.name}.backup-2"):
        (log.parent / name).write_text("precious")
    assert opened(log).save("in-place").backup == f"{log}.backup-3"
    assert (log.parent / f"{log.name}.backup").read_text() == "precious"


# --- before the replace


@pytest.mark.parametrize("form", ["file", "folder"])
def test_all_that_a_save_writes_is_flushed_before_the_log_is_touched(
    form: str, log: Path, tmp_path: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = log if form == "file" else opencode.write_folder(STORED, tmp_path / "f" / "storage")
    before, flushed, is_flushed = set(tmp_path.rglob("*")), set[int](), dict[Path, bool]()
    real_fsync, real_replace = os.fsync, os.replace

    def fsync(handle: int) -> None:
        flushed.add(os.fstat(handle).st_ino)
        real_fsync(handle)

    def replace(source: Path, target: Path) -> None:
        if Path(target) in before:
            new = [each for each in tmp_path.rglob("*") if each not in before and each.is_file()]
            is_flushed.update({each: each.stat().st_ino in flushed for each in new})
        real_replace(source, target)

    door = opened(path)
    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    door.save("in-place")
    assert len(is_flushed) >= 2  # the backup and what takes the name
    assert [each for each in is_flushed if not is_flushed[each]] == []


# --- behind the replace


def test_an_error_behind_the_replace_is_a_warning_and_keeps_the_backup(
    log: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.fsync

    def fsync(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(5, "Input/output error")
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    saved = opened(log).save("in-place")
    assert log.read_bytes() != BROKEN
    assert Path(saved.backup).read_bytes() == BROKEN
    assert "flushed" in " ".join(saved.warnings)


def test_bytes_are_set_aside_before_the_log_is_replaced(
    log: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.write_bytes(DAMAGED)
    door = opened(log)
    for name in ("link", "replace"):
        failing(monkeypatch, name, lambda path: path.endswith(".quarantine"))
    with pytest.raises(product.Refused, match="space"):
        door.save("in-place")
    assert log.read_bytes() == DAMAGED
    assert [path.name for path in log.parent.iterdir()] == [log.name]


# --- links, modes, owners


@pytest.mark.parametrize("name", [f"{SESSION}.jsonl.backup", f"{SESSION}.jsonl.quarantine"])
def test_a_link_in_the_folder_is_not_followed(log: Path, opened: Opener, name: str) -> None:
    log.write_bytes(DAMAGED)
    victim = log.parent.parent / "victim"
    victim.write_text("precious")
    (log.parent / name).symlink_to(victim)
    saved = opened(log).save("in-place")
    assert victim.read_text() == "precious"
    assert Path(saved.backup).read_bytes() == DAMAGED
    assert Path(saved.quarantine).read_bytes().startswith(b"--- ")


def test_the_name_of_a_copy_that_nobody_chose_is_a_free_one(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / f"{SESSION}.repaired.jsonl").symlink_to(victim)
    monkeypatch.chdir(tmp_path)
    answer = product.repair(log, None)
    assert victim.read_text() == "precious"
    assert answer.report["output"] == str(tmp_path / f"{SESSION}.repaired-2.jsonl")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps no such modes")
def test_what_is_private_stays_private(log: Path, tmp_path: Path) -> None:
    log.write_bytes(DAMAGED)
    log.chmod(0o600)
    out, page, report = tmp_path / "out.jsonl", tmp_path / "page.md", tmp_path / "report.txt"
    product.repair(log, out)
    product.run("convert", str(log), "--to", "markdown", "-o", str(page))
    product.run("check", str(log), "-o", str(report))
    made = [out, tmp_path / "out.jsonl.quarantine", page, report]
    assert [oct(path.stat().st_mode & 0o777) for path in made] == ["0o600"] * 4


def test_other_names_of_the_log_are_told(log: Path, opened: Opener) -> None:
    os.link(log, log.parent / "second-name")
    assert "hard link" in " ".join(opened(log).save("in-place").warnings)


def test_a_part_of_a_folder_that_is_a_link_is_refused(tmp_path: Path, opened: Opener) -> None:
    store = opencode.write_folder(STORED, tmp_path / "data" / "storage")
    outside = tmp_path / "outside.json"
    (store / PART).rename(outside)
    (store / PART).symlink_to(outside)
    before = outside.read_bytes()
    with pytest.raises(product.Refused, match="is a symbolic link"):
        opened(store).save("in-place")
    assert outside.read_bytes() == before
    assert not list((tmp_path / "data").glob("*.backup*"))


# --- a folder half-way, and the way back


def test_a_folder_that_is_half_written_is_recoverable(
    tmp_path: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = [assistant(4, tool(Call("B"), None)), user(5, text("stop")), assistant(6, text("ok"))]
    store = opencode.write_folder([*STORED[:3], *more], tmp_path / "storage")
    before = {path: path.read_bytes() for path in store.rglob("*.json")}
    done: list[str] = []
    real = os.replace

    def replace(source: str, target: str) -> None:
        if str(target).startswith(str(store / "part")):
            if done:
                raise OSError(28, "No space left on device")
            done.append(str(target))
        real(source, target)

    door = opened(store)
    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(product.Refused, match="restore") as refused:
        door.save("in-place")
    monkeypatch.undo()
    assert {path: path.read_bytes() for path in store.rglob("*.json")} != before
    restore(str(refused.value).rpartition(" ")[2])
    assert {path: path.read_bytes() for path in store.rglob("*.json")} == before


@pytest.mark.parametrize("form", ["file", "folder", "database"])
def test_a_backup_is_put_back_and_what_lay_there_is_kept(
    form: str, log: Path, database: Path, tmp_path: Path, opened: Opener
) -> None:
    folder = opencode.write_folder(STORED, tmp_path / "f" / "storage")
    path = {"file": log, "folder": folder, "database": database}[form]
    before = contents(path)
    backup = opened(path).save("in-place").backup
    repaired = contents(path)
    assert repaired != before
    told = product.run("restore", backup)
    assert told.exit_code == 0
    assert contents(path) == before
    kept = told.output.splitlines()[1].removeprefix("The replaced file was kept as ").removesuffix(".")
    assert product.run("restore", kept).exit_code == 0
    assert contents(path) == repaired


def test_a_folder_whose_name_is_no_utf8_has_a_backup_too(tmp_path: Path, opened: Opener) -> None:
    try:
        (tmp_path / "a\udcff").mkdir()
    except OSError:
        pytest.skip("this file system has no such names")
    store = opencode.write_folder(STORED, tmp_path / "a\udcff" / "storage")
    before = contents(store)
    backup = opened(store).save("in-place").backup
    assert contents(store) != before
    assert restore(backup).path == str(store)
    assert contents(store) == before


def test_a_file_of_a_folder_stands_for_its_backup(tmp_path: Path, opened: Opener) -> None:
    store = opencode.write_folder(STORED, tmp_path / "storage")
    backup = opened(store).save("in-place").backup
    file = next(each for each in Path(backup).rglob("*.json") if not each.name.startswith("."))
    assert backup_at(str(file)) == backup_at(backup) == Backup(backup, str(store))


def contents(path: Path) -> object:
    if path.suffix == ".db":
        with closing(sqlite3.connect(path)) as connection:
            return list(connection.iterdump())
    if path.is_file():
        return path.read_bytes()
    return {each.name: each.read_bytes() for each in path.rglob("*.json") if not each.name.startswith(".")}


@pytest.mark.parametrize("name", ["nothing.jsonl", f"{SESSION}.jsonl"])
def test_what_is_no_backup_is_not_put_anywhere(name: str, log: Path) -> None:
    told = product.run("restore", str(log.parent / name))
    assert told.exit_code == 2
    assert log.read_bytes() == BROKEN


# --- a stranger's database

TRAP = "CREATE TRIGGER t AFTER UPDATE ON part BEGIN UPDATE message SET data = 'gone'; END"


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_a_trigger_does_not_act_and_is_still_there(journal: str, database: Path, opened: Opener) -> None:
    """Python 3.11 cannot switch triggers off. It drops them, which creates a journal: no change by another program."""
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute(f"PRAGMA journal_mode = {journal}").fetchone() == (journal,)
    trap(database)
    opened(database).save("in-place")
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT count(*) FROM message WHERE data = 'gone'").fetchone() == (0,)
        assert connection.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger'").fetchall() == [(TRAP,)]


def trap(database: Path) -> object:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute(TRAP)
        connection.commit()
    return contents(database)


# --- killed runs


def test_left_overs_of_a_killed_run_go_at_the_next_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    killed = (
        "import os, pathlib, sys; from inspector.core.save.atomic import write_atomically\n"
        "def pieces():\n    yield b'half'\n    os._exit(9)\n"
        "write_atomically(pathlib.Path(sys.argv[1]), pieces())"
    )
    subprocess.run([sys.executable, "-c", killed, str(tmp_path / "log")], check=False)
    assert len(list(tmp_path.glob(".log.*.part"))) == 1
    temporary_files.remove_leftovers()
    assert list(tmp_path.glob(".log.*.part")) == []
    assert list(temporary_files.leftover_notes_folder().iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_process_that_leaves_removes_its_own_files_and_not_those_of_its_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with temporary_files.TemporaryPath(tmp_path, "log") as part:
        leaves = (
            "import os, pathlib, sys; from inspector.core.storage import temporary_files as files\n"
            "kept = files.TemporaryPath(pathlib.Path(sys.argv[1]), 'kept')\n"
            "if not os.fork():\n"
            "    files.TemporaryPath(pathlib.Path(sys.argv[1]), 'own')\n"
            "    files.discard_temporary_files(); kept.discard(); os._exit(0)\n"
            "os.wait(); print(*sorted(name.split('.')[1] for name in os.listdir(sys.argv[1]) if '.part' in name))\n"
        )
        done = subprocess.run([sys.executable, "-c", leaves, str(tmp_path)], capture_output=True, text=True, check=True)
        assert (done.stdout, part.exists()) == ("kept log\n", True)


def test_what_a_running_process_writes_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    seen: list[bool] = []

    def judge(part: Path) -> None:
        temporary_files.remove_leftovers()
        seen.append(part.exists())

    atomic.write_atomically(tmp_path / "log", [b"all"], verify=judge)
    assert seen == [True]
