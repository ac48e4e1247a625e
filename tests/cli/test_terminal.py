"""What a stranger's log says reaches a terminal and a command line through one gate each, and does nothing there."""

import json
import re
import shlex
from pathlib import Path

import pytest

from inspector.cli import terminal
from inspector.cli.terminal import escape_controls, print_json
from inspector.core.formats.base.copyable_commands import is_plain_word, shell_command
from tests.core.formats import codex
from tests.support import product
from tests.support.notation import SESSION, claude_code_records, parse

STEERING = "\x1b]0;title\x07\x1b[31m\x9b2J\u202edesrever\u2066\r\x08"
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


pytestmark = pytest.mark.usefixtures("watched")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A broken session whose every text steers the terminal: tool, id, version, folder, words, input."""
    text = json.dumps(claude_code_records(parse('u"SAY" | a"SAY"{A x=1} | u"stop" | a"ok"')))
    text = text.replace("SAY", json.dumps(STEERING)[1:-1])
    records = json.loads(text)
    for record in records:
        record |= {"version": f"2.1.112{STEERING}", "cwd": f"/w{STEERING}", "sessionId": f"s{STEERING}"}
        for block in record["message"]["content"]:
            if isinstance(block, dict) and block["type"] == "tool_use":
                block |= {"name": f"Bash{STEERING}", "id": f"toolu_{STEERING}", "input": {"command": STEERING}}
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.mark.parametrize(
    "command",
    [
        "check LOG",
        "check LOG --format json",
        "check LOG --accepted-by all",
        "repair LOG --dry-run",
        "repair LOG --dry-run --format json",
        "repair LOG -o OUT",
        "trim LOG --keep 1 -o OUT",
        "compare LOG LOG",
        "compare LOG OTHER",
        "convert LOG --to markdown -o OUT",
        "sent LOG",
        "explain --error messages.1:tool_use LOG",
        "sessions FOLDER",
    ],
)
def test_nothing_steers_the_terminal(command: str, log: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "other.jsonl").write_text(log.read_text().replace("ok", "others"))
    places = {"LOG": str(log), "OUT": str(tmp_path / "out" / "made"), "FOLDER": str(tmp_path)}
    places["OTHER"] = str(tmp_path / "other.jsonl")
    told = product.run(*(places.get(word, word) for word in command.split()))
    assert told.output
    assert STEERS.findall(told.output) == []
    assert STEERS.findall(told.stderr) == []


@pytest.mark.parametrize("piece", [1, 1024])
def test_json_keeps_its_value(piece: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "_CHUNK_BYTES", piece)
    value = {"text": STEERING, "plain": "é 中 \u2028", "commas": ",\u2028,é,,\x9b"}
    print_json(json.dumps(value, ensure_ascii=False).encode())
    assert json.loads(capsys.readouterr().out) == value


def test_bytes_of_a_file_name_are_spelled_out() -> None:
    assert escape_controls("a\udc9b2J\udcff.jsonl") == "a\\udc9b2J\\udcff.jsonl"


@pytest.mark.parametrize("command", ["check LOG", "check LOG --format json", "repair LOG -o OUT", "sessions FOLDER"])
def test_names_that_are_no_utf8_are_told(command: str, tmp_path: Path) -> None:
    log = tmp_path / "a\udc9b\udcff.jsonl"
    try:
        log.write_text("".join(json.dumps(record) + "\n" for record in claude_code_records(parse("u | a{A}"))))
    except OSError:
        pytest.skip("this file system has no such names")
    places = {"LOG": str(log), "OUT": str(tmp_path / "made\udcff.jsonl"), "FOLDER": str(tmp_path)}
    told = product.run(*(places.get(word, word) for word in command.split()))
    assert told.exit_code in (0, 1)
    assert "a\\udc9b\\udcff.jsonl" in told.output or "a��.jsonl" in told.output
    assert command != "repair LOG -o OUT" or (tmp_path / "made\udcff.jsonl").is_file()


def test_line_ends_between_values_do_not_go_back_to_the_beginning_of_the_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_json(b'{"a":\r1,\r\n"b":"c\\r"}')
    assert capsys.readouterr().out == '{"a":\n1,\n"b":"c\\r"}'


def test_line_ends_and_tabs_stay() -> None:
    assert escape_controls("a\tb\nc é中") == "a\tb\nc é中"


@pytest.mark.parametrize("word", ["$(reboot)", "a;b", "a b", "-rf", "a\nb", "", "`x`", "a&b", "é"])
def test_what_is_no_plain_word_stands_in_no_command(word: str) -> None:
    assert not is_plain_word(word)


@pytest.mark.parametrize("word", [SESSION, "ses_01HX.2", "latest", "20261122_1"])
def test_plain_ids_stand_in_commands(word: str) -> None:
    assert is_plain_word(word)


def test_paths_are_quoted() -> None:
    assert shlex.split(shell_command("restore", "/a b/$(x);y'z")) == ["restore", "/a b/$(x);y'z"]
    assert shell_command("restore", "/a\nb") == ""


def test_an_id_that_would_run_something_gets_no_command(tmp_path: Path) -> None:
    path = codex.FORMAT.write(parse('u | a{A} | u"stop" | a"ok"'), tmp_path)
    evil = path.with_name("x.jsonl")
    evil.write_bytes(path.read_bytes().replace(codex.THREAD.encode(), b"x; touch $(whoami)"))
    told = product.run("repair", str(evil), "--in-place").output
    assert "codex resume" not in told
    assert "special characters" in told
