"""Saving never harms the original: atomic, with its mode and links, refused after a change, whole after any fault."""

import errno
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from inspector.core.check.check import check, quick_verdict
from inspector.core.discovery.opening import open_log, open_source
from inspector.core.engine.log import OpenLog
from inspector.core.repair.choices import Choices
from tests.core.save.conftest import Opener
from tests.support import product
from tests.support.judges import refusals
from tests.support.notation import FORMATS, SESSION, claude_code, parse
from tests.support.paths import ROOT, SAMPLES
from tests.support.projection import read

BROKEN = claude_code(parse('u | a"t"{A} | u"stop" | a"ok"'))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A broken session of Claude Code, alone in its folder."""
    path = tmp_path / "store" / f"{SESSION}.jsonl"
    path.parent.mkdir()
    path.write_bytes(BROKEN)
    return path


def is_sound(path: Path) -> bool:
    return refusals(read(path.read_bytes(), "claude-code"), "claude-code") == []


def untouched(log: Path) -> bool:
    """The original is whole, and nothing half written lies beside it."""
    return log.read_bytes() == BROKEN and [path.name for path in log.parent.iterdir()] == [log.name]


@pytest.mark.parametrize("sample", sorted(SAMPLES.glob("*.json*")), ids=lambda path: path.name)
def test_what_was_written_gets_the_verdict_of_a_check(sample: Path) -> None:
    with open_source(str(sample)) as source:
        log = open_log(source)
        assert quick_verdict(log) == check(log, include_side_threads=False).verdict


# --- in place


@pytest.mark.parametrize("mode", ["copy", "in-place", "new-session"])
def test_a_save_reports_its_progress(mode: str, log: Path, tmp_path: Path) -> None:
    reports = list[tuple[int, int]]()
    with OpenLog.at(log) as opened:
        target = str(tmp_path / "copy.jsonl") if mode == "copy" else ""
        opened.save(opened.plan(Choices()), target, mode, lambda *report: reports.append(report))
    assert reports == sorted(reports)
    assert {total for _, total in reports} == {len(BROKEN) * (2 if mode == "in-place" else 1)}
    assert reports[-1][0] == reports[-1][1]


def test_in_place_repairs_the_file_and_keeps_a_backup(log: Path, opened: Opener) -> None:
    saved = opened(log).save("in-place")
    assert is_sound(log)
    assert Path(saved.backup).read_bytes() == BROKEN
    assert saved.verdict in ("healthy", "waiting")


def test_the_agent_does_not_list_the_backup(log: Path, opened: Opener) -> None:
    opened(log).save("in-place")
    assert [path.name for path in log.parent.glob("*.jsonl")] == [log.name]


def test_a_second_backup_does_not_overwrite_the_first(log: Path, opened: Opener) -> None:
    first = opened(log).save("in-place").backup
    other = BROKEN.replace(b"stop", b"halt")
    log.write_bytes(other)
    second = opened(log).save("in-place").backup
    assert Path(first).read_bytes() == BROKEN
    assert Path(second).read_bytes() == other


@pytest.mark.parametrize("mode", [0o600, 0o640])
def test_the_mode_is_kept(mode: int, log: Path, opened: Opener) -> None:
    log.chmod(mode)
    opened(log).save("in-place")
    assert is_sound(log)
    assert stat.S_IMODE(log.stat().st_mode) == mode


def test_a_symbolic_link_stays_one(log: Path, tmp_path: Path, opened: Opener) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to(log)
    opened(link).save("in-place")
    assert link.is_symlink()
    assert is_sound(log)


def test_the_command_line_repairs_in_place(log: Path) -> None:
    answer = product.repair(log, None, "--in-place")
    assert answer.code == 0
    assert is_sound(log)


def test_a_healthy_file_is_not_written(log: Path) -> None:
    healthy = claude_code(parse("u | a{A} | r(A=alpha) | a"))
    log.write_bytes(healthy)
    before = log.stat()
    product.repair(log, None, "--in-place")
    assert log.read_bytes() == healthy
    assert log.stat().st_ino == before.st_ino


# --- a copy


def test_the_default_target_is_never_the_original(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    answer = product.repair(log, None)
    assert answer.code == 0
    assert (tmp_path / f"{SESSION}.repaired.jsonl").exists()
    assert untouched(log)


def test_a_copy_onto_the_original_is_refused(log: Path, opened: Opener) -> None:
    with pytest.raises(product.Refused):
        opened(log).save("copy", log)
    assert untouched(log)


def test_a_dry_run_writes_nothing(log: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    answer = product.repair(log, out, "--dry-run")
    assert answer.code == 0
    assert answer.edits
    assert not out.exists()
    assert untouched(log)


def test_a_folder_that_does_not_exist_is_a_sentence(log: Path, tmp_path: Path) -> None:
    assert product.repair(log, tmp_path / "nowhere" / "out.jsonl").code == 2


# --- the file changes meanwhile


def grow(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b'{"type":"summary","summary":"s","leafUuid":"x"}\n')


def rewrite(path: Path) -> None:
    path.write_bytes(BROKEN.replace(b"stop", b"halt"))


def exchange(path: Path) -> None:
    other = path.with_suffix(".other")
    other.write_bytes(BROKEN)
    other.replace(path)


def exchange_unseen(path: Path) -> None:
    """Another file, as long and as old, takes the name: it has another inode, and nothing else tells."""
    other, before = path.with_suffix(".other"), path.stat()
    other.write_bytes(BROKEN.replace(b"stop", b"halt"))
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)


@pytest.mark.parametrize("change", [grow, rewrite, exchange_unseen, Path.unlink])
@pytest.mark.parametrize("mode", ["in-place", "copy"])
def test_refused_when_the_file_changed_since_it_was_read(
    mode: str, change: Callable[[Path], None], log: Path, tmp_path: Path, opened: Opener
) -> None:
    door = opened(log)
    change(log)
    now = log.read_bytes() if log.exists() else None
    out = tmp_path / "out.jsonl"
    with pytest.raises(product.Refused):
        door.save(mode, out if mode == "copy" else None)
    assert (log.read_bytes() if log.exists() else None) == now
    assert not out.exists()


@pytest.mark.parametrize("change", [grow, rewrite, exchange])
def test_refused_when_the_file_changes_while_it_is_written(
    change: Callable[[Path], None], log: Path, monkeypatch: pytest.MonkeyPatch, opened: Opener
) -> None:
    door, real = opened(log), os.fsync

    def fsync(descriptor: int) -> None:
        monkeypatch.setattr(os, "fsync", real)
        real(descriptor)
        change(log)

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(product.Refused):
        door.save("in-place")
    monkeypatch.undo()
    assert not is_sound(log)  # what the agent wrote meanwhile is still there
    assert [path.name for path in log.parent.glob("*.jsonl")] == [log.name]


# --- faults


def full_disk(*_: object, **__: object) -> int:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("mode", ["in-place", "copy"])
def test_a_full_disk_leaves_the_original_whole(
    mode: str, call: str, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: Opener
) -> None:
    door, out = opened(log), tmp_path / "out" / "copy.jsonl"
    out.parent.mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(os, call, full_disk)
        with pytest.raises(product.Refused) as refusal:
            door.save(mode, out if mode == "copy" else None)
    assert "space" in str(refusal.value)
    assert log.read_bytes() == BROKEN
    assert list(log.parent.glob("*.jsonl")) == [log]
    assert list(out.parent.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
@pytest.mark.parametrize("target", ["--in-place", "-o"])
def test_a_write_that_fails_half_way_leaves_the_original_whole(target: str, log: Path, tmp_path: Path) -> None:
    """The operating system refuses to write the last hundred bytes: what is there so far is a torn file."""
    limit = len(BROKEN) - 100
    small = "import resource as r, signal as s; s.signal(s.SIGXFSZ, s.SIG_IGN)"
    small += f"; r.setrlimit(r.RLIMIT_FSIZE, ({limit},) * 2)"
    out = tmp_path / "out" / "copy.jsonl"
    out.parent.mkdir()
    run = product.command("repair", str(log), *([target, str(out)] if target == "-o" else [target]))
    code = [sys.executable, "-B", "-c", f"{small}\n{run}"]  # bytecode would be torn, too, and stay so
    ended = subprocess.run(code, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 2, ended.stderr
    assert "Traceback" not in ended.stderr
    assert log.read_bytes() == BROKEN
    assert list(log.parent.glob("*.jsonl")) == [log]
    assert list(out.parent.iterdir()) == []


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs a signal that cannot be caught")
@pytest.mark.parametrize("moment", ["fsync", "replace"])
def test_killed_in_the_middle_leaves_the_original_whole(moment: str, log: Path) -> None:
    run = product.command("repair", str(log), "--in-place")
    die = f"import os, signal; os.{moment} = lambda *a, **k: os.kill(os.getpid(), signal.SIGKILL)"
    ended = subprocess.run([sys.executable, "-c", f"{die}\n{run}"], cwd=ROOT, capture_output=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()
    assert log.read_bytes() == BROKEN
    assert [path.name for path in log.parent.glob("*.jsonl")] == [log.name]
    assert product.repair(log, None, "--in-place").code == 0
    assert is_sound(log)


def test_no_temporary_files_stay(log: Path, tmp_path: Path, opened: Opener) -> None:
    out = tmp_path / "out" / "copy.jsonl"
    out.parent.mkdir()
    opened(log).save("copy", out)
    assert list(out.parent.iterdir()) == [out]
    assert untouched(log)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_be_saved_in_place(name: str, tmp_path: Path, opened: Opener) -> None:
    path = tmp_path / FORMATS[name].file
    path.write_bytes(FORMATS[name].render(parse('u | a"t"{A} | u"stop" | a"ok"')))
    opened(path).save("in-place")
    assert refusals(read(path.read_bytes(), name), name) == []
