"""A repaired log is recognised as the same format again, or the user is told how to open it."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from inspector.cli.app import main
from tests.core.save.conftest import Opener
from tests.support import product
from tests.support.paths import SAMPLES

TOLD = "This file will be detected as openai-chat when you open it again. Choose Cline, Roo Code or Kilo Code task"
TOLD += " (--log-format cline-task) instead."


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Messages of which only one that says nothing tells, by its `ts`, that Cline wrote them."""
    path = tmp_path / "store" / "log.json"
    path.parent.mkdir()
    path.write_text('[{"role":"user","content":"hi"},{"role":"assistant","content":[],"ts":1}]')
    return path


@pytest.mark.parametrize("mode", ["copy", "in-place"])
def test_what_will_be_taken_for_another_format_is_told(mode: str, log: Path, opened: Opener) -> None:
    saved = opened(log).save(mode, log.with_name("copy.json") if mode == "copy" else None)
    assert saved.warnings == (TOLD,)
    (session,) = product.check(Path(saved.path)).report["sessions"]
    assert session["format"] == "openai-chat"


@pytest.mark.parametrize("command", [("repair",), ("trim", "--keep", "1", "--repair")])
@pytest.mark.parametrize("out", ["out.json", "-"])
def test_it_is_told_on_the_command_line(command: tuple[str, ...], out: str, log: Path) -> None:
    out = out if out == "-" else str(log.with_name(out))
    runner = CliRunner()
    assert f"Note: {TOLD}" in runner.invoke(main, [command[0], str(log), *command[1:], "-o", out]).output
    if out != "-":
        assert TOLD in runner.invoke(main, [command[0], str(log), *command[1:], "-o", out, "--format", "json"]).output


def test_the_name_can_tell_the_format(log: Path, opened: Opener) -> None:
    saved = opened(log).save("copy", log.with_name("api_conversation_history.json"))
    assert saved.warnings == ()


def test_what_is_recognised_is_not_spoken_of(log: Path, opened: Opener) -> None:
    log.write_text('[{"role":"user","content":"hi","ts":0},{"role":"assistant","content":[],"ts":1}]')
    assert opened(log).save("in-place").warnings == ()


def test_the_first_lines_can_tell_the_format_though_most_of_the_head_does_not(tmp_path: Path, opened: Opener) -> None:
    foreign = b'{"n":"%s"}\n' % (b"x" * 5000)
    path = tmp_path / "stream.jsonl"
    path.write_bytes((SAMPLES / "claude-stream-broken.jsonl").read_bytes().rstrip(b"\n") + b"\n" + foreign * 50)
    assert [session["format"] for session in product.check(path).report["sessions"]] == ["claude-stream"]
    assert opened(path).save("copy", tmp_path / "copy.jsonl").warnings == ()
