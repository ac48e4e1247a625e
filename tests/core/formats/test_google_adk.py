"""Sessions of Google ADK: which events are read and sent, which calls wait, and how rows are written.

`tests/interop/third_party/google_adk_sessions.py` compares it with ADK itself.
"""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.core.formats.google_adk import SESSION, TABLES, TIME, add_events, document, event, loaded, rows
from tests.interop.third_party.google_adk_sessions import (
    BREAKS,
    Json,
    call,
    compaction,
    in_short,
    model,
    result,
    rewind,
    stored,
    text,
    user,
)
from tests.support import product
from tests.support.archives import zipped
from tests.support.thorough import every

GO, OK, NEXT = user(text("go")), model(text("Paid.")), user(text("well?"))
A, RA = model(call("A")), user(result("A"))
OF_DATETIMES = TABLES.replace("timestamp REAL", "timestamp DATETIME")


def made(*given: Json) -> list[Json]:
    return [event(each.pop("content"), number, **each) for number, each in enumerate(map(dict, given))]


def database(folder: Path, *given: Json) -> Path:
    return add_events(folder / "session.db", made(*given))


def sent(path: Path, version: str = "") -> str:
    answer = product.sent(path, *(["--agent-version", version] if version else []))
    return " | ".join(words for content in answer.report["contents"] for words in in_short(content))


@pytest.mark.parametrize("wire", ["gemini", "openai-chat"])
@pytest.mark.parametrize("name", every(3, BREAKS))
def test_a_repaired_session_is_sound(name: str, wire: str, tmp_path: Path) -> None:
    path = add_events(tmp_path / "session.db", stored(name, wire))
    before = product.check(path).session
    if before["verdict"] in ("healthy", "waiting"):
        assert product.repair(path, None).edits == []
        return
    out = tmp_path / "out.db"
    assert product.repair(path, out).code == 0
    assert before["verdict"] in ("broken", "heals-itself")
    after = product.check(out).session
    assert (after["verdict"], after["on_resume"]["outcome"]) == ("healthy", "as-is")


# what is read


@pytest.mark.parametrize(
    "render",
    [
        lambda events: json.dumps(events),
        lambda events: json.dumps([document(events), document(events, "s-2")]),
        lambda events: "".join(f"{json.dumps(each)}\n" for each in events),
    ],
)
def test_lists_of_events_and_of_sessions_and_lines_are_recognized(render: Any, tmp_path: Path) -> None:
    path = tmp_path / "events.json"
    path.write_text(render(made(GO, A, RA, OK)), "utf-8")
    for session in product.check(path).report["sessions"]:
        assert (session["format"], session["verdict"], session["calls"]) == ("google-adk", "healthy", 1)


def test_events_are_read_in_the_order_of_their_times(tmp_path: Path) -> None:
    go, a, ra, ok = made(GO, A, RA, OK)
    path = add_events(tmp_path / "session.db", [go, ra, ok, a])
    assert product.check(path).session["verdict"] == "healthy"


@pytest.mark.parametrize(
    ("model_name", "profile", "is_assumed"),
    [
        ("gemini-2.5-flash", "gemini", False),
        ("claude-sonnet-4-5", "anthropic", False),
        ("gpt-5-mini", "openai-chat", False),
        ("qwen3", "openai-chat", True),
        (None, "gemini", True),
    ],
)
def test_the_model_decides_the_provider(model_name: str | None, profile: str, is_assumed: bool, tmp_path: Path) -> None:
    session = product.check(database(tmp_path, GO, OK | {"modelVersion": model_name})).session
    assert (session["profile"], session["profile_assumed"]) == (profile, is_assumed)


def test_what_was_rewound_is_not_sent(tmp_path: Path) -> None:
    first = {"invocationId": "e-1"}
    path = database(tmp_path, GO, OK, NEXT | first, A | first, rewind("e-1"), user(text("again")), OK)
    assert product.check(path).session["verdict"] == "healthy"
    assert sent(path) == "u:go | m:Paid. | u:again | m:Paid."


def test_a_summary_stands_for_the_events_before_it(tmp_path: Path) -> None:
    path = database(tmp_path, GO, A, NEXT, OK, compaction(2), NEXT, OK)
    assert product.check(path).session["verdict"] == "healthy"
    assert sent(path) == "m:In short: paid. | m:Paid. | u:well? | m:Paid."


def test_a_summarized_call_is_sent_again_with_its_result(tmp_path: Path) -> None:
    both = model(call("A"), call("B"))
    path = database(tmp_path, GO, both, user(result("B")), compaction(2), RA, OK)
    assert sent(path) == (
        "m:In short: paid. | m:A:pay={'amount': 61} | m:B:pay={'amount': 61} | u:B:pay=paid B | u:A:pay=paid A"
        " | m:Paid."
    )


def test_an_agent_that_runs_as_a_tool_is_a_side_thread_and_shows_that_the_call_ran(tmp_path: Path) -> None:
    inner = {"isolationScope": "A"}
    path = database(tmp_path, GO, A, model(call("Z")) | inner, NEXT, OK)
    answer = product.check(path)
    assert answer.errors == {"D2:A"}
    (found,) = [each for each in answer.findings if each["call_id"] == "A"]
    assert [trace["weight"] for trace in found["evidence"]["traces"]] == ["started"]
    assert sent(path) == "u:go | u:well? | m:Paid."


# calls that wait


def test_long_running_calls_wait(tmp_path: Path) -> None:
    path = database(tmp_path, GO, A | {"longRunningToolIds": ["A"]})
    assert product.check(path).session["verdict"] == "waiting"
    assert product.repair(path, None).edits == []


def test_events_that_ask_the_person_are_not_sent(tmp_path: Path) -> None:
    asked = model(call("Q", name="adk_request_confirmation"), longRunningToolIds=["Q"])
    path = database(tmp_path, GO, A, RA, asked)
    assert product.check(path).session["verdict"] == "healthy"
    assert sent(path) == "u:go | m:A:pay={'amount': 61} | u:A:pay=paid A"


# what versions send


def test_calls_without_a_result_are_dropped_since_2_10(tmp_path: Path) -> None:
    path = database(tmp_path, GO, model(text("I pay."), call("A")), NEXT, OK)
    session = product.check(path).session
    assert session["on_resume"]["loses"] == ["the call to pay"]
    assert session["likely_cause"]["id"] == "google-adk-interrupted"
    assert sent(path) == "u:go | m:I pay. | u:well? | m:Paid."
    assert sent(path, "2.9.2") == "u:go | m:I pay. | m:A:pay={'amount': 61} | u:well? | m:Paid."
    assert product.sent(path, "--agent-version", "2.9.2").report["outcome"] == "refuses"


def test_lite_llm_adds_results_in_older_versions(tmp_path: Path) -> None:
    path = database(tmp_path, GO, A | {"modelVersion": "gpt-5-mini"}, NEXT)
    answer = product.sent(path, "--agent-version", "2.9.2")
    assert answer.report["answers"] == ["the call to pay"]
    assert answer.chat_in_short({}).startswith("u:go | a:,A | r:A=Error: Missing tool result")


def test_an_event_that_is_not_valid_stops_the_session(tmp_path: Path) -> None:
    path = database(tmp_path, GO, model(call("A", why="so")), RA, OK)
    answer = product.check(path)
    assert answer.errors == {"M12"}
    assert "does not load" in answer.session["on_resume"]["error"]
    assert product.repair(path, tmp_path / "out.db").code == 0
    assert "why" not in json.dumps(loaded(tmp_path / "out.db"))


def test_an_event_without_an_author_stops_the_session(tmp_path: Path) -> None:
    path = database(tmp_path, GO, A, RA, OK)
    with sqlite3.connect(path) as connection:
        connection.execute("update events set event_data = json_remove(event_data, '$.author') where rowid = 2")
    answer = product.check(path)
    assert "M12" in answer.errors
    assert "does not load" in answer.session["on_resume"]["error"]


def test_a_damaged_event_keeps_no_call_waiting(samples: Path, tmp_path: Path) -> None:
    text = (samples / "google-adk-broken.json").read_text("utf-8")
    path = tmp_path / "session.json"
    path.write_text(text.replace('"candidatesTokenCount"', '\ufeff"candidatesTokenCount"', 1), "utf-8")
    assert product.check(path).session["verdict"] == "broken"


def test_an_object_in_a_damaged_row_is_no_event(tmp_path: Path) -> None:
    path = database(tmp_path, GO, A, RA, OK)
    with sqlite3.connect(path) as connection:
        connection.execute('update events set event_data = \' {}}, "id": "e"}\' where rowid = 2')
    answer = product.repair(path, tmp_path / "out.db")
    assert [loss["text"] for loss in answer.losses if "{}}" in loss["text"]] == [' {}}, "id": "e"}']
    assert all("author" in event for event in loaded(tmp_path / "out.db"))


def test_a_removed_member_that_may_hold_words_is_reported_as_lost(tmp_path: Path) -> None:
    path = database(tmp_path, GO, {"content": {"role": "model", "parts": [text("Paid.")], "notes": [text("by card")]}})
    assert "by card" in product.repair(path, None, "--dry-run").lost_text


# what is written


@pytest.mark.parametrize("is_text", [False, True])
def test_a_new_row_has_a_time_between_its_neighbors(is_text: bool, tmp_path: Path) -> None:
    given = made(GO, A, NEXT, OK)
    for number, each in enumerate(given):
        each["timestamp"] = f"2026-11-29 08:00:0{number}.250000" if is_text else each["timestamp"]
    path = add_events(tmp_path / "session.db", given, tables=OF_DATETIMES if is_text else TABLES)
    if is_text:  # DatabaseSessionService keeps the number in the event
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"UPDATE events SET event_data = json_set(event_data, '$.timestamp', {TIME} + rowid)")
            connection.commit()
    add_events(path, made(GO), session="other")
    others, old = rows(path, "other"), rows(path)
    answer = product.run("repair", str(path), "--in-place")
    assert answer.exit_code == 0, answer.output
    new = rows(path)
    assert (rows(path, "other"), [*new[:2], *new[3:]]) == (others, old)
    assert new[1][2] < new[2][2] < new[3][2]
    assert (new[2][0], new[2][1]) == (json.loads(new[2][3])["id"], old[1][1])
    assert f'Open session "{SESSION}"' in answer.output


def test_nothing_is_added_between_two_events_of_one_time(tmp_path: Path) -> None:
    given = made(GO, A, NEXT, OK)
    given[2]["timestamp"] = given[1]["timestamp"]
    path = add_events(tmp_path / "session.db", given)
    answer = product.repair(path, tmp_path / "out.db")
    assert (answer.code, (tmp_path / "out.db").exists()) == (2, False)
    assert "there is no room for an event between" in answer.report["reason"]


def test_events_of_one_time_elsewhere_do_not_matter(tmp_path: Path) -> None:
    given = made(GO, OK, NEXT, A, NEXT, OK)
    given[1]["timestamp"] = given[0]["timestamp"]
    path = add_events(tmp_path / "session.db", given)
    assert product.repair(path, tmp_path / "out.db").code == 0


def test_rows_are_removed_moved_and_added_at_once(tmp_path: Path) -> None:
    path = database(tmp_path, GO, RA, A, NEXT, model(call("B")), OK, user(result("C")), OK)
    out = tmp_path / "out.db"
    assert product.repair(path, out).code == 0
    assert product.check(out).session["verdict"] == "healthy"
    assert product.repair(out, None).edits == []
    assert len({row[0] for row in rows(out)}) == len(rows(out))


def test_a_database_in_an_archive_is_repaired_as_a_copy(tmp_path: Path) -> None:
    path = database(tmp_path, GO, A, NEXT, OK)
    archive = zipped(tmp_path, {"session.db": path.read_bytes()})
    assert product.repair(archive / "session.db", tmp_path / "out.db").code == 0
    assert len(rows(tmp_path / "out.db")) == 5


def test_a_session_as_json_is_resumed_with_adk_run(tmp_path: Path) -> None:
    path = tmp_path / "helper.session.json"
    path.write_text(json.dumps(document(made(GO, A, NEXT, OK))), "utf-8")
    answer = product.run("repair", str(path), "--in-place")
    assert f"adk run --resume {path}" in answer.output
    added = json.loads(path.read_bytes())["events"][2]
    assert (added["author"], added["invocationId"], added["content"]["role"]) == ("root_agent", "e-7a2f", "user")
    assert TIME + 1 < added["timestamp"] < TIME + 2


def test_the_words_of_a_member_that_adk_does_not_know_are_reported_when_it_is_removed(tmp_path: Path) -> None:
    odd = [{"text": "ok", "more": "first-thoughts", "most": "alone", "number": 7}]
    path, out = database(tmp_path, GO, model(*odd), NEXT, OK), tmp_path / "out.db"
    answer = product.repair(path, out)
    places = [edit["place"]["pointer"] for edit in answer.edits]
    assert places == [f"/content/parts/0/{key}" for key in ("more", "most", "number")]  # in the order of the row
    assert [loss["text"] for loss in answer.losses] == ["first-thoughts", "alone"]
