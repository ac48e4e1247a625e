"""Arguments that the command line cannot use give a sentence and exit code 2, never a traceback."""

import os
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest
from click.testing import CliRunner

from inspector.cli import progress, window
from inspector.cli.app import main
from inspector.version import __version__
from tests.core.repair.logs import written
from tests.support import product
from tests.support.paths import ROOT

PROGRAM = [sys.executable, "-m", "inspector"]

SOUND, BROKEN = "u | a{A} | r(A=x) | a | u | a", "u | a{A} | u"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("trim --fraction nan", "between 0 and 1"),
        (f"trim --shrink-results {'9' * 5000}KB", "expects a size"),
        ("trim --keep 1 --preset nope", "no preset named nope"),
        ("convert --to openai --preset nope", "no preset named nope"),
        ("convert --to openai --session 9", "no session 9"),
        ("repair --strategy R1", "RULE=STRATEGY"),
        ("repair --strategy nope=drop", "No rule has the code nope"),
        ("repair --strategy R1:0:A:0=drop", "no finding with the id R1:0:A:0"),
        ("repair --session 9:clean", "no session 9"),
        ("repair --profile nope", "no profile nope"),
        ("repair --log-format nope", "no nope format"),
        ("check --log-format codex", "is not a log in the Codex rollout format. Choose another format"),
        ("repair --in-place --new-session", "Use only one of"),
        ("repair --results-from /nope", "/nope cannot be read"),
        ("check --accepted-by nope", "no profile nope"),
    ],
)
def test_what_does_not_exist_is_told(options: str, told: str, tmp_path: Path) -> None:
    command, *more = options.split()
    history = BROKEN if "results-from" in options else SOUND
    before = sorted(tmp_path.iterdir())
    path = written(tmp_path, "openai", history)
    result = CliRunner().invoke(main, [command, str(path), *more], catch_exceptions=False)
    assert (result.exit_code, told in result.output) == (2, True)
    assert sorted(tmp_path.iterdir()) == [*before, path]


COMMANDS = ["check {}", "check --format json {}", "repair -o - {}", "convert --to markdown -o - {}", "rules"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_is_told(command: str, tmp_path: Path) -> None:
    arguments = command.format(written(tmp_path, "openai", SOUND)).split()
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "inspector", *arguments], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, b"No space left" in done.stderr, b"Traceback" in done.stderr) == (2, True, False)


@pytest.mark.parametrize("command", ["check -", "repair - -o -", "convert - --to openai", "explain --error -"])
def test_a_closed_standard_input_is_told(command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    code = "import sys; sys.stdin = None; from inspector.__main__ import main; main()"
    done = subprocess.run([sys.executable, "-c", code, *command.split()], capture_output=True, check=False, env=_here())
    assert (done.returncode, b"input is closed" in done.stdout + done.stderr) == (2, True)


def _here() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.mark.parametrize(
    ("ends", "code", "told"),
    [
        ("sys.exit()", 0, b""),
        ("sys.exit(3)", 3, b""),
        ("sys.exit('a sentence')", 1, b"a sentence"),
        ("1 / 0", 1, b"ZeroDivisionError"),
    ],
)
def test_however_a_command_ends_all_is_told_and_no_temporary_file_stays(
    ends: str, code: int, told: bytes, tmp_path: Path
) -> None:
    program = f"""
import sys
from inspector.__main__ import _run
from inspector.core.storage.temporary_files import SpoolFile
def command():
    global spool
    spool = SpoolFile()
    spool.write(b"bytes")
    print("told", end="")
    print("said", end="", file=sys.stderr)
    {ends}
_run(command)
"""
    environment = _here() | {"TMPDIR": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False, env=environment)
    assert (done.returncode, done.stdout, done.stderr[:4], told in done.stderr) == (code, b"told", b"said", True)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_check_of_paths_alone_tells_what_it_tells_with_options(tmp_path: Path) -> None:
    """Without options nothing is parsed: that way tells the same, in the same order, with the same exit code."""
    sound = written(tmp_path, "claude-code", SOUND)
    written(tmp_path, "openai", BROKEN)
    (tmp_path / "no-log.txt").write_text("nothing")
    paths = [str(tmp_path), str(sound), str(tmp_path / "nowhere")]
    plain, asked = (
        subprocess.run([sys.executable, "-m", "inspector", "check", *options, *paths], capture_output=True, check=False)
        for options in ([], ["--fail-on", "error"])
    )
    assert (plain.returncode, plain.stdout, plain.stderr) == (asked.returncode, asked.stdout, asked.stderr)
    assert (plain.returncode, plain.stdout.count(b"  HEALTHY  ")) == (2, 2)


@pytest.mark.parametrize(
    ("names", "code"),
    [("sound", 0), ("sound unknown", 3), ("sound unknown broken", 1), ("sound unknown broken missing", 2)],
)
def test_the_exit_code_for_several_paths_is_the_worst_in_any_order(names: str, code: int, tmp_path: Path) -> None:
    """From the worst: unreadable, findings, not judged, fine. `missing` does not exist, `unknown` is of no format."""
    paths = [str(tmp_path / f"{name}.jsonl") for name in names.split()]
    written(tmp_path, "openai", SOUND).rename(tmp_path / "sound.jsonl")
    written(tmp_path, "openai", BROKEN).rename(tmp_path / "broken.jsonl")
    (tmp_path / "unknown.jsonl").write_text('{"what": "ever"}\n')
    assert [product.run("check", *order).exit_code for order in (paths, paths[::-1])] == [code, code]


@pytest.mark.parametrize(
    ("word", "answer"),
    [
        ("chek", "There is no command or file named `chek`. Did you mean `check`?"),
        ("log.jsonl", "There is no command or file named `log.jsonl`. `--help` lists the commands."),
    ],
)
def test_a_word_that_is_no_path_opens_no_window(word: str, answer: str, tmp_path: Path) -> None:
    done = subprocess.run([*PROGRAM, word], capture_output=True, text=True, check=False, cwd=tmp_path, env=_here())
    assert (done.returncode, done.stdout, done.stderr.strip()) == (2, "", answer)


def test_what_exists_is_opened_and_all_missing_paths_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(window, "_has_display", lambda: False)
    written(tmp_path, "openai", SOUND).rename(tmp_path / "sound.jsonl")
    missing = "These files do not exist: a.jsonl, b.jsonl."
    for words, opened, sentence in (
        ("a.jsonl sound.jsonl b.jsonl", True, missing),
        ("a.jsonl b.jsonl", False, missing),
        ("chek sound.jsonl", False, "There is no command or file named `chek`. Did you mean `check`?"),
    ):
        assert window.open_window(words.split()) == 2
        printed = capsys.readouterr()
        assert (bool(printed.out), printed.err.splitlines()[0]) == (opened, sentence)


def test_usage_and_unreadable_paths_are_said_on_standard_error(tmp_path: Path) -> None:
    commands = "explain", "repair nope", "trim nope --keep 1", "convert nope --to openai", "sent nope", "fix nope"
    for command in commands:
        done = subprocess.run([*PROGRAM, *command.split()], capture_output=True, check=False, cwd=tmp_path, env=_here())
        assert (done.returncode, done.stdout, bool(done.stderr)) == (2, b"", True), command


def test_v_is_the_version() -> None:
    done = CliRunner().invoke(main, ["-V"])
    assert (done.exit_code, done.output) == (0, f"transcript-inspector, version {__version__}\n")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_completion_is_read_by_its_shell(shell: str, tmp_path: Path) -> None:
    if not which(shell):
        pytest.skip(f"{shell} is not installed here")
    script = tmp_path / "script"
    script.write_bytes(subprocess.run([*PROGRAM, "completion", shell], capture_output=True, check=True).stdout)
    source = "autoload -U compinit; compinit -u; " if shell == "zsh" else ""
    done = subprocess.run([shell, "-c", f"{source}source {script}"], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_shell_gets_completions() -> None:
    asked = {
        "_TRANSCRIPT_INSPECTOR_COMPLETE": "bash_complete",
        "COMP_WORDS": "transcript-inspector ch",
        "COMP_CWORD": "1",
    }
    done = subprocess.run(PROGRAM, capture_output=True, text=True, check=False, env=_here() | asked)
    assert (done.returncode, done.stdout) == (0, "plain,check\n")


def test_a_line_of_progress_is_shown_after_two_seconds_and_erased(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(progress, "_is_watched", lambda: True)
    line = progress.reading_progress_line("/logs/a.jsonl")
    for now[0] in (1.0, 2.1, 2.15, 2.3):
        line(int(now[0] * 10), 100)
    line(100, 100)
    # Without a terminal click leaves out the sequences that erase the line.
    assert capsys.readouterr() == ("", "\rReading a.jsonl: 21%\rReading a.jsonl: 23%\r")
