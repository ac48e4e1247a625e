"""Sessions of the OpenAI Agents SDK: what it sends of them, and how rows are changed and added."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.core.formats.openai_agents import SESSION, Item, add_items, get_items, rows
from tests.core.formats.openai_agents_state import generated, state
from tests.support import product
from tests.support.archives import zipped

PLACEHOLDER_ID = "__fake_id__"
APPROVAL = "tool_approval_item"


def user(text: str) -> Item:
    return {"content": text, "role": "user"}


def said(text: str, own_id: str = "msg_1") -> Item:
    part = {"annotations": [], "text": text, "type": "output_text"}
    return {"id": own_id, "content": [part], "role": "assistant", "status": "completed", "type": "message"}


def call(call_id: str, own_id: str = "", **arguments: Any) -> Item:
    made = {"arguments": json.dumps(arguments), "call_id": call_id, "name": "pay", "type": "function_call"}
    return made | {"id": own_id or f"fc_{call_id}", "status": "completed"}


def output(call_id: str, text: str = "paid") -> Item:
    return {"call_id": call_id, "output": text, "type": "function_call_output"}


def reasoning(own_id: str) -> Item:
    return {"id": own_id, "summary": [], "type": "reasoning", "encrypted_content": "Z0FB"}


def database(folder: Path, *items: Item | str, session: str = SESSION) -> Path:
    return add_items(folder / "sessions.db", items, session)


def sent(path: Path) -> list[str]:
    """The ids of the calls, outputs and reasoning that are sent, and the texts."""
    items = product.sent(path).report["input"]
    return [item.get("call_id") or item.get("id") or item["content"][0]["text"] for item in items]


# what is read


def test_a_call_that_waits_for_an_approval_is_no_damage(tmp_path: Path) -> None:
    """The SDK saves it without an output, and the outputs of the other calls of the response with them."""
    path = database(tmp_path, user("go"), reasoning("rs_1"), call("A"), call("B"), output("A"))
    assert product.check(path).session["verdict"] == "waiting"
    assert product.repair(path, None).edits == []


@pytest.mark.parametrize("later", [user("go on"), said("Paid.")])
def test_a_call_that_the_history_has_passed_waits_no_more(later: Item, tmp_path: Path) -> None:
    answer = product.check(database(tmp_path, user("go"), call("A"), later))
    assert (answer.session["verdict"], answer.errors) == ("broken", {"D2:A"})
    assert answer.session["likely_cause"]["id"] == "openai-agents-unsaved-result"
    assert answer.session["on_resume"]["loses"] == ["the call to pay"]


def test_other_databases_are_not_claimed(tmp_path: Path) -> None:
    branches = database(tmp_path, user("go"))
    with closing(sqlite3.connect(branches)) as connection:
        connection.execute("CREATE TABLE message_structure (message_id INTEGER, branch_id TEXT)")
    report = product.check(zipped(tmp_path, {"a.db": branches.read_bytes()})).report
    assert report["not_logs"][0]["names"] == ["a.db"]
    assert product.check(branches).session["verdict"] == "not-judged"


def test_encrypted_messages_are_not_taken_for_an_empty_history(tmp_path: Path) -> None:
    path = database(tmp_path, {"__enc__": 1, "v": 1, "kid": "hkdf-v1", "payload": "gAAAA"})
    answer = product.check(path)
    assert (answer.code, answer.session["verdict"]) == (2, "unreadable")


# what is sent


def test_a_call_without_an_output_is_dropped_with_its_reasoning(tmp_path: Path) -> None:
    kept = (reasoning("rs_1"), call("A"), output("A"))
    path = database(tmp_path, user("go"), *kept, reasoning("rs_2"), call("B"), said("Done."), user("more"))
    assert sent(path) == ["go", "rs_1", "A", "A", "Done.", "more"]


def test_an_output_without_its_call_is_sent_and_refused(tmp_path: Path) -> None:
    path = database(tmp_path, user("go"), output("A"), said("Paid."))
    answer = product.check(path)
    assert (answer.session["verdict"], answer.errors) == ("broken", {"R1:A"})
    assert answer.session["likely_cause"]["id"] == "openai-agents-unsaved-call"
    assert answer.session["on_resume"]["outcome"] == "refuses"


def test_of_items_with_one_id_the_last_is_sent(tmp_path: Path) -> None:
    """A call keeps the place of the first one, and an output has its own place."""
    twice = (call("A", amount=1), output("A", "first"), user("more"), call("A", amount=2), output("A", "second"))
    answer = product.sent(database(tmp_path, user("go"), *twice))
    told = [item.get("arguments") or item.get("output") or "" for item in answer.report["input"]]
    assert told == ["", '{"amount": 2}', "", "second"]
    assert [each["text"] for each in answer.dropped if each["kind"] == "result"] == ["first"]


def test_items_of_a_chat_model_are_sent_as_chat_messages(tmp_path: Path) -> None:
    """They all have one own id. An output that an approval brought later follows other messages, which is refused."""
    made = (call("A", PLACEHOLDER_ID), said("Wait.", PLACEHOLDER_ID))
    sound = database(tmp_path, user("go"), *made, output("A"), said("Paid.", PLACEHOLDER_ID))
    answer = product.check(sound)
    assert (answer.session["verdict"], answer.rules) == ("healthy", set())
    assert product.sent(sound).chat_in_short({}) == "u:go | a:Wait.,A | r:A=paid | a:Paid."
    late = database(tmp_path, user("go"), *made, user("and?"), said("Soon.", PLACEHOLDER_ID), output("A"), session="b")
    (other, _) = product.check(late).report["sessions"]
    assert (other["id"], other["verdict"], other["on_resume"]["outcome"]) == ("b", "broken", "refuses")


def test_a_row_that_is_not_json_is_skipped(tmp_path: Path) -> None:
    path = database(tmp_path, user("go"), '{"type": "function_ca', said("Hello."))
    answer = product.check(path)
    assert answer.session["on_resume"]["loses"] == ["the row that is not valid JSON"]
    assert product.repair(path, tmp_path / "out.db").code == 0
    assert get_items(tmp_path / "out.db") == get_items(path)


def test_a_row_that_is_not_utf_8_stops_the_run(tmp_path: Path) -> None:
    path = database(tmp_path, user("go"))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "INSERT INTO agent_messages (session_id, message_data) VALUES (?, CAST(? AS TEXT))",
            (SESSION, b'{"x": "\xff"}'),
        )
        connection.commit()
    answer = product.check(path)
    assert answer.session["on_resume"]["error"] == "Could not decode to UTF-8 column 'message_data'"


def test_half_of_a_surrogate_pair_stops_the_run_and_is_replaced(tmp_path: Path) -> None:
    path, out = database(tmp_path, user("\ud83d go"), said("Hello.")), tmp_path / "out.db"
    answer = product.check(path)
    assert (answer.errors, answer.session["on_resume"]["error"]) == ({"F7"}, "surrogates not allowed")
    assert product.repair(path, out).code == 0
    assert get_items(out)[0]["content"] == "\ufffd go"


# what is written


def test_other_rows_stay_and_the_rows_after_a_new_one_follow_it(tmp_path: Path) -> None:
    before, after = [user("go"), call("A")], [said("Paid."), user("more")]
    path = database(tmp_path, *before, *after)
    database(tmp_path, user("hello"), said("Hello."), session="other")
    database(tmp_path, said("Yes.", "msg_2"))
    others, old = rows(path, "other"), rows(path)
    answer = product.run("repair", str(path), "--in-place")
    assert answer.exit_code == 0, answer.output
    new = rows(path)
    assert rows(path, "other") == others
    assert new[:2] == old[:2]
    assert [data for _, data in new[3:]] == [data for _, data in old[2:]]
    assert json.loads(new[2][1]).keys() == {"type", "call_id", "output"}
    assert product.check(path).report["sessions"][0]["verdict"] == "healthy"
    assert f'SQLiteSession("{SESSION}", "{path}")' in answer.output
    with closing(sqlite3.connect(path)) as connection:
        times = connection.execute("SELECT DISTINCT created_at FROM agent_messages").fetchall()
        assert len(times) == 1


def test_rows_are_deleted_moved_and_added_at_once(tmp_path: Path) -> None:
    """A result before its call is moved behind it, a repeated one is dropped, and an open call is answered."""
    items = (output("A"), call("A"), user("more"), call("B"), output("C"), call("C"), output("C"), user("end"))
    path, out = database(tmp_path, *items), tmp_path / "out.db"
    assert product.repair(path, out).code == 0
    found = get_items(out)
    assert [item["type"] for item in found if "call_id" in item] == ["function_call", "function_call_output"] * 3
    assert product.check(out).session["verdict"] == "healthy"
    assert product.repair(out, None).edits == []


def test_a_database_that_refers_to_the_rows_gets_no_new_rows(tmp_path: Path) -> None:
    path = database(tmp_path, user("go"), call("A"), said("Paid."))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE rating (message INTEGER REFERENCES agent_messages(id))")
        connection.commit()
    before = rows(path)
    answer = product.repair(path, tmp_path / "out.db")
    assert (answer.code, (tmp_path / "out.db").exists()) == (2, False)
    assert "would change ids that the table rating refers to" in answer.report["reason"]
    assert rows(path) == before


def test_a_database_in_an_archive_is_repaired_as_a_copy(tmp_path: Path) -> None:
    path = database(tmp_path, user("go"), call("A"), said("Paid."))
    archive = zipped(tmp_path, {"sessions.db": path.read_bytes()})
    assert product.repair(archive / "sessions.db", tmp_path / "out.db").code == 0
    assert len(rows(tmp_path / "out.db")) == 4


# run states


def written_state(folder: Path, given: list[Item] | str, *made: Item) -> Path:
    path = folder / "state.json"
    path.write_text(json.dumps(state(given, list(made))), "utf-8")
    return path


def test_a_call_with_an_approval_item_waits(tmp_path: Path) -> None:
    waiting = (generated(call("A")), generated(call("B")), generated(output("A")), generated(call("B"), APPROVAL))
    answer = product.check(written_state(tmp_path, "pay", *waiting))
    assert (answer.session["verdict"], answer.session["calls"], answer.session["results"]) == ("waiting", 2, 1)


@pytest.mark.parametrize(
    ("made", "verdict", "outcome"),
    [
        ([call("A"), output("A"), said("Paid.")], "healthy", "as-is"),
        ([call("A"), said("Paid.")], "broken", "unknown"),
        ([output("A"), said("Paid.")], "broken", "refuses"),
    ],
)
def test_a_run_state_is_judged_and_not_repaired(made: list[Item], verdict: str, outcome: str, tmp_path: Path) -> None:
    path = written_state(tmp_path, [user("go"), said("Yes?", "msg_0"), user("pay")], *map(generated, made))
    session = product.check(path).session
    assert (session["format"], session["verdict"]) == ("openai-agents-state", verdict)
    assert (session["messages"], session["on_resume"]["outcome"]) == (3 + len(made), outcome)
    assert "refers to its items by position" in str(product.repair(path, tmp_path / "out.json").report["reason"])


def test_an_item_of_a_run_state_has_its_own_id_in_it(tmp_path: Path) -> None:
    answer = product.check(written_state(tmp_path, [user("go")], generated(said("Hello.", "chatcmpl-1"))))
    assert [(each["rule"], each["message"]) for each in answer.findings] == [
        ("K10", "This message has the id 'chatcmpl-1', which does not start with 'msg'.")
    ]
