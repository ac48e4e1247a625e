"""Values that are nested more deeply than anything reads: one clear sentence, the same on every Python."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import inspector
from inspector.core.errors import TooDeep
from inspector.core.storage.json_text import is_valid_json, parse_json
from inspector.core.storage.nesting_limits import MAX_NESTING
from tests.support import product

COMMANDS = (
    ("check",),
    ("repair", "-o", "OUT"),
    ("sent",),
    ("convert", "--to", "openai", "--repaired", "-o", "OUT"),
    ("trim", "--keep", "3", "--repair", "-o", "OUT"),
    ("compare", "OTHER"),
    ("explain", "--error", "messages.1: tool_use ids were found without tool_result blocks: A"),
    ("bundle", "-o", "OUT"),
)


def objects(levels: int) -> str:
    return '{"b":' * levels + "1" + "}" * levels


def apart(levels: int) -> str:
    """No two closing brackets stand side by side."""
    return '[{"x":1},' * (levels - 1) + "[1]" + ",2]" * (levels - 1)


def history(inner: str) -> str:
    """Claude Code: a call without a result, whose input holds `inner`."""
    lines: list[dict[str, Any]] = [
        {"type": "user", "uuid": "1", "parentUuid": None, "message": {"role": "user", "content": "u"}},
        {
            "type": "assistant",
            "uuid": "2",
            "parentUuid": "1",
            "message": {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "A", "name": "Bash", "input": {"command": "DEEP"}}],
            },
        },
        {"type": "user", "uuid": "3", "parentUuid": "2", "message": {"role": "user", "content": "and?"}},
    ]
    known: dict[str, Any] = {"sessionId": "s", "version": "2.1.14", "cwd": "/", "timestamp": "2026-01-01T00:00:00Z"}
    return "".join(json.dumps(known | line) + "\n" for line in lines).replace('"DEEP"', inner)


@pytest.mark.parametrize("made", [objects, apart])
@pytest.mark.parametrize(
    ("levels", "sound"), [(900, True), (1024, True), (1025, False), (5000, False), (100_000, False)]
)
def test_every_python_reads_as_many_levels(made: Callable[[int], str], levels: int, sound: bool) -> None:
    text = made(levels).encode()
    assert is_valid_json(text) is sound
    if not sound:
        with pytest.raises(TooDeep):
            parse_json(text)


@pytest.mark.parametrize("levels", [450, 900, 1020, 5000])
def test_what_orjson_does_not_read_is_as_deep_on_every_python(levels: int) -> None:
    odd = {depth: (b'{"b":' * depth) + b"1e400" + (b"}" * depth) for depth in (350, levels)}
    assert parse_json(odd[350])
    with pytest.raises(TooDeep):
        parse_json(odd[levels])


@pytest.mark.parametrize("made", [objects, apart])
@pytest.mark.parametrize("levels", [1000, pytest.param(5000, marks=pytest.mark.thorough), 100_000])
@pytest.mark.parametrize("command", COMMANDS, ids=[each[0] for each in COMMANDS])
def test_no_command_meets_a_fault(
    command: tuple[str, ...], levels: int, made: Callable[[int], str], tmp_path: Path
) -> None:
    path, other = tmp_path / "s.jsonl", tmp_path / "other.jsonl"
    path.write_text(history(made(levels)))
    other.write_text(history('"ls"'))
    places = {"OUT": str(tmp_path / "out"), "OTHER": str(other)}
    name, *more = (places.get(word, word) for word in command)
    told = product.run(name, str(path), *more)
    assert "Traceback" not in told.output
    assert "an internal error" not in told.output
    assert told.exception is None or isinstance(told.exception, SystemExit)


def test_the_program_walks_as_deep_as_it_reads(tmp_path: Path, root: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(history(objects(MAX_NESTING - 10)))
    for name, *more in (
        ("check",),
        ("sent",),
        ("convert", "--to", "openai", "--repaired", "-o", str(tmp_path / "out")),
    ):
        command = [sys.executable, "-m", "inspector", name, str(path), *more]
        run = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
        assert "too deeply" not in run.stdout + run.stderr
        assert run.returncode in (0, 1), run.stderr


@pytest.mark.parametrize("levels", [500, 1000, 5000, 100_000])
@pytest.mark.parametrize("profile", ["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock-converse"])
def test_messages_too_deep_are_refused_in_one_sentence(levels: int, profile: str) -> None:
    deep: list[Any] = []
    for _ in range(levels):
        deep = [deep]
    with pytest.raises(inspector.UnreadableLog, match=r"^messages\[0\] cannot be read, because it has more than 400 "):
        inspector.repair_messages([{"role": "user", "content": deep}], profile=profile)
