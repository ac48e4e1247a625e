"""Saving logs of many files or rows: only what the repair changes is written, all of it or nothing."""

import os
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from inspector.core.save import save as saving
from inspector.core.save.backup import JOURNAL_NAME as JOURNAL
from inspector.core.storage.source import Source
from tests.core.formats import opencode
from tests.core.formats.opencode import assistant, text, tool, user
from tests.core.save.conftest import Opener
from tests.support import product
from tests.support.notation import Call

OPEN = [user(1, text("go")), assistant(2, tool(Call("A"), None)), user(3, text("stop")), assistant(4, text("ok"))]
PART = "part/msg_0002/prt_000201.json"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return opencode.write_folder(OPEN, tmp_path / "data" / "storage")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return opencode.write_database(OPEN, tmp_path / "data" / "opencode.db")


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def is_sound(path: Path) -> bool:
    messages = opencode.folder_messages(path) if path.is_dir() else opencode.database_messages(path)
    return opencode.anthropic_error(opencode.loaded(messages)) is None


# --- a folder


def test_in_place_changes_one_file_and_keeps_it_outside_the_store(store: Path, opened: Opener) -> None:
    before = contents(store)
    saved = opened(store).save("in-place")
    after = contents(store)
    assert [name for name in before if before[name] != after[name]] == [PART]
    assert before.keys() == after.keys()
    assert saved.backup == str(store.parent / "storage.backup")
    kept = contents(Path(saved.backup))
    assert kept.pop(JOURNAL)
    assert kept == {PART: before[PART]}
    assert saved.verdict == "healthy"
    assert is_sound(store)


@pytest.mark.parametrize("preset", ["canonical", "goose"])
def test_what_is_white_around_the_json_of_a_file_stays(store: Path, tmp_path: Path, preset: str) -> None:
    """Files that an editor or a script wrote end with a line's end; `goose` drops a part, `canonical` edits it."""
    (store / PART).with_name("prt_000203.json").write_bytes(b'"no part at all"')
    for path in store.rglob("*.json"):
        path.write_bytes(b" " + path.read_bytes() + b"\n")
    before, out = contents(store), tmp_path / "out"
    assert product.repair(store, out, preset=preset).code == 0
    after = contents(out)
    assert [name for name in before if before[name] != after.get(name)] == [PART]
    for name in after:
        assert after[name][:2] in (b" {", b' "'), name
        assert after[name][-2:] in (b"}\n", b'"\n'), name


def test_a_second_backup_stands_beside_the_first(store: Path, opened: Opener) -> None:
    first = opened(store).save("in-place").backup
    opencode.write_folder(OPEN, store)
    second = opened(store).save("in-place").backup
    assert first != second
    assert contents(Path(first)) == contents(Path(second))


def test_a_copy_is_a_whole_folder(store: Path, tmp_path: Path, opened: Opener) -> None:
    before = contents(store)
    out = tmp_path / "out"
    opened(store).save("copy", out)
    assert contents(store) == before
    assert contents(out).keys() == before.keys()
    assert is_sound(out)
    assert stat.S_IMODE(out.stat().st_mode) == stat.S_IMODE(store.stat().st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "out"]


def test_a_copy_of_an_empty_history_is_a_store(tmp_path: Path) -> None:
    store, out = opencode.write_folder([], tmp_path / "data" / "storage"), tmp_path / "out"
    assert product.repair(store, out).code == 0
    assert product.check(out).session["verdict"] == product.check(store).session["verdict"] == "healthy"


def test_what_a_store_cannot_hold_is_refused_by_every_way_to_save(tmp_path: Path) -> None:
    beheaded = [assistant(2, text("ok")), user(3, text("more")), assistant(4, text("done"))]
    store = opencode.write_folder(beheaded, tmp_path / "data" / "storage")
    said = {product.repair(store, *how).report["reason"] for how in ((tmp_path / "out",), (None, "--dry-run"))}
    assert len(said) == 1
    assert "Export the session" in said.pop()
    assert product.repair_code(store, "--dry-run") == 1


def test_a_store_is_not_written_to_standard_output(store: Path) -> None:
    assert product.repair_code(store, "-o", "-") == 1


def test_a_copy_is_not_put_among_other_files(store: Path, tmp_path: Path, opened: Opener) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("mine")
    with pytest.raises(product.Refused):
        opened(store).save("copy", out)
    assert contents(out) == {"mine.txt": b"mine"}


def test_the_default_name_of_a_copy(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert product.repair(store, None).report["output"] == str(tmp_path / "storage.repaired")
    session = next((store / "session").rglob("*.json"))
    assert product.repair(session, None).report["output"] == str(tmp_path / f"{session.stem}.repaired")


def change(path: Path) -> None:
    path.write_text(path.read_text().replace("running", "pending"))


def add(path: Path) -> None:
    (path.parent / "prt_000209.json").write_text('{"type":"text","text":"more"}')


@pytest.mark.parametrize("meanwhile", [change, add, Path.unlink])
@pytest.mark.parametrize("mode", ["in-place", "copy"])
def test_refused_when_a_file_changed_since_it_was_read(
    mode: str, meanwhile: Callable[[Path], None], store: Path, tmp_path: Path, opened: Opener
) -> None:
    door = opened(store)
    meanwhile(store / PART)
    before, out = contents(store), tmp_path / "out"
    with pytest.raises(product.Refused):
        door.save(mode, out if mode == "copy" else None)
    assert contents(store) == before
    assert [path.name for path in store.parent.iterdir()] == ["storage"]
    assert not out.exists()


def test_a_full_disk_leaves_every_file_as_it_was(store: Path, monkeypatch: pytest.MonkeyPatch, opened: Opener) -> None:
    (store / "part" / "msg_0004" / "prt_000401.json").write_text("{")
    door, before, real = opened(store), contents(store), os.replace

    def replace(source: str, target: str) -> None:
        if str(target).endswith(PART.rpartition("/")[2]):
            raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(product.Refused, match="space"):
        door.save("in-place")
    monkeypatch.undo()
    assert contents(store) == before
    assert [path.name for path in store.parent.iterdir()] == ["storage"]


# --- a database


def test_in_place_changes_one_row_after_a_backup(database: Path, opened: Opener) -> None:
    before = rows(database)
    saved = opened(database).save("in-place")
    after = rows(database)
    assert [line for line in after if line not in before] != []
    assert len([line for line in before if line not in after]) == 1
    assert rows(Path(saved.backup)) == before
    assert is_sound(database)
    assert sorted(path.name for path in database.parent.iterdir()) == ["opencode.db", "opencode.db.backup"]


def rows(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def test_what_the_wal_holds_is_in_the_copy(database: Path, tmp_path: Path, opened: Opener) -> None:
    with closing(sqlite3.connect(database)) as agent:
        agent.execute("PRAGMA wal_autocheckpoint = 0")
        agent.execute("UPDATE part SET data = json_set(data, '$.text', 'changed') WHERE id = 'prt_000401'")
        agent.commit()
        assert Path(f"{database}-wal").stat().st_size
        opened(database).save("copy", tmp_path / "out.db")
    assert b"changed" in (tmp_path / "out.db").read_bytes()
    assert is_sound(tmp_path / "out.db")


def test_a_wal_that_nobody_has_open_is_read_and_left(database: Path, tmp_path: Path) -> None:
    """What is left of an agent that was killed, as it comes in a support case."""
    case = tmp_path / "case"
    case.mkdir()
    with closing(sqlite3.connect(database)) as agent:
        agent.execute("PRAGMA wal_autocheckpoint = 0")
        agent.execute("UPDATE session SET title = 'of the WAL'")
        agent.commit()
        for name in ("opencode.db", "opencode.db-wal"):
            shutil.copy(database.with_name(name), case / name)
    before = contents(case)
    assert product.check(case / "opencode.db").errors == {"D2:A"}
    assert product.repair(case / "opencode.db", tmp_path / "out.db").code == 0
    assert contents(case) == before
    assert any("of the WAL" in row for row in rows(tmp_path / "out.db"))


def test_reading_leaves_nothing_beside_the_database(database: Path) -> None:
    product.check(database)
    assert [path.name for path in database.parent.iterdir()] == ["opencode.db"]


def test_a_database_in_use_is_not_written(database: Path) -> None:
    with closing(sqlite3.connect(database)) as agent:
        agent.execute("BEGIN IMMEDIATE")
        answer = product.repair(database, None, "--in-place")
        agent.rollback()
    assert (answer.code, "in use" in answer.report["reason"]) == (2, True)
    assert not is_sound(database)
    assert [path.name for path in database.parent.iterdir()] == ["opencode.db"]


@pytest.mark.parametrize("mode", ["in-place", "copy"])
def test_refused_when_the_agent_wrote_since(mode: str, database: Path, tmp_path: Path, opened: Opener) -> None:
    door = opened(database)
    with closing(sqlite3.connect(database)) as agent:
        agent.execute("UPDATE session SET title = 'later'")
        agent.commit()
    with pytest.raises(product.Refused):
        door.save(mode, tmp_path / "out.db" if mode == "copy" else None)
    assert not is_sound(database)
    assert not (tmp_path / "out.db").exists()


def test_what_does_not_read_back_is_put_back(database: Path, monkeypatch: pytest.MonkeyPatch, opened: Opener) -> None:
    before = rows(database)

    def refuse(source: Source, *_: object) -> None:
        source.close()
        raise product.Refused("What was written does not read back.")

    monkeypatch.setattr(saving, "_judge", refuse)
    with pytest.raises(product.Refused):
        opened(database).save("in-place")
    assert rows(database) == before
    assert [path.name for path in database.parent.iterdir()] == ["opencode.db"]


def test_a_damaged_database_is_a_sentence(database: Path) -> None:
    data = database.read_bytes()
    database.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))
    assert product.check(database).code == 2


def test_a_database_whose_schema_names_what_is_no_text_is_a_sentence(database: Path) -> None:
    """SQLite quotes the name in its message, and Python cannot read that."""
    database.write_bytes(database.read_bytes().replace(b"sqlite_autoindex_p", b"\xf4sqlite_autoindex_"))
    answer = product.check(database)
    assert (answer.code, "Please report" in str(answer.report)) == (3, False)


def test_another_database_is_not_judged(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE messages (id TEXT, data TEXT)")
    assert product.check(path).code == 3


def test_nothing_stays_of_the_text_that_was_put_together(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spare = tmp_path / "spare"
    spare.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spare))
    product.repair(store, tmp_path / "out")
    with closing(product.Door(store)) as door:
        assert Path(door.engine.log.source.bytes_path).parent == spare
    assert list(spare.iterdir()) == []
