"""Media that only the provider's error shows: in the message that it names, or after the last answer."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.cli.app import main
from tests.core.repair.logs import saved
from tests.core.repair.test_reasoning import session
from tests.core.rules.test_media import PDF, image, medium
from tests.core.rules.test_tool_references import X, Y
from tests.support import product

PICTURE, DOCUMENT, WORDS = image(9, 9), medium("document", "application/pdf", PDF), {"type": "text", "text": "see"}
REFUSED = 'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"%s"}}'
PAGES = "messages.%d.content.%d.pdf.source.base64.data: A maximum of 100 PDF pages may be provided."
PASSWORD = "messages.%d.content.%d.pdf.source.base64.data: The PDF specified is password protected."
NO_REFERENCES = (
    "messages.2.content.0.tool_result.content.0: Input tag 'tool_reference' found using 'type' does not match"
)

# The content of the first and the last message of the user, the error, and what is found: line and pointer.
CASES: list[tuple[list[Any], list[Any], str, list[str]]] = [
    ([WORDS], [DOCUMENT], PAGES % (4, 0), ["5 /message/content/0"]),
    ([DOCUMENT, WORDS], [DOCUMENT], PASSWORD % (0, 0), ["1 /message/content/0"]),
    ([PICTURE], [WORDS, PICTURE, DOCUMENT], PASSWORD % (4, 2), ["5 /message/content/2"]),
    ([PICTURE], [WORDS, PICTURE], "Could not process image", ["5 /message/content/1"]),
    ([PICTURE], [WORDS], "Could not process image", []),
    ([WORDS], [PICTURE], "messages.0.content.0.image.source.base64.data: Could not process image", []),
    ([WORDS], [PICTURE], "the harbour is closed", []),
]


def log(folder: Path, first: list[Any], last: list[Any], error: str = "") -> Path:
    def fill(records: list[dict[str, Any]]) -> None:
        records[0]["message"]["content"], records[4]["message"]["content"] = first, last

    return saved(folder, "claude-code", session("u | a{A} | r(A=x) | a | u", fill, error and REFUSED % error))


def _folder(above: Path, name: str) -> Path:
    (above / name).mkdir()
    return above / name


def places(findings: list[dict[str, Any]]) -> list[str]:
    return [f"{each['line']} {each['pointer']}" for each in findings if each["rule"] in ("V1", "X3")]


def explained(path: Path, error: str) -> dict[str, Any]:
    answer = CliRunner().invoke(main, ["explain", "--error", error, str(path), "--format", "json"])
    told: dict[str, Any] = json.loads(answer.stdout)
    return told


@pytest.mark.parametrize(("first", "last", "error", "found"), CASES)
def test_the_record_is_named(first: list[Any], last: list[Any], error: str, found: list[str], tmp_path: Path) -> None:
    """By the error that the log ends with, and by the same error pasted to a log without it."""
    recorded = log(tmp_path, first, last, error)
    assert places(product.check(recorded).findings) == found
    pasted = log(_folder(tmp_path, "pasted"), first, last)
    assert product.check(pasted).session["verdict"] == "healthy"
    told = explained(pasted, REFUSED % error)
    with_finding = [each["finding"] for each in told["logs"][0]["found"] if each["finding"]]
    assert places(with_finding) == found
    assert told["error"]["kind"] == ("media" if "harbour" not in error else None)
    assert product.check(pasted).session["verdict"] == "healthy", "the pasted error is not part of the log"


def test_it_is_replaced_and_nothing_else_changes(tmp_path: Path) -> None:
    path = log(tmp_path, [PICTURE], [WORDS, DOCUMENT], PASSWORD % (4, 1))
    out = path.with_name("out.jsonl")
    answer = product.repair(path, out)
    assert (answer.code, [loss["kind"] for loss in answer.losses]) == (0, ["media"])
    assert product.check(out).session["verdict"] == "healthy"
    old, new = path.read_bytes().splitlines(), out.read_bytes().splitlines()
    assert [one == other for one, other in zip(old, new, strict=True)].count(False) == 1
    left = json.loads(new[4])["message"]["content"]
    assert (left[0], left[1]["type"], left[1]["text"][:18]) == (WORDS, "text", "[document omitted:")


@pytest.mark.parametrize("error", [NO_REFERENCES, "Tool reference not found in available tools"])
def test_a_server_that_takes_no_references(error: str, tmp_path: Path) -> None:
    def refer(records: list[dict[str, Any]]) -> None:
        records[2]["message"]["content"][0]["content"] = [X, WORDS, Y]

    recorded = saved(tmp_path, "claude-code", session("u | a{A} | r(A=x) | a | u", refer, REFUSED % error))
    out = recorded.with_name("out.jsonl")
    assert places(product.check(recorded).findings) == ["3 /message/content/0"]
    answer = product.repair(recorded, out)
    assert (answer.code, sorted(loss["text"] for loss in answer.losses)) == (0, ["mcp__x__get", "mcp__y__get"])
    assert product.check(out).session["verdict"] == "healthy"
    assert '"type":"tool_reference"' not in out.read_text().replace(" ", "")
    quiet = saved(_folder(tmp_path, "quiet"), "claude-code", session("u | a{A} | r(A=x) | a | u", refer, ""))
    told = explained(quiet, REFUSED % error)
    assert (told["error"]["kind"], [each["finding"]["rule"] for each in told["logs"][0]["found"]]) == (
        "tool-reference",
        ["X3"],
    )
    assert product.check(quiet).findings == []
    assert places(product.check(quiet, profile="qwen-3.5").findings) == ["3 /message/content/0"]
