"""The Cline SDK: each result a message of its own, compactions, placeholders with a name, the manifest beside."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.formats import FORMATS, detect_format
from inspector.core.formats.base.log_head import Head
from inspector.core.storage.source import Source
from tests.core.formats.cline_sdk import SESSION, load, render
from tests.support import product
from tests.support.judges import JUDGES
from tests.support.notation import parse

PARALLEL = 'u"go" | a{A,B@run_commands,C} | r(A=a),r(B=b),r(C=c) | a"ok"'


def log(folder: Path, history: str, name: str = f"{SESSION}.messages.json") -> Path:
    path = folder / name
    path.write_bytes(render(parse(history)))
    return path


def test_each_result_in_a_message_of_its_own_is_healthy(tmp_path: Path) -> None:
    path = log(tmp_path, PARALLEL)
    assert [message["role"] for message in json.loads(path.read_bytes())["messages"]].count("user") == 4
    assert product.check(path).findings == []
    assert product.check(path).session["id"] == SESSION


def test_a_missing_result_becomes_a_message_of_its_own_with_the_name_of_the_tool(tmp_path: Path) -> None:
    path = log(tmp_path, 'u"go" | a{A,B@run_commands,C} | r(A=a),r(C=c) | a"ok"')
    out = tmp_path / "out.messages.json"
    assert product.repair(path, out).code == 0
    before, after = json.loads(path.read_bytes()), json.loads(out.read_bytes())
    added = [message for message in after["messages"] if message not in before["messages"]]
    (block,) = added[0]["content"]
    assert len(added) == 1
    assert (block["tool_use_id"], block["name"], block["is_error"]) == ("B", "run_commands", True)
    assert added[0]["id"].startswith("msg_")
    assert added[0]["ts"] == before["messages"][1]["ts"]
    assert [key for key in after if key != "messages"] == [key for key in before if key != "messages"]
    assert JUDGES["anthropic"][0](load(out)) is None


def test_what_no_edit_names_keeps_its_bytes(tmp_path: Path) -> None:
    path = log(tmp_path, 'u"go" | a{A} | u"stop" | a"ok"')
    out = tmp_path / "out.messages.json"
    assert product.repair(path, out).code == 0
    before, after = path.read_bytes(), out.read_bytes()
    at = next(place for place, (old, new) in enumerate(zip(before, after, strict=False)) if old != new)
    assert before[at:] == after[len(after) - len(before) + at :]


def test_a_compaction_is_of_the_same_kind(tmp_path: Path) -> None:
    path = log(tmp_path, 'u"so far" | a"ok"', f"{SESSION}.compaction.json")
    newer = json.loads(path.read_bytes())
    assert product.check(path).session["format"] == "cline-sdk"
    del newer["sessionId"], newer["agent"]
    newer = {"version": 1, "updated_at": newer["updated_at"], "source_message_count": 7, **newer}
    path.write_text(json.dumps(newer, indent=2), "utf-8")
    assert product.check(path).session["format"] == "cline-sdk"


def test_the_manifest_tells_folder_and_title(tmp_path: Path) -> None:
    path = log(tmp_path, PARALLEL)
    manifest = {"version": 1, "session_id": SESSION, "cwd": "/home/ina/garden", "metadata": {"title": "Water"}}
    assert headline(path) == ("", "go")
    path.with_name(f"{SESSION}.json").write_text(json.dumps(manifest), "utf-8")
    assert headline(path) == ("/home/ina/garden", "Water")
    path.with_name(f"{SESSION}.json").write_text("[torn", "utf-8")
    assert headline(path) == ("", "go")


def headline(path: Path) -> tuple[str, str]:
    with Source.open(str(path)) as source:
        found = FORMATS["cline-sdk"].metadata(Head(source))
    return found.project, found.title


@pytest.mark.parametrize("members", [{"version": 2}, {"sessionId": None}, {"messages": {}}])
def test_documents_of_another_shape_are_not_its_own(members: dict[str, Any], tmp_path: Path) -> None:
    path = log(tmp_path, 'u"go" | a"ok"')
    document = json.loads(path.read_bytes()) | members
    path.write_text(json.dumps({key: value for key, value in document.items() if value is not None}), "utf-8")
    with Source.open(str(path)) as source:
        assert detect_format(Head(source)).name != "cline-sdk"


def test_a_document_cut_anywhere_is_salvaged(tmp_path: Path) -> None:
    path = log(tmp_path, 'u"go" | a{A} | r(A=alpha) | a{B} | r(B=beta) | a"ok"')
    whole, out = path.read_bytes(), tmp_path / "out.messages.json"
    first = whole.index(b'"msg_1"') - 20
    for size in range(first, len(whole) - 2, 11):
        path.write_bytes(whole[:size])
        answer = product.repair(path, out)
        assert answer.code == 0, (size, answer.report.get("reason"))
        assert JUDGES["anthropic"][0](load(out)) is None
        out.unlink()


def test_a_document_of_which_no_message_is_left_is_not_written(tmp_path: Path) -> None:
    path, out = log(tmp_path, 'u"go" | a"ok"'), tmp_path / "out.messages.json"
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.index(b'"msg_1"') - 20].replace(b'"messages"', b'\xc3"messages"'))
    answer = product.repair(path, out)
    assert (answer.code, out.exists()) == (1, False)
    assert "because the repaired log could not be read" in answer.report["reason"]


def test_the_command_names_folder_and_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLINE_DATA_DIR", str(tmp_path))
    path = log(tmp_path, 'u"go" | a{A} | u"stop" | a"ok"')
    path.with_name(f"{SESSION}.json").write_text('{"cwd": "/home/ina/garden"}')
    door = product.Door(path)
    try:
        saved = door.save("in-place")
    finally:
        door.close()
    assert saved.command == f"cd /home/ina/garden && cline --id {SESSION}"
    assert saved.steps[0].startswith("Close the session in Cline")


@pytest.mark.parametrize(
    ("number", "change", "verdict"),
    [
        (0, {"content": None}, "broken"),
        (0, {"content": 7}, "broken"),
        (0, {"role": "zebra"}, "broken"),
        (0, {"role": []}, "broken"),
        (3, {"role": "system"}, "broken"),
        (3, {"role": "system", "content": []}, "broken"),
        (0, {"content": [{"type": "text"}]}, "broken"),
        (3, {"content": None}, "broken"),
        (2, {"content": [{"type": "tool_result", "tool_use_id": "call_A", "name": "f"}]}, "broken"),
        (2, {"content": [{"type": "tool_result", "tool_use_id": "call_A", "name": "f", "content": [{}]}]}, "healthy"),
        (0, {"content": []}, "heals-itself"),
    ],
)
def test_content_that_is_missing_stops_cline_before_it_sends_anything(
    number: int, change: dict[str, Any], verdict: str, tmp_path: Path
) -> None:
    """As 3.0.65 was seen to do."""
    path = log(tmp_path, 'u"go" | a{A} | r(A=a) | a"ok"')
    document = json.loads(path.read_bytes())
    call = document["messages"][1]["content"][0]
    for key, value in change.items():
        document["messages"][number][key] = value
    for block in document["messages"][2]["content"]:
        block["tool_use_id"], block["name"] = call["id"], call["name"]
    path.write_text(json.dumps(document, indent=2), "utf-8")
    answer = product.check(path)
    assert answer.session["verdict"] == verdict
    assert ("the agent stops at" in str(answer.session)) == (verdict == "broken")
    out = tmp_path / "out.messages.json"
    assert product.repair(path, out).code == 0
    assert product.check(out).session["verdict"] == "healthy"


@pytest.mark.parametrize("kind", [{"type": "thinking", "thinking": "hm"}, {"type": "redacted_thinking", "data": "x"}])
def test_reasoning_of_the_user_stops_cline_before_it_sends_anything(kind: dict[str, Any], tmp_path: Path) -> None:
    """As 3.0.65 was seen to do. In a message of the assistant it is sent, or left out if it has no data."""
    path = log(tmp_path, 'u"go" | a"ok"')
    document = json.loads(path.read_bytes())
    for message in document["messages"]:
        message["content"] = [kind, *message["content"]]
    path.write_text(json.dumps(document), "utf-8")
    answer = product.check(path)
    assert (answer.session["verdict"], answer.rules) == ("broken", {"T9"})
    assert answer.session["on_resume"]["outcome"] == "refuses"
    out = tmp_path / "out.messages.json"
    assert product.repair(path, out).code == 0
    assert product.check(out).session["verdict"] == "healthy"
    assert [len(message["content"]) for message in json.loads(out.read_bytes())["messages"]] == [1, 2]


def test_a_result_that_does_not_name_its_tool_is_named_as_its_call(tmp_path: Path) -> None:
    """3.0.65: "The messages do not match the ModelMessage[] schema"."""
    path = log(tmp_path, 'u"go" | a{A@run_commands} | r(A=a) | a"ok"')
    named = path.read_bytes()
    document = json.loads(named)
    del document["messages"][2]["content"][0]["name"]
    path.write_text(json.dumps(document, indent=2), "utf-8")
    answer = product.check(path)
    assert (answer.session["verdict"], answer.errors) == ("broken", {"K11:A"})
    out = tmp_path / "out.messages.json"
    answer = product.repair(path, out)
    assert (answer.code, len(answer.edits), answer.losses) == (0, 1, [])
    assert load(out) == load(log(tmp_path, 'u"go" | a{A@run_commands} | r(A=a) | a"ok"'))
