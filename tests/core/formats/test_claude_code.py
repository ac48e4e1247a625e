"""Claude Code's folder: subagents shown at the call that started them, progress records at the call they report on."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from inspector.core.engine.window_engine import WindowEngine
from inspector.core.presentation.engine_results import OpenedLogView
from inspector.core.presentation.opened_log_facts import view_record
from inspector.core.presentation.outline import NodeKind
from tests.support import product
from tests.support.notation import SESSION, claude_code, claude_code_records, clock, lines, parse, uuid

MAIN = 'u"go" | a"t"{A@Task prompt=find description=search subagent_type=Explore} | r(A=found) | a"ok"'
OWN = 'u"find" | a"t"{S} | r(S=seen) | a"done"'
BROKEN = 'u"find" | a"t"{S} | u"stop"'


def session(folder: Path, **result: object) -> Path:
    """A session that started one subagent; `result` goes into the structured result of that call."""
    records = claude_code_records(parse(MAIN))
    for record in records:
        if "toolUseResult" in record:
            record["toolUseResult"] = result
    path = folder / f"{SESSION}.jsonl"
    path.write_bytes(lines(records))
    return path


def subagent(folder: Path, history: str, name: str = "agent-x1") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    records = [record | {"isSidechain": True, "agentId": "x1"} for record in claude_code_records(parse(history))]
    path = folder / f"{name}.jsonl"
    path.write_bytes(lines(records))
    return path


def ancestors(opened: OpenedLogView, node: int) -> list[tuple[NodeKind, int]]:
    """The kinds and records of a node and of all above it."""
    outline, found = opened.outline, []
    while node > 0:
        found.append((NodeKind(outline.kind[node]), outline.record[node]))
        node = outline.parent[node]
    return found


def section(opened: OpenedLogView, start: str) -> int:
    return next(node for node, label in opened.outline.label.items() if label.startswith(start))


def of_new_layout(folder: Path) -> Path:
    (folder / SESSION / "subagents").mkdir(parents=True)
    (folder / SESSION / "subagents" / "agent-x1.meta.json").write_text('{"toolUseId":"A"}')
    subagent(folder / SESSION / "subagents", OWN)
    return session(folder)


def of_result(folder: Path) -> Path:
    subagent(folder / SESSION / "subagents" / "workflows" / "w1", OWN)
    return session(folder, agentId="x1", status="completed")


def of_prompt_beside(folder: Path) -> Path:
    subagent(folder, OWN)
    return session(folder)


@pytest.mark.parametrize("lay_out", [of_new_layout, of_result, of_prompt_beside])
def test_subagent_stands_at_its_call(lay_out: Callable[[Path], Path], tmp_path: Path) -> None:
    path = lay_out(tmp_path)
    engine = WindowEngine()
    opened = engine.open(str(path))
    engine.close()
    node = section(opened, "Subagent Explore: search (agent-x1.jsonl): healthy")
    assert ancestors(opened, node)[1] == (NodeKind.BLOCK, 2)
    (attached,) = opened.overview.attached
    own = Path(attached.path).read_bytes()
    spans = zip(opened.starts[attached.record :], opened.ends[attached.record :], strict=True)
    shown = [own[start - attached.offset : end - attached.offset] for start, end in spans]
    assert shown == own.splitlines()


def test_subagent_is_named_and_not_counted(tmp_path: Path) -> None:
    path = of_new_layout(tmp_path)
    told = product.check(path).session
    assert (told["calls"], told["results"]) == (1, 1)
    assert [(each["call_id"], Path(each["path"]).name) for each in told["subagents"]] == [("A", "agent-x1.jsonl")]


def test_a_folder_is_looked_through_once_for_all_sessions_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    listdir = os.listdir

    def noted(folder: str) -> list[str]:
        looked.append(folder)
        return listdir(folder)

    monkeypatch.setattr(os, "listdir", noted)
    own = session(tmp_path)
    other = own.with_name("other.jsonl")
    other.write_bytes(own.read_bytes())
    logs = [own, other]
    assert [product.check(log).session["subagents"] for log in logs] == [[], []]
    assert looked.count(str(tmp_path)) == 1
    subagent(tmp_path, OWN)
    os.utime(tmp_path, (0, 0))  # another time than before, however coarse the clock
    assert [len(product.check(log).session["subagents"]) for log in logs] == [1, 0]
    assert looked.count(str(tmp_path)) == 2


def test_broken_subagent_leaves_the_session_healthy(tmp_path: Path) -> None:
    path = session(tmp_path, agentId="x1")
    subagent(tmp_path / SESSION / "subagents", BROKEN)
    engine = WindowEngine()
    opened = engine.open(str(path))
    engine.close()
    assert opened.overview.sessions[0].verdict == "healthy"
    section(opened, "Subagent Explore: search (agent-x1.jsonl): broken (open this log separately to repair it)")


def test_unreadable_subagent_is_said(tmp_path: Path) -> None:
    path = session(tmp_path, agentId="x1")
    subagent(tmp_path / SESSION / "subagents", OWN).write_bytes(b"")
    engine = WindowEngine()
    opened = engine.open(str(path))
    engine.close()
    section(opened, "Subagent Explore: search (agent-x1.jsonl): unreadable: ")


def progress(number: int, parent: str, call_id: str, data: Mapping[str, object]) -> dict[str, object]:
    head = {"parentUuid": parent, "isSidechain": False, "type": "progress", "data": data, "parentToolUseID": call_id}
    return head | {"uuid": uuid(number), "timestamp": clock(number), "sessionId": SESSION, "version": "2.1.9"}


def test_progress_stands_at_its_call_and_is_no_pair_of_the_thread(tmp_path: Path) -> None:
    records = claude_code_records(parse(MAIN))
    call = records[2]
    inner = {"role": "assistant", "content": [{"type": "tool_use", "id": "P", "name": "Glob", "input": {}}]}
    embedded = {"type": "agent_progress", "message": {"type": "assistant", "message": inner}}
    told = [
        progress(901, call["uuid"], "A", embedded),
        progress(902, uuid(901), "A", {"type": "bash_progress", "output": "one\ntwo"}),
    ]
    records[3]["parentUuid"] = uuid(902)
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_bytes(lines([*records[:3], *told, *records[3:]]))
    answer = product.check(path).session
    assert (answer["verdict"], answer["calls"], answer["results"]) == ("healthy", 1, 1)
    engine = WindowEngine()
    opened = engine.open(str(path))
    engine.close()
    outline = opened.outline
    node = section(opened, "Progress (2)")
    assert ancestors(opened, node)[1] == (NodeKind.BLOCK, 2)
    children = range(outline.first[node], outline.first[node] + outline.count[node])
    assert [outline.record[child] for child in children] == [3, 4]


def test_progress_is_shown_in_words() -> None:
    shell = progress(1, "", "A", {"type": "bash_progress", "output": "one\ntwo"})
    assert view_record("claude-code", json.dumps(shell).encode()).summary == "bash progress: two"
    inner = {"role": "assistant", "content": [{"type": "tool_use", "id": "P", "name": "Glob", "input": {}}]}
    agent = progress(1, "", "A", {"type": "agent_progress", "message": {"type": "assistant", "message": inner}})
    view = view_record("claude-code", json.dumps(agent).encode())
    assert (view.role, [block.name for block in view.blocks]) == ("subagent assistant", ["Glob"])


def test_a_side_records_progress_on_the_main_path_is_no_side_thread(tmp_path: Path) -> None:
    records = claude_code_records(parse("u | a{A} | r(A=x) | a"))
    records[0] |= {"type": "progress", "isSidechain": True}
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_bytes(lines(records))
    assert product.check(path).session["calls"] == 1


def test_a_result_that_forks_off_is_recovered_whatever_its_mark(tmp_path: Path) -> None:
    records = claude_code_records(parse("u | a{A,B} | r(A=x,B=y) | a"))
    call, other, fork, result = records[1:5]
    fork |= {"parentUuid": call["uuid"], "isSidechain": True}
    result["parentUuid"] = other["uuid"]
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_bytes(lines(records))
    answer = product.check(path).session
    assert (answer["verdict"], answer["calls"], answer["results"]) == ("healthy", 2, 2)


def test_of_forked_results_without_an_id_the_last_is_recovered(tmp_path: Path) -> None:
    """The loader keeps records by their `uuid`: those without have one place (cli.js 2.1.112)."""
    records = claude_code_records(parse("u | a{A,B} | r(A=x,B=y) | a"))
    call, other, fork, result = records[1:5]
    del fork["uuid"]
    fork["parentUuid"], result["parentUuid"] = call["uuid"], other["uuid"]
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_bytes(lines(records))
    assert product.check(path).session["verdict"] == "healthy"
    path.write_bytes(lines([*records, fork | {"message": {"role": "user", "content": "more"}}]))
    assert product.check(path).errors == {"D3:A"}


def test_a_side_chain_s_fragment_of_the_main_thread_s_message_is_recovered(tmp_path: Path) -> None:
    """`DtY` asks for the message's id alone (cli.js 2.1.112), whatever the fragment hangs on."""
    records = claude_code_records(parse("u | a{A,B} | r(A=x,B=y) | a"))
    call, other = records[1:3]
    call |= {"parentUuid": "gone", "isSidechain": True}
    other["parentUuid"] = records[0]["uuid"]
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_bytes(lines(records))
    answer = product.check(path).session
    assert (answer["verdict"], answer["calls"], answer["results"]) == ("healthy", 2, 2)


@pytest.mark.parametrize(
    "result", [b'"alpha","is_error":"a text"', b'[{"type":"server_tool_use","id":"S","name":"web_search","input":{}}]']
)
def test_a_result_that_the_provider_does_not_take_is_reported(result: bytes, tmp_path: Path) -> None:
    data = claude_code(parse('u | a{A} | r(A=alpha) | a"ok"')).replace(b'"alpha"', result)
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_bytes(data)
    answer = product.check(path)
    assert (answer.session["verdict"], answer.errors) == ("broken", {"M12"})
