"""What a call may have changed, its command and its folder."""

from typing import Any

import pytest

from inspector.core.analysis.tool_effects import (
    TOOL_EFFECTS,
    ToolEffect,
    describe_call,
    target_files,
    tool_effect,
    working_directory,
)

PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n*** Add File: b.py\n*** End Patch"


@pytest.mark.parametrize(
    ("tool", "effect"),
    [
        ("Bash", "shell"),
        ("exec_command", "shell"),
        ("run_shell_command", "shell"),
        ("execute_command", "shell"),
        ("Edit", "write"),
        ("apply_patch", "write"),
        ("write_to_file", "write"),
        ("StrReplaceFile", "write"),
        ("WebFetch", "network"),
        ("google_web_search", "network"),
        ("Read", "read-only"),
        ("update_plan", "read-only"),
        ("Task", "unknown"),
        ("mcp__github__create_issue", "unknown"),
        ("", "unknown"),
    ],
)
def test_the_tool_tells_what_may_have_changed(tool: str, effect: str) -> None:
    assert tool_effect(tool) == effect


def test_no_tool_has_two_effects() -> None:
    assert len(TOOL_EFFECTS) == len({name.lower() for name in TOOL_EFFECTS})
    assert ToolEffect.UNKNOWN not in TOOL_EFFECTS.values()


@pytest.mark.parametrize(
    ("tool", "given", "command"),
    [
        ("Bash", {"command": "rm -rf build", "description": "clean"}, "rm -rf build"),
        ("shell", {"command": ["bash", "-lc", "make install"], "workdir": "/w"}, "make install"),
        ("shell", {"command": ["git", "commit", "-m", "a b"]}, "git commit -m 'a b'"),
        ("shell", {"command": ["apply_patch", PATCH]}, "src/a.py, b.py"),
        ("local_shell_call", {"action": {"type": "exec", "command": ["ls", "-l"]}}, "ls -l"),
        ("Edit", {"file_path": "/w/a.py", "old_string": "x"}, "/w/a.py"),
        ("apply_patch", PATCH, "src/a.py, b.py"),
        ("apply_patch", {"patch": PATCH}, "src/a.py, b.py"),
        ("WebFetch", {"url": "https://a.example", "prompt": "p"}, "https://a.example"),
        ("mcp__x__y", {"title": "t"}, '{"title":"t"}'),
        ("Bash", {}, ""),
        ("Bash", None, ""),
        ("Bash", ["odd"], ""),
        ("Bash", {"command": 7}, '{"command":7}'),
    ],
)
def test_the_command_is_what_the_call_was_to_do(tool: str, given: Any, command: str) -> None:
    assert describe_call(given, tool_effect(tool)) == command


def test_an_input_may_name_its_folder_and_files() -> None:
    assert working_directory({"command": "ls", "workdir": "/w"}) == "/w"
    assert working_directory({"action": {"working_directory": "/v"}}) == "/v"
    assert working_directory({"workdir": 3}) == ""
    assert working_directory("ls") == ""
    assert target_files({"file_path": "/w/a.py"}) == ["/w/a.py"]
    assert target_files(PATCH) == ["src/a.py", "b.py"]
    assert target_files({"command": "ls"}) == []
