"""What is written is judged before it takes the log's name; a save that is refused leaves no trace of itself."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inspector.core.errors import ChangedMeanwhile
from inspector.core.repair.plan import Plan
from inspector.core.save import save as saving
from inspector.core.save import verify_written
from inspector.core.save.atomic import lock_for_saving, write_atomically
from inspector.core.storage import source
from tests.core.save.conftest import Opener
from tests.support import product
from tests.support.notation import SESSION, claude_code, parse

BROKEN = claude_code(parse('u | a"t"{A} | u"stop" | a"ok"'))
OTHERWISE = {
    "still broken": (BROKEN, "differed from the plan when it was read again"),
    "no log at all": (b"what the disk made of it\n", "could not be read"),
    "nothing": (b"", "could not be read"),
}


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A broken session of Claude Code, alone in its folder."""
    path = tmp_path / "store" / f"{SESSION}.jsonl"
    path.parent.mkdir()
    path.write_bytes(BROKEN)
    return path


def writes(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    """Let the disk hold something else than what is planned."""

    def output(_: Plan) -> Iterator[bytes]:
        yield data

    monkeypatch.setattr(saving, "output_chunks", output)


@pytest.mark.parametrize("mode", ["copy", "in-place", "new-session"])
@pytest.mark.parametrize(("data", "told"), OTHERWISE.values(), ids=OTHERWISE)
def test_what_does_not_read_back_as_planned_takes_no_name(
    mode: str, data: bytes, told: str, log: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    door = opened(log)
    writes(monkeypatch, data)
    with pytest.raises(product.Refused, match=told):
        door.save(mode, log.with_name("copy.jsonl") if mode == "copy" else None)
    assert {path.name: path.read_bytes() for path in log.parent.iterdir()} == {log.name: BROKEN}


def grow(log: Path) -> None:
    with log.open("ab") as file:
        file.write(b'{"type":"summary","summary":"s","leafUuid":"x"}\n')


@pytest.mark.parametrize("change", [grow, Path.touch])
def test_a_log_that_changes_while_it_is_judged_keeps_no_backup(
    change: Callable[[Path], None], log: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    door, judged = opened(log), verify_written.open_log

    def judge(*arguments: object) -> object:
        change(log)
        return judged(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(verify_written, "open_log", judge)
    with pytest.raises(product.Refused, match="has changed since it was read"):
        door.save("in-place")
    assert log.read_bytes().startswith(BROKEN)
    assert [path.name for path in log.parent.iterdir()] == [log.name]


def test_a_repaired_record_that_is_no_json_is_not_written(
    log: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    door = opened(log)
    monkeypatch.setattr(saving, "is_valid_json", lambda text: False)
    with pytest.raises(product.Refused, match="is not valid JSON"):
        door.save("in-place")
    assert {path.name: path.read_bytes() for path in log.parent.iterdir()} == {log.name: BROKEN}


def test_a_log_that_another_run_saves_is_left_to_it(log: Path, opened: Opener) -> None:
    door = opened(log)
    with lock_for_saving(log), pytest.raises(product.Refused, match="is being saved by another process"):
        door.save("in-place")
    assert {path.name: path.read_bytes() for path in log.parent.iterdir()} == {log.name: BROKEN}
    assert door.save("in-place").backup


def test_nothing_takes_the_place_of_a_link_that_nobody_named(tmp_path: Path) -> None:
    victim, link = tmp_path / "victim", tmp_path / "link"
    victim.write_bytes(b"precious")
    link.symlink_to(victim)
    with pytest.raises(product.Refused, match="is a symbolic link"):
        write_atomically(link, [b"other"])
    assert link.is_symlink()
    assert victim.read_bytes() == b"precious"


def test_a_log_that_another_one_replaces_while_it_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, newer = tmp_path / "log.jsonl", tmp_path / "newer.jsonl"
    path.write_bytes(claude_code(parse("u | a{A} | u")))
    newer.write_bytes(claude_code(parse('u | a"what the agent wrote since"')))

    def taken(stamped: str | int) -> source.FileStamp:
        os.replace(newer, path)
        monkeypatch.undo()
        return source.file_stamp(stamped)

    monkeypatch.setattr(source, "file_stamp", taken)
    with source.Source.open(str(path)) as log, pytest.raises(ChangedMeanwhile):
        log.check_unchanged()
