"""Locations in reports: message and pointer in a document that is one line, else the line."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.cli.app import main
from inspector.core.discovery.opening import open_log
from inspector.core.engine.window_engine import WindowEngine
from inspector.core.model.session import LineNumbers
from inspector.core.repair.choices import Choices
from inspector.core.storage.source import Source
from tests.core.formats import FORMATS
from tests.core.formats.codex import responses, rollout
from tests.support import product
from tests.support.notation import claude_code, parse

BROKEN = 'u"go" | a"t"{A} | u"on" | a"ok"'


def told(command: str, path: Path, *options: str) -> str:
    return CliRunner().invoke(main, [command, str(path), *options], catch_exceptions=False).output


def document(folder: Path, **style: Any) -> Path:
    """Anthropic messages under a key, of which the second has a call without a result."""
    path = folder / "request.json"
    path.write_text(json.dumps({"model": "m", "messages": messages("anthropic-messages", folder)}, **style))
    return path


def messages(name: str, folder: Path) -> list[Any]:
    body = json.loads(FORMATS[name].write(parse(BROKEN), folder).read_bytes())
    found: list[Any] = body["messages"] if isinstance(body, dict) else body
    return found


def at(value: Any, pointer: str) -> Any:
    for key in pointer.split("/")[1:]:
        value = value[int(key)] if isinstance(value, list) else value[key.replace("~1", "/").replace("~0", "~")]
    return value


def test_a_document_of_one_line_tells_message_and_pointer(tmp_path: Path) -> None:
    path = document(tmp_path)
    (finding,) = product.check(path).findings
    assert (finding["line"], finding["record"], finding["index"]) == (1, 1, 1)
    assert finding["document_pointer"] == "/messages/1/content/1"
    assert at(json.loads(path.read_bytes()), finding["document_pointer"])["id"] == "A"
    assert f"  --> {path}, line 1, message 1 (/messages/1/content/1)\n" in told("check", path)
    assert "insert  after line 1, message 1 (/messages/1): " in told("repair", path, "--dry-run")
    assert "line 1, message 1 (/messages/1): call open" in told("convert", path, "--to", "openai", "-o", f"{path}.out")


def test_a_document_of_many_lines_tells_the_line(tmp_path: Path) -> None:
    path = document(tmp_path, indent=2)
    (finding,) = product.check(path).findings
    assert (finding["index"], finding["document_pointer"]) == (None, None)
    assert '"role": "assistant"' in "\n".join(path.read_text().splitlines()[finding["line"] - 1 :][:2])
    line = finding["line"]
    assert f"  --> {path}:{line}\n" in told("check", path)
    assert f"insert  after line {line}: " in told("repair", path, "--dry-run")


@pytest.mark.parametrize(
    ("wrap", "pointer"),
    [
        (lambda messages: messages, "/1"),
        (lambda messages: {"body": {"messages": messages}}, "/body/messages/1"),
        (lambda messages: [{"messages": []}, {"messages": messages}], "/1/messages/1"),
        (lambda messages: {"simulations": [{"messages": messages}]}, "/simulations/0/messages/1"),
    ],
)
def test_the_pointer_leads_there_wherever_the_messages_are(wrap: Any, pointer: str, tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(wrap(messages("openai-chat", tmp_path))))
    (finding,) = product.check(path).findings
    assert finding["document_pointer"] == f"{pointer}/tool_calls/0"
    assert at(json.loads(path.read_bytes()), finding["document_pointer"])["id"] == "A"


def test_a_conversation_a_line_tells_the_line_too(tmp_path: Path) -> None:
    history, path = messages("openai-chat", tmp_path), tmp_path / "many.jsonl"
    path.write_text(f"{json.dumps({'messages': history[:1]})}\n{json.dumps({'messages': history})}\n")
    (finding,) = product.check(path).findings
    assert (finding["line"], finding["index"], finding["record"]) == (2, 1, 2)
    assert f"line 2, message 1 ({finding['document_pointer']})" in told("check", path)


def test_edits_have_places(tmp_path: Path) -> None:
    path = FORMATS["claude-code"].write(parse('u | a{A} | u"hi" | a"mm" | r(A=x) | a"ok"'), tmp_path)
    edits = {edit["action"]: edit for edit in product.repair(path, tmp_path / "out.jsonl").edits}
    move, lines = edits["move"], path.read_text("utf-8").splitlines()
    assert '"tool_result"' in lines[move["place"]["line"] - 1]
    assert '"tool_use"' in lines[move["beside"]["line"] - 1]
    assert f"move    line {move['place']['line']} to after line {move['beside']['line']}: moved" in told(
        "repair", path, "--dry-run"
    )


def edits_of(folder: Path, history: str, *options: str) -> list[str]:
    path = FORMATS["anthropic-messages"].write(parse(history), folder)
    out = folder / "out.json"
    return [
        f"{edit['action']} {edit['pointer']} {names(edit['before'])} -> {names(edit['after'])}"
        for edit in product.repair(path, out, *options).edits
    ]


def names(text: str | None) -> str:
    """The id in a block, or the first word of its text."""
    found = re.search(r'"(?:id|tool_use_id|text)": ?"([^" ]+)', text or "")
    return found[1] if found else "-"


@pytest.mark.parametrize(
    ("history", "options", "edits"),
    [
        (
            'u | a{A,B,C} | r(B=beta) | a"ok"',
            ["--strategy", "D3=drop-call"],
            ["delete /content/0 A -> -", "delete /content/2 C -> -"],
        ),
        (
            'u | a{A,B} | u"first",r(X=lost),r(B=beta) | a"ok"',
            [],
            ["move /content/2 B -> B", "replace /content/1 X -> [result", "insert /content/1 - -> A"],
        ),
        (
            'u | a{A} | u"first",r(X=lost),r(A=alpha) | a"ok"',
            [],
            ["move /content/2 A -> A", "replace /content/1 X -> [result"],
        ),
    ],
)
def test_edits_of_blocks_tell_what_stood_there(
    history: str, options: list[str], edits: list[str], tmp_path: Path
) -> None:
    """A block is told by its place in the log as read, whatever earlier passes took out or put in before it."""
    assert edits_of(tmp_path, history, *options) == edits


def test_what_comes_first_comes_before_a_place(tmp_path: Path) -> None:
    path = FORMATS["anthropic-messages"].write(parse('a"ok" | u"go"'), tmp_path)
    assert "insert  before line " in told("repair", path, "--dry-run", "--strategy", "M4=prepend-user")


LONG = " | ".join(['u"go" | a{A p=1} | u"on"', *(f'a"{number}" | u"{number}"' for number in range(100))])


def numbered(folder: Path) -> Path:
    path = folder / "rollout.jsonl"
    path.write_bytes(rollout(*responses(parse(LONG)), history_mode="paginated"))
    return path


def test_new_ordinals_are_one_line_of_the_plan_and_each_an_edit(tmp_path: Path) -> None:
    path = numbered(tmp_path)
    lines = [line for line in told("repair", path, "--dry-run").splitlines() if line.startswith("  replace")]
    assert lines == [
        "  replace 201 records from line 4 to line 204 /ordinal: adjusts a count to the records that "
        "the repair added or dropped"
    ]
    edits = product.repair(path, tmp_path / "out.jsonl").edits
    assert [edit["reason"] for edit in edits if edit["action"] == "insert"] == [
        "a placeholder states that no result was recorded"
    ]
    renumbered = [edit for edit in edits if edit["action"] == "replace"]
    assert len(renumbered) == 201
    assert {(edit["pointer"], int(edit["after"]) - int(edit["before"])) for edit in renumbered} == {("/ordinal", 1)}


def test_new_ordinals_are_one_row_of_the_window(tmp_path: Path) -> None:
    engine = WindowEngine()
    engine.open(str(numbered(tmp_path)))
    changes = engine.preview(Choices()).changes
    assert [(change.mark, change.line, change.count) for change in changes if change.mark != "kept"] == [
        ("added", None, 0),
        ("changed", 4, 201),
    ]
    assert changes[-1].summary == "201 records: adjusts a count to the records that the repair added or dropped"
    engine.close()


GAPS = {"none": "ABCDE", "one": "A.BCDE", "several": "A..B.CDE", "in front": ".ABCDE", "at the end": "ABCDE.."}


@pytest.mark.parametrize("layout", GAPS.values(), ids=GAPS)
@pytest.mark.parametrize("order", ["0 1 2 3 4", "4 3 2 1 0", "4", "2 4 0 3 1"])
def test_blank_lines_count_in_whatever_order_lines_are_asked_for(layout: str, order: str) -> None:
    texts = claude_code(parse('u | a{A} | r(A=alpha) | a"ok" | u')).decode().splitlines()
    assert len(texts) == 5
    lines = [dict(zip("ABCDE", texts, strict=True)).get(letter, "") for letter in layout]
    with Source.of_bytes("\n".join(lines).encode(), "log.jsonl") as source:
        line_of = LineNumbers(open_log(source)).line_of
        asked = [int(record) for record in order.split()]
        assert [line_of(record) for record in asked] == [lines.index(texts[record]) + 1 for record in asked]
