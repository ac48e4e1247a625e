"""Gemini CLI's event stream: how far it came, what waits, what is no event, and that it is never written."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.engine.log import OpenLog
from tests.core.formats.gemini_stream import END, events, init
from tests.support import product
from tests.support.notation import clock, lines, parse

FAILED = END | {"status": "error", "error": {"type": "FatalTurnLimitedError", "message": "Reached max session turns."}}
REFUSED = END | {"status": "error", "error": {"type": "Error", "message": "[API Error: got status: 429]"}}


def stream(folder: Path, text: str, *more: Any) -> Path:
    path = folder / "stream.jsonl"
    path.write_bytes(lines([*events(parse(text)), *({"timestamp": clock(90)} | each for each in more)]))
    return path


def told(path: Path) -> tuple[str, str, set[str]]:
    """The state, the verdict and the errors of the only session."""
    answer = product.check(path)
    with OpenLog.at(path) as log:
        return log.check().sessions[0].session.state, answer.session["verdict"], answer.errors


@pytest.mark.parametrize(
    ("text", "ends", "expected"),
    [
        ("u | a{A} | r(A=1) | a", [END], ("complete", "healthy", set())),
        ('u | a"t"{A,B}', [], ("no result event, so the stream is still running or was cut off", "waiting", set())),
        ("u | a{A,B}", [END], ("complete", "broken", {"D1:A", "D1:B"})),
        ("u | a{A,B} | r(A=1)", [FAILED], ("failed (FatalTurnLimitedError)", "broken", {"D3:B"})),
        ("u | a{A} | u | a", [END], ("complete", "broken", {"D2:A"})),
        ("u | a | r(X=1) | a", [END], ("complete", "broken", {"R1:X"})),
        (
            "u | a{A} | r!(A=no) | a{B} | r(B=1)",
            [],
            ("no result event, so the stream is still running or was cut off", "healthy", set()),
        ),
    ],
)
def test_the_state_is_said_plainly(
    text: str, ends: list[Any], expected: tuple[str, str, set[str]], tmp_path: Path
) -> None:
    assert told(stream(tmp_path, text, *ends)) == expected


def test_a_run_that_goes_on_in_the_same_session_is_one_history(tmp_path: Path) -> None:
    second = [*events(parse("u | a{B} | r(B=1) | a")), END]
    sessions = product.check(stream(tmp_path, "u | a{A} | r(A=1) | a", END, *second)).report["sessions"]
    assert [(session["calls"], session["verdict"]) for session in sessions] == [(2, "healthy")]
    other = [init("22222222-2222-4333-8444-555555555555"), *second[1:]]
    sessions = product.check(stream(tmp_path, "u | a{A} | r(A=1) | a", END, *other)).report["sessions"]
    assert [session["id"][:2] for session in sessions] == ["11", "22"]


def test_a_provider_error_at_the_end_is_the_recorded_error(tmp_path: Path) -> None:
    path = stream(tmp_path, "u | a{A} | r(A=1)", REFUSED)
    assert told(path)[0] == "failed (Error)"
    assert "429" in product.run("check", str(path)).output


def test_lines_of_the_terminal_are_no_damage_and_torn_events_are(tmp_path: Path) -> None:
    path = stream(tmp_path, "u | a{A} | r(A=1) | a", END)
    noise = b"YOLO mode is enabled. All tool calls will be automatically approved.\nRipgrep is not available.\n"
    path.write_bytes(noise + path.read_bytes())
    assert product.check(path).session["verdict"] == "healthy"
    path.write_bytes(path.read_bytes()[:-20])
    assert product.check(path).errors == {"F1"}


def test_a_result_that_was_not_shown_as_text_is_no_empty_one(tmp_path: Path) -> None:
    shown = events(parse("u | a{A,B} | r(A=1),r!(B=no) | a"))
    for each in shown:
        each.pop("output", None)
    path = tmp_path / "stream.jsonl"
    path.write_bytes(lines([*shown, END | {"timestamp": clock(9)}]))
    assert (product.check(path).session["verdict"], product.check(path).rules) == ("healthy", set())
    out = tmp_path / "out.json"
    assert product.convert(path, "openai", out).code == 0
    results = [each["content"] for each in json.loads(out.read_bytes())["messages"] if each["role"] == "tool"]
    assert results == ["", "no"]


def test_it_is_never_written_and_the_converted_messages_are_repaired(tmp_path: Path) -> None:
    path = stream(tmp_path, 'u | a"t"{A,B} | r(A=1)', END)
    refused = product.repair(path, tmp_path / "out.jsonl")
    assert (refused.code, (tmp_path / "out.jsonl").exists()) == (1, False)
    assert "Gemini CLI resumes from its own log" in refused.report["reason"]
    out = tmp_path / "messages.json"
    assert product.convert(path, "openai", out).code == 0
    assert product.repair(out, tmp_path / "repaired.json").code == 0
    assert product.check(tmp_path / "repaired.json").session["verdict"] == "healthy"
