"""The command `compare`: two logs of one conversation side by side."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.analysis.logs import CALL, answered, claude_lines, written
from tests.core.formats import claude_code
from tests.support import product
from tests.support.notation import parse


def said(role: str, text: str) -> dict[str, Any]:
    return {"type": role, "message": {"role": role, "content": text}}


def openai(folder: Path, name: str, *texts: str) -> Path:
    """An OpenAI log, whose messages have no ids: odd ones are the person's."""
    messages = [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(texts)]
    path = folder / name
    path.write_text(json.dumps({"messages": messages}))
    return path


def compared(first: Path, second: Path) -> tuple[int, list[str]]:
    """The exit code, and what is told of differences."""
    told = product.run("compare", str(first), str(second))
    return told.exit_code, [line for line in told.output.splitlines() if line.startswith("  ")]


def test_a_fork_tells_what_each_has_alone(tmp_path: Path) -> None:
    one = written(tmp_path, "one.jsonl", claude_lines(answered("done"), said("assistant", "first way")))
    other = written(tmp_path, "other.jsonl", claude_lines(answered("done")))
    assert compared(one, other) == (1, [
        "  Both logs have 3 ids of records, 1 id of calls.",
        "  Only in the first log (1):",
        "    line 4: assistant: first way",
    ])  # fmt: skip


def test_a_record_that_says_something_else_and_a_result_to_take_over(tmp_path: Path) -> None:
    one = written(tmp_path, "one.jsonl", claude_lines())
    other = written(tmp_path, "other.jsonl", claude_lines(answered("installed 3 packages")))
    text = other.read_text().replace('"hi"', '"hello"')
    other.write_text(text)
    assert compared(one, other) == (1, [
        "  Both logs have 2 ids of records, 1 id of calls.",
        "  Only in the second log (1):",
        "    line 3: user: result installed 3 packages",
        "  Same record, different content (1):",
        "    line 1, there line 1: user: hi",
        "  The second log has 1 results for calls that have no result in the first log. To copy these results, use "
        "--results-from:",
        "    line 2: Bash: installed 3 packages",
    ])  # fmt: skip
    answer = json.loads(product.run("compare", str(one), str(other), "--format", "json").output)
    (result,) = answer["results"]["for_first"]
    assert (result["call_id"], result["from"]["line"]) == (CALL, 3)


def test_a_new_session_is_its_origin_under_another_id(tmp_path: Path) -> None:
    path = claude_code.FORMAT.write(parse('u"go" | a"ok"'), tmp_path)
    other = tmp_path / "other.jsonl"
    session = json.loads(path.read_text().splitlines()[0])["sessionId"]
    other.write_text(path.read_text().replace(session, "99999999-2222-4333-8444-555555555555"))
    assert compared(path, other)[0] == 0


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (
            "abcd",
            ["  Both logs have 4 records with the same text.", "  Both logs have the same content, in the same order."],
        ),
        ("abc", ["  Both logs have 3 records with the same text.", "  Only in the first log (1):", "    message 3"]),
        ("cbad", ["  Both logs have 2 records with the same text.", "  In a different place (2):"]),
        (
            "wxyz",
            [
                "  Nothing in these logs shows that they belong to the same conversation.",
                "  Only in the first log (4):",
            ],
        ),
    ],
)
def test_messages_without_ids_are_known_by_what_they_say(texts: str, told: list[str], tmp_path: Path) -> None:
    lines = compared(openai(tmp_path, "one.json", *"abcd"), openai(tmp_path, "other.json", *texts))[1]
    assert [line.replace("line 1, ", "").partition(" (/")[0] for line in lines][: len(told)] == told


def test_of_records_that_are_alike_the_second_is_the_second(tmp_path: Path) -> None:
    assert compared(openai(tmp_path, "one.json", *"abab"), openai(tmp_path, "other.json", *"ababab"))[1][1:2] == [
        "  Only in the second log (2):"
    ]


def test_what_cannot_be_read_is_a_sentence(tmp_path: Path) -> None:
    log, text = openai(tmp_path, "one.json", "a"), tmp_path / "notes.txt"
    text.write_text("no log at all\n")
    assert product.run("compare", str(log), str(tmp_path / "gone.json")).exit_code == 2
    assert product.run("compare", str(log), str(text)).exit_code == 3


def test_the_window_s_answer_is_bounded_and_the_command_s_is_whole(tmp_path: Path) -> None:
    one = openai(tmp_path, "one.json", *(f"one {number}" for number in range(2100)))
    other = openai(tmp_path, "other.json", "b")
    told = json.loads(product.run("compare", str(one), str(other), "--format", "json").output)
    assert (len(told["differences"]), told["counts"]["only-first"]) == (2101, 2100)
