"""Cline, Roo Code, Kilo Code: results told as text, what is sent of a task, the range beside it, arrays cut short."""

import json
import os
from array import array
from pathlib import Path
from typing import Any

import pytest

from inspector.core.formats import FORMATS, detect_format
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.cline_task import ClineTask
from inspector.core.model.session import Session, Thread
from inspector.core.storage.source import Source
from tests.core.formats import cline_ui
from tests.core.formats.cline_task import START, TASK, load, messages, write_messages, write_range
from tests.support import product
from tests.support.judges import JUDGES
from tests.support.notation import parse, show

ROO = "globalStorage/rooveterinaryinc.roo-cline"


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(call_id: str, name: str = "read_file") -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": {}}


def said(role: str, *content: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"role": role, "content": list(content), "ts": START, **more}


def counts(path: Path) -> dict[str, Any]:
    session = product.check(path).session
    return {key: session[key] for key in ("verdict", "calls", "results", "dangling", "orphans")}


def in_place(path: Path) -> Any:
    door = product.Door(path)
    try:
        return door.save("in-place")
    finally:
        door.close()


# results told as text

TOLD = {
    "one block": [text("[read_file for 'a.py'] Result:\nalpha")],
    "two blocks": [text("[read_file for 'a.py'] Result:"), text("alpha")],
    "no argument": [text("[read_file] Result:\nalpha")],
    "several lines": [text("[execute_command for 'cat <<EOF\none\nEOF'] Result:\nalpha")],
    "rejected": [text("Skipping tool [read_file for 'a.py'] due to user rejecting a previous tool.")],
    "one tool a message": [
        text("Tool [read_file] was not executed because a tool has already been used in this message. Only one …")
    ],
    "parts": [text(json.dumps([{"type": "text", "text": "alpha"}], indent=2))],
}


@pytest.mark.parametrize("shape", TOLD)
def test_a_result_told_as_text_answers_its_call(shape: str, tmp_path: Path) -> None:
    made = [said("user", text("go")), said("assistant", call("A")), said("user", *TOLD[shape], text("<environment>"))]
    path = write_messages([*made, said("assistant", text("ok"))], tmp_path)
    assert counts(path) == {"verdict": "healthy", "calls": 1, "results": 1, "dangling": 0, "orphans": 0}


def test_231_calls_told_as_text_dangle_nowhere(tmp_path: Path) -> None:
    made = [said("user", text("<task>\ngo\n</task>"))]
    for number in range(231):
        made.append(said("assistant", text("I read."), call(f"toolu_{number}")))
        made.append(said("user", text(f"[read_file for '{number}.py'] Result:"), text("alpha"), text("<env>")))
    path = write_messages(made, tmp_path)
    assert counts(path) == {"verdict": "healthy", "calls": 231, "results": 231, "dangling": 0, "orphans": 0}
    assert product.check(path).findings == []


def test_the_next_message_without_a_result_is_no_answer(tmp_path: Path) -> None:
    made = [said("user", text("go")), said("assistant", call("A")), said("user", text("[note] never mind"))]
    assert product.check(write_messages([*made, said("assistant", text("ok"))], tmp_path)).errors == {"D2:A"}


def test_parallel_calls_told_as_text_pair_by_their_tool_then_in_order(tmp_path: Path) -> None:
    calls = [call("A", "srv0mcp0find"), call("B"), call("C")]
    told = [text("[read_file for 'b'] Result:\nb"), text("[use_mcp_tool for 'srv'] Result:\na")]
    made = [said("user", text("go")), said("assistant", *calls), said("user", *told), said("assistant", text("ok"))]
    path = write_messages(made, tmp_path)
    assert product.check(path).errors == {"D3:C"}
    out = tmp_path / "api_conversation_history.json"
    assert product.repair(path, out).code == 0
    answers = [
        block for message in json.loads(out.read_bytes()) for block in message["content"] if "tool_use_id" in block
    ]
    assert [block["tool_use_id"] for block in answers] == ["C"]
    assert counts(out)["verdict"] == "healthy"


def test_told_and_real_results_stand_beside_each_other(tmp_path: Path) -> None:
    real = {"type": "tool_result", "tool_use_id": "A", "content": "a"}
    made = [said("user", text("go")), said("assistant", call("A"), call("B", "search_files"))]
    made.append(said("user", real, text("[search_files for 'x' in '*'] Result:\nb")))
    path = write_messages([*made, said("assistant", text("ok"))], tmp_path)
    assert counts(path) == {"verdict": "healthy", "calls": 2, "results": 2, "dangling": 0, "orphans": 0}


def test_a_note_that_quotes_a_result_told_as_text_answers_no_call(tmp_path: Path) -> None:
    orphan = {"type": "tool_result", "tool_use_id": "Z", "content": "[read_file for 'a.py'] Result:\nalpha"}
    made = [said("user", text("go")), said("assistant", call("A"), call("B")), said("user", orphan)]
    path = write_messages([*made, said("assistant", text("ok"))], tmp_path)
    assert product.repair(path, tmp_path / "out.json").code == 0
    out = (tmp_path / "out.json").rename(tmp_path / "api_conversation_history.json")
    assert counts(out) == {"verdict": "healthy", "calls": 2, "results": 2, "dangling": 0, "orphans": 0}
    assert JUDGES["anthropic"][0](load(out)) is None


def test_a_quoted_block_that_holds_a_result_told_as_text_answers_no_call(tmp_path: Path) -> None:
    odd = {"type": [], "tool_use_id": "A", "content": "[read_file for 'a.py'] Result:\nalpha"}
    made = [said("user", text("go")), said("assistant", call("A")), said("user", odd)]
    path = write_messages([*made, said("assistant", text("ok"))], tmp_path)
    assert product.repair(path, tmp_path / "out.json", "--log-format", "cline-task").code == 0
    out = (tmp_path / "out.json").rename(tmp_path / "api_conversation_history.json")
    assert "No result was recorded" in out.read_text("utf-8")


def test_a_role_that_nobody_has_is_refused(tmp_path: Path) -> None:
    made = [said("user", text("go")), said("assistant", call("A")), said("boss", text("more"))]
    made.append(said("user", {"type": "tool_result", "tool_use_id": "A", "content": "a"}))
    path = write_messages(made, tmp_path)
    assert product.check(path, "--log-format", "cline-task").errors == {"M12"}


def test_reasoning_that_says_null_is_handed_on_and_refused(tmp_path: Path) -> None:
    thinking = {"type": "thinking", "thinking": None, "signature": "c2ln"}
    made = [said("user", text("go")), said("assistant", thinking, text("fine"))]
    path = write_messages(made, tmp_path)
    assert product.check(path).errors == {"M12"}
    product.repair(path, tmp_path / "out.json")
    assert product.check(tmp_path / "out.json").errors == set()


def test_renaming_a_call_that_is_answered_in_text_renames_nothing_else(tmp_path: Path) -> None:
    answer = text("[read_file for 'a'] Result:\na")
    made = [said("user", text("go")), said("assistant", call("A")), said("user", answer)]
    path = write_messages([*made, *made[1:], said("assistant", text("ok"))], tmp_path)
    assert product.check(path).errors == {"K1:A"}
    out = tmp_path / "out.json"
    assert product.repair(path, out).code == 0
    after = json.loads(out.read_bytes())
    assert [message["content"][0].get("id") for message in after] == [None, "A", None, "A-2", None, None]
    assert after[4] == made[2]
    assert counts(out) == {"verdict": "healthy", "calls": 2, "results": 2, "dangling": 0, "orphans": 0}


def test_calls_written_as_xml_are_text(tmp_path: Path) -> None:
    made = [
        said("user", text("<task>\ngo\n</task>")),
        said("assistant", text("I read.\n<read_file>\n<path>a.py</path>\n</read_file>")),
        said("user", text("[read_file for 'a.py'] Result:"), text("alpha")),
    ]
    path = write_messages(made, tmp_path)
    assert counts(path) == {"verdict": "healthy", "calls": 0, "results": 0, "dangling": 0, "orphans": 0}


@pytest.mark.parametrize("tool", ["attempt_completion", "ask_followup_question", "plan_mode_respond"])
def test_a_task_that_ends_by_asking_the_person_is_not_interrupted(tool: str, tmp_path: Path) -> None:
    path = write_messages([said("user", text("go")), said("assistant", call("A", tool))], tmp_path)
    assert product.check(path).rules == {"D6"}
    assert counts(path)["verdict"] == "waiting"


# what is sent

SUMMARY = {"isSummary": True, "condenseId": "s1"}
OPEN_THEN_SUMMARY = 'u"go" | a"t"{A} | u"stop" | a"so far" | u"more" | a{B} | r(B=beta) | a"done"'


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_what_lies_before_the_last_summary_is_not_judged(role: str, tmp_path: Path) -> None:
    made = messages(parse(OPEN_THEN_SUMMARY))
    made[3:4] = [said(role, text("so far"), **SUMMARY)] if role == "assistant" else [said(role, text("sum"), **SUMMARY)]
    for message in made[1:3]:
        message["condenseParent"] = "s1"
    path = write_messages(made, tmp_path)
    assert counts(path)["verdict"] == "healthy"
    assert product.check(path).session["messages"] == (6 if role == "assistant" else 5)
    assert show(load(path)).startswith('u"go" | a"so far" | u"more"' if role == "assistant" else 'u"sum"+"more"')


def test_a_result_behind_the_summary_whose_call_lies_before_it(tmp_path: Path) -> None:
    made = messages(parse('u"go" | a{A} | u"sum" | r(A=alpha) | a"ok"'))
    made[2] |= SUMMARY
    path = write_messages(made, tmp_path / ROO)
    assert product.check(path).errors == {"C2:A"}
    resume = product.check(path).session["on_resume"]
    told = {key: resume[key] for key in ("agent", "outcome", "loses")}
    assert told == {"agent": "roo-code", "outcome": "mends", "loses": ["results of calls that were cut off"]}
    out = tmp_path / "api_conversation_history.json"
    assert product.repair(path, out).code == 0
    assert JUDGES["anthropic"][0](load(out)) is None
    assert "alpha" in show(load(out))


def test_truncated_messages_are_not_judged(tmp_path: Path) -> None:
    made = messages(parse('u"go" | a"t"{A} | u"stop" | a"hm" | u"more" | a{B} | r(B=beta) | a"done"'))
    for message in made[1:4]:
        message["truncationParent"] = "m1"
    assert product.check(write_messages(made, tmp_path)).errors == {"D2:A"}, "no marker: nothing is hidden"
    made.insert(4, said("user", text("[3 messages hidden]"), isTruncationMarker=True, truncationId="m1"))
    path = write_messages(made, tmp_path)
    assert (counts(path)["verdict"], product.check(path).session["messages"]) == ("healthy", 6)


def test_a_reasoning_item_is_no_message(tmp_path: Path) -> None:
    item = {"type": "reasoning", "summary": [], "encrypted_content": "x", "id": "rs_1", "ts": START}
    path = write_messages([said("user", text("go")), item, said("assistant", text("ok"))], tmp_path)
    assert (counts(path)["verdict"], product.check(path).session["messages"]) == ("healthy", 2)


# the range beside the task

CUT = 'u"go" | a{A} | r(A=a) | a{B} | u"stop" | a{C} | r(C=c) | a{D} | r(D=d) | a"done"'


def test_the_deleted_range_is_not_judged_and_its_edges_are_clines_own(tmp_path: Path) -> None:
    path = write_messages(messages(parse(CUT)), tmp_path)
    assert product.check(path).errors == {"D2:B"}
    write_range(tmp_path, 2, 5)
    assert counts(path) == {"verdict": "healthy", "calls": 4, "results": 3, "dangling": 1, "orphans": 0}
    assert product.check(path).session["messages"] == 6
    out = tmp_path / "copy.json"
    assert product.repair(path, out).code == 0
    assert out.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("span", [(2, 9), (2, 8), (1, 1), (0, -1), ("2", "5"), (2,)])
def test_a_range_that_leaves_nothing_or_is_none_counts_for_nothing(span: Any, tmp_path: Path) -> None:
    path = write_messages(messages(parse(CUT)), tmp_path)
    write_range(tmp_path, *span)
    assert product.check(path).session["messages"] == (3 if span == (2, 8) else 10)


def test_behind_the_range_a_repair_leaves_it_alone(tmp_path: Path) -> None:
    path = write_messages(messages(parse(CUT + ' | u"go on" | a{E} | u"stop" | a"ok"')), tmp_path)
    state = write_range(tmp_path, 2, 5)
    before = state.read_bytes()
    assert product.check(path).errors == {"D2:E"}
    in_place(path)
    assert state.read_bytes() == before
    assert JUDGES["anthropic"][0](load(path)) is None
    assert product.check(path).session["verdict"] == "healthy"


def test_a_copy_is_judged_by_the_range_too(tmp_path: Path) -> None:
    """The call that dangles where Cline does not look would be refused if the range were forgotten."""
    path = write_messages(messages(parse(CUT + ' | u"go on" | a{E} | u"stop" | a"ok"')), tmp_path)
    write_range(tmp_path, 2, 5)
    out = tmp_path / "copy.json"
    answer = product.repair(path, out)
    assert answer.code == 0, answer.report.get("reason")
    assert len(json.loads(out.read_bytes())) == len(json.loads(path.read_bytes())) + 1


def test_a_repair_before_the_range_moves_it_and_what_the_window_notes(tmp_path: Path) -> None:
    made = messages(parse('a"hello" | u"go" | a{A} | r(A=a) | a{B} | r(B=b) | a"done"'))
    path = write_messages(made, tmp_path)
    state = write_range(tmp_path, 2, 3)
    window = path.with_name("ui_messages.json")
    notes: list[dict[str, Any]] = [
        {"ts": START, "type": "say", "say": "text", "conversationHistoryIndex": place} for place in (-1, 0, 3, 7)
    ]
    notes[3]["conversationHistoryDeletedRange"] = [2, 3]
    window.write_text(json.dumps(notes), "utf-8")
    saved = in_place(path)
    assert json.loads(path.read_bytes())[0]["role"] == "user"
    assert '"conversationHistoryDeletedRange": [3,4], "totalCost": 0.1}' in state.read_text("utf-8")
    assert json.loads(state.read_bytes())[0]["conversationHistoryDeletedRange"] == [2, 9]
    after = json.loads(window.read_bytes())
    assert [note["conversationHistoryIndex"] for note in after] == [-1, 1, 4, 8]
    assert after[3]["conversationHistoryDeletedRange"] == [3, 4]
    assert any("range of deleted messages" in step and "backup" in step for step in saved.steps)
    assert any("checkpoints" in step for step in saved.steps)


def test_a_list_of_tasks_that_cannot_be_read_is_said_before_the_log_is_replaced(tmp_path: Path) -> None:
    path = write_messages(messages(parse('a"hello" | u"go" | a{A} | r(A=a) | a"done"')), tmp_path)
    before, state = path.read_bytes(), tmp_path / "state" / "taskHistory.json"
    state.mkdir(parents=True)
    said = product.run("repair", str(path), "--in-place")
    assert (said.exit_code, path.read_bytes()) == (2, before), said.output
    assert "taskHistory.json cannot be read" in said.output + said.stderr
    assert "Make the file readable, or save a copy" in said.output + said.stderr
    assert product.repair(path, tmp_path / "out.json").code == 0


def test_the_window_tells_the_range_where_no_list_of_tasks_is_at_hand(tmp_path: Path) -> None:
    path = write_messages(messages(parse(CUT)), tmp_path)
    note = {"ts": START, "type": "say", "say": "text", "conversationHistoryDeletedRange": [2, 5]}
    path.with_name("ui_messages.json").write_text(json.dumps([note, {"ts": START, "type": "say"}]), "utf-8")
    assert counts(path)["verdict"] == "healthy"


# on resume


GAP = [said("user", text("<task>go</task>")), said("assistant", call("A"))]
LATER = [said("user", text("and?")), said("assistant", text("done"))]


@pytest.mark.parametrize(
    ("messages", "verdict", "outcome"),
    [
        ([*GAP, *LATER], "heals-itself", "mends"),
        (GAP + LATER[:1], "broken", "unknown"),
        ([*GAP, said("user", {"type": "tool_result", "tool_use_id": "B"}), *LATER[1:]], "broken", "unknown"),
    ],
)
def test_a_task_that_went_on_after_its_gap_goes_on(
    messages: list[dict[str, Any]], verdict: str, outcome: str, tmp_path: Path
) -> None:
    """Which of the three wrote it is not known, and that a request with the gap was answered is."""
    path = tmp_path / "api_conversation_history.json"
    path.write_text(json.dumps(messages), "utf-8")
    session = product.check(path).session
    assert (session["verdict"], session["on_resume"]["outcome"]) == (verdict, outcome)


@pytest.mark.parametrize(
    ("agent", "rules", "outcome"),
    [
        ("Roo Code", "", "as-is"),
        ("Roo Code", "D1", "mends"),
        ("Roo Code", "D1 R8", "unknown"),
        ("Roo Code", "D2", "refuses"),
        ("Kilo Code", "D1 C2", "mends"),
        ("Kilo Code", "F1", "refuses"),
        ("Cline", "D1 D2 D3 R9", "mends"),
        ("Cline", "D2 R3", "unknown"),
        ("Cline", "R1", "refuses"),
        ("", "D1", "mends"),
        ("", "D2", "unknown"),
        ("", "R2", "refuses"),
    ],
)
def test_each_heals_what_it_heals(agent: str, rules: str, outcome: str) -> None:
    session = Session(0, TASK, range(0), [Thread(array("I"))], "anthropic", agent=agent)
    answer = ClineTask().resume_behavior(session, set(rules.split()))
    assert answer.outcome == outcome
    assert (agent or "Cline, Roo Code or Kilo Code") in answer.sentence


def test_the_place_tells_the_agent(tmp_path: Path) -> None:
    for folder, agent in ((ROO, "roo-code"), ("globalStorage/kilocode.kilo-code", "kilo-code"), ("other", "unknown")):
        path = write_messages(messages(parse('u"go" | a"ok"')), tmp_path / folder)
        assert product.check(path).session["on_resume"]["agent"] == agent
    write_range(tmp_path / "other", 2, 9)
    assert product.check(path).session["on_resume"]["agent"] == "cline"


# detection


def name_of(path: Path) -> str:
    with Source.open(str(path)) as source:
        return detect_format(Head(source)).name


def test_plain_messages_stay_plain(tmp_path: Path) -> None:
    path = tmp_path / "history.json"
    made = messages(parse('u"go" | a{A} | r(A=a) | a"ok"'))
    path.write_text(json.dumps(made), "utf-8")
    assert name_of(path) == "cline-task"
    for message in made:
        del message["ts"]
    path.write_text(json.dumps(made), "utf-8")
    assert name_of(path) == "anthropic-messages"
    made[0]["content"] = [text("<task>\ngo\n</task>"), text("<environment_details>…</environment_details>")]
    path.write_text(json.dumps(made), "utf-8")
    assert name_of(path) == "cline-task"


def test_the_old_name_holds_either_of_the_two(tmp_path: Path) -> None:
    path = tmp_path / "claude_messages.json"
    history = parse('u"go" | a"ok"')
    path.write_text(json.dumps(messages(history)), "utf-8")
    assert name_of(path) == "cline-task"
    path.write_bytes(cline_ui.render(history))
    assert name_of(path) == "cline-ui"


ROO_2 = {
    "role": "tool",
    "content": [{"type": "tool-result", "toolCallId": "A", "output": {"type": "text"}}],
    "ts": START,
}
NEIGHBOURS = {
    "task_metadata.json": {"files_in_context": [{"path": "a.py", "record_state": "active"}], "model_usage": []},
    "context_history.json": [[2, [0, [[0, [[1764579600000, "text", ["[NOTE]"], []]]]]]]],
    "history_item.json": {"id": TASK, "ts": START, "task": "go", "tokensIn": 1, "totalCost": 0.1},
    "_index.json": {"version": 1, "updatedAt": START, "entries": [{"id": TASK, "ts": START, "task": "go"}]},
    "taskHistory.json": [{"id": TASK, "ts": START, "task": "go", "tokensIn": 1}],
    "api_conversation_history.json": {
        "version": 2,
        "messages": [{"role": "tool", "content": [{"type": "tool-result"}]}],
    },
    "session.json": {"version": 1, "session_id": "x", "status": "completed", "metadata": {"title": "go"}},
}


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_what_lies_beside_a_log_is_not_judged(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(json.dumps(NEIGHBOURS[name], indent=1), "utf-8")
    assert product.check(path).code == 3


def test_a_head_that_ends_in_the_first_message_is_enough(tmp_path: Path) -> None:
    path = write_messages([said("user", text("x" * 300_000)), said("assistant", text("ok"))], tmp_path)
    assert name_of(path) == "cline-task"


# damage


def test_what_is_added_around_the_last_whole_message_of_a_cut_array_is_told_apart(tmp_path: Path) -> None:
    path = write_messages(messages(parse('a{A} | r(A=alpha) | a"ok"')), tmp_path)
    path.write_bytes(path.read_bytes().partition(b"alpha")[0])
    out = tmp_path / "out.json"
    assert product.repair(path, out).code == 0
    assert JUDGES["anthropic"][0](load(out)) is None


def test_an_array_cut_anywhere_is_salvaged(tmp_path: Path) -> None:
    made = messages(parse('u"go" | a{A} | r(A=alpha) | a{B} | r(B="x \\"y\\" [z]") | a"ok"'))
    path = write_messages(made, tmp_path)
    whole, out = path.read_bytes(), tmp_path / "out" / path.name
    out.parent.mkdir()
    judge = JUDGES["anthropic"][0]
    first = whole.index(b',{"role"')
    for size in (size for size in range(first, len(whole)) if size % 5 == 0 or whole[size - 1] in b"}]"):
        path.write_bytes(whole[:size])
        answer = product.repair(path, out)
        assert answer.code == 0, (size, answer.report.get("reason"))
        after = json.loads(out.read_bytes())
        kept = [message for message in after if message in made]
        assert kept == made[: len(kept)]
        assert len(kept) >= whole[:size].count(b'"ts":') - 1
        assert judge(load(out)) is None
        os.remove(out)


def test_titles_and_folders_are_told_by_the_head(tmp_path: Path) -> None:
    env = text("<environment_details>\n# Current Workspace Directory (/home/ina/garden) Files\nbeds.csv")
    path = write_messages([said("user", text("<task>\nWater the beds\n</task>"), env)], tmp_path)
    with Source.open(str(path)) as source:
        found = FORMATS["cline-task"].metadata(Head(source))
    assert (found.project, found.title) == ("/home/ina/garden", "Water the beds")


def test_stores_name_the_three_extensions() -> None:
    patterns = {store.pattern for store in ClineTask().stores}
    for extension in ("saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline", "kilocode.kilo-code"):
        assert f"*/User/globalStorage/{extension}/tasks/*/api_conversation_history.json" in patterns
    assert "tasks/*/api_conversation_history.json" in patterns
