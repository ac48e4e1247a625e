"""`repair --output-dir`: the repaired logs lie as the originals do, and nothing is overwritten."""

import hashlib
import json
import os
import sys
from pathlib import Path

import pytest

from tests.core.batch.folders import BROKEN, SOUND, mixed_folder
from tests.support import product


def run(*arguments: object) -> tuple[int, str, str]:
    result = product.run("repair", *map(str, arguments))
    return result.exit_code, result.stdout, result.stderr


def contents(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return mixed_folder(tmp_path, 3)


def test_broken_logs_are_written_below_the_name_of_what_was_given(folder: Path, tmp_path: Path) -> None:
    before = contents(folder)
    code, printed, _ = run(folder, "--output-dir", tmp_path / "out", "--yes")
    assert printed.replace(f"{tmp_path}/", "") == (
        "written     tickets/00.jsonl -> out/tickets/00.jsonl\n"
        "unreadable  tickets/cut.zip: The archive tickets/cut.zip is cut off at the end. Get a new copy.\n"
        "unreadable  tickets/empty.jsonl: It is empty. Ask for the file again.\n"
        "written     tickets/ticket.zip/one.jsonl -> out/tickets/ticket.zip/one.jsonl\n"
        "written     tickets/ticket.zip/stopped.jsonl -> out/tickets/ticket.zip/stopped.jsonl\n"
        "        3  written\n"
        "        4  unchanged\n"
        "        2  unreadable\n"
    )
    assert code == 2
    assert contents(folder) == before
    assert product.check(tmp_path / "out").code == 0


def test_a_second_run_writes_nothing(folder: Path, tmp_path: Path) -> None:
    run(folder, "--output-dir", tmp_path / "out", "--yes")
    before = contents(tmp_path / "out")
    _, printed, _ = run(folder, "--output-dir", tmp_path / "out", "--yes")
    assert "written" not in printed
    assert "        3  exists\n" in printed
    assert contents(tmp_path / "out") == before


@pytest.mark.parametrize(
    ("option", "code", "said"),
    [
        ("--dry-run", 2, "Nothing was written, because this was a dry run."),
        ("", 2, "Nothing was written. Add --yes to write"),
    ],
)
def test_nothing_is_written_without_consent(option: str, code: int, said: str, folder: Path, tmp_path: Path) -> None:
    exit_code, printed, told = run(folder, "--output-dir", tmp_path / "out", *filter(None, [option]))
    assert (exit_code, (tmp_path / "out").exists()) == (code, False)
    assert "        3  planned\n" in printed
    assert said in told


def test_json_has_a_line_for_each_log(tmp_path: Path) -> None:
    for name, data in (("a.jsonl", SOUND), ("b.jsonl", BROKEN), ("c.jsonl", b"%PDF-1.7")):
        (tmp_path / name).write_bytes(data)
    logs = [tmp_path / name for name in ("a.jsonl", "b.jsonl", "c.jsonl")]
    code, printed, _ = run(*logs, "--output-dir", tmp_path / "out", "--yes", "--format", "json")
    assert [(Path(row["source"]).name, row["outcome"]) for row in map(json.loads, printed.splitlines())] == [
        ("a.jsonl", "unchanged"),
        ("b.jsonl", "written"),
        ("c.jsonl", "unreadable"),
    ]
    assert code == 2


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
@pytest.mark.parametrize(("form", "lines"), [("text", 3), ("json", 2)])
def test_a_name_is_on_one_line_whatever_is_in_it(form: str, lines: int, tmp_path: Path) -> None:
    for name in (b"a\nwritten.jsonl", b"caf\xe9.jsonl"):
        (tmp_path / os.fsdecode(name)).write_bytes(BROKEN)
    code, printed, _ = run(tmp_path, "--output-dir", tmp_path.parent / "out", "--dry-run", "--format", form)
    assert (code, len(printed.splitlines())) == (0, lines)
    assert r"/a\nwritten.jsonl" in printed.splitlines()[0]
    assert r"/caf\udce9.jsonl" in printed.splitlines()[1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("b.jsonl",), "To repair several logs, use --output-dir FOLDER."),
        (("--yes",), "--yes works only with --output-dir."),
        (("--output-dir", "out", "--in-place"), "Use only one of -o, --output-dir, --in-place"),
        (("--output-dir", "out", "--plan", "p"), "--plan applies to a single log"),
    ],
)
def test_options_that_contradict_are_refused(options: tuple[str, ...], said: str) -> None:
    code, _, told = run("a.jsonl", *options)
    assert code == 2
    assert said in told


def test_a_bundle_of_each_log_of_a_ticket_is_written(folder: Path, tmp_path: Path) -> None:
    command = ("bundle", str(folder / "ticket.zip"), "-o", str(tmp_path / "out"))
    assert product.run(*command).exit_code == 0
    before = contents(tmp_path / "out")
    result = product.run(*command)
    assert result.exit_code == 0
    assert result.stdout.replace(f"{tmp_path}/", "").splitlines()[0] == (
        "exists      tickets/ticket.zip/one.jsonl -> out/ticket.zip/one.jsonl.bundle.zip"
    )
    assert contents(tmp_path / "out") == before
    assert len(before) == 3
