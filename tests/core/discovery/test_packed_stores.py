"""A store of many files, or a database, in an archive is the log that it is on the disk; and it is not unpacked."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from inspector.core.discovery import archives
from inspector.core.engine.log_list import judge_logs
from inspector.core.engine.window_engine import WindowEngine
from inspector.core.repair.choices import Choices
from tests.core.formats import WRITABLE
from tests.core.repair.every_format import contents
from tests.support import product
from tests.support.archives import PACKERS, Pack, zipped
from tests.support.notation import parse

HISTORY = 'u"go" | a"t"{A@Bash} | u"stop" | a"ok"'
STORES = ("opencode", "opencode-database", "openai-agents-database")


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Path]:
    """A folder, in which nothing may be left that is not asked for."""
    folder = tmp_path / "desk"
    folder.mkdir()
    yield folder
    assert not [name for name in os.listdir(folder) if name.startswith(".")]


def store(name: str, folder: Path) -> Path:
    (folder / "home").mkdir()
    return WRITABLE[name].write(parse(HISTORY), folder / "home")


def members(path: Path) -> dict[str, bytes]:
    """What lies at a path, as it would be packed by who sends it."""
    files = [path] if path.is_file() else sorted(each for each in path.rglob("*") if each.is_file())
    return {f"customer/{file.relative_to(path.parent)}": file.read_bytes() for file in files}


def told(report: dict[str, Any]) -> list[Any]:
    return [{**session, "path": ""} for session in report["sessions"]]


@pytest.mark.parametrize("pack", PACKERS)
@pytest.mark.parametrize("name", STORES)
@pytest.mark.usefixtures("watched")
def test_it_is_judged_as_on_the_disk(name: str, pack: Pack, kept: Path, tmp_path: Path, samples: Path) -> None:
    path = store(name, tmp_path)
    log = (samples / "codex-healthy.jsonl").read_bytes()
    archive = pack(kept, {"a.jsonl": log, **members(path), "z.txt": b"none"})
    report, alone = product.check(archive).report, product.check(path).report
    assert [each["path"] for each in report["sessions"]] == [
        f"{archive}/a.jsonl",
        f"{archive}/customer/{path.name}",
    ]
    assert told(report)[1:] == told(alone)
    assert report["not_logs"] == [{"path": str(archive), "files": 1, "names": ["z.txt"]}]
    assert told(product.check(archive / "customer" / path.name).report) == told(alone)
    assert os.listdir(kept) == [archive.name]


@pytest.mark.parametrize("name", STORES)
def test_a_copy_is_that_of_the_store_on_the_disk(name: str, kept: Path, tmp_path: Path) -> None:
    path = store(name, tmp_path)
    archive = zipped(kept, members(path))
    before, direct = archive.read_bytes(), tmp_path / "direct"
    assert product.repair(path, direct).code == 0
    answer = product.repair(archive / "customer" / path.name, None)
    out = kept / f"{path.stem}.repaired{path.suffix}"
    assert (answer.code, answer.report["output"]) == (0, str(out)), answer.report["reason"]
    assert contents(out) == contents(direct)
    assert archive.read_bytes() == before
    assert product.repair(archive / "customer" / path.name, None, "--in-place").code == 1


@pytest.mark.parametrize("name", STORES)
def test_a_plan_made_of_the_archive_is_done_where_the_store_lies(name: str, kept: Path, tmp_path: Path) -> None:
    path, direct, out = store(name, tmp_path), tmp_path / "direct", tmp_path / "applied"
    plan = kept / "plan.json"
    assert product.repair(zipped(kept, members(path)) / "customer" / path.name, None, "--plan-out", str(plan)).code == 0
    assert product.repair(path, direct).code == 0
    assert product.repair(path, out, "--plan", str(plan)).code == 0
    assert contents(out) == contents(direct)


@pytest.mark.parametrize("name", STORES)
def test_the_window_lists_judges_and_opens_it(name: str, kept: Path, tmp_path: Path) -> None:
    path = store(name, tmp_path)
    archive, engine = zipped(kept, members(path)), WindowEngine()
    (entry,) = engine.list_logs([str(archive)])
    assert (entry.path, entry.format) == (f"{archive}/customer/{path.name}", WRITABLE[name].name)
    (verdict,) = judge_logs([(entry.path, entry.format)])
    opened = engine.open(entry.path)
    assert verdict.verdict == opened.overview.sessions[0].verdict == product.check(path).session["verdict"]
    assert engine.preview(Choices()).edits == 1
    assert opened.overview.save_modes == ("copy",)
    engine.close()


def test_a_database_with_a_log_of_changes_is_told(kept: Path, tmp_path: Path) -> None:
    path = store("opencode-database", tmp_path)
    archive = zipped(kept, members(path) | {"customer/opencode.db-wal": b"newest"})
    report = product.check(archive).report
    assert [each["name"] for each in report["not_read"]] == ["customer/opencode.db"]
    assert "the newest changes are in customer/opencode.db-wal" in report["not_read"][0]["why"]
    told = product.run("repair", str(archive / "customer/opencode.db"))
    assert (told.exit_code, "unpack the archive" in told.output) == (2, True)


def test_a_database_that_was_closed_in_that_mode_is_read(kept: Path, tmp_path: Path) -> None:
    path = store("opencode-database", tmp_path)
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
    assert path.read_bytes()[18:20] == b"\x02\x02"
    archive = zipped(kept, members(path))
    assert product.check(archive).report["sessions"][0]["verdict"] == "heals-itself"
    assert product.repair(archive / "customer/opencode.db", None).code == 0


def test_a_database_of_others_and_a_damaged_one_are_no_logs(kept: Path, tmp_path: Path) -> None:
    path = store("opencode-database", tmp_path)
    with closing(sqlite3.connect(tmp_path / "other.db")) as database:
        database.execute("CREATE TABLE session (id)")
    data = {"other.db": (tmp_path / "other.db").read_bytes(), "cut.db": path.read_bytes()[:3000]}
    report = product.check(zipped(kept, data)).report
    assert report["not_logs"][0]["names"] == ["other.db", "cut.db"]


def test_a_store_of_which_not_all_was_read_is_not_judged(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = dict(reversed(members(store("opencode", tmp_path)).items()))
    archive = zipped(kept, packed)
    monkeypatch.setattr(archives, "MAX_HELD_BYTES", sum(map(len, packed.values())) - 1)
    report = product.check(archive).report
    last, whole = [each["name"] for each in report["not_read"]]
    assert (last.endswith(".json"), whole) == (True, "customer/storage")
    assert [each["verdict"] for each in report["sessions"]] == ["not-judged"]
    told = product.run("repair", f"{archive}/customer/storage")
    assert (told.exit_code, f"{last}, which belongs to this log, was not read" in told.output) == (2, True)


def test_a_damaged_session_of_a_store_is_a_sentence(kept: Path, tmp_path: Path) -> None:
    path = store("opencode", tmp_path)
    packed = members(path)
    packed |= {name: b"{" for name in packed if "/session/" in name}
    report = product.check(zipped(kept, packed)).report
    assert "is damaged, so opencode cannot load its session" in report["not_read"][0]["why"]


def test_a_store_may_lie_at_the_top_of_its_archive(kept: Path, tmp_path: Path) -> None:
    path = store("opencode", tmp_path)
    packed = {name.removeprefix(f"customer/{path.name}/"): data for name, data in members(path).items()}
    archive = zipped(kept, packed)
    (session,) = product.check(archive).report["sessions"]
    assert (session["path"], session["verdict"]) == (f"{archive}/.", "heals-itself")
    told = product.run("repair", f"{archive}/.", "--format", "json")
    assert told.exit_code == 0, told.output
    assert (kept / "ticket.repaired" / "session").is_dir()
    (verdict,) = judge_logs([(f"{archive}/.", "opencode")])
    assert verdict.verdict == "heals-itself"


def test_a_store_of_old_is_known_by_its_folders(kept: Path, tmp_path: Path) -> None:
    path = tmp_path / "home" / "storage"
    store("opencode", tmp_path)
    old = tmp_path / "old" / "storage"
    for name in sorted(each for each in path.rglob("*.json") if each.parent.name != "project"):
        kind, *rest = name.relative_to(path).parts
        folder = ("info", rest[-1]) if kind == "session" else (kind, *rest)
        if kind == "part":
            session = next((path / "message").iterdir()).name
            folder = (kind, session, *rest)
        place = old.joinpath("session", *folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(name, place)
    report = product.check(zipped(kept, members(old))).report
    assert told(report) == told(product.check(old).report)
    assert report["sessions"][0]["verdict"] == "heals-itself"
