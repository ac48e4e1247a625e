"""The files for other tools: the pre-commit hook, and the hook and the skill for agents."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.cli.command_table import COMMANDS

HOOK = "resources/agents/claude-code-hook.json"
SKILL = "resources/agents/skills/repair-session/SKILL.md"


def fields_of(yaml: str) -> dict[str, str]:
    """The members of an object of plain strings."""
    return dict(line.removeprefix("- ").strip().split(": ", 1) for line in yaml.splitlines())


def shown(root: Path, tmp_path: Path, log: str) -> str:
    """What Claude Code would show when it resumes this log, by the hook's own command."""
    (hook,) = json.loads((root / HOOK).read_text("utf-8"))["hooks"]["SessionStart"][0]["hooks"]
    program = tmp_path / "transcript-inspector"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m inspector "$@"\n')
    program.chmod(0o755)
    done = subprocess.run(
        ["sh", "-c", hook["command"]],
        input=json.dumps({"transcript_path": log, "hook_event_name": "SessionStart", "source": "resume"}),
        env={**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return str(json.loads(done.stdout)["systemMessage"]) if done.stdout else ""


@pytest.mark.skipif(not (shutil.which("jq") and shutil.which("sh")), reason="the hook needs jq and a shell")
def test_the_hook_shows_what_is_wrong_and_how_to_save_a_repair(root: Path, samples: Path, tmp_path: Path) -> None:
    log = tmp_path / "it's broken.jsonl"
    shutil.copy(samples / "claude-code-broken.jsonl", log)
    first, *_, dry, last = shown(root, tmp_path, str(log)).splitlines()
    assert first.startswith(f"{log}  BROKEN  ")
    assert dry == "Nothing was written, because this was a dry run."
    quoted = "'" + str(log).replace("'", "'\\''") + "'"
    assert last == f"To save the repair, close this session and run: transcript-inspector fix {quoted}"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["it's broken.jsonl", "transcript-inspector"]
    assert shown(root, tmp_path, str(samples / "claude-code-healthy.jsonl")) == ""


def test_the_skill_may_only_run_what_writes_nothing(root: Path) -> None:
    _, head, body = (root / SKILL).read_text("utf-8").split("---\n", 2)
    fields = fields_of(head)
    assert fields["name"] == Path(SKILL).parent.name
    assert len(fields["description"]) <= 1024
    assert fields["allowed-tools"].split(", ") == [
        "Bash(transcript-inspector check:*)",
        "Bash(transcript-inspector fix --dry-run:*)",
    ]
    assert body.lstrip().startswith("# Repair a session\n")


def test_the_pre_commit_hook_runs_a_command_that_there_is(root: Path) -> None:
    hook = fields_of((root / ".pre-commit-hooks.yaml").read_text("utf-8"))
    program, command = hook["entry"].split()
    assert (hook["id"], program) == ("transcript-inspector", "transcript-inspector")
    assert command in COMMANDS
    assert (hook["language"], hook["files"]) == ("python", r"\.jsonl$")
