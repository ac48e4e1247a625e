"""A result's content in any shape is read as text or quoted as JSON: nothing is left out where it becomes words."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.providers.message_fields import bedrock_parts_text, content_conversion_note, result_text
from inspector.core.storage.json_text import dump_json
from tests.core.formats.cline_sdk import SESSION, render
from tests.core.resume_request.requests import RECORDED
from tests.support import product
from tests.support.notation import parse

STEP = {"query": "echo alpha", "result": "alpha\n", "success": True}
FAILED = {
    "query": "cat /none",
    "result": "[exit 1]",
    "error": "Command exited with code 1",
    "success": False,
}
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
TEXT = {"type": "text", "text": "words"}
PARTS, QUOTED = "its parts became one text", "it is not text, so it is quoted as JSON"
SHAPES = [
    ("words", "words", ""),
    ([TEXT, "more"], "words\nmore", ""),
    ([TEXT, PICTURE], "words\n[image]", ""),
    ([STEP], "echo alpha:\nalpha\n", PARTS),
    ([STEP, FAILED], "echo alpha:\nalpha\n\ncat /none:\n[exit 1]\nerror: Command exited with code 1", PARTS),
    ([{**STEP, "success": False}], "echo alpha:\nalpha\n\nfailed", PARTS),
    ([{**STEP, "result": [TEXT, PICTURE]}], "echo alpha:\nwords\n[image]", PARTS),
    (STEP, "echo alpha:\nalpha\n", PARTS),
    ([{**STEP, "exit": 7}], '{"query":"echo alpha","result":"alpha\\n","success":true,"exit":7}', QUOTED),
    ([{"stdout": "out", "stderr": "", "outcome": {"type": "exit"}}],
     '{"stdout":"out","stderr":"","outcome":{"type":"exit"}}', QUOTED),
    ([{"type": "tool_reference", "tool_name": "Read"}], '{"type":"tool_reference","tool_name":"Read"}', QUOTED),
    ([{"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a page"}}], "a page", PARTS),
    ([{}], "{}", QUOTED),
    ([None, 7, [1]], "null\n7\n[1]", QUOTED),
    ([{"type": {"value": "image"}}], '{"type":{"value":"image"}}', QUOTED),
    ({"rows": [1, 2]}, '{"rows":[1,2]}', QUOTED),
]  # fmt: skip


@pytest.mark.parametrize(("data", "told"), [("words", ""), ({"rows": 1}, QUOTED)])
def test_a_text_in_data_is_not_quoted(data: Any, told: str) -> None:
    """Its format says what the text is (Kiro CLI)."""
    assert content_conversion_note([{"kind": "text", "data": data}], "words") == told


@pytest.mark.parametrize(("content", "text", "told"), SHAPES)
def test_whatever_is_no_text_is_quoted(content: Any, text: str, told: str) -> None:
    assert result_text(content) == text
    assert content_conversion_note(content, text) == told


def test_blocks_of_bedrock_are_read_the_same_way() -> None:
    found = {"searchResult": {"source": "a", "content": [{"text": "b"}]}}
    content = [{"text": "words"}, {"json": {"a": 1}}, {"image": {"format": "png"}}, found, {}]
    assert bedrock_parts_text(content) == f'words\n{{\n  "a": 1\n}}\n[image]\n{dump_json(found).decode()}\n{{}}'


def cline(folder: Path, history: str, **contents: Any) -> Path:
    """A log of Cline whose results hold what is given, by the id of their call."""
    document = json.loads(render(parse(history)))
    for message in document["messages"]:
        for block in message["content"]:
            if block["type"] == "tool_result":
                block["content"] = contents[block["tool_use_id"]]
    path = folder / f"{SESSION}.messages.json"
    path.write_text(json.dumps(document))
    return path


def test_a_note_of_clines_list_says_all_that_the_list_says(tmp_path: Path) -> None:
    path = cline(tmp_path, 'u | a"ok" | r(Z=zeta) | a"fine"', Z=[STEP, {**FAILED, "result": [TEXT, PICTURE]}])
    out = tmp_path / "out.messages.json"
    answer = product.repair(path, out)
    assert (answer.code, answer.losses) == (0, [])
    (note, picture) = json.loads(out.read_bytes())["messages"][2]["content"]
    assert note["text"].partition("\n")[2] == (
        "echo alpha:\nalpha\n\ncat /none:\nwords\n[image]\nerror: Command exited with code 1"
    )
    assert picture == PICTURE


def test_media_that_no_note_holds_are_told_as_lost(tmp_path: Path) -> None:
    path = cline(tmp_path, 'u | a"ok" | r(Z=zeta) | a"fine"', Z=[TEXT, {"type": "audio", "data": "UklGRg=="}])
    answer = product.repair(path, tmp_path / "out.messages.json")
    assert [(loss["kind"], loss["text"]) for loss in answer.losses] == [("media", "audio, 6 bytes")]


def test_steps_that_ended_otherwise_are_not_the_same_result(tmp_path: Path) -> None:
    path = cline(tmp_path, 'u | a{A} | r(A=x) | a"ok"', A=[STEP])
    document = json.loads(path.read_bytes())
    again = json.loads(json.dumps(document["messages"][2]))
    again["content"][0]["content"] = [{**STEP, "success": False}]
    document["messages"].insert(3, {**again, "id": "msg_again"})
    path.write_text(json.dumps(document))
    assert product.check(path).rules == {"R7"}


@pytest.mark.parametrize("target", ["openai", "anthropic", "markdown"])
def test_a_conversion_says_what_it_told_in_other_words(target: str, tmp_path: Path) -> None:
    path = cline(tmp_path, 'u | a{A,B} | r(A=x,B=y) | a"ok"', A=[STEP], B=[{**STEP, "exit": 7}])
    out = tmp_path / "converted"
    report = product.convert(path, target, out).report
    noted = [(note["action"], note["what"], note["why"]) for note in report["notes"] if note["what"] == "result"]
    assert noted == [("adapted", "result", PARTS), ("adapted", "result", QUOTED)]
    assert "[block]" not in out.read_text("utf-8")
    plain = cline(tmp_path, 'u | a{A} | r(A=x) | a"ok"', A=[TEXT])
    assert [note for note in product.convert(plain, target, out).report["notes"] if note["what"] == "result"] == []


@pytest.mark.skipif(not RECORDED.is_dir(), reason="no logs of real agents beside the repository")
def test_the_note_in_a_real_log_holds_what_the_command_printed(tmp_path: Path) -> None:
    out = tmp_path / "orphan.json"
    assert product.repair(RECORDED / "logs" / "cline" / "orphan-3.0.65.json", out).code == 0
    assert "echo alpha; pwd:\\nalpha\\n/home/" in out.read_text("utf-8")
