"""kimi-cli: the context that it resumes from, and the events that it only shows."""

import json
from hashlib import md5
from pathlib import Path
from typing import Any

import pytest

from inspector.core.engine.log import OpenLog
from inspector.core.formats.base import kimi_cli_events
from inspector.core.formats.base.call_evidence import EvidenceQuery
from tests.core.formats.kimi_cli_context import load
from tests.support import product
from tests.support.judges import openai_error
from tests.support.notation import lines

Row = dict[str, Any]


def say(role: str, text: str) -> Row:
    return {"role": role, "content": text}


def call(*ids: str) -> Row:
    calls = [{"type": "function", "id": id_, "function": {"name": "Shell", "arguments": "{}"}} for id_ in ids]
    return {"role": "assistant", "content": [], "tool_calls": calls}


def result(call_id: str, text: str = "x") -> Row:
    return {"role": "tool", "content": [{"type": "text", "text": text}], "tool_call_id": call_id}


def checkpoint(number: int) -> Row:
    return {"role": "_checkpoint", "id": number}


USAGE = {"role": "_usage", "token_count": 12}


def put(folder: Path, *rows: Row) -> Path:
    path = folder / "context.jsonl"
    path.write_bytes(lines([{"role": "_system_prompt", "content": "You are an agent."}, *rows]))
    return path


def repaired(path: Path) -> list[Row]:
    out = path.parent / "out.jsonl"
    assert product.repair(path, out).code == 0
    assert openai_error(load(out)) is None
    return [json.loads(line) for line in out.read_bytes().splitlines()[1:]]


def test_what_is_no_message_may_lie_between_a_call_and_its_result(tmp_path: Path) -> None:
    rows = checkpoint(0), say("user", "q"), call("Shell:0"), USAGE, result("Shell:0"), say("assistant", "ok")
    answer = product.check(put(tmp_path, *rows))
    assert (answer.session["verdict"], answer.session["messages"]) == ("healthy", 4)


def test_ids_that_begin_again_are_paired_by_their_place(tmp_path: Path) -> None:
    turn = (say("user", "q"), call("Shell:0"), result("Shell:0"))
    assert product.check(put(tmp_path, *turn, *turn)).session["verdict"] == "healthy"
    answer = product.check(put(tmp_path, *turn[:2], *turn))
    assert answer.errors == {"D2:Shell:0"}


def test_a_result_goes_behind_the_usage_and_before_the_checkpoint(tmp_path: Path) -> None:
    path = put(tmp_path, say("user", "q"), call("Shell:0"), USAGE, checkpoint(1), say("user", "and?"))
    roles = [row["role"] for row in repaired(path)]
    assert roles == ["user", "assistant", "_usage", "tool", "_checkpoint", "user"]


def test_a_result_goes_behind_those_of_its_siblings(tmp_path: Path) -> None:
    path = put(tmp_path, say("user", "q"), call("Shell:0", "Shell:1"), USAGE, result("Shell:0"), checkpoint(1))
    assert [row.get("tool_call_id") for row in repaired(path)] == [None, None, None, "Shell:0", "Shell:1", None]


def test_a_message_that_loses_its_calls_keeps_no_empty_list(tmp_path: Path) -> None:
    answer = call("Shell:0") | {"content": "I look."}
    path = put(tmp_path, say("user", "q"), answer, say("user", "stop"))
    out = tmp_path / "out.jsonl"
    assert product.repair(path, out, strategies="D2=drop-call").code == 0
    assert json.loads(out.read_bytes().splitlines()[2]) == say("assistant", "I look.")


def test_a_line_that_cannot_be_read_is_skipped_on_load(tmp_path: Path) -> None:
    path = put(tmp_path, say("user", "q"), say("assistant", "a"))
    path.write_bytes(path.read_bytes() + b'{"role":"user","con\n' + lines([say("user", "more")]))
    resume = product.check(path).session["on_resume"]
    assert (resume["outcome"], resume["loses"]) == ("mends", ["the unreadable line"])
    assert product.check(put(tmp_path, say("user", "q"), call("A"))).session["on_resume"]["outcome"] == "refuses"


def test_a_new_session_is_a_file_in_the_folder_of_the_project(tmp_path: Path) -> None:
    project = md5(b"/home/ada/shop", usedforsecurity=False).hexdigest()
    folder = tmp_path / "sessions" / project / "0b5e9f3a-0000-4000-8000-000000000001"
    folder.mkdir(parents=True)
    (tmp_path / "kimi.json").write_text('{"work_dirs": [{"path": "/home/ada/shop"}]}')
    door = product.Door(put(folder, say("user", "q"), call("Shell:0")))
    saved = door.save("new-session")
    door.close()
    written = Path(saved.path)
    assert written.parent == folder.parent
    assert saved.command == f"cd /home/ada/shop && kimi --session {written.stem}"
    assert openai_error(load(written)) is None


def test_a_session_in_its_own_folder_is_resumed_as_it_lies(tmp_path: Path) -> None:
    folder = tmp_path / "sessions" / "d41d8cd98f00b204e9800998ecf8427e" / "0b5e9f3a-0000-4000-8000-000000000001"
    folder.mkdir(parents=True)
    path = put(folder, say("user", "q"), say("assistant", "a"))
    with OpenLog.at(path) as log:
        assert log.resume_command(log.check().sessions[0]) == f"kimi --session {folder.name}"


def test_a_thought_tells_it_from_openai_messages(tmp_path: Path) -> None:
    path = tmp_path / "context.jsonl"
    thought = {"role": "assistant", "content": [{"type": "think", "think": "hm", "encrypted": None}]}
    path.write_bytes(lines([say("user", "q"), thought, say("user", "and?")]))
    assert product.check(path).session["format"] == "kimi-cli"
    path.write_bytes(lines([say("user", "q"), say("assistant", "a"), call("A"), result("A")]))
    assert product.check(path).session["format"] == "openai-chat"


# events


def event(kind: str, **payload: Any) -> Row:
    return {"timestamp": 1.5, "message": {"type": kind, "payload": payload}}


def started(call_id: str, arguments: str = "{}") -> Row:
    return event("ToolCall", type="function", id=call_id, function={"name": "Shell", "arguments": arguments})


def ended(call_id: str) -> Row:
    return event("ToolResult", tool_call_id=call_id, return_value={"is_error": False, "output": "x", "message": ""})


def events(folder: Path, *rows: Row, header: bool = True) -> Path:
    path = folder / "wire.jsonl"
    path.write_bytes(lines([*([{"type": "metadata", "protocol_version": "1.10"}] if header else []), *rows]))
    return path


TURN = (event("TurnBegin", user_input="q"), event("StepBegin", n=1))


@pytest.mark.parametrize("header", [True, False])
def test_events_are_read_and_never_written(header: bool, tmp_path: Path) -> None:
    path = events(tmp_path, *TURN, started("A"), header=header)
    answer = product.check(path)
    assert (answer.session["format"], answer.errors) == ("kimi-cli-wire", {"D1:A"})
    refused = product.repair(path, tmp_path / "out.jsonl")
    assert (refused.code, (tmp_path / "out.jsonl").exists()) == (1, False)
    assert "context.jsonl" in refused.report["reason"]


def test_results_of_a_step_may_come_while_it_still_calls(tmp_path: Path) -> None:
    rows = started("A"), ended("A"), event("ContentPart", type="text", text="more"), started("B"), ended("B")
    answer = product.check(events(tmp_path, *TURN, *rows, event("StepBegin", n=2), event("TurnEnd")))
    assert (answer.session["verdict"], answer.session["calls"], answer.session["results"]) == ("healthy", 2, 2)


def test_calls_of_a_subagent_are_kept_apart(tmp_path: Path) -> None:
    inner = {"type": "ToolCall", "payload": {"id": "A", "function": {"name": "Shell", "arguments": "{}"}}}
    told = event("SubagentEvent", parent_tool_call_id="Agent:0", agent_id="a1", subagent_type="coder", event=inner)
    answer = product.check(events(tmp_path, *TURN, started("Agent:0"), told, ended("Agent:0")))
    assert (answer.session["verdict"], answer.session["calls"]) == ("healthy", 1)


def test_a_header_alone_is_that_of_events(tmp_path: Path) -> None:
    assert product.check(events(tmp_path)).session["format"] == "kimi-cli-wire"


def test_the_events_of_many_calls_are_read_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ids = [f"Shell:{number}" for number in range(50)]
    path = events(tmp_path, *map(started, ids), *(event("ApprovalRequest", tool_call_id=each) for each in ids))
    calls = [EvidenceQuery(number, 0, "", each, "Shell", {}) for number, each in enumerate(ids)]
    read: list[Row] = []
    event_of = kimi_cli_events.event_of

    def counted(row: Any) -> Any:
        read.append(row)
        return event_of(row)

    monkeypatch.setattr(kimi_cli_events, "event_of", counted)
    found = list(kimi_cli_events.evidence_in_file(path, calls))
    assert [number for number, _ in found] == list(range(50))
    assert len(read) < 4 * len(path.read_bytes().splitlines())
    read.clear()
    assert not list(kimi_cli_events.lost_results_in_events(path.read_bytes(), {call.id: call for call in calls}))
    assert len(read) < 4 * len(path.read_bytes().splitlines())
