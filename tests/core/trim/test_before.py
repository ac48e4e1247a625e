"""A history that ends before a chosen message, in every format that is written: what the agent's own reader finds."""

import json
from pathlib import Path

import pytest

from inspector.core.engine.log import OpenLog
from inspector.core.errors import InspectorError
from inspector.core.repair.choices import Choices
from inspector.core.trim.options import Trimming, Wish
from inspector.core.trim.report import trim_consequences, trim_preview
from tests.core.formats import FORMATS
from tests.core.repair.logs import saved, written
from tests.support import product
from tests.support.notation import claude_code_records, lines, parse, show
from tests.support.thorough import every

HISTORY = parse('u"one" | a"t"{A} | r(A=alpha) | a"ok" | u"two" | a{B} | r(B=beta) | a{C} | r(C=gamma) | a"done"')
NAMES = [name for name, each in FORMATS.items() if each.holds_calls and each.written_back]
FIRST_TURN = 'u"one" | a"t"{A} | r(A=alpha) | a"ok"'


def record_of(log: OpenLog, text: str) -> int:
    """The first record that the agent loads whose bytes hold the text."""
    path = log.check().sessions[0].session.main_thread.path
    return next(record for record in path if text.encode() in log.check().log.raw(record))


def ended_before(text: str, path: Path, out: Path) -> str:
    """The outcome of ending a history before the message with the text, and what the report says about the end."""
    with OpenLog.at(path) as log:
        try:
            trimmed = log.trim(Trimming(Wish(), before=record_of(log, text)))
        except InspectorError as error:
            return str(error)
        log.save_trimmed(trimmed, out)
        assert {session["verdict"] for session in product.check(out).report["sessions"]} <= {"healthy", "waiting"}
        return next(trim_consequences(trimmed))


@pytest.mark.parametrize("name", every(3, NAMES))
@pytest.mark.parametrize(
    ("before", "left"),
    [
        ("two", FIRST_TURN),
        ("done", FIRST_TURN + ' | u"two" | a{B} | r(B=beta) | a{C} | r(C=gamma)'),
        ("gamma", FIRST_TURN + ' | u"two" | a{B} | r(B=beta)'),  # moved back to the call of that result
        ("beta", FIRST_TURN + ' | u"two"'),
    ],
)
def test_the_history_ends_before_a_message(name: str, before: str, left: str, tmp_path: Path) -> None:
    path, out = FORMATS[name].write(HISTORY, tmp_path), tmp_path / "trimmed"
    out.mkdir()
    sentence = ended_before(before, path, out / path.name)
    assert sentence.startswith("The history ends before "), sentence
    separate = name not in ("ai-sdk-ui", "gemini-cli", "opencode")  # Their messages hold the results of their calls.
    assert ("because" in sentence) == (separate and before in ("gamma", "beta"))
    history = FORMATS[name].load(out / path.name)
    assert FORMATS[name].judge(history) is None
    assert show(history) == left


@pytest.mark.parametrize("name", [name for name in NAMES if name != "codex"])  # It begins with its environment.
def test_something_is_left(name: str, tmp_path: Path) -> None:
    path = FORMATS[name].write(HISTORY, tmp_path)
    assert ended_before("one", path, tmp_path / "out") == (
        "The history cannot end before this message, because nothing would be left."
    )


def test_what_the_repair_loses_behind_the_end_is_counted_as_removed(tmp_path: Path) -> None:
    history = 'u"one" | a{A} | r(A=alpha)+r(Y=early) | a"ok" | u"two" | a{B} | r(B=beta)+r(Z=late) | a"x"'
    with OpenLog.at(written(tmp_path, "claude-code", history)) as log:
        trimmed = log.trim(Trimming(Wish(), repairs=Choices(preset="clean"), before=record_of(log, "two")))
        (lost,) = trim_preview(trimmed).losses
        assert "early" in lost
        assert {"early", "late"} <= {loss.text for loss in trimmed.losses()}
        assert trimmed.shares["result"].count == 2  # beta and late


def test_a_line_of_the_log_is_named_on_the_command_line(tmp_path: Path) -> None:
    path = written(tmp_path, "claude-code", 'u"one" | a"ok" | u"two" | a{B} | r(B=b) | a"x"')
    answer = product.trim(path, tmp_path / "out.jsonl", "--before", "5")  # the result
    assert answer.report["trimmed"]["consequences"] == [
        "The history ends before line 4, because the chosen message is part of a group of messages that begins there "
        "and cannot be split."
    ]
    assert (tmp_path / "out.jsonl").read_bytes() == b"".join(path.read_bytes().splitlines(keepends=True)[:3])


def test_a_message_of_one_document_is_named_by_its_number(tmp_path: Path) -> None:
    path = written(tmp_path, "openai", 'u"one" | a"ok" | u"two" | a"x"')
    assert product.trim(path, tmp_path / "out.json", "--before", "2").code == 0
    assert [message["content"] for message in json.loads((tmp_path / "out.json").read_bytes())["messages"]] == [
        "one",
        "ok",
    ]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("9", "The log has no message at position 9."),
        (
            "4",
            "The history cannot end before this message, because the agent does not load the message. "
            "Choose another message.",
        ),
    ],
)
def test_what_cannot_be_chosen(line: str, sentence: str, tmp_path: Path) -> None:
    branches = claude_code_records(parse('u"one" | a"ok" | u"two" | a"old" | u"new" | a"x"'))
    branches[4]["parentUuid"] = branches[1]["uuid"]
    path = saved(tmp_path, "claude-code", lines(branches))
    assert product.trim(path, tmp_path / "out.jsonl", "--before", line).report["reason"] == sentence
    assert product.trim(path, tmp_path / "out.jsonl", "--before", "5").code == 0  # without the branch that was left
    assert (tmp_path / "out.jsonl").read_bytes() == b"".join(path.read_bytes().splitlines(keepends=True)[:2])
