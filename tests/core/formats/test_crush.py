"""Sessions of Crush: what is read and sent of them, and how rows are written.

Crush is not installed here. So what is sent is compared with `prepared`, which follows `preparePrompt` and
`ToAIMessage` (charmbracelet/crush, internal/agent/agent.go and internal/message/content.go @37f36e9) and the conversion
for Anthropic (charmbracelet/fantasy, providers/anthropic/anthropic.go @0245305) over the JSON of messages.
"""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.core.formats.crush import SESSION, TIME, add_messages, as_document, message_of, rows
from tests.support import product
from tests.support.archives import zipped

Json = dict[str, Any]
INTERRUPTED = (
    "tool call was interrupted and did not produce a result, you may retry this call if the result is still needed"
)


def text(words: str) -> Json:
    return {"type": "text", "data": {"text": words}}


def call(call_id: str, given: str = '{"amount":61}') -> Json:
    return {"type": "tool_call", "data": {"id": call_id, "name": "pay", "input": given, "finished": True}}


def result(call_id: str, words: str = "") -> Json:
    data = {"tool_call_id": call_id, "name": "pay", "content": words or f"paid {call_id}", "is_error": False}
    return {"type": "tool_result", "data": data}


def thinking(words: str = "Hm.", signature: str = "c2ln") -> Json:
    return {"type": "reasoning", "data": {"thinking": words, "signature": signature}}


def user(*parts: Json) -> Json:
    return message_of("user", *parts)


def said(*parts: Json) -> Json:
    return message_of("assistant", *parts)


def tool(*parts: Json) -> Json:
    return message_of("tool", *parts)


SHELL = {"type": "shell_command", "data": {"command": "ls", "output": "dock", "exit_code": 0}}
GO, NEXT, OK = user(text("go")), user(text("well?")), said(text("Paid."))
A, B, AB = said(call("A")), said(call("B")), said(text("I pay."), call("A"), call("B"))
RA, RB, RAB = tool(result("A")), tool(result("B")), tool(result("A"), result("B"))

BREAKS: dict[str, list[Json]] = {
    "sound": [GO, AB, RAB, OK],
    "results in two messages": [GO, AB, RA, RB, OK],
    "killed in a tool": [GO, AB],
    "killed, and a prompt": [GO, A, NEXT],
    "killed, and an answer": [GO, A, OK, NEXT],
    "killed, and a call": [GO, A, B, RB, OK],
    "one of two results": [GO, AB, RA, OK],
    "nothing but the call": [A],
    "result without its call": [GO, RA, OK],
    "result without its call beside one": [GO, A, RAB, OK],
    "result before its call": [GO, RA, A, NEXT],
    "result after a prompt": [GO, A, NEXT, RA, OK],
    "result after an answer": [GO, A, NEXT, OK, RA, OK],
    "result twice": [GO, A, RA, tool(result("A", "paid twice")), OK],
    "result twice, later": [GO, A, RA, OK, NEXT, tool(result("A", "paid twice")), OK],
    "id in a later turn": [GO, A, RA, OK, NEXT, A, tool(result("A", "paid 2")), OK],
    "id in a later turn, left open": [GO, A, RA, OK, NEXT, A, NEXT],
    "result of the assistant": [GO, A, said(result("A")), NEXT],
    "call of the user": [user(text("go"), call("A")), RA, OK],
    "reasoning beside a call": [GO, said(thinking(), call("A")), RA, OK],
    "reasoning without a signature": [GO, said(thinking(signature=""), call("A")), RA, OK],
    "reasoning alone": [GO, said(thinking()), NEXT, OK],
    "input that is no JSON": [GO, said(call("A", '{"amo')), RA, OK],
    "answers in a row": [GO, said(text("One.")), said(text("Two.")), NEXT],
    "prompts in a row": [GO, NEXT, OK, NEXT],
    "starts with an answer": [OK, NEXT, OK, NEXT],
    "two texts": [GO, said(text("One."), text("Two.")), NEXT],
    "empty text": [GO, said(text("")), NEXT, OK, NEXT],
    "canceled at once": [GO, said(), NEXT, OK, NEXT],
    "command of the person": [GO, OK, user(SHELL), user(text("see?"), SHELL), OK],
    "message of another role": [GO, message_of("system", text("Be brief.")), OK],
}
# What Crush sends although Anthropic refuses it.
REFUSED = {
    "result before its call",
    "result after a prompt",
    "result after an answer",
    "result twice",
    "result twice, later",
    "id in a later turn",
    "id in a later turn, left open",
}


def prepared(messages: list[Json]) -> list[Json]:
    """The messages as Anthropic gets them, in short: texts, and ids of calls and results."""
    calls = {each["data"]["id"] for m in messages if m["role"] == "assistant" for each in of(m, "tool_call")}
    results = {each["data"]["tool_call_id"] for m in messages if m["role"] == "tool" for each in of(m, "tool_result")}
    history: list[tuple[str, list[str]]] = []
    for message in messages:
        words = [each["data"]["text"].strip() for each in of(message, "text")][:1]
        own = [each["data"]["id"] for each in of(message, "tool_call")]
        match message["role"]:
            case "user":
                shells = [f"$ {s['command']}\n{s['output']}\n(exit code {s['exit_code']})" for s in shells_of(message)]
                history.append(("user", [each for each in (*words, *shells) if each]))
            case "assistant":
                thoughts = [each for each in of(message, "reasoning")[:1] if each["data"]["signature"]]
                history.append(("assistant", [*filter(None, words), *("thinking" for _ in thoughts), *own]))
                history.append(("user", [f"{each}: {INTERRUPTED}" for each in own if each not in results]))
            case "tool":
                ids = [each["data"]["tool_call_id"] for each in of(message, "tool_result")]
                history.append(("user", [each for each in ids if each in calls]))
    joined: list[Json] = []
    for role, said_ in history:
        if not said_ or set(said_) == {"thinking"}:
            continue
        if joined and joined[-1]["role"] == role:
            joined[-1]["said"] += said_
        else:
            joined.append({"role": role, "said": said_})
    return joined


def of(message: Json, kind: str) -> list[Json]:
    return [each for each in message["parts"] if each["type"] == kind]


def shells_of(message: Json) -> list[Json]:
    return [each["data"] for each in of(message, "shell_command")]


def in_short(messages: list[Json]) -> list[Json]:
    """The messages of Anthropic's API in the form of `prepared`."""
    found = []
    for message in messages:
        blocks = [{"type": "text", "text": each} if isinstance(each, str) else each for each in message["content"]]
        words = []
        for block in blocks:
            given = block.get("content")
            answer = given if isinstance(given, str) else "".join(each["text"] for each in given or ())
            own = block.get("id") or block.get("tool_use_id")
            words.append(f"{own}: {answer}" if answer == INTERRUPTED else own or block.get("text") or block["type"])
        found.append({"role": message["role"], "said": words})
    return found


def database(folder: Path, *given: Json, session: str = SESSION, seconds: int = 2) -> Path:
    timed = (each | {"created_at": TIME + at // seconds, "id": f"m{at}"} for at, each in enumerate(given))
    return add_messages(folder / "crush.db", timed, session)


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


@pytest.mark.parametrize("name", BREAKS)
def test_what_is_sent_is_what_the_steps_of_crush_leave(name: str, tmp_path: Path) -> None:
    path = database(tmp_path, *BREAKS[name])
    assert in_short(product.sent(path).report["messages"]) == prepared(BREAKS[name])


@pytest.mark.parametrize("name", BREAKS)
def test_a_repaired_session_is_sound(name: str, tmp_path: Path) -> None:
    path, out = database(tmp_path, *BREAKS[name]), tmp_path / "out.db"
    before = product.check(path).session
    assert (before["on_resume"]["outcome"] == "refuses") == (name in REFUSED)
    if before["verdict"] == "healthy":
        assert product.repair(path, None).edits == []
        return
    assert product.repair(path, out).code == 0
    after = product.check(out).session
    assert (after["verdict"], after["on_resume"]["outcome"]) == ("healthy", "as-is")
    assert rows(out)


def test_what_precedes_the_last_summary_is_not_sent(tmp_path: Path) -> None:
    path = database(tmp_path, GO, A, OK, said(text("We paid.")), NEXT, A, NEXT)
    change(path, f"UPDATE sessions SET summary_message_id = '{SESSION}-m3'")
    sent = in_short(product.sent(path).report["messages"])
    assert sent == prepared([user(text("We paid.")), NEXT, A, NEXT])
    change(path, "UPDATE sessions SET summary_message_id = 'gone'")
    sent = in_short(product.sent(path).report["messages"])
    assert sent == prepared([GO, A, OK, said(text("We paid.")), NEXT, A, NEXT])


def test_a_summary_alone_is_healthy(tmp_path: Path) -> None:
    path = database(tmp_path, GO, A, said(text("We paid.")))
    assert product.check(path).session["verdict"] == "heals-itself"
    change(path, f"UPDATE sessions SET summary_message_id = '{SESSION}-m2'")
    assert product.check(path).session["verdict"] == "healthy"


@pytest.mark.parametrize(
    "part",
    [
        {"type": "dance", "data": {}},
        {"type": "text"},
        {"type": "text", "data": {"text": 5}},
        {"type": "tool_call", "data": {"id": "A", "name": "pay", "input": {"amount": 61}}},
        {"type": "tool_result", "data": {"tool_call_id": "A", "content": [{"type": "text", "text": "paid"}]}},
        {"type": "finish", "data": {"reason": "stop", "time": "now"}},
        {"data": {"text": "hello"}},
        {"type": ["text"], "data": {"text": "hello"}},
    ],
)
def test_a_part_that_cannot_be_read_stops_the_session(part: Json, tmp_path: Path) -> None:
    path = database(tmp_path, GO, A, RA, user(part), OK)
    session = product.check(path).session
    assert (session["verdict"], session["on_resume"]["outcome"]) == ("broken", "refuses")
    assert session["on_resume"]["error"].startswith("Crush does not load a session")
    assert product.repair(path, tmp_path / "out.db").code == 0
    assert product.check(tmp_path / "out.db").session["verdict"] == "healthy"


@pytest.mark.parametrize(
    "part",
    [
        {"type": "text", "data": None},
        {"type": "text", "data": {}},
        {"type": "reasoning", "data": {"thinking": "Hm.", "signature": "", "responses_data": None}},
        {"type": "image_url", "data": {"url": "https://example.org/a.png"}},
        {"type": "binary", "data": {"Path": "a.png", "MIMEType": "image/png", "Data": "aGk="}},
    ],
)
def test_members_that_are_missing_are_no_damage(part: Json, tmp_path: Path) -> None:
    path = database(tmp_path, GO, OK, user(text("see"), part), OK)
    assert product.check(path).session["on_resume"]["outcome"] in ("as-is", "mends")


@pytest.mark.parametrize("damaged", ["", '[{"type":"text"', '[],"role":"user"'])
def test_parts_that_are_no_json_are_damage(damaged: str, tmp_path: Path) -> None:
    path = database(tmp_path, GO, OK)
    add_messages(path, [GO | {"id": "torn", "parts": damaged, "created_at": TIME + 9}])
    assert any(rule.startswith("F") for rule in product.check(path).rules)
    assert product.repair(path, tmp_path / "out.db").code == 0
    assert len(rows(tmp_path / "out.db")) == 2


def test_rows_of_one_second_keep_their_order_around_a_new_one(tmp_path: Path) -> None:
    """Rows of a second are in the order of their rowid, so the rows after a new one get a new rowid."""
    path = database(tmp_path, GO, A, NEXT, OK)
    database(tmp_path, GO, OK, session="other")
    before, others = rows(path), rows(path, "other")
    assert product.run("repair", str(path), "--in-place").exit_code == 0
    after = rows(path)
    assert rows(path, "other") == others
    assert after[:2] == before[:2]
    assert [each["role"] for each in after] == ["user", "assistant", "tool", "user", "assistant"]
    assert [each["row"] for each in after] == [1, 2, 7, 8, 9]
    assert (after[2]["created_at"], after[2]["updated_at"]) == (before[1]["created_at"], before[1]["updated_at"])
    assert after[2]["parts"][-1]["type"] == "finish"
    assert [each | {"row": 0} for each in after[3:]] == [each | {"row": 0} for each in before[2:]]


def test_the_number_of_messages_follows_and_a_wrong_one_of_another_session_stays(tmp_path: Path) -> None:
    """`rows` compares the number with the rows. Crush adds to and takes from it by triggers, which do not run here."""
    path = database(tmp_path, GO, A, NEXT, RA, NEXT, A, OK)
    database(tmp_path, GO, OK, session="other")
    change(path, "UPDATE sessions SET message_count = 5 WHERE id = 'other'")
    assert product.run("repair", str(path), "--in-place").exit_code == 0
    assert len(rows(path)) == 8
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT message_count FROM sessions WHERE id = 'other'").fetchone() == (5,)
        triggers = connection.execute("SELECT count(*) FROM sqlite_master WHERE type = 'trigger'").fetchone()
    assert triggers == (3,)


def test_a_row_that_is_moved_keeps_the_columns_that_are_in_no_record(tmp_path: Path) -> None:
    path, out = database(tmp_path, GO, A, NEXT, RA, OK), tmp_path / "out.db"
    change(path, "UPDATE messages SET finished_at = 7 WHERE role = 'tool'")
    assert [edit["action"] for edit in product.repair(path, out).edits] == ["move"]
    with closing(sqlite3.connect(out)) as connection:
        assert connection.execute("SELECT finished_at FROM messages WHERE role = 'tool'").fetchall() == [(7,)]


def test_messages_of_its_server_are_recognized_and_repaired(tmp_path: Path) -> None:
    path, out = tmp_path / "messages.json", tmp_path / "out.json"
    made = [each | {"id": f"m{at}"} for at, each in enumerate((GO, A, NEXT, OK))]
    for document in (made, as_document(made)):
        path.write_text(json.dumps(document), "utf-8")
        session = product.check(path).session
        assert (session["format"], session["verdict"]) == ("crush", "heals-itself")
        assert product.repair(path, out).code == 0
        assert product.check(out).session["verdict"] == "healthy"


def test_a_database_in_an_archive_is_repaired_as_a_copy(tmp_path: Path) -> None:
    path = database(tmp_path, GO, A, OK)
    change(path, "VACUUM")
    archive = zipped(tmp_path, {"crush.db": path.read_bytes()})
    assert product.repair(archive / "crush.db", tmp_path / "out.db").code == 0
    assert len(rows(tmp_path / "out.db")) == 4


def test_the_steps_name_the_command_for_the_project(tmp_path: Path) -> None:
    path = database(tmp_path, GO, A, NEXT, RA, OK)
    told = product.run("repair", str(path), "--in-place").output
    assert f"1. Close Crush.\n2. Go to the project's folder.\n3. Run: crush --session {SESSION}\n" in told
    (tmp_path / "again").mkdir()
    path = database(tmp_path / "again", GO, A, NEXT, RA, OK)
    told = product.run("repair", str(path), "-o", str(tmp_path / "out.db")).output
    assert f"Close Crush, and replace its crush.db with {tmp_path / 'out.db'}." in told


def test_messages_whose_parts_have_odd_types_are_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "messages.json"
    path.write_text(json.dumps([user({"type": ["text"], "data": {}})]), "utf-8")
    assert "TypeError" not in product.run("check", str(path)).output
