"""What Gemini CLI does on resume: the facts that its code and runs of 0.61.0 agree in."""

from pathlib import Path
from typing import Any

import pytest

from tests.core.formats.test_gemini_cli import answer, asked, call, file, model, user
from tests.support import product

Record = dict[str, Any]


def calling(*entries: Record, **more: Any) -> Record:
    return model("b", "t", toolCalls=list(entries)) | more


def told(*responses: Record, name: str = "c") -> Record:
    return user(name) | {"content": list(responses)}


def contents(path: Path) -> list[str]:
    """Each content in a few words: a call by its id, a response as `=id`."""
    return [" ".join(map(word, content["parts"])) for content in product.sent(path).report["contents"]]


def word(part: Record) -> str:
    if "functionCall" in part:
        return str(part["functionCall"].get("id", "?"))
    return f"={part['functionResponse'].get('id', '?')}" if "functionResponse" in part else f'"{part["text"]}"'


A, B = call("A", [answer("A")], "success"), call("B", [answer("B")], "success")
BOTH = [answer("A"), answer("B")]
SAID = model("d", "ok")


@pytest.mark.parametrize(
    ("records", "sent"),
    [
        ([calling(A)], ['"a"', '"t" A', '=A "z"']),
        ([calling(A), told(answer("A"))], ['"a"', '"t" A', '=A =A "z"']),
        ([calling(A), told(answer("A")), told(answer("A"), name="e")], ['"a"', '"t" A', '=A =A =A "z"']),
        ([calling(call("A", BOTH), call("B", BOTH))], ['"a"', '"t" A B', '=A =B =A =B "z"']),
        ([calling(call("A", "plain words", "success"))], ['"a"', '"t" A', '=A "z"']),
        ([calling(call("A")), model("e", "more", toolCalls=[B])], ['"a"', '"t" A "more" B', '=B "z"']),
        ([calling(content=[{"text": "t"}, asked("A")])], ['"a"', '"t" A', '"z"']),
        ([calling(A, content=[{"text": ""}, asked("A")])], ['"a" =A "z"']),
        ([model("b", "t", thoughts=[{"subject": "s", "description": "d"}])], ['"a"', '"t"', '"z"']),
        ([calling(call("Read__1", [answer("Read__1")], "success"))], ['"a"', '"t" 1', '=1 "z"']),
    ],
)
def test_what_is_sent(records: list[Record], sent: list[str], tmp_path: Path) -> None:
    """Neighbours of one role are one content; what the calls hold comes before what repeats it."""
    assert contents(file(tmp_path, user("a"), *records, user("z"), SAID)) == [*sent, '"ok"']


@pytest.mark.parametrize(
    ("records", "verdict"),
    [
        ([calling(A), told(answer("A"))], "healthy"),
        ([calling(A, B), told(*BOTH)], "healthy"),
        ([calling(A, call("B")), told(*BOTH)], "heals-itself"),
        ([calling(A, call("B")), told(answer("A"))], "broken"),
        ([calling(A), SAID, told(answer("A"))], "broken"),
        ([told(answer("A"))], "broken"),
        ([calling(A, content=[{"text": ""}, {"text": "t"}])], "broken"),
    ],
)
def test_a_response_that_is_sent_twice_is_no_reason_to_call_a_chat_broken(
    records: list[Record], verdict: str, tmp_path: Path
) -> None:
    path = file(tmp_path, user("a"), *records, model("e", "ok"))
    assert product.check(path).session["verdict"] == verdict
    resume = product.check(path).session["on_resume"]
    assert (resume["outcome"] == "refuses") == (verdict == "broken")


def test_what_it_writes_is_told(tmp_path: Path) -> None:
    path = file(tmp_path, user("a"), calling(A, call("B")), told(*BOTH), SAID)
    assert (
        "writes the history to the file in the form in which it is sent"
        in product.check(path).session["on_resume"]["writes"]
    )
