"""Sessions of Goose: what is read and sent of them, and how rows are written.

Goose cannot be installed here by a package manager. So what is sent is compared with `fixed`, which follows the steps
of `fix_conversation` (aaif-goose/goose, crates/goose/src/conversation/mod.rs @006bd23) over the JSON of messages.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.core.formats.goose import SESSION, TIME, VISIBLE, add_messages, exported, rows
from tests.support import product
from tests.support.archives import zipped

Json = dict[str, Any]


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def call(call_id: str, name: str = "pay") -> Json:
    value = {"name": name, "arguments": {"amount": 61}}
    return {"type": "toolRequest", "id": call_id, "toolCall": {"status": "success", "value": value}}


def result(call_id: str, words: str = "") -> Json:
    value = {"content": [text(words or f"paid {call_id}")], "isError": False}
    return {"type": "toolResponse", "id": call_id, "toolResult": {"status": "success", "value": value}}


def thinking(words: str = "Hm.") -> Json:
    return {"type": "thinking", "thinking": words, "signature": "c2ln"}


def user(*blocks: Json, **metadata: bool) -> Json:
    return {"role": "user", "content": list(blocks), "metadata": VISIBLE | metadata}


def said(*blocks: Json, **metadata: bool) -> Json:
    return {"role": "assistant", "content": list(blocks), "metadata": VISIBLE | metadata}


GO, NEXT, OK = user(text("go")), user(text("well?")), said(text("Paid."))
A, B, AB = said(call("A")), said(call("B")), said(text("I pay."), call("A"), call("B"))
RA, RB, RAB = user(result("A")), user(result("B")), user(result("A"), result("B"))
FAILED = {"type": "toolResponse", "id": "A", "toolResult": {"status": "error", "error": "-32603: no such tool"}}
OLD = {"type": "toolResponse", "id": "A", "toolResult": {"status": "success", "value": [text("paid A")]}}
NOTE = {"type": "systemNotification", "notificationType": "inlineMessage", "msg": "Summarized."}

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
    "result after a text": [GO, A, user(text("well?"), result("A")), OK],
    "result twice": [GO, A, RA, user(result("A", "paid twice")), OK],
    "result twice, later": [GO, A, RA, OK, NEXT, user(result("A", "paid twice")), OK],
    "id in a later turn": [GO, A, RA, OK, NEXT, A, user(result("A", "paid 2")), OK],
    "id in a later turn, left open": [GO, A, RA, OK, NEXT, A, NEXT],
    "result of the assistant": [GO, A, said(result("A")), NEXT],
    "call of the user": [user(text("go"), call("A")), RA, OK],
    "reasoning of the user": [user(thinking(), text("go")), OK, NEXT],
    "reasoning beside a call": [GO, said(thinking(), call("A")), RA, OK],
    "reasoning alone": [GO, said(thinking()), NEXT, OK],
    "failed call": [GO, A, user(FAILED), OK],
    "result of an older version": [GO, A, user(OLD), OK],
    "answers in a row": [GO, said(text("One.")), said(text("Two.")), NEXT],
    "prompts in a row": [GO, NEXT, OK, NEXT],
    "starts with an answer": [OK, NEXT, OK, NEXT],
    "empty text": [GO, said(text("")), NEXT, OK, NEXT],
    "no blocks": [GO, said(), NEXT, OK, NEXT],
    "note for the person": [GO, said(NOTE, agentVisible=False), A, RA, OK],
    "summarized": [user(text("old"), agentVisible=False), said(call("X"), agentVisible=False), GO, OK, NEXT],
}
# What Goose sends although Anthropic refuses it.
REFUSED = {
    "result after a prompt",
    "result after an answer",
    "result after a text",
    "id in a later turn",
    "id in a later turn, left open",
}


def fixed(messages: list[Json]) -> list[Json]:
    """The messages after the steps of `fix_conversation` that change more than spaces."""
    kept = [deepcopy(each) for each in messages if each["metadata"]["agentVisible"]]
    kept = _without_empty(kept)
    waiting: set[str] = set()
    for message in kept:
        message["content"] = list(_paired(message, waiting))
    for message in kept:
        if message["role"] == "assistant":
            blocks = message["content"]
            message["content"] = [b for b in blocks if b["type"] != "toolRequest" or b["id"] not in waiting]
    joined: list[Json] = []
    for message in _without_empty(kept):
        if joined and _effective_role(joined[-1]) == _effective_role(message):
            joined[-1]["content"] += message["content"]
        else:
            joined.append(message)
    return joined[1:] if joined and joined[0]["role"] == "assistant" else joined


def _paired(message: Json, waiting: set[str]) -> Iterator[Json]:
    by_user = message["role"] == "user"
    for block in message["content"]:
        kind = block["type"]
        if kind == "toolResponse":
            if not by_user or block["id"] not in waiting:
                continue
            waiting.remove(block["id"])
        elif by_user and kind in ("toolRequest", "thinking"):
            continue
        elif kind == "toolRequest":
            waiting.add(block["id"])
        yield block


def _without_empty(messages: list[Json]) -> list[Json]:
    return [each for each in messages if not all(block.get("text") == "" for block in each["content"])]


def _effective_role(message: Json) -> str:
    has_result = any(block["type"] == "toolResponse" for block in message["content"])
    return "tool" if message["role"] == "user" and has_result else str(message["role"])


def in_short(messages: list[Json]) -> str:
    """Roles, texts and ids, of Goose's messages and of Anthropic's. Messages of one role are joined by Anthropic."""
    found = []
    for message in messages:
        for block in message["content"]:
            own_id = block.get("id") or block.get("tool_use_id")
            words = block.get("text") or own_id or block["type"]
            found.append(f"{message['role'][0]}:{words}")
    return " | ".join(found)


def database(folder: Path, *given: Json, session: str = SESSION) -> Path:
    timed = (each | {"created": TIME + number // 2, "id": f"m{number}"} for number, each in enumerate(given))
    return add_messages(folder / "sessions.db", timed, session)


@pytest.mark.parametrize("name", BREAKS)
def test_what_is_sent_is_what_the_steps_of_goose_leave(name: str, tmp_path: Path) -> None:
    path = database(tmp_path, *BREAKS[name])
    assert in_short(product.sent(path).report["messages"]) == in_short(fixed(BREAKS[name]))


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


def test_an_export_is_recognized_and_repaired(tmp_path: Path) -> None:
    path, out = tmp_path / "session.json", tmp_path / "out.json"
    timed = [each | {"created": TIME + number} for number, each in enumerate((GO, A, NEXT, OK))]
    path.write_text(json.dumps(exported(timed)), "utf-8")
    session = product.check(path).session
    assert (session["format"], session["id"], session["verdict"]) == ("goose", SESSION, "broken")
    assert product.repair(path, out).code == 0
    conversation = json.loads(out.read_bytes())["conversation"]
    assert [each["created"] - TIME for each in conversation] == [0, 1, 1, 2, 3]
    assert product.check(out).session["verdict"] == "healthy"


def test_a_row_that_cannot_be_read_stops_the_session(tmp_path: Path) -> None:
    path = database(tmp_path, GO, OK)
    add_messages(path, [GO | {"content": '[{"type": "te', "created": TIME + 9}])
    database(tmp_path, GO, said({"type": "dance"}), session="other")
    for session in product.check(path).report["sessions"]:
        assert session["verdict"] == "broken"
        assert session["on_resume"]["error"].startswith("Goose does not load a session")


@pytest.mark.parametrize("damaged", ['[],"metadata":{"agentVisible":false}', "", '[{"type":"text"'])
def test_a_damaged_content_is_damage_whatever_it_holds(damaged: str, tmp_path: Path) -> None:
    path = database(tmp_path, GO, OK)
    add_messages(path, [GO | {"content": damaged, "created": TIME + 9}])
    assert any(rule.startswith("F") for rule in product.check(path).rules)
    assert product.repair(path, tmp_path / "out.db").code == 0
    assert len(rows(tmp_path / "out.db")) == 2


def test_damaged_metadata_is_not_read(tmp_path: Path) -> None:
    path = database(tmp_path, GO, OK)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE messages SET metadata_json = '{' WHERE id = 1")
        connection.commit()
    assert product.check(path).session["verdict"] == "healthy"


def test_rows_of_one_second_keep_their_order_around_a_new_one(tmp_path: Path) -> None:
    """Goose sorts rows by second and number, so the rows after a new one get new numbers."""
    path = database(tmp_path, GO, A, NEXT, OK)
    database(tmp_path, GO, OK, session="other")
    before, others = rows(path), rows(path, "other")
    assert product.run("repair", str(path), "--in-place").exit_code == 0
    after = rows(path)
    assert rows(path, "other") == others
    assert after[:2] == before[:2]
    assert [each["role"] for each in after] == ["user", "assistant", "user", "user", "assistant"]
    assert [each["row"] for each in after] == [1, 2, 7, 8, 9]
    assert after[2]["created"] == before[1]["created"]
    assert [each | {"row": 0} for each in after[3:]] == [each | {"row": 0} for each in before[2:]]


def test_a_database_in_an_archive_is_repaired_as_a_copy(tmp_path: Path) -> None:
    path = database(tmp_path, GO, A, OK)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("VACUUM")
    archive = zipped(tmp_path, {"sessions.db": path.read_bytes()})
    assert product.repair(archive / "sessions.db", tmp_path / "out.db").code == 0
    assert len(rows(tmp_path / "out.db")) == 4


@pytest.mark.parametrize("parts", [{}, {"content": []}], ids=["missing", "empty"])
@pytest.mark.parametrize("failed", [False, True])
def test_a_result_without_parts_is_sent_as_an_empty_one(parts: Json, failed: bool, tmp_path: Path) -> None:
    """rmcp 3.1.4 reads a result that has one of its members, and takes missing parts for none (`CallToolResult`)."""
    empty = result("A")
    empty["toolResult"]["value"] = parts | {"isError": failed}
    path = tmp_path / "session.json"
    path.write_text(json.dumps(exported([GO, said(call("A")), user(empty), OK])))
    blocks = [block for message in product.sent(path).report["messages"] for block in message["content"]]
    told = [(block["content"], block.get("is_error", False)) for block in blocks if "tool_use_id" in block]
    assert told == [("", failed)]
