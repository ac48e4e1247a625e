"""A command that a person may copy means the same in every shell in which it may be pasted."""

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.core.discovery.opening import open_log, open_source
from inspector.core.formats import format_of_log
from inspector.core.formats.base import copyable_commands
from inspector.core.formats.base.agent_behavior import agent_of
from inspector.core.formats.base.copyable_commands import shell_command
from tests.core.formats import WRITABLE
from tests.core.repair.every_format import write
from tests.support.notation import parse

WORDS = (
    *(
        "plain",
        "a b",
        "it's",
        'say "x"',
        "$HOME",
        "$(touch ran)",
        "`touch ran`",
        "a;touch ran",
        "a&b|c>d",
        "é中",
        "~",
        "*",
    ),
    *(
        "=ls",
        "%self",
        "%1",
        "!!",
        "a!b",
        "{a,b}",
        "[ab]",
        "#",
        "a^b",
        "\\",
        "a\\",
        "\\'",
        "\\'; touch ran #",
        "\\\\'x",
        "-n",
        "",
    ),
    *("a\\ b", "'\\''", "\\n", "(x)", "<x", "a=b", "?", "x'\\';touch ran;'"),
)


@pytest.mark.skipif(sys.platform == "win32", reason="the shells of Unix")
@pytest.mark.parametrize("shell", ["bash", "dash", "zsh", "fish", "sh"])
def test_each_shell_reads_the_same_words(shell: str, tmp_path: Path) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    printer = tmp_path / "printer"
    printer.write_text(f"#!{sys.executable}\nimport json, sys\nprint(json.dumps(sys.argv[1:]))\n")
    printer.chmod(0o755)
    command = shell_command(str(printer), *WORDS)
    done = subprocess.run([shell, "-c", command], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert json.loads(done.stdout) == list(WORDS)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (("cd", "/d", r"C:\a b"), r'cd /d "C:\a b"'),
        (("cd", "/d", r"C:\a&calc"), r'cd /d "C:\a&calc"'),
        (("cd", "/d", "C:\\a b\\"), r'cd /d "C:\a b\\"'),
        (("cd", "/d", "C:\\it's"), r'''cd /d "C:\it's"'''),
        (("cd", "/d", r"C:\%PATH%"), ""),
        (("cd", "/d", "C:\\$(calc)"), ""),
        (("cd", "/d", "C:\\`calc`"), ""),
        (("cd", "/d", 'C:\\a"&calc&"'), ""),
        (("cd", "/d", "C:\\a”;calc;“"), ""),
    ],
)
def test_a_command_for_windows_is_quoted_or_there_is_none(
    words: tuple[str, ...], command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copyable_commands.sys, "platform", "win32")
    assert shell_command(*words) == command


def test_a_line_end_is_in_no_command() -> None:
    assert shell_command("cd", "/a\nb") == ""


@pytest.mark.parametrize("name", WRITABLE)
def test_a_path_in_a_command_is_one_word(name: str, tmp_path: Path) -> None:
    """Whatever the folders of a log are called, no shell reads more into the command that resumes it."""
    path = write(WRITABLE[name], parse('u"go" | a{A} | u"well?" | a"ok"'), tmp_path / "a b$(id)" / "log")
    with open_source(str(path)) as source:
        log = open_log(source)
        agent = agent_of(format_of_log(log))
        steps = [agent.resume_steps(str(path), "id", new) for new in (False, True)]
        steps.append(agent.copy_steps(log, str(path)))
    commands = [each.command for each in steps if "\n" not in each.command]  # several lines are Python code
    for words in map(shlex.split, commands):
        assert all(word == str(path) or "id)" not in word for word in words), words
