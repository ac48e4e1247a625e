"""A file made from a log is as private as the log, and a file that replaces it keeps its owner and group."""

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.core.formats import opencode
from tests.core.formats.opencode import assistant, text, tool, user
from tests.core.save.conftest import Opener
from tests.support import packing, product
from tests.support.notation import SESSION, Call, claude_code, parse

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps no such modes")

DAMAGED = claude_code(parse('u | a"t"{A} | u"stop" | a"ok"')).replace(b"\n", b"\n{torn\n", 1)
STORED = [user(1, text("go")), assistant(2, tool(Call("A"), None)), user(3, text("stop")), assistant(4, text("ok"))]
ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.fixture(autouse=True)
def open_handed() -> Iterator[None]:
    """What nobody makes private, everybody may read."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "store" / f"{SESSION}.jsonl"
    path.parent.mkdir()
    path.write_bytes(DAMAGED)
    path.chmod(0o600)
    return path


def modes(folder: Path) -> dict[str, str]:
    """Of every file below, by name, who may read it."""
    return {path.name: oct(stat.S_IMODE(path.stat().st_mode)) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "command",
    [
        "repair LOG -o OUT",
        "repair LOG --in-place",
        "repair LOG --new-session",
        "trim LOG --keep 2 --repair -o OUT",
        "convert LOG --to markdown -o OUT",
        "convert LOG --to openai --repaired -o OUT",
        "check LOG -o OUT",
        "check LOG --format json -o OUT",
    ],
)
def test_all_that_is_made_of_a_private_log_is_private(command: str, log: Path) -> None:
    out = log.parent / "made"
    product.run(*({"LOG": str(log), "OUT": str(out)}.get(word, word) for word in command.split()))
    assert len(modes(log.parent)) > 1
    assert set(modes(log.parent).values()) == {"0o600"}


@pytest.mark.parametrize("mode", ["copy", "in-place"])
def test_a_private_packed_log_is_unpacked_privately(mode: str, log: Path, opened: Opener) -> None:
    packed = log.with_name(f"{log.name}.zst")
    packed.write_bytes(packing.packed(DAMAGED))
    packed.chmod(0o600)
    log.unlink()
    opened(packed).save(mode, log.with_name("out.jsonl"))
    assert set(modes(log.parent).values()) == {"0o600"}


@pytest.mark.parametrize("mode", ["copy", "in-place"])
@pytest.mark.parametrize("shut", ["files", "folders"])
def test_a_private_store_stays_private(shut: str, mode: str, tmp_path: Path, opened: Opener) -> None:
    store = opencode.write_folder(STORED, tmp_path / "data" / "storage")
    opencode.tear_last_part(store)
    for path in [store, *store.rglob("*")]:
        path.chmod((0o755 if shut == "files" else 0o700) if path.is_dir() else (0o600 if shut == "files" else 0o644))
    opened(store).save(mode, tmp_path / "data" / "out")
    product.run("check", str(store), "-o", str(tmp_path / "data" / "report"))
    product.run("convert", str(store), "--to", "markdown", "-o", str(tmp_path / "data" / "page"))
    open_to_others = [path for path in (tmp_path / "data").rglob("*") if is_open(path, tmp_path / "data")]
    assert open_to_others == []


def is_open(path: Path, top: Path) -> bool:
    """Whether others can read a file: they must get through the folders above it, too."""
    above = [each for each in path.parents if top in each.parents]
    reachable = all(each.stat().st_mode & 0o011 for each in above)
    return path.is_file() and reachable and bool(path.stat().st_mode & 0o077)


def test_a_private_database_stays_private(tmp_path: Path, opened: Opener) -> None:
    (tmp_path / "data").mkdir()
    path = opencode.write_database(STORED, tmp_path / "data" / "opencode.db")
    path.chmod(0o600)
    opened(path).save("in-place")
    opened(path).save("copy", tmp_path / "data" / "out.db")
    assert set(modes(tmp_path / "data").values()) == {"0o600"}
    assert len(modes(tmp_path / "data")) == 3


@pytest.mark.skipif(not ROOT, reason="only root can give files away")
def test_in_place_keeps_owner_and_group(log: Path, opened: Opener) -> None:
    os.chown(log, 12345, 23456)
    saved = opened(log).save("in-place")
    for path in (log, Path(saved.backup)):
        assert (path.stat().st_uid, path.stat().st_gid) == (12345, 23456)
    assert saved.warnings == ()


def test_another_group_may_do_no_more_than_anybody(log: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    log.chmod(0o660)
    real = Path.stat

    def stat_of_another(path: Path, **more: bool) -> os.stat_result:
        found = real(path, **more)
        return os.stat_result([*found[:5], 23456, *found[6:]]) if path == log else found

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "stat", stat_of_another)
    monkeypatch.setattr(os, "chown", refuse)
    saved = opened(log).save("in-place")
    monkeypatch.undo()
    assert oct(stat.S_IMODE(log.stat().st_mode)) == "0o600"
    assert "owner or group of" in " ".join(saved.warnings)


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="there are no extended attributes here")
def test_in_place_keeps_extended_attributes_or_says_so(
    log: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        os.setxattr(log, "user.origin", b"a case")
    except OSError:
        pytest.skip("this file system keeps none")
    saved = opened(log).save("in-place")
    assert os.getxattr(log, "user.origin") == os.getxattr(saved.backup, "user.origin") == b"a case"
    log.write_bytes(DAMAGED)

    def refuse(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "setxattr", refuse)
    assert "user.origin" in " ".join(opened(log).save("in-place").warnings)
