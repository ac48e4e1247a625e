"""No log ends a run: what nobody foresaw is a sentence about that log, and the others are judged all the same."""

import errno
import json
import os
import sys
from pathlib import Path

import pytest

from inspector.core.check import check as checking
from inspector.core.engine.log_list import EngineWithoutOpenLog
from inspector.core.presentation.engine_results import ShareableReportOptions
from tests.support import product
from tests.support.notation import claude_code, parse

if sys.platform != "win32":
    import fcntl

HUGE = '{"candidates":[],"contents":[{"role":"user","parts":[{"text":"u"}]},%s]}'
NUMBERS = {
    "gemini.json": HUGE % '{"role":"function","parts":[{"functionResponse":{"id":"a","name":"f","response":1e400}}]}',
    "neovate.jsonl": '{"type":"config","config":{}}\n'
    '{"type":"message","role":"user","uuid":"1","parentUuid":null,"sessionId":"s","content":[{"type":"tool-result",'
    '"toolCallId":"a","toolName":"f","result":{"llmContent":"x","n":1e400}}]}\n',
    "responses.json": '{"model":"m","input":[{"type":"message","role":"user","content":[1e400]},'
    '{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}]}',
    "codex.jsonl": '{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":'
    '{"type":"function_call_output","call_id":"a","output":["aborted",1e400]}}\n',
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_that_no_float_holds_is_no_fault(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(NUMBERS[name])
    assert product.check(path).report["sessions"][0]["verdict"] != "unreadable"


@pytest.fixture
def good_and_bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Two logs; over the second one the program fails."""
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    for path in (good, bad):
        path.write_bytes(claude_code(parse('u | a"ok"')))
    real = checking.resume_outcome

    def fail(context: object, *more: object) -> object:
        if context.session.id == "bad":  # type: ignore[attr-defined]
            raise ZeroDivisionError("words of the log")
        return real(context, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(checking, "resume_outcome", fail)
    return good, bad


def test_one_bad_log_does_not_end_a_run(good_and_bad: tuple[Path, Path]) -> None:
    good, bad = good_and_bad
    told = product.run("check", str(bad), str(good), "--format", "json")
    sessions = json.loads(told.stdout)["sessions"]
    assert [session["verdict"] for session in sessions] == ["unreadable", "healthy"]
    assert told.exit_code == 2
    assert "ZeroDivisionError" in sessions[0]["reason"]
    assert "words of the log" not in sessions[0]["reason"]


def test_nor_a_report_on_many_logs(good_and_bad: tuple[Path, Path]) -> None:
    told = (
        EngineWithoutOpenLog()
        .logs_report([(str(path), "", "") for path in good_and_bad], ShareableReportOptions())
        .text
    )
    assert "Logs: 2 (1 healthy, 1 unreadable)." in told
    assert "* Reason: The program failed on this log because of an internal error." in told


@pytest.mark.parametrize(
    "command", ["repair LOG --dry-run", "convert LOG --to markdown", "sent LOG", "trim LOG --keep 1"]
)
def test_every_command_tells_of_a_fault(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(claude_code(parse('u | a"ok"')))
    monkeypatch.setattr(checking, "check_threads", lambda *_: 1 // 0)
    told = product.run(*(str(path) if word == "LOG" else word for word in command.split()))
    assert told.exit_code == 2
    assert "an internal error" in told.output + told.stderr


def test_folders_deeper_than_calls_can_be_nested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "log.jsonl").write_bytes(claude_code(parse('u | a"ok"')))
    monkeypatch.chdir(tmp_path)
    depth = 1500
    for _ in range(depth):  # one by one: the path as a whole is longer than a system takes
        os.mkdir("d")
        os.chdir("d")
    try:
        assert product.run("check", str(tmp_path)).exit_code == 0
        assert product.run("sessions", str(tmp_path)).exit_code == 0
    finally:
        for _ in range(depth):
            os.chdir("..")
            os.rmdir("d")


def test_an_error_of_the_operating_system_is_called_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(claude_code(parse('u | a"ok"')))

    def fail(*_: object) -> object:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(checking, "resume_outcome", fail)
    (session,) = product.check(path).report["sessions"]
    assert session["reason"].startswith("The operating system reported an error: Input/output error.")
    assert "report this" not in session["reason"]


@pytest.mark.skipif(sys.platform == "win32", reason="a log is not locked on Windows")
def test_a_lock_that_does_not_close_undoes_no_save(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(claude_code(parse("u | a{A}")))
    close, flock = os.close, fcntl.flock
    handles: list[int] = []

    def lock(handle: int, how: int) -> None:
        handles.append(handle)
        flock(handle, how)

    monkeypatch.setattr(fcntl, "flock", lock)

    def fail(handle: int) -> None:
        close(handle)
        if handle in handles:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "close", fail)
    told = product.run("repair", str(path), "--in-place")
    assert (told.exit_code, len(handles)) == (0, 1), told.output
    assert product.check(path).errors == set()
    assert path.with_name("log.jsonl.backup").exists()
