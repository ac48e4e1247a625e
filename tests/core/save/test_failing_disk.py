"""A disk that fails where nobody looks: each time there is a sentence of its own, and the log is what it was."""

import errno
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from inspector.core.errors import CannotWrite, ChangedMeanwhile, InspectorError
from inspector.core.formats.base.writer import SidecarEdit
from inspector.core.save import database as saved_database
from inspector.core.save import save as saving
from inspector.core.storage import temporary_files
from inspector.core.storage.source import Source
from tests.core.formats import opencode
from tests.core.formats.opencode import assistant, text, tool, user
from tests.core.save.conftest import Opener
from tests.support import packing, product
from tests.support.notation import SESSION, Call, claude_code, parse

BROKEN = claude_code(parse('u | a"t"{A} | u"stop" | a"ok"'))
STORED = [user(1, text("go")), assistant(2, tool(Call("A"), None)), user(3, text("stop")), assistant(4, text("ok"))]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "store" / f"{SESSION}.jsonl"
    path.parent.mkdir()
    path.write_bytes(BROKEN)
    return path


def failing(monkeypatch: pytest.MonkeyPatch, name: str, number: int = errno.EIO) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, name, fail)


def refusal(*arguments: str) -> str:
    """What a command said that came to nothing, in a sentence of its own."""
    told = product.run(*arguments)
    assert told.exit_code == 2
    assert "an internal error" not in told.output
    return told.output


@pytest.mark.parametrize("name", ["chmod", "fchmod", "chown"])
def test_a_mode_that_cannot_be_kept_is_told_and_keeps_the_log_private(
    name: str, log: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.chmod(0o644)
    failing(monkeypatch, name, errno.EPERM)
    saved = opened(log).save("in-place")
    assert log.read_bytes() != BROKEN
    assert oct(log.stat().st_mode & 0o777) == ("0o600" if name == "chmod" else "0o644")
    assert ("permissions could not be preserved" in " ".join(saved.warnings)) == (name == "chmod")


def test_a_temporary_file_that_cannot_be_removed_goes_at_the_next_start(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    failing(monkeypatch, "unlink")
    failing(monkeypatch, "replace")
    assert "could not be written" in refusal("repair", str(log), "-o", str(tmp_path / "out.jsonl"))
    assert len(list(tmp_path.glob(".out.jsonl.*.part"))) == 1
    monkeypatch.undo()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(temporary_files, "_is_running", lambda _: False)
    temporary_files.remove_leftovers()
    assert list(tmp_path.glob(".out.jsonl.*.part")) == []
    assert list(temporary_files.leftover_notes_folder().iterdir()) == []


@pytest.mark.parametrize("command", ["check", "repair --in-place", "convert --to markdown"])
@pytest.mark.parametrize("kind", ["packed", "folder", "database"])
def test_no_room_for_what_is_put_together(
    kind: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.jsonl.zst"
    path.write_bytes(packing.packed(BROKEN))
    if kind == "folder":
        path = opencode.write_folder(STORED, tmp_path / "storage")
    elif kind == "database":
        path = opencode.write_database(STORED, tmp_path / "opencode.db")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    word, *more = command.split()
    assert "TMPDIR" in refusal(word, str(path), *more)


def test_no_room_when_what_was_written_is_read_again(
    tmp_path: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opencode.write_folder(STORED, tmp_path / "data" / "storage")
    before = {path: path.read_bytes() for path in store.rglob("*.json")}
    door = opened(store)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(product.Refused, match=r"Nothing was written.*TMPDIR"):
        door.save("in-place")
    assert {path: path.read_bytes() for path in store.rglob("*.json")} == before
    assert [path.name for path in store.parent.iterdir()] == ["storage"]


@pytest.mark.parametrize("mode", ["copy", "in-place"])
def test_a_folder_that_cannot_be_made_is_a_sentence(
    mode: str, tmp_path: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opencode.write_folder(STORED, tmp_path / "data" / "storage")
    door = opened(store)
    failing(monkeypatch, "mkdir", errno.ENOSPC)
    with pytest.raises(product.Refused, match="No space left"):
        door.save(mode, tmp_path / "out")


# --- a run that is killed


def test_a_backup_has_its_name_only_when_it_is_whole(
    log: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody takes a name first and fills it later: what is killed between leaves an empty backup."""
    seen: list[str] = []
    real: Callable[[int], None] = os.fsync

    def fsync(handle: int) -> None:
        seen.extend(path.name for path in log.parent.glob("*.backup*") if not path.stat().st_size)
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    opened(log).save("in-place")
    assert seen == []


def test_names_are_given_where_no_file_has_two(log: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    (log.parent / f"{log.name}.backup").write_text("precious")
    failing(monkeypatch, "link", errno.EPERM)
    saved = opened(log).save("in-place")
    assert Path(saved.backup).read_bytes() == BROKEN
    assert (log.parent / f"{log.name}.backup").read_text() == "precious"
    assert sorted(path.suffix for path in log.parent.iterdir()) == [".backup", ".backup-2", ".jsonl"]


def test_a_database_whose_change_was_broken_off_is_read_as_it_was(tmp_path: Path) -> None:
    """What is left of an agent that was killed while it wrote: half of the new pages, and the journal to undo them."""
    path, case = opencode.write_database(STORED, tmp_path / "opencode.db"), tmp_path / "case"
    case.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as agent:
        agent.execute("PRAGMA journal_mode = DELETE")
        agent.execute("PRAGMA cache_size = 1")
        agent.execute("BEGIN IMMEDIATE")
        agent.execute("DELETE FROM part")
        agent.execute("CREATE TABLE more AS WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999) "
                      "SELECT i, hex(randomblob(99)) FROM n")  # fmt: skip
        for name in ("opencode.db", "opencode.db-journal"):
            shutil.copy(tmp_path / name, case / name)
    kept = {each.name: each.read_bytes() for each in case.iterdir()}
    assert product.check(case / "opencode.db").errors == {"D2:A"}
    assert {each.name: each.read_bytes() for each in case.iterdir()} == kept


def test_bytes_set_aside_earlier_are_not_replaced(log: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    log.write_bytes(BROKEN.replace(b"\n", b"\n{torn\n", 1))
    earlier = log.parent / f"{log.name}.quarantine"
    earlier.write_text("--- offset 0, 3 bytes\nold\n")
    assert opened(log).save("in-place").quarantine == f"{earlier}-2"
    assert earlier.read_text().endswith("old\n")


def test_a_save_that_fails_keeps_what_an_earlier_one_set_aside(
    log: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    log.write_bytes(BROKEN.replace(b"\n", b"\n{torn\n", 1))
    out, door = tmp_path / "out.jsonl", opened(log)
    kept = Path(door.save("copy", out).quarantine)

    def refuse(source: Source, *_: object) -> None:
        source.close()
        raise product.Refused("What was written does not read back.")

    monkeypatch.setattr(saving, "_judge", refuse)
    with pytest.raises(product.Refused):
        door.save("copy", out)
    assert b"{torn" in kept.read_bytes()


# --- a database whose disk fails at the end of a transaction


@pytest.fixture
def database(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return opencode.write_database(STORED, tmp_path / "data" / "opencode.db")


def test_a_backup_is_kept_where_more_is_lost_than_was_to_be_changed(
    database: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when a WAL goes that nobody has read."""

    def apply(*_: object) -> None:
        with closing(sqlite3.connect(database, isolation_level=None)) as agent:
            agent.execute("UPDATE session SET title = 'older'")
        raise CannotWrite("disk I/O error")

    before, door = rows(database), opened(database)
    monkeypatch.setattr(saved_database, "_apply", apply)
    with pytest.raises(product.Refused, match="restore"):
        door.save("in-place")
    assert rows(database.with_name("opencode.db.backup")) == before


@pytest.mark.parametrize("counts", [True, False])
def test_a_backup_is_kept_where_a_failed_transaction_may_count(
    counts: bool, database: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies in the WAL is found by the next reader, though the flush that was to make it last has failed."""
    real = saved_database._apply

    def apply(*arguments: Any) -> None:
        if counts:
            real(*arguments)
        raise CannotWrite("disk I/O error")

    before, door = rows(database), opened(database)
    monkeypatch.setattr(saved_database, "_apply", apply)
    with pytest.raises(product.Refused, match=r"restore .*\.backup" if counts else r"^disk I/O error$"):
        door.save("in-place")
    kept = database.with_name("opencode.db.backup")
    assert kept.exists() == (rows(database) != before) == counts
    if counts:
        assert rows(kept) == before


def rows(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def test_a_copy_that_is_not_all_in_its_file_does_not_get_its_name(
    database: Path, tmp_path: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite moves the WAL into the database when it is closed, and says nothing when it cannot."""
    with closing(sqlite3.connect(database)) as agent:
        agent.execute("PRAGMA journal_mode = WAL")
    real, readers = saved_database._change, ExitStack()

    def change(connection: sqlite3.Connection, *more: Any) -> None:
        real(connection, *more)
        path = connection.execute("SELECT file FROM pragma_database_list").fetchone()[0]
        reader = readers.enter_context(closing(sqlite3.connect(path)))
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM part").fetchone()

    monkeypatch.setattr(saved_database, "_change", change)
    with readers, pytest.raises(product.Refused, match="could not be written completely"):
        opened(database).save("copy", tmp_path / "out.db")
    assert not (tmp_path / "out.db").exists()


def test_a_restore_that_fails_leaves_no_second_backup(
    log: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup = opened(log).save("in-place").backup
    failing(monkeypatch, "replace", errno.ENOSPC)
    assert "No space left" in refusal("restore", backup)
    assert sorted(path.name for path in log.parent.iterdir()) == [log.name, Path(backup).name]


@pytest.mark.parametrize("is_there", [True, False])
def test_only_a_file_that_was_there_is_called_untouched(
    is_there: bool, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = log.with_name("out.jsonl")
    if is_there:
        out.write_bytes(b"older")
    failing(monkeypatch, "replace", errno.ENOSPC)
    said = refusal("repair", str(log), "-o", str(out))
    assert "could not be written" in said
    assert ("The existing file was not changed." in said) == is_there


def test_a_log_that_does_not_close_after_a_save_undoes_no_save(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Unclosable:
        def __init__(self, file: Any) -> None:
            self.file = file

        def __getattr__(self, name: str) -> Any:
            return getattr(self.file, name)

        def close(self) -> None:
            self.file.close()
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    opened_source = Source.open

    def unclosable(path: str) -> Source:
        source = opened_source(path)
        source._file = Unclosable(source._file)  # type: ignore[assignment]
        return source

    monkeypatch.setattr(Source, "open", staticmethod(unclosable))
    done = product.run("repair", str(log), "--in-place")
    assert (done.exit_code, log.read_bytes() == BROKEN) == (0, False), done.output
    assert str(log.with_name(f"{log.name}.backup")) in done.output


def test_whatever_fails_after_the_replace_the_backup_is_named(
    log: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit = SidecarEdit(str(log.with_name("list.json")), b"{}", "its list is changed")

    def fail(_: SidecarEdit) -> str:
        raise KeyError("size")

    monkeypatch.setattr(saving, "sidecar_edits_of_plan", lambda plan: [edit])
    monkeypatch.setattr(saving, "_write_beside", fail)
    saved = opened(log).save("in-place")
    assert log.read_bytes() != BROKEN
    assert any(f"{log}.backup" in warning and "contains the original" in warning for warning in saved.warnings)


@pytest.mark.parametrize("refusal", [CannotWrite("No room."), ChangedMeanwhile("It has changed.")], ids=str)
def test_a_wal_that_a_failed_save_has_moved_into_the_database_is_mentioned(
    refusal: InspectorError, tmp_path: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite moves it when the last program closes the database, whatever that program did."""
    written, place = opencode.write_database(STORED, tmp_path / "made.db"), tmp_path / "case" / "opencode.db"
    place.parent.mkdir()
    with closing(sqlite3.connect(written)) as agent:
        agent.execute("PRAGMA journal_mode = WAL")
        agent.execute("PRAGMA wal_autocheckpoint = 0")
        agent.execute("UPDATE session SET title = 'of the WAL'")
        agent.commit()
        for suffix in ("", "-wal"):
            shutil.copy(f"{written}{suffix}", f"{place}{suffix}")

    def fail(*_: object) -> None:
        raise refusal

    monkeypatch.setattr(saved_database, "_change", fail)
    with pytest.raises(type(refusal)) as told:
        opened(place).save("in-place")
    wal = Path(f"{place}-wal")
    assert wal.exists() or f"SQLite moved the content of {wal} into {place}" in str(told.value)
    with closing(sqlite3.connect(place)) as after:
        assert after.execute("SELECT DISTINCT title FROM session").fetchall() == [("of the WAL",)]
