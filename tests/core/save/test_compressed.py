"""Compressed logs: unpacked when opened, and written plain."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.core.save.conftest import Opener
from tests.support import packing, product
from tests.support.judges import refusals
from tests.support.notation import SESSION, claude_code, parse
from tests.support.projection import read

BROKEN = claude_code(parse('u | a"t"{A} | u"stop" | a"ok"'))
PACKED = packing.packed(BROKEN)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "store" / f"{SESSION}.jsonl.zst"
    path.parent.mkdir()
    path.write_bytes(PACKED)
    return path


def is_sound(path: Path) -> bool:
    return refusals(read(path.read_bytes(), "claude-code"), "claude-code") == []


@pytest.mark.parametrize(
    "pack",
    [packing.packed, lambda data: packing.packed(data[:200]) + packing.packed(b"") + packing.packed(data[200:])],
    ids=["one frame", "three frames"],
)
def test_it_has_the_findings_of_the_plain_log(pack: Callable[[bytes], bytes], log: Path, tmp_path: Path) -> None:
    plain = tmp_path / f"{SESSION}.jsonl"
    plain.write_bytes(BROKEN)
    log.write_bytes(pack(BROKEN))
    assert product.check(log).findings == product.check(plain).findings != []


def test_a_copy_is_plain(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    answer = product.repair(log, None)
    assert answer.report["output"] == str(tmp_path / f"{SESSION}.repaired.jsonl")
    assert is_sound(tmp_path / f"{SESSION}.repaired.jsonl")
    assert log.read_bytes() == PACKED


def test_in_place_writes_the_plain_log_beside_it(log: Path, opened: Opener) -> None:
    saved = opened(log).save("in-place")
    plain = log.with_suffix("")
    assert (saved.path, saved.backup) == (str(plain), str(log))
    assert is_sound(plain)
    assert log.read_bytes() == PACKED
    assert saved.steps[-1] == f"To undo, delete {plain}."


def test_a_plain_log_beside_it_is_the_one_to_open(log: Path) -> None:
    log.with_suffix("").write_bytes(BROKEN)
    answer = product.repair(log, None, "--in-place")
    assert (answer.code, "Open that file instead" in answer.report["reason"]) == (1, True)
    assert log.with_suffix("").read_bytes() == BROKEN


def test_a_name_that_does_not_say_so_cannot_be_saved_in_place(log: Path) -> None:
    log = log.rename(log.with_name("session.log"))
    assert product.repair(log, None, "--in-place").code == 1
    assert [path.name for path in log.parent.iterdir()] == ["session.log"]


def test_refused_when_it_changed_since_it_was_read(log: Path, tmp_path: Path, opened: Opener) -> None:
    door = opened(log)
    log.write_bytes(PACKED + PACKED)
    with pytest.raises(product.Refused):
        door.save("copy", tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (PACKED[:-9], "ends in the middle"),
        (PACKED[:30] + b"\0\0\0\0" + PACKED[34:], "not a valid Zstandard"),
        (packing.packed(bytes(100 << 20)), "1000 times"),
        (packing.packed(b""), "empty"),
    ],
    ids=["torn", "damaged", "bomb", "empty"],
)
def test_what_cannot_be_unpacked_is_a_sentence(data: bytes, word: str, log: Path) -> None:
    log.write_bytes(data)
    answer = product.check(log)
    assert answer.code == 2
    assert word in answer.session["reason"]
