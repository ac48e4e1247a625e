"""The README's commands stand where others look for them; what the first does, `test_wheel` tries."""

import re
from pathlib import Path

from tests.support.paths import ROOT

README = (ROOT / "README.md").read_text("utf-8")
COMMANDS = re.findall(r"^python3 -m venv .+$", README, re.MULTILINE)


def test_has_two_commands() -> None:
    opens, checks = COMMANDS
    assert opens.endswith(" resources/samples/claude-code-broken.jsonl")
    assert checks.endswith(" -m tests")
    assert " -c tests/constraints.txt " in checks


def test_ci_and_contributing_run_the_second(root: Path) -> None:
    pattern = re.search(r"grep -m 1 -E '(.+)' README\.md", (root / ".ci" / "run").read_text("utf-8"))
    assert pattern
    assert [command for command in COMMANDS if re.search(pattern[1], command)] == COMMANDS[1:]
    assert COMMANDS[1] in (root / ".github" / "CONTRIBUTING.md").read_text("utf-8")


def test_is_read_in_one_go() -> None:
    """What is long has a page of its own in `resources/docs`."""
    assert len(README.encode()) <= 12 * 1024
