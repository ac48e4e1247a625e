"""Odd things in a folder besides logs: pipes, circular links, names that are not UTF-8 or too long."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from inspector.core.discovery.opening import open_source
from inspector.core.errors import ChangedMeanwhile
from inspector.core.formats import UNKNOWN_FORMAT, detect_format
from inspector.core.formats.base.log_head import Head
from inspector.core.storage.source import Source
from tests.core.formats.opencode import text, user, write_database
from tests.support import product

TOO_LONG = "a" * 300


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """The command line in a process of its own, which ends in time."""
    command = [sys.executable, "-m", "inspector", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, timeout=30, env=os.environ | environment)


@contextmanager
def ends_in_time() -> Iterator[None]:
    """Whoever waits for what is never written is interrupted."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(30)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def badly_named(tmp_path: Path, samples: Path) -> Path:
    """A broken log whose name is not UTF-8."""
    path = tmp_path / os.fsdecode(b"odd-\xff.json")
    try:
        shutil.copy(samples / "openai-chat-broken.json", path)
    except OSError:
        pytest.skip("names are UTF-8 here")
    return path


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
@pytest.mark.parametrize("name", ["pipe.jsonl", "pipe.json", "pipe.db", "pipe"])
def test_a_pipe_is_refused_and_not_waited_for(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    os.mkfifo(path)
    with ends_in_time():
        answer = product.run("check", str(path))
        assert (answer.exit_code, "is a pipe, a socket or a device" in answer.stdout) == (2, True)
        assert product.repair_code(path, "-o", str(tmp_path / "out.json")) == 2
        assert product.run("sessions", str(tmp_path)).exit_code == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_no_file_takes_the_place_of_a_pipe_or_device(tmp_path: Path, samples: Path) -> None:
    """As root, a file put at /dev/null would be one for every program."""
    out = tmp_path / "out"
    os.mkfifo(out)
    database = write_database([user(1, text("go"))], tmp_path / "opencode.db")
    for log in (samples / "openai-chat-broken.json", samples / "openai-chat-healthy.json", database):
        assert product.repair(log, out).code == 2
        assert out.is_fifo()


def test_links_in_circles_are_passed_by(tmp_path: Path, samples: Path) -> None:
    shutil.copy(samples / "openai-chat-broken.json", tmp_path / "log.json")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "self").symlink_to(".")
    (tmp_path / "gone").symlink_to("nowhere")
    assert [session["path"] for session in product.check(tmp_path).report["sessions"]] == [str(tmp_path / "log.json")]
    store = tmp_path / ".claude" / "projects"
    store.mkdir(parents=True)
    (store / "loop").symlink_to("loop")
    assert run("sessions", HOME=str(tmp_path)).returncode == 0


@pytest.mark.parametrize(
    "name", [TOO_LONG, f"{TOO_LONG}.json", f"{TOO_LONG}.db", f"no/{TOO_LONG}", "log.json/inside.json"]
)
def test_a_name_that_no_file_can_have_is_a_sentence(name: str, tmp_path: Path) -> None:
    (tmp_path / "log.json").write_text("[]")
    for command in ("check", "repair"):
        answer = product.run(command, str(tmp_path / name))
        assert (answer.exit_code, "cannot be read" in answer.output) == (2, True)


def test_a_store_whose_name_no_folder_can_have_is_not_there(tmp_path: Path) -> None:
    answer = run("sessions", HOME=str(tmp_path), CLAUDE_CONFIG_DIR=f"/{TOO_LONG}")
    assert (answer.returncode, answer.stdout[:38]) == (0, b"No sessions were found on this machine")


def test_a_name_that_is_not_utf8_is_told_with_escapes(badly_named: Path, tmp_path: Path) -> None:
    strict = {"PYTHONIOENCODING": "utf-8:strict"}
    for command in (
        ("check", badly_named),
        ("repair", badly_named, "-o", tmp_path / "out.json"),
        ("sessions", tmp_path),
    ):
        text, told = run(*command, **strict), run(*command, "--format", "json", **strict)
        assert text.returncode == told.returncode
        assert b"Traceback" not in text.stderr + told.stderr
        rows = json.loads(told.stdout).get("sessions") or json.loads(told.stdout)["logs"]
        assert str(badly_named) in [row["path"] for row in rows]
    assert b"odd-\\udcff.json  BROKEN" in run("check", badly_named, **strict).stdout


@pytest.mark.parametrize(
    "content",
    [
        "[2026-01-01 10:00] INFO started\n[2026-01-01 10:01] WARN slow\n",
        "[section]\nkey = 1\n[other]\nkey = 2\n",
        "[a link](https://example.org) begins this text\n",
        "[",
        '{"messages": [',
        '[{"filePath": "a.js", "messages": [], "errorCount": 0}]',
        '[{"name": "car", "parts": []}]',
        '{"type": "system", "content": "started", "level": "info"}\n' * 3,
        '{"type": "tool", "content": "1 kg", "name": "hammer"}\n' * 3,
    ],
    ids=["text-log", "ini", "markdown", "bracket", "nothing-yet", "linter", "catalogue", "events", "shop"],
)
def test_what_other_programs_write_is_no_log(content: str, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text(content)
    with open_source(str(path)) as source:
        assert detect_format(Head(source)) is UNKNOWN_FORMAT


def test_a_log_with_a_name_that_is_not_utf8_is_bundled(badly_named: Path, tmp_path: Path) -> None:
    done = run("bundle", badly_named, "-o", tmp_path / "b.zip")
    assert (done.returncode, done.stderr) == (0, b"")
    with zipfile.ZipFile(tmp_path / "b.zip") as bundle:
        assert [name for name in bundle.namelist() if name.endswith("\ufffd.json")]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not remove the current folder of a program")
@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("check LOG", 1, "claude-code-broken.jsonl  BROKEN"),
        ("repair LOG -o OUT", 0, "The repaired copy is at "),
        ("repair LOG", 2, "The current folder no longer exists. Choose where to save the copy."),
        ("check nothing.jsonl", 2, "nothing.jsonl cannot be read"),
    ],
)
def test_a_removed_current_folder_is_no_fault(
    command: str, code: int, said: str, samples: Path, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    places = {"LOG": str(samples / "claude-code-broken.jsonl"), "OUT": str(tmp_path / "out.jsonl")}
    words = [places.get(word, word) for word in command.split()]
    script = (
        "import os, sys; os.rmdir(os.getcwd()); from inspector.cli.app import main; sys.argv[0] = 'inspector'; main()"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", script, *words], cwd=gone, env=environment, capture_output=True, text=True, timeout=30
    )
    assert done.returncode == code, done.stderr
    assert said in done.stdout + done.stderr


@pytest.mark.parametrize("read", [lambda log: log.read(0, log.size), lambda log: list(log.line_chunks())])
def test_a_file_that_became_shorter_is_not_read_as_far_as_it_goes(
    read: Callable[[Source], object], tmp_path: Path
) -> None:
    (tmp_path / "log").write_bytes(b"line\n" * 1000)
    with Source.open(str(tmp_path / "log")) as log:
        os.truncate(tmp_path / "log", 500)
        with pytest.raises(ChangedMeanwhile, match="changed while it was being read"):
            read(log)


@pytest.fixture
def unreadable(tmp_path: Path, samples: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a log, and with a file and a folder that only another user may read, also if this user is root."""
    folder = tmp_path / "logs"
    for name in ("log.json", "secret.json", "secret/log.json"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(samples / "openai-chat-healthy.json", folder / name)

    def denied(function: Callable[..., Any]) -> Callable[..., Any]:
        def refuse_or_call(path: Any, *args: Any, **kwargs: Any) -> Any:
            if isinstance(path, str) and "/secret" in path:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
            return function(path, *args, **kwargs)

        return refuse_or_call

    monkeypatch.setattr("builtins.open", denied(open))
    monkeypatch.setattr("os.scandir", denied(os.scandir))
    return folder


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("check -q", "{0}/secret  UNREADABLE  {0}/secret cannot be read: Permission denied."),
        ("check -q", "{0}/secret.json  UNREADABLE  {0}/secret.json cannot be read: Permission denied."),
        ("check --summary", "        2  It cannot be read: Permission denied."),
        ("check --format markdown", "It cannot be read: Permission denied."),
        ("repair --output-dir {0}/out --yes", "unreadable  {0}/secret: {0}/secret cannot be read: Permission denied."),
        ("repair --output-dir {0}/out --yes", "        2  unreadable"),
        ("bundle -o {0}/out", "        2  unreadable"),
    ],
)
def test_what_cannot_be_read_in_a_folder_is_told(command: str, printed: str, unreadable: Path) -> None:
    answer = product.run(*command.format(unreadable).split(), str(unreadable))
    assert printed.format(unreadable) in answer.stdout
    assert answer.exit_code == 2
