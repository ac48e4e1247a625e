"""Sessions of Hermes: what is read and sent of them, and how rows are written.

`tests/interop/third_party/hermes_sessions.py` compares it with Hermes itself.
"""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.core.formats.hermes import SESSION, Json, add_messages, exported, lines, rows, stored
from tests.interop.third_party.hermes_sessions import BREAKS, call, in_short, result, said, user
from tests.support import product
from tests.support.archives import zipped

GO, OK, NEXT, A, RA = user("go"), said("Paid."), user("well?"), said("I pay.", call("A")), result("A")


def database(folder: Path, *given: Json, session: str = SESSION) -> Path:
    return add_messages(folder / "state.db", given, session)


def sent(path: Path) -> str:
    return " | ".join(words for message in product.sent(path).report["messages"] for words in in_short(message))


@pytest.mark.parametrize("name", BREAKS)
def test_a_repaired_session_is_sound(name: str, tmp_path: Path) -> None:
    path = database(tmp_path, *BREAKS[name])
    before = product.check(path).session
    if before["verdict"] == "healthy":
        assert product.repair(path, None).edits == []
        return
    out = tmp_path / "out.db"
    assert product.repair(path, out).code == 0
    after = product.check(out).session
    assert (after["verdict"], after["on_resume"]["outcome"]) == ("healthy", "as-is")


# what is read


@pytest.mark.parametrize("as_text", [False, True])
@pytest.mark.parametrize("shape", ["array", "export", "sessions", "lines", "snapshot"])
def test_exports_and_copies_of_rows_are_recognized_before_and_after_a_repair(
    shape: str, as_text: bool, tmp_path: Path
) -> None:
    """A copy can have the text of the calls, which is no damage: their results are not set aside."""
    session = exported([GO, A, RA, NEXT, said("", call("B")), user("stop")])
    messages = list(map(stored, session["messages"])) if as_text else session["messages"]
    path = tmp_path / "copy.json"
    plain = [{key: value for key, value in each.items() if key != "session_id"} for each in messages]
    texts = {
        "array": json.dumps(messages),
        "export": json.dumps(session | {"messages": messages}) + "\n",
        "sessions": json.dumps([{"session": session | {"messages": None}, "messages": messages}]),
        "lines": "".join(f"{json.dumps(each)}\n" for each in messages),
        "snapshot": json.dumps({"session_id": SESSION, "session_start": "2026-11-28", "messages": plain}),
    }
    path.write_text(texts[shape], "utf-8")
    answer = product.check(path)
    told = (answer.session["format"], answer.session["id"], answer.session["calls"], answer.session["results"])
    assert (told, answer.errors) == (("hermes", SESSION, 2, 1), {"D2:B"})
    out = tmp_path / "out.json"
    assert product.repair(path, out).code == 0
    after = product.check(out).session
    assert (after["format"], after["verdict"], after["results"]) == ("hermes", "healthy", 2)


def test_calls_as_a_text_are_recognized_without_a_session(tmp_path: Path) -> None:
    path, out = tmp_path / "rows.json", tmp_path / "out.json"
    path.write_text(json.dumps([GO, stored(A), result("B")]), "utf-8")
    assert product.check(path).errors == {"D2:A", "R8:B"}
    assert product.repair(path, out).code == 0
    assert product.check(out).session["format"] == "hermes"
    kept = json.loads(out.read_bytes())[1]
    assert json.loads(kept["tool_calls"]) == A["tool_calls"]


def test_rows_that_were_summarized_or_taken_back_are_not_read(tmp_path: Path) -> None:
    path = database(tmp_path, GO, A | {"active": 0, "compacted": 1}, NEXT | {"active": 0}, user("in short"), OK)
    assert product.check(path).session["verdict"] == "healthy"
    assert sent(path) == "u:go\n\nin short | a:Paid."


def test_a_database_without_a_list_of_sessions_is_read(tmp_path: Path) -> None:
    path = database(tmp_path, GO, OK)
    database(tmp_path, GO, A, NEXT, session="s-2")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE sessions")
        connection.commit()
    told = [(each["id"], each["verdict"]) for each in product.check(path).report["sessions"]]
    assert told == [(SESSION, "healthy"), ("s-2", "heals-itself")]


def test_a_row_that_is_not_utf_8_stops_hermes_and_is_removed(tmp_path: Path) -> None:
    path, out = database(tmp_path, GO, OK), tmp_path / "out.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE messages SET content = CAST(? AS TEXT) WHERE id = 1", (b"go \xff",))
        connection.commit()
    answer = product.check(path)
    assert (answer.errors, answer.session["on_resume"]["error"]) == ({"F5"}, "Could not decode to UTF-8 column")
    assert product.repair(path, out).code == 0
    assert [row["content"] for row in rows(out)] == ["Paid."]


def test_rows_without_numbers_are_no_log(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with closing(sqlite3.connect(path)) as connection:
        columns = "id TEXT, session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp"
        connection.execute(f"CREATE TABLE messages ({columns})")
        connection.execute("INSERT INTO messages (id, session_id, role, content) VALUES ('a', 's', 'user', 'go')")
        connection.commit()
    session = product.check(path).session
    assert (session["verdict"], session["reason"]) == (
        "unreadable",
        "The rows of messages have no numbers, so this database cannot be read.",
    )


# what is written


def test_only_changed_columns_are_written_and_rows_after_a_new_one_follow_it(tmp_path: Path) -> None:
    """The test of `rows` compares the index for searching with the rows. The other session stays as it is."""
    picture = [
        {"type": "text", "text": "look"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
    ]
    path = database(tmp_path, GO, A, NEXT | {"token_count": 7}, said("Hm.", call("A"), finish_reason="tool_calls"))
    database(tmp_path, user(picture), OK, session="other")
    database(tmp_path, result("A", "paid 2", effect_disposition="none"), OK)
    before, others = rows(path), rows(path, "other")
    assert product.run("repair", str(path), "--in-place").exit_code == 0
    after = rows(path)
    assert rows(path, "other") == others
    assert [row["id"] for row in after] == [1, 2, 9, 10, 11, 12, 13]
    assert after[:2] == before[:2]
    assert after[3] == before[2] | {"id": 10}
    assert after[4] == before[3] | {"id": 11, "tool_calls": before[3]["tool_calls"].replace('"A"', '"A-2"')}
    assert after[5] == before[4] | {"id": 12, "tool_call_id": "A-2"}
    new = {key: value for key, value in after[2].items() if value is not None}
    assert new["tool_name"] == "pay"
    assert (new["active"], new["observed"], new["timestamp"]) == (1, 0, before[1]["timestamp"])


def test_a_renamed_call_has_its_new_id_in_both_places(tmp_path: Path) -> None:
    both = said("", call("A", call_id="A", response_item_id="fc_1"))
    path, out = database(tmp_path, GO, both, RA, NEXT, both, result("A", "paid 2"), OK), tmp_path / "out.db"
    assert product.check(path).errors == {"K1:A"}
    assert product.repair(path, out).code == 0
    (renamed,) = json.loads(rows(out)[4]["tool_calls"])
    assert (renamed["id"], renamed["call_id"], renamed["response_item_id"]) == ("A-2", "A-2", "fc_1")


def test_a_call_with_one_id_may_be_next_to_a_renamed_one_with_both(tmp_path: Path) -> None:
    calls = said("", call("A"), call("A", call_id="A"))
    path, out = database(tmp_path, GO, calls, RA, result("A", "paid 2"), OK), tmp_path / "out.db"
    assert product.repair(path, out).code == 0
    assert product.check(out).session["verdict"] == "healthy"


def test_a_database_in_an_archive_is_repaired_as_a_copy(tmp_path: Path) -> None:
    path = database(tmp_path, GO, A, OK)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    archive = zipped(tmp_path, {"state.db": path.read_bytes()})
    assert product.repair(archive / "state.db", tmp_path / "out.db").code == 0
    assert len(rows(tmp_path / "out.db")) == 4


def test_an_export_is_written_back_on_its_line(tmp_path: Path) -> None:
    path, out = tmp_path / "sessions.jsonl", tmp_path / "out.jsonl"
    made = [exported([GO, A, NEXT]), exported([GO, OK])]
    path.write_text("".join(f"{json.dumps(each)}\n" for each in made), "utf-8")
    assert product.repair(path, out).code == 0
    first, second = lines(out)
    assert second == made[1]
    assert [each["role"] for each in first["messages"]] == ["user", "assistant", "tool", "user"]


@pytest.mark.parametrize(
    ("column", "text"), [("tool_calls", "[None]"), ("api_content", "None,None")], ids=["calls", "sent"]
)
def test_a_word_in_a_column_that_a_message_of_the_user_does_not_keep_is_listed_when_it_goes(
    column: str, text: str, tmp_path: Path
) -> None:
    path, out = database(tmp_path, GO, said("ok"), result("Z", "an orphan") | {column: text}, OK), tmp_path / "o"
    assert [loss["text"] for loss in product.repair(path, out).losses] == [text]


def test_a_word_in_the_note_of_another_result_keeps_no_word(tmp_path: Path) -> None:
    lost, other = result("Z", "an orphan") | {"tool_calls": "ok"}, result("Y", "token refreshed")
    path, out = database(tmp_path, GO, said("well"), lost, other, OK), tmp_path / "o"
    assert [loss["text"] for loss in product.repair(path, out).losses] == ["ok"]
