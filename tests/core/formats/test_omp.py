"""omp: the title before the header, what `/clear` hides, what omp pairs and drops, and what shows that a call ran."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.cli.app import main
from tests.core.formats import omp, pi
from tests.core.formats.pi import entry
from tests.support import product
from tests.support.notation import lines, parse

HISTORY = 'u"one" | a"t"{A p=1} | r(A=alpha) | a"ok" | u"two" | a{B p=2} | r(B=beta) | a"done"'
TWO = [{"type": "text", "text": "two"}]
Change = Callable[[list[dict[str, Any]]], None]


def file(folder: Path, history: str, change: Change | None = None) -> Path:
    records = omp.records(parse(history))
    if change:
        change(records)
    path = folder / pi.NAME
    path.write_bytes(lines(records))
    return path


def sent(path: Path) -> list[str]:
    """What is predicted, in short."""
    return [_said(message) for message in product.sent(path).report["messages"]]


def _said(message: dict[str, Any]) -> str:
    calls = "".join(f"{{{call['id']}}}" for call in message.get("tool_calls") or ())
    return f"{message['role'][0]}:{message.get('tool_call_id', '')}{message.get('content') or ''}{calls}"


@pytest.mark.parametrize(
    ("history", "expected"),
    [
        ('u"go" | a"I pay."{A p=1}', ["u:go", "a:I pay."]),
        ('u"go" | a{A p=1} | u"well?"', ["u:go", "u:well?"]),
        ('u"go" | a{A p=1} | u"well?" | r(A=x)', ["u:go", "a:{A}", "t:Ax", "u:well?"]),
        ('u"go" | r(A=x) | a{A p=1} | u"well?"', ["u:go", "a:{A}", "t:ANo result provided", "u:well?"]),
        ('u"go" | a{A p=1} | r(A=x) | r(A=y) | a"ok"', ["u:go", "a:{A}", "t:Ax", "a:ok"]),
        (
            'u"go" | r(X=x) | a"ok"',
            ["u:go", 'u:<stale-tool-result tool="Read" id="X">\nx\n</stale-tool-result>', "a:ok"],
        ),
        ('u"go" | a{A p=1, B p=2} | r(A=x) | r(X=z) | r(B=y) | a"ok"', ["u:go", "a:{A}{B}", "t:Ax", "t:By", "a:ok"]),
        ('u"a" | a{A} | r(A=x) | u"b" | a{A} | r(A=y)', ["u:a", "a:{A}", "t:Ax", "u:b", "a:{A_dup1}", "t:A_dup1y"]),
    ],
)
def test_omp_pairs_calls_and_results_itself(history: str, expected: list[str], tmp_path: Path) -> None:
    assert sent(file(tmp_path, history)) == expected


def test_a_failed_answer_is_not_sent_and_neither_are_its_results(tmp_path: Path) -> None:
    def fail(records: list[dict[str, Any]]) -> None:
        records[4]["message"]["stopReason"] = "error"

    path = file(tmp_path, HISTORY, fail)
    assert sent(path)[:2] == ["u:one", "a:ok"]
    assert product.check(path).session["on_resume"]["loses"] == ["a result of Read without a matching call"]


def test_what_was_said_before_the_context_was_cleared_is_not_sent(tmp_path: Path) -> None:
    def clear(records: list[dict[str, Any]]) -> None:
        at = next(at for at, each in enumerate(records) if each.get("message", {}).get("content") == TWO)
        records.insert(at, entry(90, at - 1, "reset_boundary"))
        records[at + 1]["parentId"] = f"{90:08x}"

    assert sent(file(tmp_path, HISTORY, clear)) == ["u:two", "a:{B}", "t:Bbeta", "a:done"]


@pytest.mark.parametrize(("title", "header"), [(True, True), (False, True), (True, False)])
def test_the_header_may_follow_the_title_and_is_needed(title: bool, header: bool, tmp_path: Path) -> None:
    path = file(tmp_path, HISTORY)
    records = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*records[:1] * title, *records[1:2] * header, *records[2:]]))
    session = product.check(path).session
    assert (session["format"], session["verdict"]) == ("omp", "healthy" if header else "broken")
    assert (session["on_resume"]["outcome"] == "refuses") is not header
    out = tmp_path / "out.jsonl"
    assert product.repair(path, out).code == 0
    assert product.check(out if out.exists() else path).session["verdict"] == "healthy"


def test_a_header_before_a_damaged_title_keeps_the_ids_of_the_entries(tmp_path: Path) -> None:
    """A title with a second type is an entry to omp. It has no id, but entries of a session of version 1 have none."""
    path, out = file(tmp_path, HISTORY), tmp_path / "out.jsonl"
    path.write_bytes(re.sub(rb'("type": ?"title")', rb'\1,"type":"x"', path.read_bytes(), count=1))
    assert product.repair(path, out).code == 0
    assert json.loads(out.read_bytes().splitlines()[0])["version"] == 3


def test_a_cycle_of_parents_ends_the_walk(tmp_path: Path) -> None:
    path = file(tmp_path, HISTORY, lambda records: records[3].update(parentId=f"{5:08x}"))
    assert product.check(path).session["on_resume"]["loses"] == ["everything before the cycle of parent links"]


@pytest.mark.parametrize(
    ("note", "sentence"),
    [
        (
            {"customType": "tool_execution_start", "data": {"toolCallId": "A"}},
            "The log shows that the tool was started.",
        ),
        (
            {"customType": "tool_execution", "toolName": "bash", "toolCallId": "A", "exitCode": 0},
            "The log shows that the command ended with exit code 0.",
        ),
    ],
)
def test_notes_of_a_tool_show_that_it_ran(note: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    path = tmp_path / pi.NAME
    records = pi.records(parse('u"one" | a{A@bash command=ls} | u"two"'))
    path.write_bytes(lines([*records, entry(6, 5, "custom", **note)]))
    assert sentence in CliRunner().invoke(main, ["check", "-v", str(path)]).output


def test_a_summary_is_told_in_omp_s_words(tmp_path: Path) -> None:
    summary = entry(90, 10, "compaction", summary="It was paid.", firstKeptEntryId="x", tokensBefore=9)
    path = file(tmp_path, HISTORY, lambda records: records.append(summary | {"parentId": records[-1]["id"]}))
    assert sent(path) == [
        "u:Prior model work/tool state available.\nMUST build on prior work; NEVER duplicate prior work.\n\n"
        "<summary>\nIt was paid.\n</summary>"
    ]


def test_a_damaged_line_before_two_entries_of_one_id_is_passed_by(tmp_path: Path) -> None:
    path = file(tmp_path, HISTORY, lambda records: records[-1].update(id=records[-3]["id"]))
    first, rest = path.read_bytes().split(b"\n", 1)
    path.write_bytes(first + b"\n" + b"{\n" + rest)
    assert {"F6", "G4"} <= product.check(path).rules


def test_omp_reads_the_first_record_of_a_line(tmp_path: Path) -> None:
    path = file(tmp_path, HISTORY)
    *lines_before, last = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join(lines_before) + last + b"\n")
    assert sent(path)[-1] == "t:Bbeta"
    assert product.check(path).session["on_resume"]["loses"] == ["everything after the first record on the line"]
