"""A conversation a line, some of them damaged: what is written is what was planned."""

import json
from pathlib import Path

from tests.support import product
from tests.support.notation import openai_messages, parse


def line(history: str) -> str:
    return json.dumps({"messages": openai_messages(parse(history))})


SOUND, OPEN = line('u | a"ok"'), line('u | a"t"{A} | u"next"')
TORN = OPEN[: len(OPEN) // 2]


def log(folder: Path, *lines: str) -> Path:
    path = folder / "many.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_log_whose_lines_are_mostly_damaged_is_still_one_of_lines(tmp_path: Path) -> None:
    path, out = log(tmp_path, SOUND, TORN, TORN, TORN + SOUND, OPEN), tmp_path / "out.jsonl"
    assert len(product.check(path).report["sessions"]) == 2
    assert product.repair(path, out).code == 0
    assert out.read_text().splitlines()[0] == SOUND
    assert "No result was recorded" in out.read_text().splitlines()[-1]
    assert product.check(out).code == 0


def test_a_salvaged_conversation_that_is_broken_is_kept_beside_the_output(tmp_path: Path) -> None:
    path, out = log(tmp_path, SOUND, TORN + OPEN, SOUND), tmp_path / "out.jsonl"
    answer = product.repair(path, out)
    assert answer.code == 0, answer.report.get("reason")
    assert out.read_text().splitlines() == [SOUND, SOUND]
    assert OPEN in out.with_name("out.jsonl.quarantine").read_text()
    assert product.check(out).code == 0


def test_an_answer_that_says_nothing_cannot_be_dropped(tmp_path: Path) -> None:
    answer = json.dumps({"role": "assistant", "content": [{"type": "tool_use", "id": "A", "name": "f", "input": {}}]})
    told = product.repair(log(tmp_path, "{}", answer), tmp_path / "out.jsonl")
    assert (told.code, "no messages would be left" in told.report["reason"]) == (1, True)
