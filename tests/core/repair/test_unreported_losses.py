"""Text that no format reads is text all the same: a repair that removes it lists the loss."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.formats.api_logs import log
from tests.support import product
from tests.support.notation import claude_code, parse

WORDS = "words in a place that no one reads"
WORD = "first-thoughts"
HI, OK = {"role": "user", "content": "hi"}, {"role": "assistant", "content": "ok"}
USE: list[Any] = [{"type": "tool_use", "id": "A", "name": "f", "input": {}}]


def use(**more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": [each | more for each in USE]}


def result(call_id: str = "A", **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call_id} | more]}


CASES = [
    ([HI, use(), result(content="alpha"), OK, result("X", text=WORDS), OK], ""),
    ([HI, use(content=WORDS), HI, OK], "D2=drop-call"),
    ([HI, use(content=WORD), HI, OK], "D2=drop-call"),
    (
        [HI, use(), HI, {"role": "user", "content": [{"type": "text", "text": "", "content": WORDS}]}, OK],
        "D2=drop-call",
    ),
    ([HI, use(), result(content="alpha"), OK, result("X", content="beta", inner=[{"deep": {"text": WORDS}}]), OK], ""),
    (
        [HI, {"role": "assistant", "content": [{"type": "text", "thinking": WORD}, *USE]}, result(content="alpha"), OK],
        "",
    ),
    (
        [
            HI,
            {"role": "assistant", "content": [{"type": "text", "input": {"of": [WORD]}}, *USE]},
            result(content="a"),
            OK,
        ],
        "",
    ),
    ([HI, use(id={"path": WORD}), OK], ""),
    ([HI, use(), result(content="alpha"), OK, result("X", content="beta", inner={"stderr": WORD}), OK], ""),
]


@pytest.mark.parametrize(("messages", "strategies"), CASES)
def test_a_text_that_goes_is_told(messages: list[Any], strategies: str, tmp_path: Path) -> None:
    path, out = log(tmp_path, messages), tmp_path / "out.json"
    answer = product.repair(path, out, strategies=strategies)
    assert answer.code == 0, answer.report.get("reason")
    words = WORD if WORD in path.read_text() else WORDS
    assert words in out.read_text() or words in answer.lost_text
    lost = [loss for loss in answer.losses if loss["text"] == words]
    assert [loss["reason"].split()[:3] for loss in lost] in ([], [[str(len(words)), "characters", "at"]])


@pytest.mark.parametrize(("text", "is_told"), [("15:30, 16:30", True), ("2026-04-01 08:00:01.5", False), ("42", False)])
def test_numbers_are_words_but_for_those_of_a_time(text: str, is_told: bool, tmp_path: Path) -> None:
    path = log(tmp_path, [HI, use(output=text), HI, OK])
    assert (text in product.repair(path, tmp_path / "out.json", strategies="D2=drop-call").lost_text) == is_told


@pytest.mark.parametrize("strategy", ["", "F7=quarantine"])
def test_a_text_of_a_record_with_half_a_character_is_told(strategy: str, tmp_path: Path) -> None:
    odd = result("X", content="beta \ud83d", inner=[{"deep": {"text": WORDS}}])
    path, out = log(tmp_path, [HI, use(), result(content="alpha"), OK, odd, OK]), tmp_path / "out.json"
    answer = product.repair(path, out, strategies=strategy)
    assert {finding["rule"] for finding in answer.findings} >= {"F7"}
    assert [WORDS in loss["text"] for loss in answer.losses].count(True) == 1


@pytest.mark.parametrize("name", ["src/units.py", "app/(shop)/[id]/+page.tsx", "C:\\site\\units.py"])
def test_the_path_of_a_file_is_a_text_unless_the_records_around_name_it(name: str, tmp_path: Path) -> None:
    orphan = result("X", content="beta") | {"cwd": "/home/mei/site.io"}
    orphan["content"][0] |= {"input": {"file_path": name}}
    path = log(tmp_path, [HI, use(), result(content="alpha"), OK | {"cwd": "/home/mei/site.io"}, orphan, OK])
    answer = product.repair(path, tmp_path / "out.json", strategies="R1=drop")
    assert [loss["text"] for loss in answer.losses] == ["beta", name]


@pytest.mark.parametrize(
    ("key", "lost"), [("file_path", True), ("fileName", True), ("path", True), ("event", False), ("title", False)]
)
def test_the_name_of_a_file_is_a_text_where_its_key_says_so(key: str, lost: bool, tmp_path: Path) -> None:
    orphan = result("X", content="beta")
    orphan["content"][0] |= {"about": {key: "units.py"}}
    path = log(tmp_path, [HI, use(), result(content="alpha"), OK, orphan, OK])
    answer = product.repair(path, tmp_path / "out.json", strategies="R1=drop")
    assert [loss["text"] for loss in answer.losses] == ["beta", *(["units.py"] if lost else [])]


def test_what_is_said_twice_is_not_lost_with_one_of_the_two(tmp_path: Path) -> None:
    path = log(tmp_path, [HI, use(), result(content="alpha beta"), result(content="alpha beta"), OK])
    answer = product.repair(path, tmp_path / "out.json")
    assert (answer.code, answer.losses) == (0, [])


def test_a_note_and_a_renamed_pair_lose_nothing(tmp_path: Path) -> None:
    note = [HI, use(), result(content="alpha beta"), OK, result("X", content="gamma delta"), OK]
    again = [*note, HI, use(), result(content="epsilon zeta"), OK]
    answer = product.repair(log(tmp_path, again), tmp_path / "out.json")
    assert (answer.code, answer.losses) == (0, [])
    assert all(word in (tmp_path / "out.json").read_text() for word in ("alpha beta", "gamma delta", "epsilon zeta"))


def test_arguments_are_told_by_what_stands_in_them(tmp_path: Path) -> None:
    call = {"id": "A", "type": "function", "function": {"name": "f", "arguments": json.dumps({"city": "New York"})}}
    path = log(tmp_path, [HI, {"role": "assistant", "content": None, "tool_calls": [call]}, HI])
    answer = product.repair(path, tmp_path / "out.json", strategies="D2=drop-call")
    assert (answer.code, [loss["kind"] for loss in answer.losses]) == (0, ["call"])


def test_arguments_that_become_a_string_are_not_lost(tmp_path: Path) -> None:
    call = {"id": "A", "type": "function", "function": {"name": "f", "arguments": {"path": "beds.csv"}}}
    said = {"role": "assistant", "content": None, "tool_calls": [call]}
    path = log(tmp_path, [HI, said, {"role": "tool", "tool_call_id": "A", "content": "x"}, HI])
    answer = product.repair(path, tmp_path / "out.json")
    assert (answer.code, answer.losses) == (0, [])
    assert '{\\"path\\":\\"beds.csv\\"}' in (tmp_path / "out.json").read_text()


@pytest.mark.parametrize(("parent", "lost"), [(WORDS, [WORDS]), ("an-id", [])])
def test_a_text_in_the_place_of_a_parent_is_told(parent: str, lost: list[str], tmp_path: Path) -> None:
    path, out = tmp_path / "log.jsonl", tmp_path / "out.jsonl"
    lines = claude_code(parse("u | a | u | a")).splitlines(keepends=True)
    named = json.dumps(json.loads(lines[2])["parentUuid"])
    path.write_bytes(b"".join([*lines[:2], lines[2].replace(named.encode(), json.dumps(parent).encode()), lines[3]]))
    answer = product.repair(path, out)
    assert out.read_bytes() == b"".join(lines)
    assert [loss["text"] for loss in answer.losses] == lost
