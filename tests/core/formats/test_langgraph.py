"""Threads of LangGraph: which results belong to their state, what waits, and the checkpoint that a repair adds."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.msgpack import Ext, encode

from tests.core.formats.langgraph import (
    NAME,
    THREAD,
    Message,
    add_checkpoint,
    add_write,
    checkpoint,
    checkpoint_id,
    extension,
    newest,
    packed,
    rows,
    send,
    version,
)
from tests.support import product
from tests.support.archives import zipped

FIRST, SECOND = "push, 0000000000, 0000000000", "push, 0000000001, 0000000000"


def human(text: str, own_id: str = "h-1") -> Message:
    return {"type": "human", "content": text, "id": own_id}


def call(call_id: str, tool: str = "pay") -> Message:
    return {"name": tool, "args": {"amount": 1}, "id": call_id, "type": "tool_call"}


def ai(text: str, *calls: str, own_id: str = "a-1") -> Message:
    return {"type": "ai", "content": text, "id": own_id, "tool_calls": [call(each) for each in calls]}


def result(call_id: str, text: str, own_id: str | None = None) -> Message:
    return {"type": "tool", "content": text, "tool_call_id": call_id, "name": "pay", "id": own_id, "status": "success"}


def stopped(folder: Path, *before: Message) -> Path:
    """A thread that was stopped while the second of two tools ran; the first had ended."""
    tasks = {"__pregel_tasks": [send(call("A")), send(call("B"))]}
    path = add_checkpoint(folder / NAME, checkpoint(1, [*before, human("go"), ai("", "A", "B")], tasks), 1)
    add_write(path, 1, FIRST, "messages", [packed(result("A", "paid A"))])
    return add_write(path, 1, FIRST, "branch:to:agent", None, 1)


def texts(path: Path, thread: str = THREAD) -> list[Any]:
    return [each["content"] for each in newest(path, thread)["channel_values"]["messages"]]


def repaired(path: Path, *options: str) -> Path:
    answer = product.run("repair", str(path), "--in-place", *options)
    assert answer.exit_code == 0, answer.output
    return path


# what is read


def test_a_stopped_thread_waits_and_keeps_its_finished_results(tmp_path: Path) -> None:
    path = stopped(tmp_path)
    session = product.check(path).session
    assert (session["verdict"], session["messages"], session["calls"], session["results"]) == ("waiting", 3, 2, 1)
    assert session["state"] == "stopped before tools; graph.invoke(None, thread) runs them and uses 1 finished result"
    assert (session["on_resume"]["outcome"], session["on_resume"]["answers"]) == ("as-is", [])
    assert product.repair(path, None).edits == []


def test_a_node_that_did_not_run_yet_waits(tmp_path: Path) -> None:
    values = {"branch:to:tools": None}
    path = add_checkpoint(tmp_path / NAME, checkpoint(1, [human("go"), ai("", "A")], values), 1)
    session = product.check(path).session
    assert (session["verdict"], session["state"]) == (
        "waiting",
        "stopped before tools; graph.invoke(None, thread) runs them",
    )


def test_calls_do_not_wait_where_the_model_is_next(tmp_path: Path) -> None:
    values = {"branch:to:agent": None}
    path = add_checkpoint(
        tmp_path / NAME, checkpoint(1, [human("go"), ai("", "A", "B"), result("A", "paid A")], values), 1
    )
    assert product.check(path).errors == {"D3:B"}


def test_a_new_message_discards_the_results_of_the_stopped_tools(tmp_path: Path) -> None:
    """They are in no state any more, and are recovered from their rows."""
    path = stopped(tmp_path)
    later = human("and?", "h-2")
    add_checkpoint(path, checkpoint(2, [human("go"), ai("", "A", "B"), later], {"branch:to:agent": None}), 2)
    with closing(sqlite3.connect(path)) as database:  # the id of a thread is any text
        for table in ("checkpoints", "writes"):
            database.execute(f"UPDATE {table} SET thread_id = 'user/1'")
        database.commit()
    answer = product.check(path)
    assert (answer.session["verdict"], answer.errors) == ("broken", {"D2:A", "D2:B"})
    assert answer.session["on_resume"]["error"].startswith("INVALID_CHAT_HISTORY")
    assert "result was found in checkpoints.db (table writes)" in str(answer.findings[0]["message"])
    assert texts(repaired(path), "user/1")[2:] == ["paid A", texts(path, "user/1")[3], "and?"]


def test_messages_that_are_stored_as_changes_are_put_together(tmp_path: Path) -> None:
    """deepagents: a checkpoint holds no messages, or a snapshot of them."""
    snapshot = Ext(7, encode([packed(human("go"))]))
    path = add_checkpoint(tmp_path / NAME, checkpoint(1, None, {"messages": snapshot}), 1)
    add_write(path, 1, "pull, model", "messages", [packed(ai("", "A"))])
    add_checkpoint(path, checkpoint(2, None), 2)
    add_write(path, 2, FIRST, "messages", [packed(result("A", "paid A", "t-1"))])
    add_checkpoint(path, checkpoint(3, None), 3)
    add_write(path, 3, "pull, model", "messages", [packed({"type": "remove", "content": "", "id": "t-1"})])
    add_checkpoint(path, checkpoint(4, None), 4)
    answer = product.check(path)
    assert (answer.session["messages"], answer.errors) == (2, {"D1:A"})
    assert texts(repaired(path)) == ["go", "", "paid A"]
    assert isinstance(newest(path)["channel_values"]["messages"], list)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ([("user", "hello")], ["go", "hello"]),
        ({"role": "user", "content": "hello"}, ["go", "hello"]),
        ("hello", ["go", "hello"]),
        ([packed(human("come", "h-1"))], ["come"]),
        ([packed({"type": "remove", "content": "", "id": "__remove_all__"}), packed(human("new", "h-9"))], ["new"]),
        (extension("langgraph.types", "Overwrite", {"value": [packed(human("new", "h-9"))]}, 2), ["new"]),
        ({"__overwrite__": [packed(human("new", "h-9"))]}, ["new"]),
    ],
)
def test_writes_are_merged_as_langgraph_merges_them(written: Any, expected: Sequence[str], tmp_path: Path) -> None:
    path = add_checkpoint(tmp_path / NAME, checkpoint(1, [human("go")]), 1)
    add_write(path, 1, "pull, x", "messages", written)
    add_write(path, 1, "pull, y", "messages", [packed(result("Z", "z"))])
    words = [each["content"] for each in product.sent(path).report["messages"]]
    assert words == [*expected, "z"]


def test_nothing_that_a_database_names_is_looked_up(tmp_path: Path) -> None:
    """An extension is read as its arguments, whatever class it names."""
    marker = tmp_path / "called"
    evil = [extension("os", "system", f"touch {marker}", 0), extension("pathlib", "Path", [str(marker)], 1)]
    path = add_checkpoint(tmp_path / NAME, checkpoint(1, [human("go")], {"files": evil}), 1)
    assert (product.check(path).session["verdict"], marker.exists()) == ("healthy", False)


@pytest.mark.parametrize(("kind", "words"), [("pickle", "pickled"), ("msgpack+aes", "encrypted")])
def test_pickled_and_encrypted_threads_are_not_read(kind: str, words: str, tmp_path: Path) -> None:
    path = add_checkpoint(tmp_path / NAME, b"\x80\x04N.", 1)
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE checkpoints SET type = ?", (kind,))
        database.commit()
    session = product.check(path).session
    assert session["verdict"] == "unreadable"
    assert words in str(product.run("check", str(path)).output)


def test_each_thread_is_a_session_and_a_subgraph_is_on_the_side(tmp_path: Path) -> None:
    path = stopped(tmp_path)
    add_checkpoint(path, checkpoint(1, [human("go"), ai("Done.")]), 1, "thread-2")
    add_checkpoint(path, checkpoint(1, [human("go"), ai("", "A"), human("and?")]), 1, "thread-2", "tools:1f1e")
    sessions = product.check(path).report["sessions"]
    assert [(each["id"], each["verdict"]) for each in sessions] == [
        ("thread-1", "waiting"),
        ("thread-2", "healthy"),
        ("thread-2/tools:1f1e", "healthy"),
    ]


def test_an_error_of_a_tool_shows_that_it_ran(tmp_path: Path) -> None:
    path = stopped(tmp_path)
    add_write(path, 1, SECOND, "__error__", "KeyboardInterrupt()", -1)
    add_checkpoint(path, checkpoint(2, [human("go"), ai("", "A", "B"), human("and?", "h-2")]), 2)
    evidence = {each["call_id"]: each["evidence"] for each in product.check(path).findings}
    assert (evidence["B"]["verdict"], evidence["B"]["traces"][0]["sentence"]) == (
        "ran",
        "According to the writes table, the tool ended with an error: KeyboardInterrupt().",
    )


# what is written


def test_a_repair_adds_a_checkpoint_and_changes_no_row(tmp_path: Path) -> None:
    odd = extension("uuid", "UUID", "1f" * 16, 0)
    made = human("go") | {"additional_kwargs": {"run": odd, "raw": b"\x00\xff"}}
    path = add_checkpoint(tmp_path / NAME, checkpoint(1, [made, ai("", "A"), human("and?", "h-2")]), 1)
    add_checkpoint(path, checkpoint(1, [human("go")]), 1, "thread-2")
    others, (old,) = rows(path, "thread-2"), rows(path)
    answer = product.run("repair", str(path), "--in-place")
    assert answer.exit_code == 0, answer.output
    assert f'Open thread "{THREAD}" with a SqliteSaver for "{path}"' in answer.output
    before, after = rows(path)
    assert (before, rows(path, "thread-2")) == (old, others)
    assert after[2] > before[2]
    assert (after[3], after[4]) == (checkpoint_id(1), "msgpack")
    assert after[6] == b'{"source": "update", "step": 2, "parents": {}}'
    state = newest(path)
    assert (state["id"], state["updated_channels"]) == (after[2], None)
    assert state["channel_versions"]["messages"] > version(1)
    assert encode(packed(made)) in after[5], "what no edit names keeps its bytes"
    assert product.check(path).report["sessions"][0]["verdict"] == "healthy"


def test_a_message_may_have_a_role_of_its_own(tmp_path: Path) -> None:
    said = human("go") | {"type": "chat", "role": "user"}
    spoken = ai("", "A", "A") | {"role": "assistant", "more": extension("uuid", "UUID", "1f" * 16, 0)}
    messages = [extension("langchain_core.messages.chat", "ChatMessage", said), spoken, result("A", "paid")]
    path = add_checkpoint(tmp_path / NAME, checkpoint(1, messages), 1)
    answer = product.check(path)
    assert (answer.session["messages"], answer.errors) == (3, {"K2:A"})
    after = newest(repaired(path))["channel_values"]["messages"]
    assert [after[0]["role"], after[1]["role"], after[1]["more"]] == ["user", "assistant", "1f" * 16]


def test_finished_results_are_in_the_new_checkpoint_and_other_tasks_stay(tmp_path: Path) -> None:
    """The orphan is repaired; the second tool still runs, and the model after it."""
    path = stopped(tmp_path, human("hi", "h-0"), result("X", "of nothing", "t-0"), ai("Hm.", own_id="a-0"))
    values = newest(repaired(path))["channel_values"]
    assert [each["content"] for each in values["messages"]][-1] == "paid A"
    assert [task[1]["tool_call"]["id"] for task in values["__pregel_tasks"]] == ["B"]
    assert "branch:to:agent" not in values
    session = product.check(path).session
    assert (session["verdict"], session["results"]) == ("waiting", 1)


def test_the_model_is_next_when_all_tasks_have_ended(tmp_path: Path) -> None:
    path = stopped(tmp_path, human("hi", "h-0"), result("X", "of nothing", "t-0"), ai("Hm.", own_id="a-0"))
    add_write(path, 1, SECOND, "messages", [packed(result("B", "paid B"))])
    add_write(path, 1, SECOND, "branch:to:agent", None, 1)
    state = newest(repaired(path))
    assert "__pregel_tasks" not in state["channel_values"]
    assert state["channel_versions"]["branch:to:agent"] == state["channel_versions"]["messages"]
    assert product.check(path).session["state"] == "stopped before agent"


def test_other_changes_of_finished_tasks_are_not_lost(tmp_path: Path) -> None:
    path = stopped(tmp_path, result("X", "of nothing", "t-0"))
    add_write(path, 1, FIRST, "todos", ["buy milk"], 2)
    answer = product.repair(path, tmp_path / "out.db")
    assert (answer.code, (tmp_path / "out.db").exists()) == (2, False)
    assert "tasks that ended later also changed todos" in answer.report["reason"]
    assert len(rows(path)) == 1


@pytest.mark.parametrize("damage", [b"", b"\x91\xc7", b"not msgpack at all"])
def test_a_damaged_checkpoint_is_followed_by_a_new_one(damage: bytes, tmp_path: Path) -> None:
    path = add_checkpoint(tmp_path / NAME, checkpoint(1, [human("go"), ai("Done.")]), 1)
    add_checkpoint(path, damage, 2)
    answer = product.check(path)
    assert (answer.session["verdict"], answer.session["on_resume"]["outcome"]) == ("broken", "refuses")
    repaired(path)
    assert len(rows(path)) == 3
    assert (texts(path), rows(path)[1][5]) == (["go", "Done."], damage)


def test_a_damaged_write_is_left_behind(tmp_path: Path) -> None:
    path = add_checkpoint(tmp_path / NAME, checkpoint(1, [human("go"), ai("Done.")]), 1)
    add_write(path, 1, "pull, x", "messages", b"\x91\xc7")
    assert product.check(path).session["on_resume"]["error"] == "a row of the thread cannot be decoded"
    assert texts(repaired(path)) == ["go", "Done."]


def test_a_database_in_an_archive_is_repaired_as_a_copy(tmp_path: Path) -> None:
    path = add_checkpoint(tmp_path / NAME, checkpoint(1, [human("go"), ai("", "A"), human("and?", "h-2")]), 1)
    archive = zipped(tmp_path, {NAME: path.read_bytes()})
    assert product.repair(archive / NAME, tmp_path / "out.db").code == 0
    assert len(rows(tmp_path / "out.db")) == 2


# what is sent


@pytest.mark.parametrize(
    ("node", "outcome", "agent"),
    [
        ("agent", "refuses", "create_react_agent"),
        ("model", "refuses", "create_agent"),
        ("PatchToolCallsMiddleware.before_agent", "mends", "deepagents"),
        ("chatbot", "refuses", "langgraph"),
    ],
)
def test_what_becomes_of_an_open_call_depends_on_the_agent(node: str, outcome: str, agent: str, tmp_path: Path) -> None:
    stored = checkpoint(1, [human("go"), ai("", "A"), human("and?", "h-2")], seen=[node])
    told = product.check(add_checkpoint(tmp_path / NAME, stored, 1)).session["on_resume"]
    assert (told["outcome"], told["agent"]) == (outcome, agent)


def test_the_store_of_deep_agents_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / ".deepagents" / ".state"
    store.mkdir(parents=True)
    add_checkpoint(store / "sessions.db", checkpoint(1, [human("go"), ai("", "A"), human("and?", "h-2")]), 1)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert "thread-1" in product.run("sessions").output
    answer = product.run("repair", str(store / "sessions.db"), "--in-place")
    assert f"deepagents -r {THREAD}" in answer.output
