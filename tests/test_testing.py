"""`assert_sound`, for the tests of programs that write logs or send requests."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import anthropic.types
import pytest

import inspector
from inspector.testing import assert_sound

CALL = anthropic.types.ToolUseBlock(type="tool_use", id="toolu_1", name="Bash", input={"command": "ls"})
ASK = {"role": "user", "content": "List the files."}
TURN = {"role": "assistant", "content": [CALL]}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "a.txt"}]}

UNANSWERED = """\
Anthropic Messages rejects these messages:
messages[1]: The call to Bash has no result, but the conversation continued. (D2 unanswered-call)
  Anthropic Messages would respond: messages.1: `tool_use` ids were found without `tool_result` blocks immediately \
after: toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.
To repair the messages, call inspector.repair_messages(messages, profile="anthropic")"""


def failure(log: Any, profile: str = "") -> str:
    with pytest.raises(AssertionError) as failed:
        assert_sound(log, profile)
    return str(failed.value)


def test_sound_messages_and_logs_pass(samples: Path) -> None:
    assert_sound([])
    assert_sound([ASK, TURN, RESULT])
    assert_sound(samples / "claude-code-healthy.jsonl")
    assert_sound(str(samples / "openai-chat-healthy.json"))


def test_messages_are_told_with_their_places_and_what_repairs_them() -> None:
    assert failure([ASK, TURN, ASK]) == UNANSWERED


def test_the_profile_says_whose_rules_apply() -> None:
    called = {"id": "call_1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
    told = failure([ASK, {"role": "assistant", "content": None, "tool_calls": [called]}, ASK], "openai-chat")
    assert told.splitlines()[0] == "OpenAI Chat Completions rejects these messages:"
    assert told.splitlines()[-1].endswith('profile="openai-chat")')


def test_a_log_is_told_as_check_tells_it(samples: Path) -> None:
    log = samples / "pi-broken.jsonl"
    told = failure(log)
    assert f"--> {log}:9\n" in told
    assert f"  Fix     transcript-inspector fix {log}\n" in told


def test_each_log_of_a_folder_and_of_an_archive_counts(samples: Path, tmp_path: Path) -> None:
    for name in ("claude-code-healthy.jsonl", "pi-broken.jsonl", "codex-broken.jsonl"):
        shutil.copy(samples / name, tmp_path)
    told = failure(tmp_path)
    assert [told.count(f"{name}-broken.jsonl  BROKEN") for name in ("pi", "codex")] == [1, 1]
    assert "healthy.jsonl" not in told
    with zipfile.ZipFile(tmp_path / "ticket.zip", "w") as archive:
        archive.write(samples / "pi-broken.jsonl", "log.jsonl")
    assert f"{tmp_path / 'ticket.zip'}/log.jsonl  BROKEN" in failure(tmp_path / "ticket.zip")


def test_what_cannot_be_read_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(inspector.UnreadableLog):
        assert_sound(tmp_path / "gone.jsonl")
    (tmp_path / "notes.txt").write_text("no log")
    with pytest.raises(inspector.InspectorError, match="not a supported log"):
        assert_sound(tmp_path)
    with pytest.raises(inspector.UnknownName):
        assert_sound([ASK], "nobody")


def test_pytest_shows_the_line_of_the_test_and_the_findings(tmp_path: Path) -> None:
    (tmp_path / "test_agent.py").write_text(
        "from inspector.testing import assert_sound\n\n\ndef test_agent():\n    assert_sound([{'role': 'assistant'}])\n"
    )
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "test_agent.py"]
    printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    assert ">       assert_sound([{'role': 'assistant'}])\n" in printed
    assert "E       AssertionError: Anthropic Messages rejects these messages:\n" in printed
    assert "inspector/testing.py" not in printed
