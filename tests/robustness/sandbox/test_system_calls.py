"""The command line as the system sees it, SQLite and other libraries included: `strace` writes down what it does."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.core.formats import opencode
from tests.robustness.sandbox.hostile import STORED, WORDS, hostile
from tests.support.paths import ROOT, SAMPLES
from tests.support.thorough import every

SAMPLE = SAMPLES / "claude-code-broken.jsonl"
TRACED = "%file,%network,%process,ftruncate,fchmod,fchown"
_CALL = re.compile(r"^\d+ +(\w+)\((.*)", re.MULTILINE)
_CHANGES = ("mkdir", "rename", "unlink", "link", "symlink", "rmdir", "chmod", "chown", "setxattr", "truncate", "mknod")
_NETWORK = ("socket", "connect", "bind", "sendto", "sendmsg", "listen", "accept")


def _why_not() -> str:
    """Why nothing can be traced here; "" where it can."""
    strace = shutil.which("strace")
    if strace is None:
        return "there is no strace"
    tried = subprocess.run([strace, "-o", os.devnull, "true"], capture_output=True, check=False)
    return "" if tried.returncode == 0 else "strace may not trace here"


@pytest.fixture
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    folder = tmp_path / "log"
    folder.mkdir()
    if request.param == "folder":
        return opencode.write_folder(STORED, folder / "storage")
    if request.param == "database":
        return opencode.write_database(STORED, folder / "opencode.db")
    return hostile(SAMPLE, WORDS[request.param], folder)


@pytest.mark.skipif(bool(_why_not()), reason=_why_not())
# One job: a check that takes long, as on a busy machine, starts workers of its own.
@pytest.mark.parametrize(
    "command", ["check LOG --jobs 1", "repair LOG -o OUT", "repair LOG --in-place", "sessions FOLDER"]
)
@pytest.mark.parametrize("log", every(2, [*WORDS, "folder", "database"]), indirect=True)
def test_no_network_no_process_no_change_elsewhere(
    command: str, log: Path, tmp_path: Path, own_spare_folder: Path
) -> None:
    places = {"LOG": str(log), "OUT": str(log.parent / "made"), "FOLDER": str(log.parent)}
    words = [places.get(word, word) for word in command.split()]
    state, trace = tmp_path / "state", tmp_path / "trace"
    environment = os.environ | {"XDG_STATE_HOME": str(state), "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    traced = ["strace", "-f", "-y", "-s", "300", "-e", f"trace={TRACED}", "-o", str(trace)]
    told = subprocess.run([*traced, sys.executable, "-m", "inspector", *words], env=environment, capture_output=True)
    assert told.returncode in (0, 1), told.stderr
    allowed = [os.path.realpath(each) for each in (log.parent, own_spare_folder, state)]
    calls = trespasses(trace.read_text(errors="replace"), allowed)
    assert calls == []


def trespasses(trace: str, allowed: list[str]) -> list[str]:
    """The calls that are none of a program that works in these folders."""
    found = []
    for number, (name, rest) in enumerate(_CALL.findall(trace)):
        other_process = name.startswith(("exec", "fork", "vfork", "clone")) and "CLONE_THREAD" not in rest and number
        writes = name.startswith("open") and re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", rest)
        changes = name.startswith(_CHANGES) or name.startswith(("fchmod", "fchown", "ftruncate", "lsetxattr"))
        elsewhere = (writes or changes) and not _inside(rest, allowed, above=name.startswith("mkdir"))
        if name in _NETWORK or other_process or elsewhere:
            found.append(f"{name}({rest[:200]}")
    return found


def _inside(rest: str, allowed: list[str], above: bool) -> bool:
    """Whether all paths of a call are, or are `above` one; that of an open file stands in angle brackets."""
    paths = re.findall(r'"(/[^"]*)"', rest) or re.findall(r"<(/[^>]*)>", rest)
    leads_there = above and all(any(each.startswith(path) for each in allowed) for path in paths)
    return leads_there or all(path == os.devnull or path.startswith(tuple(allowed)) for path in paths)


def test_the_trace_is_understood() -> None:
    trace = (
        '7 execve("/bin/python", ["python"], 0x1) = 0\n'
        '7 openat(AT_FDCWD</w>, "/w/log/a", O_WRONLY|O_CREAT, 0600) = 3\n'
        '7 openat(AT_FDCWD</w>, "/etc/passwd", O_RDONLY) = 4\n'
        '7 openat(AT_FDCWD</w>, "/etc/passwd", O_RDWR) = 4\n'
        '7 rename("/w/log/a", "/tmp/b") = 0\n'
        "7 clone3({flags=CLONE_VM|CLONE_THREAD}, 88) = 8\n"
        '7 execve("/bin/sh", ["sh"], 0x1) = 0\n'
        "7 socket(AF_INET, SOCK_STREAM, 0) = 5\n"
    )
    found = [call.partition("(")[0] for call in trespasses(trace, ["/w/log"])]
    assert found == ["openat", "rename", "execve", "socket"]
