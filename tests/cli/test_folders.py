"""A folder on the command line stands for the logs in it."""

import shutil
from pathlib import Path

from tests.core.formats import opencode
from tests.core.formats.opencode import text, user
from tests.support import product
from tests.support.notation import SESSION, claude_code, parse


def write(path: Path, notation: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(claude_code(parse(notation)))


def test_every_log_below_it_is_judged_and_the_rest_counted(tmp_path: Path) -> None:
    write(tmp_path / "b" / f"{SESSION}.jsonl", "u | a{A} | u")
    write(tmp_path / "a" / "deep" / f"{SESSION}.jsonl", "u | a")
    (tmp_path / "notes.txt").write_text("nothing to see here\n")
    answer = product.check(tmp_path)
    assert [(Path(s["path"]).parent.name, s["verdict"]) for s in answer.report["sessions"]] == [
        ("deep", "healthy"),
        ("b", "broken"),
    ]
    assert answer.report["not_logs"] == [{"path": str(tmp_path), "files": 1}]
    assert answer.code == 1


def test_a_store_in_it_is_one_log(tmp_path: Path) -> None:
    store = opencode.write_folder([user(1, text("go"))], tmp_path / "opencode" / "storage")
    opencode.write_database([user(1, text("go"))], tmp_path / "opencode" / "opencode.db")
    paths = [session["path"] for session in product.check(tmp_path).report["sessions"]]
    assert paths == [str(tmp_path / "opencode" / "opencode.db"), str(store)]


def test_backups_of_saves_are_passed_by(tmp_path: Path) -> None:
    log = tmp_path / f"{SESSION}.jsonl"
    write(log, 'u | a"t"{A} | u"stop" | a"ok"')
    shutil.copytree(opencode.write_folder([user(1, text("go"))], tmp_path / "storage"), tmp_path / "storage.backup")
    assert product.repair(log, None, "--in-place").code == 0
    answer = product.check(tmp_path)
    assert [session["path"] for session in answer.report["sessions"]] == [str(log), str(tmp_path / "storage")]
    assert (answer.code, "not_logs" in answer.report) == (0, False)


def test_a_folder_without_a_log_is_not_judged(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing to see here\n")
    answer = product.check(tmp_path)
    assert (answer.code, answer.session["verdict"]) == (3, "not-judged")


def test_a_folder_of_logs_cannot_be_repaired_at_once(tmp_path: Path) -> None:
    write(tmp_path / f"{SESSION}.jsonl", "u | a{A} | u")
    assert product.repair(tmp_path, tmp_path.parent / "out").code == 2
