"""How far a history was certainly accepted: by which answer, what came after it, and what of that may be the cause."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.error_lookup.json import lookup_json
from inspector.core.error_lookup.report import lookup_lines
from tests.core.error_lookup.lookup import answer
from tests.core.formats import FORMATS
from tests.core.repair.logs import written
from tests.support.notation import parse

OPAQUE = "Improperly formed request."
GEMINI = "Request contains an invalid argument."


def claude_code(folder: Path, text: str) -> Path:
    """A session of Claude Code, a record a line: `WHO WORDS`, after `@N` if its parent is not the line before but N.

    u is the user, a and b are answers of two models, M[id] a fragment of one, r the result of a call, E an error that
    the agent recorded, s a message that it wrote itself, c a compaction, and `-` before any of them a side thread.
    """
    rows: list[dict[str, Any]] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        number, _, rest = line[1:].partition(" ") if line.startswith("@") else (str(len(rows)), "", line)
        who, _, words = rest.partition(" ")
        rows.append(
            _row(len(rows) + 1, int(number), who.removeprefix("-"), words) | {"isSidechain": who.startswith("-")}
        )
    path = folder / "11111111-2222-4333-8444-555555555555.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def _row(number: int, parent: int, who: str, words: str) -> dict[str, Any]:
    row: dict[str, Any] = {
        "parentUuid": f"u{parent}" if parent else None,
        "type": "user",
        "uuid": f"u{number}",
        "sessionId": "11111111-2222-4333-8444-555555555555",
        "version": "2.1.112",
        "timestamp": f"2026-01-01T00:00:{number:02}.000Z",
    }
    if who == "c":
        return row | {"type": "system", "subtype": "compact_boundary", "content": "Compacted", "parentUuid": None}
    if who == "r":
        return row | {
            "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": words, "content": "x"}]}
        }
    if who == "u":
        return row | {"message": {"role": "user", "content": words or "u"}}
    model, identity = {"a": "claude-opus-5", "b": "gemini-3-pro"}.get(who[0], "<synthetic>"), f"msg_{number}"
    if who.startswith("M"):
        model, identity = "claude-opus-5", who[2:-1]
    call = {"type": "tool_use", "id": words[1:-1], "name": "Read", "input": {}}
    block = call if words.startswith("{") else {"type": "text", "text": words or "a"}
    message = {"id": identity, "role": "assistant", "model": model, "content": [block]}
    return row | {"type": "assistant", "message": message} | ({"isApiErrorMessage": True} if who == "E" else {})


def said(path: Path, text: str = OPAQUE) -> str:
    """The lines on the log, without those on the text and without the path."""
    lines = list(lookup_lines(answer(path, text)))
    first = next(number for number, line in enumerate(lines) if line.startswith(str(path)))
    return "\n".join(line[2:] for line in lines[first + 1 :])


ANSWERED = """
    u
    a
    u
    a {A}
    u stop
    E Improperly formed request.
"""


def test_what_came_before_the_newest_answer_was_accepted(tmp_path: Path) -> None:
    assert said(claude_code(tmp_path, ANSWERED)) == (
        "line 6: This error was recorded here.\n"
        "The provider accepted the history up to line 3: it answered the request that ended there "
        "(the answer is at line 4).\n"
        "  The rest of this history, starting at line 4, has 2 messages (1 call, 0 results).\n"
        "  An error is recorded at line 6.\n"
        "  Findings that may be the cause, most likely first:\n"
        "  1. line 4: The call to Read has no result, but the conversation continued. [D2 unanswered-call] (rejected "
        "by the provider)"
    )


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("u | E Overloaded | u", "No requests were answered, so any message may be the cause."),
        ("u | s No response requested. | u", "No requests were answered, so any message may be the cause."),
        ("u | a Improperly formed request. | u", "No requests were answered, so any message may be the cause."),
        ("a | u", "No requests were answered, so any message may be the cause."),
        (
            "u | a | u | E Overloaded",
            "The provider accepted the history up to line 1: … (the answer is at line 2).",
        ),
        (
            "u | a | u | s No response requested. | u",
            "The provider accepted the history up to line 1: … (the answer is at line 2).",
        ),
        (
            "u | M[m] {A} | M[m] {B} | r A | @3 r B | u",
            "The provider accepted the history up to line 1: … (the answer is at line 2).",
        ),
        (
            "u | a | u | @0 -u | -a | @3 a | u",
            "The provider accepted the history up to line 3: … (the answer is at line 6).",
        ),
        ("u | a | u | @0 -u | -a", "The provider accepted the history up to line 1: … (the answer is at line 2)."),
        ("u | a | c | u summary | u", "No requests were answered after the compaction at line 3, so any message …"),
        (
            "u | a | c | u summary | a | u",
            "The provider accepted the history up to line 4: … (the answer is at line 5).",
        ),
        # The answers that the conversation left prove what both branches share.
        (
            "u | a | u one | a | @2 u two",
            "The provider accepted the history up to line 2: … (the answer is at line 4).",
        ),
        (
            "u | M[m] one | M[m] two | @2 u",
            "The provider accepted the history up to line 1: … (the answer is at line 2).",
        ),
        (
            "u | a | u one | E Overloaded | @2 u two",
            "The provider accepted the history up to line 1: … (the answer is at line 2).",
        ),
    ],
)
def test_an_answer_proves_what_its_request_held(lines: str, expected: str, tmp_path: Path) -> None:
    start, _, end = expected.partition("…")
    line = next(
        line for line in said(claude_code(tmp_path, lines.replace("|", "\n"))).splitlines() if "recorded" not in line
    )
    assert line.startswith(start)
    assert line.endswith(end)


def test_a_side_thread_is_told_of_if_it_ends_with_an_error(tmp_path: Path) -> None:
    told = said(claude_code(tmp_path, "u\na {A}\nr A\n@0 -u\n-a\n-u\n-E Improperly formed request."))
    assert "The provider accepted the history up to line 1:" in told
    assert (
        "The provider accepted a side thread up to line 4: it answered the request that ended there "
        "(the answer is at line 5)." in told
    )


def test_an_answer_of_another_provider_proves_less(tmp_path: Path) -> None:
    told = said(claude_code(tmp_path, "u\na {A}\nu\na\nu"), GEMINI)
    assert "The last answer came from claude-opus-5, but the error came from Gemini." in told
    assert (
        "1. line 2: The call to Read has no result, but the conversation continued. [D2 unanswered-call], before"
        in told
    )
    assert "The last answer" not in said(claude_code(tmp_path, "u\nb\nu"), GEMINI)


def test_an_answer_of_another_model_proves_less(tmp_path: Path) -> None:
    path = FORMATS["codex"].write(parse('u | a"x" | u"q"'), tmp_path)
    assert "but later records are from" not in said(path)
    turn = {"type": "turn_context", "payload": {"cwd": "/w", "model": "other"}}
    path.write_bytes(path.read_bytes() + json.dumps(turn).encode() + b"\n")
    assert "The last answer came from gpt-5.5, but later records are from other." in said(path)


def test_what_the_provider_would_have_refused_was_not_sent(tmp_path: Path) -> None:
    told = said(claude_code(tmp_path, "u\na {A}\nu\na\nu")).splitlines()
    assert told[2].startswith(
        "  The provider would reject content that comes before the last answer, so the log must differ from the "
        "request that was actually sent."
    )
    assert told[-1].endswith("[D2 unanswered-call], before that answer")


def test_an_error_that_was_overcome_is_said_to_be(tmp_path: Path) -> None:
    told = said(claude_code(tmp_path, f"u\nE {OPAQUE}\nu\na"))
    assert (
        "The log contains this error at line 2, before the last answer, so the session continued after the error."
        in told
    )


def test_the_likeliest_candidate_comes_first(tmp_path: Path) -> None:
    """A refused call comes before a damaged line, and what is new before what is old."""
    path = claude_code(tmp_path, "u\na {A}\nu\na\nu\na {B}\nu")
    path.write_bytes(path.read_bytes() + b'{"type": "user", "uu')
    numbers = [line.strip().split(":")[0] for line in said(path).splitlines() if line.strip()[:1].isdigit()]
    assert numbers == ["1. line 6", "2. line 8", "3. line 2"]


def test_a_request_shows_no_answers_for_certain(tmp_path: Path) -> None:
    told = said(written(tmp_path, "anthropic", "u | a{A} | r(A=x) | a | u"))
    assert (
        "This log contains only a request, so it does not show whether the provider generated the last answer." in told
    )


@pytest.mark.parametrize(
    ("name", "history", "up_to"),
    [
        ("gemini-cli", "u | a{A} | r(A=x) | a{B} | r(B=x) | u", "line 5:"),
        ("codex", 'u | a[th]"text"{A} | r(A=x) | u', "line 4:"),
        ("kimi-code", "u | a | u | a{A} | r(A=x) | u", "line 6:"),
        ("opencode", "u | a | u | a{A} | r(A=x) | u", "(record 3):"),
        ("pi", "u | a | u | a{A} | r(A=x) | u", "line 6:"),
    ],
)
def test_every_format_shows_its_answers(name: str, history: str, up_to: str, tmp_path: Path) -> None:
    path = FORMATS[name].write(parse(history), tmp_path)
    told = said(path)
    assert told.startswith("The provider accepted the history up to"), told
    assert up_to in told


def test_the_json_report_has_it_too(tmp_path: Path) -> None:
    report = json.loads(lookup_json(answer(claude_code(tmp_path, ANSWERED), OPAQUE)))
    (accepted,) = report["logs"][0]["accepted"]
    assert report["error"]["kind"] == "opaque"
    assert [accepted[key]["line"] for key in ("up_to", "answer", "first", "last", "error")] == [3, 4, 4, 5, 6]
    assert (accepted["model"], accepted["messages"], accepted["calls"]) == ("claude-opus-5", 2, 1)
    (candidate,) = accepted["candidates"]
    assert (candidate["new"], candidate["refused"], candidate["finding"]["rule"]) == (True, True, "D2")
