"""Gemini CLI: versions of messages, checkpoints, rewinds, the two kinds of file, and where a result is written."""

import json
import os
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from inspector.core.check.check import check
from inspector.core.discovery.opening import open_log, open_source
from inspector.core.engine.without_open_log import list_logs
from inspector.core.formats import FORMATS
from inspector.core.formats.base.agent_behavior import save_modes_of
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.writer import Writer
from inspector.core.model.session import Log
from inspector.core.storage.source import Source
from tests.core.formats import gemini_cli, gemini_contents
from tests.core.formats.test_broken_samples import BROKEN
from tests.support import product
from tests.support.notation import PLACEHOLDER, lines, parse, show
from tests.support.paths import SAMPLES

META = gemini_cli.METADATA
PROGRAM = Path(os.environ.get("TRANSCRIPT_GEMINI_CLI", "absent"))


def user(name: str, text: str = "", **more: Any) -> dict[str, Any]:
    return {"id": name, "timestamp": "t", "type": "user", "content": [{"text": text or name}]} | more


def model(name: str, text: str = "", **more: Any) -> dict[str, Any]:
    return {"id": name, "timestamp": "t", "type": "gemini", "content": text} | more


def call(name: str, result: Any = None, status: str = "executing", tool: str = "Read") -> dict[str, Any]:
    given = {} if result is None else {"result": result}
    return {"id": name, "name": tool, "args": {}, **given, "status": status, "timestamp": "t"}


def answer(name: str, text: str = "x", tool: str = "Read") -> dict[str, Any]:
    return {"functionResponse": {"id": name, "name": tool, "response": {"output": text}}}


def asked(name: str) -> dict[str, Any]:
    return {"functionCall": {"id": name, "name": "Read", "args": {}}}


def opened(*records: Any) -> Log:
    return open_log(Source.of_bytes(lines([META, *records]), "session-x.jsonl"), "gemini-cli")


def path_ids(log: Log) -> list[str]:
    """The ids of what a resume loads; "*" for a checkpoint."""
    return [json.loads(log.raw(record)).get("id", "*") for record in log.sessions[0].main_thread.path]


def file(folder: Path, *records: Any, name: str = gemini_cli.NAME) -> Path:
    path = folder / name
    path.write_bytes(lines([META, *records]))
    return path


def repaired(path: Path, tmp_path: Path, **more: Any) -> Path:
    out = tmp_path / "out" / path.name
    out.parent.mkdir(exist_ok=True)
    done = product.repair(path, out, **more)
    assert done.code == 0, done.report.get("reason")
    return out


def changed(before: Path, after: Path) -> list[tuple[bytes, bytes]]:
    """The lines that differ."""
    old, new = before.read_bytes().split(b"\n"), after.read_bytes().split(b"\n")
    assert len(old) == len(new)
    return [pair for pair in zip(old, new, strict=True) if pair[0] != pair[1]]


# --- what the loader keeps


@pytest.mark.parametrize(
    ("records", "ids"),
    [
        ([user("a"), model("b", "1"), user("c"), model("b", "2")], "a b c"),
        ([user("a"), model("b", "1"), {"$rewindTo": "b"}, model("c", "1")], "a c"),
        ([user("a"), {"$rewindTo": "nobody"}, user("c")], "c"),
        ([user("a"), user("b"), {"$set": {"messages": [user("c"), user("a")]}}, user("d")], "* c a d"),
        ([user("a"), {"$set": {"messages": []}}, user("d")], "* d"),
        ([user("a"), {"$set": {"messages": [user("b")]}}, {"$rewindTo": "b"}, user("c")], "* c"),
        ([user("a"), {"$set": {"summary": "s"}}, {"id": 5}, [], 7, user("b")], "a b"),
        ([user("a"), model("b"), model("b", toolCalls=[call("A", [answer("A")])])], "a b"),
        ([user("a", "/help"), user("b"), {"id": "c", "type": "info", "content": "i"}, user("d", "?")], "a b c d"),
    ],
)
def test_the_newest_version_of_each_message_in_the_place_of_the_first(records: list[Any], ids: str) -> None:
    assert path_ids(opened(*records)) == ids.split()


def test_a_one_line_chat_and_what_was_appended_to_it() -> None:
    data = lines([META | {"messages": [user("a"), model("b", "1"), {"type": "user", "content": "no id"}]}, user("c")])
    assert path_ids(open_log(Source.of_bytes(data, "session-x.json"), "gemini-cli")) == ["a", "b", "c"]


@pytest.mark.parametrize("seed", range(150))
def test_random_chats_fold_as_the_program_folds_them(seed: int) -> None:
    chance = random.Random(seed)
    names = "abcdef"

    def message() -> dict[str, Any]:
        name = chance.choice(names)
        return chance.choice([user(name), model(name, "m"), {"id": name, "type": "warning", "content": "w"}])

    records: list[Any] = []
    for _ in range(chance.randrange(25)):
        kind = chance.choices(["message", "rewind", "set", "checkpoint"], [12, 2, 2, 2])[0]
        if kind == "message":
            records.append(message())
        elif kind == "rewind":
            records.append({"$rewindTo": chance.choice(names)})
        else:
            inner = {"messages": [message() for _ in range(chance.randrange(4))]} if kind == "checkpoint" else {}
            records.append({"$set": {"lastUpdated": "t"} | inner})
    loaded = [each["id"] for each in gemini_cli.folded(lines([META, *records]))]
    assert [name for name in path_ids(opened(*records)) if name != "*"] == loaded


def test_what_is_never_sent_is_no_message(tmp_path: Path) -> None:
    quiet = [user("a", "/help"), user("b", "<session_context> x"), {"id": "c", "type": "warning", "content": "w"}]
    session = product.check(file(tmp_path, *quiet, user("d", "hi"), model("e"), model("f", "ok"))).session
    assert (session["verdict"], session["messages"]) == ("healthy", 2)


def test_a_result_that_the_program_wrote_twice_counts_once(tmp_path: Path) -> None:
    copies = [answer("A"), answer("B")]
    calls = [call("A", copies, "success"), call("B", copies, "success")]
    path = file(tmp_path, user("a"), model("b", toolCalls=calls), user("c", content=copies), model("d", "ok"))
    session = product.check(path).session
    assert (session["verdict"], session["calls"], session["results"]) == ("healthy", 2, 2)


def test_responses_that_each_call_of_a_checkpoint_holds_count_once(tmp_path: Path) -> None:
    both = [answer("A"), answer("B")]
    calls = [call("A", both, "success"), call("B", both, "success")]
    path = file(tmp_path, user("a"), model("b", toolCalls=calls), model("c", "ok"))
    assert product.check(path).session["verdict"] == "healthy"
    assert show(gemini_cli.load(path)) == 'u"a" | a{A,B} | r(A=x),r(B=x) | a"ok"'


def test_a_recorded_provider_error_at_the_end(tmp_path: Path) -> None:
    error = {
        "id": "e",
        "timestamp": "t",
        "type": "error",
        "content": "[API Error: Request contains an invalid argument.]",
    }
    assert product.check(file(tmp_path, user("a"), error)).session["verdict"] == "unexplained"


@pytest.mark.parametrize(
    ("status", "verdict"), [("awaiting_approval", "waiting"), ("executing", "broken"), ("success", "broken")]
)
def test_only_a_call_that_awaits_approval_is_waiting(status: str, verdict: str, tmp_path: Path) -> None:
    path = file(tmp_path, user("a"), model("b", toolCalls=[call("A", None, status)]))
    assert product.check(path).session["verdict"] == verdict


def test_a_call_that_waited_when_the_person_went_on_is_broken(tmp_path: Path) -> None:
    path = file(
        tmp_path, user("a"), model("b", toolCalls=[call("A", None, "awaiting_approval")]), user("c"), model("d", "k")
    )
    assert product.check(path).rules == {"D2"}


# --- where a result is written


def test_the_result_goes_into_the_version_that_counts(tmp_path: Path) -> None:
    first, last = model("b", "t"), model("b", "t", toolCalls=[call("A")])
    path = file(tmp_path, user("a"), first, last, {"$set": {"lastUpdated": "t"}})
    ((old, new),) = changed(path, repaired(path, tmp_path))
    assert json.loads(old) == last
    note = {"functionResponse": {"id": "A", "name": "Read", "response": {"error": PLACEHOLDER.format("Read")}}}
    entry = last["toolCalls"][0] | {"result": [note], "status": "error"}
    assert json.loads(new) == last | {"toolCalls": [entry]}


def test_a_result_belongs_to_the_call_that_holds_it(tmp_path: Path) -> None:
    """Two calls of one id: the first waits for its result, the second holds its own."""
    calls = [call("a"), call("a", [answer("a", "second")], "success")]
    late = {"id": "3", "type": "user", "content": [answer("a", "first")]}
    path = file(tmp_path, user("1"), model("2", toolCalls=calls), late)
    assert product.check(path).errors == {"K2:a", "R10:a"}
    out = tmp_path / "out.jsonl"
    assert product.repair(path, out).code == 0
    mended = out.read_text("utf-8")
    assert [word in mended for word in ("first", "second", "No result was recorded")] == [True, True, False]


def test_a_final_status_stays(tmp_path: Path) -> None:
    path = file(tmp_path, user("a"), model("b", toolCalls=[call("A", None, "success")]), user("c"))
    ((_, new),) = changed(path, repaired(path, tmp_path))
    assert json.loads(new)["toolCalls"][0]["status"] == "success"


def test_calls_in_the_content_get_their_result_by_an_entry(tmp_path: Path) -> None:
    made = model("b", content=[{"text": "t"}, asked("A"), asked("B")])
    path = file(tmp_path, user("a"), made, user("c", content=[answer("A")]), model("d", "ok"))
    assert product.check(path).rules == {"D3"}
    out = repaired(path, tmp_path)
    (mended,) = [row for row in map(json.loads, out.read_bytes().splitlines()) if "toolCalls" in row]
    # One response in an entry and one in a message would be two contents: both are entries now.
    assert {(e["id"], e["name"], e["status"]) for e in mended["toolCalls"]} == {
        ("A", "Read", "success"),
        ("B", "Read", "error"),
    }
    assert product.check(out).session["verdict"] == "healthy"


def test_an_entry_that_is_there_already_is_used(tmp_path: Path) -> None:
    made = model("b", content=[asked("A")], toolCalls=[call("A")])
    path = file(tmp_path, user("a"), made)
    ((_, new),) = changed(path, repaired(path, tmp_path))
    (entry,) = json.loads(new)["toolCalls"]
    assert entry["result"][0]["functionResponse"]["id"] == "A"


def test_a_checkpoint_is_repaired_inside_its_line(tmp_path: Path) -> None:
    inner = [user("a"), model("b", toolCalls=[call("A")]), user("c")]
    path = file(tmp_path, user("x"), {"$set": {"messages": inner, "lastUpdated": "t"}}, model("d", "ok"))
    ((old, new),) = changed(path, out := repaired(path, tmp_path))
    before, after = json.loads(old)["$set"], json.loads(new)["$set"]
    assert after["messages"][1]["toolCalls"][0]["result"]
    assert [*after["messages"][::2], after["lastUpdated"]] == [*before["messages"][::2], "t"]
    assert gemini_contents.error(gemini_cli.load(out)) is None


def test_a_result_left_before_the_checkpoint(tmp_path: Path) -> None:
    inner = [user("a"), model("b", toolCalls=[call("A")]), user("c")]
    path = file(tmp_path, user("a"), model("b", toolCalls=[call("A", [answer("A")])]), {"$set": {"messages": inner}})
    assert product.check(path).rules == {"C1"}


def test_a_response_behind_other_words_moves_into_its_call(tmp_path: Path) -> None:
    made = model("b", toolCalls=[call("A")])
    path = file(tmp_path, user("a"), made, user("c"), user("d", content=[answer("A", "late")]), model("e", "ok"))
    out = repaired(path, tmp_path)
    assert show(gemini_cli.load(out)) == 'u"a" | a{A} | r(A=late) | u"c" | a"ok"'
    entry = json.loads(out.read_bytes().split(b"\n")[2])["toolCalls"][0]
    assert (entry["result"], entry["status"]) == ([answer("A", "late")], "success")


def test_an_orphan_stays_as_quoted_text(tmp_path: Path) -> None:
    path = file(tmp_path, user("a"), model("b", "ok"), user("c", content=[answer("X", "lost")]), model("d", "ok"))
    assert product.check(path).rules == {"R1"}
    ((_, new),) = changed(path, repaired(path, tmp_path))
    assert "lost" in json.loads(new)["content"][0]["text"]


def test_a_response_to_nobody_in_a_call_is_quoted_behind_its_message(tmp_path: Path) -> None:
    """Beside the response it would be refused: a content of responses holds nothing else."""
    calling = model("b", toolCalls=[call("A"), call("B", [answer("X", "lost")], "success")])
    path = file(tmp_path, user("a"), calling, model("c", "ok"))
    loaded = gemini_cli.load(repaired(path, tmp_path))
    assert gemini_contents.error(loaded) is None
    assert "lost" in show(loaded[3:4])


@pytest.mark.parametrize(
    ("held", "kept"),
    [
        ([answer("A"), answer("A", "again")], "again"),
        ([answer("X", "lost"), answer("A")], "lost"),
        ([answer("A"), {"text": "a note"}, answer("X", "lost")], "lost"),
    ],
)
def test_a_response_that_is_none_of_its_calls_is_quoted_there(held: list[Any], kept: str, tmp_path: Path) -> None:
    """All that a call holds goes out, and the API counts: one response too many is refused."""
    path = file(tmp_path, user("a"), model("b", toolCalls=[call("A", held, "success")]), model("c", "ok"))
    assert product.check(path).errors == {"M12"}
    loaded = gemini_cli.load(repaired(path, tmp_path))
    assert gemini_contents.error(loaded, alone=False) is None
    assert kept in show(loaded[2:3])


@pytest.mark.parametrize("response", [7, "words", ["words"]])
def test_a_response_that_is_no_object_becomes_one(response: Any, tmp_path: Path) -> None:
    held = {"functionResponse": {"id": "A", "name": "Read", "response": response}}
    for result in ([held], held):
        path = file(tmp_path, user("a"), model("b", toolCalls=[call("A", result, "success")]), model("c", "ok"))
        assert product.check(path).errors == {"M12"}
        loaded = gemini_cli.load(repaired(path, tmp_path))
        assert gemini_contents.error(loaded) is None


def responded(**members: Any) -> dict[str, Any]:
    """A response with other members; None leaves one out."""
    held = {key: value for key, value in (answer("A")["functionResponse"] | members).items() if value is not None}
    return {"functionResponse": held}


ODD_CALLS: dict[str, tuple[dict[str, Any], str]] = {
    "a response that is a list": ({"result": [{"functionResponse": ["x"]}]}, "M12"),
    "a response that is null": ({"result": [{"functionResponse": None}]}, "M12"),
    "a part that is a number": ({"result": [answer("A"), 7]}, "M12"),
    "an empty part": ({"result": [answer("A"), {}]}, "M12"),
    "a result that is a number": ({"result": 7}, "M12"),
    "a signature that is a number": ({"result": [answer("A") | {"thoughtSignature": 7}]}, "M12"),
    "a response whose name is a number": ({"result": [responded(name=7)]}, "M12"),
    "a response whose id is a number": ({"result": [responded(id=7)]}, "M12"),
    "a response without a name": ({"result": [responded(name=None)]}, "K7"),
    "a response with another name": ({"result": [responded(name="Write")]}, "K13"),
    "a call whose name is a number": ({"name": 7}, "M12"),
    "a call and a response whose id is a number": ({"id": 7, "result": [responded(id=7)]}, "M12"),
}


@pytest.mark.parametrize("odd", ODD_CALLS)
def test_a_call_that_the_api_rejects_is_repaired(odd: str, tmp_path: Path) -> None:
    members, rule = ODD_CALLS[odd]
    path = file(tmp_path, user("a"), model("b", toolCalls=[call("A", [answer("A")], "success") | members]), user("c"))
    checked = product.check(path)
    assert rule in {code.partition(":")[0] for code in checked.errors}
    assert (checked.session["verdict"], checked.session["on_resume"]["outcome"]) == ("broken", "refuses")
    out = repaired(path, tmp_path)
    assert product.check(out).session["verdict"] == "healthy"
    assert gemini_contents.error(gemini_cli.load(out), alone=False) is None


@pytest.mark.parametrize(
    "part", [7, None, {}, ["x"], {"text": 7}, {"functionCall": ["x"]}, {"functionResponse": "x"}, {"inlineData": 7}]
)
def test_a_part_that_the_api_rejects_is_repaired(part: Any, tmp_path: Path) -> None:
    path = file(tmp_path, user("a", content=[{"text": "go"}, part]), model("b", "ok"))
    checked = product.check(path)
    assert (checked.errors, checked.session["verdict"]) == ({"M12"}, "broken")
    assert gemini_contents.error(gemini_cli.load(repaired(path, tmp_path))) is None


@pytest.mark.parametrize("thought", [{"text": 7, "thought": True}, {"thought": "yes", "functionResponse": 7}])
def test_a_thought_is_not_sent_and_may_be_anything(thought: Any, tmp_path: Path) -> None:
    path = file(tmp_path, user("a"), model("b", content=[thought, {"text": "ok"}]))
    assert product.check(path).session["verdict"] == "healthy"


def test_of_an_entry_only_the_call_is_sent(tmp_path: Path) -> None:
    entry = call("A", [answer("A")], "success") | {"text": {"text": "not of the call"}}
    path = file(tmp_path, user("a"), model("b", toolCalls=[entry]), model("c", "ok"))
    assert {"functionCall": {"id": "A", "name": "Read", "args": {}}} in product.sent(path).report["contents"][1][
        "parts"
    ]


def test_a_text_that_is_no_string_becomes_one(tmp_path: Path) -> None:
    path = file(tmp_path, user("a", content=[{"text": "go"}, {"text": {"text": "on"}}]), model("b", "ok"))
    assert product.check(path).errors == {"M12"}
    assert "on" in show(gemini_cli.load(repaired(path, tmp_path)))


# --- what is dropped


def test_a_message_of_which_nothing_is_left_is_emptied_and_stays(tmp_path: Path) -> None:
    records = [
        user("a"),
        model("b", "ok"),
        user("c", "old"),
        user("c", content=[answer("X", "lost")]),
        model("d", "ok"),
    ]
    path = file(tmp_path, *records)
    ((_, new),) = changed(path, out := repaired(path, tmp_path, strategies="R1=drop"))
    assert json.loads(new) == user("c", type="info", content=[])
    assert show(gemini_cli.load(out)) == 'u"a" | a"okok"'.replace('"okok"', '"ok""ok"')


def test_a_dropped_call_takes_its_entry_along(tmp_path: Path) -> None:
    made = model("b", content=[{"text": "t"}, asked("A"), asked("B")], toolCalls=[call("A", [answer("A")]), call("B")])
    path = file(tmp_path, user("a"), made)
    ((_, new),) = changed(path, out := repaired(path, tmp_path, strategies="D3=drop-call"))
    left = json.loads(new)
    assert (left["content"], [each["id"] for each in left["toolCalls"]]) == ([{"text": "t"}, asked("A")], ["A"])
    assert product.check(out).session["verdict"] == "healthy"


def test_an_exchange_goes_with_whatever_else_its_calls_hold(tmp_path: Path) -> None:
    records = [user("a"), model("b", "ok"), user("c"), model("d", toolCalls=[call("A"), 5, call("B")]), user("e")]
    path = file(tmp_path, *records)
    ((_, new),) = changed(path, out := repaired(path, tmp_path, strategies="D2=drop-exchange"))
    assert json.loads(new) == model("d", type="info")
    assert show(gemini_cli.load(out)) == 'u"a" | a"ok" | u"c" | u"e"'


def test_older_versions_of_what_was_cut_do_not_come_back(tmp_path: Path) -> None:
    records = [user("a"), model("k", "kept"), user("q"), model("b", "old"), model("b", "new", toolCalls=[call("A")])]
    path = file(tmp_path, *records)
    out = repaired(path, tmp_path, strategies="D1=cut-tail")
    assert show(gemini_cli.load(out)) == 'u"a" | a"kept" | u"q"'
    assert [json.loads(line).get("id") for line in out.read_bytes().splitlines()] == [None, "a", "k", "q"]


@pytest.mark.parametrize("seed", range(60))
def test_no_repair_leaves_a_rewind_without_its_message(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    records: list[Any] = [user("a"), model("b", "m")]
    for number in range(chance.randrange(3, 14)):
        name = chance.choice("cdefg")
        kind = chance.randrange(6)
        made = [
            user(name),
            model(name, "m", toolCalls=[call(f"T{number}")]),
            model(name, "m", toolCalls=[call(f"T{number}", [answer(f"T{number}")])]),
            user(name, content=[answer(f"T{number - 1}")]),
            user(name, content=[answer("nobody")]),
            {"$rewindTo": name},
        ][kind]
        records.append(made)
    path = file(tmp_path, *records)
    strategy = chance.choice(["", "R1=drop", "D1=cut-tail", "D2=drop-exchange"])
    before = missed(path)
    assert missed(repaired(path, tmp_path, strategies=strategy)) == before


def missed(path: Path) -> int:
    """How many rewinds name a message that is not there, which clears the whole chat."""
    found, seen = 0, set[str]()
    for line in path.read_bytes().splitlines():
        record = json.loads(line)
        if "$rewindTo" in record:
            found += record["$rewindTo"] not in seen
        elif "id" in record:
            seen.add(record["id"])
    return found


# --- one document


def document(tmp_path: Path, history: str) -> Path:
    path = tmp_path / "session-2026-01-01T00-00-5f0c2f6e.json"
    path.write_bytes(gemini_cli.document(parse(history)))
    return path


def test_a_document_is_mended_in_its_entry_alone(tmp_path: Path) -> None:
    path = document(tmp_path, 'u"hi" | a"t"{A} | u"stop" | a"ok"')
    out = repaired(path, tmp_path)
    assert show(gemini_cli.load(out)) == 'u"hi" | a"t"{A} | PH!(A) | u"stop" | a"ok"'
    old, new = path.read_bytes().splitlines(), out.read_bytes().splitlines()
    edited = new.index(b'          "status": "error",')
    mended = [b'          "status": "executing",', b'          "timestamp": "2026-01-01T00:00:20.000Z"']
    assert new[edited + 2].startswith(b'          "result": [{"functionResponse":{"id":"A","name":"Read",')
    assert [*new[:edited], *mended, *new[edited + 3 :]] == old


def test_a_cut_document_keeps_its_whole_messages(tmp_path: Path) -> None:
    path = document(tmp_path, 'u"hi" | a"t"{A} | r(A=x) | a"ok" | u"more" | a"done"')
    data = path.read_bytes()
    path.write_bytes(data[: data.index(b'"done"') + 3])
    assert product.check(path).rules == {"F1"}
    assert show(gemini_cli.load(repaired(path, tmp_path))) == 'u"hi" | a"t"{A} | r(A=x) | a"ok" | u"more"'


def test_a_torn_document_is_not_loaded_and_torn_lines_are_passed_over(tmp_path: Path) -> None:
    old = document(tmp_path, 'u"hi" | a"t"')
    old.write_bytes(old.read_bytes()[:-20])
    new = file(tmp_path, user("a"), model("b", "ok"))
    new.write_bytes(new.read_bytes() + b'{"id":"c","ty')
    assert [product.check(path).session["on_resume"]["outcome"] for path in (old, new)] == ["refuses", "as-is"]


# --- sessions


def test_saved_as_a_new_session_the_program_finds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_CLI_HOME", str(tmp_path))
    store = tmp_path / ".gemini" / "tmp" / "w" / "chats"
    store.mkdir(parents=True)
    (store.parent / ".project_root").write_text("/home/ada/w\n")
    path = file(store, user("a"), model("b", toolCalls=[call("A")]), {"$set": {"sessionId": META["sessionId"]}})
    door = product.Door(path)
    saved = door.save("new-session")
    door.close()
    made = Path(saved.path)
    first, *_, last = map(json.loads, made.read_bytes().splitlines())
    new = first["sessionId"]
    assert made.parent == store
    assert (last["$set"]["sessionId"], new == META["sessionId"]) == (new, False)
    assert made.name == f"session-2026-01-01T00-00-{new[:8]}.jsonl"
    assert saved.command == f"cd /home/ada/w && gemini --resume {new}"


def test_a_document_under_a_new_id(tmp_path: Path) -> None:
    door = product.Door(document(tmp_path, 'u"hi" | a{A}'))
    saved = door.save("new-session")
    door.close()
    new = json.loads(Path(saved.path).read_bytes())["sessionId"]
    assert new != META["sessionId"]
    assert saved.path.endswith(f"-{new[:8]}.json")


def test_a_document_that_cannot_be_renamed_is_no_new_session(tmp_path: Path) -> None:
    path = document(tmp_path, 'u"hi" | a{A}')
    path.write_bytes(json.dumps(json.loads(path.read_bytes()), indent=4).encode())
    with Source.open(str(path)) as source:
        log = open_log(source)
        format = FORMATS["gemini-cli"]
        assert isinstance(format, Writer)
        assert save_modes_of(format, log) == ("copy", "in-place")
        assert "no session id that can be replaced" in format.save_refusal(log, "new-session")


def test_a_chat_without_its_first_line_is_not_loaded(tmp_path: Path) -> None:
    path = file(tmp_path, user("a"), model("b", "ok"))
    path.write_bytes(path.read_bytes().replace(b"}\n", b"\n", 1))
    session = product.check(path).session
    assert (session["format"], session["on_resume"]["outcome"]) == ("gemini-cli", "refuses")
    assert session["state"].startswith("no line contains the session id")


def test_subagents_stand_beside_and_are_not_resumed(tmp_path: Path) -> None:
    chat = file(tmp_path, user("a"), model("b", toolCalls=[call("A", [answer("A")]) | {"agentId": "child"}]))
    beside = tmp_path / META["sessionId"]
    beside.mkdir()
    child = beside / "child.jsonl"
    child.write_bytes(lines([META | {"sessionId": "child", "kind": "subagent"}, user("x")]))
    with Source.open(str(chat)) as source:
        (found,) = FORMATS["gemini-cli"].subagents(open_log(source))
    assert (Path(found.path), found.call_id) == (child, "A")
    with Source.open(str(child)) as source:
        log = open_log(source)
        assert save_modes_of(FORMATS["gemini-cli"], log) == ("copy", "in-place")


def test_the_headline_names_project_and_first_words(tmp_path: Path) -> None:
    folder = tmp_path / "bakery" / "chats"
    folder.mkdir(parents=True)
    with Source.open(str(file(folder, user("a", "/help"), user("b", "scale it")))) as source:
        told = FORMATS["gemini-cli"].metadata(Head(source))
    assert (told.project, told.title) == ("bakery", "scale it")


# --- pointers


def test_every_block_is_where_its_pointer_says() -> None:
    thoughts = [{"subject": "s", "description": "d"}]
    odd = [
        model("b", "t", toolCalls=[call("A", [answer("A")]), call("B"), 7, call("C", "text")], thoughts=thoughts),
        model("c", content=[{"text": "t"}, asked("A"), asked("B")], toolCalls=[call("B", [answer("B")]), call("A")]),
        model("d", content=[{"text": "t", "thought": True}, "words", 5], thoughts=thoughts),
        model("e", content={"text": "one part"}, toolCalls=[call("A", answer("A"))]),
        user("f", content=[answer("A"), {"inlineData": {}}, "words"]),
        user("g", content=answer("A")),
        user("h", content="words"),
    ]
    log = opened(*odd)
    format = FORMATS["gemini-cli"]
    for record in range(1, len(log.columns)):
        views = format.view(log.raw(record)).blocks
        count = len(log.columns.block_rows(record))
        assert [view.pointer for view in views] == [format.pointer(log.columns, record, n) for n in range(count)]
        assert count > 0


# --- the program itself


@pytest.mark.skipif(
    shutil.which("node") is None or not (PROGRAM / "bundle").is_dir(),
    reason="TRANSCRIPT_GEMINI_CLI names no installed @google/gemini-cli",
)
@pytest.mark.parametrize("code", ["", *(code for code in BROKEN if code not in gemini_cli.FORMAT.cannot)])
@pytest.mark.parametrize("kind", ["lines", "document"])
def test_the_program_loads_what_the_fold_loads(kind: str, code: str, tmp_path: Path) -> None:
    history = BROKEN.get(code, BROKEN["F1"])
    path = gemini_cli.FORMAT.write(parse(history), tmp_path) if kind == "lines" else document(tmp_path, history)
    if code == "F1":
        path.write_bytes(path.read_bytes()[:-30])
    out = repaired(path, tmp_path)
    script = Path(__file__).with_name("gemini_cli_load.mjs")
    command = ["node", str(script), str(PROGRAM), str(out)]
    loaded = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=60).stdout)
    turns = [(turn["content"]["role"], turn["content"]["parts"]) for turn in loaded]
    assert turns == gemini_cli.converted(gemini_cli.folded(out.read_bytes()))
    assert gemini_contents.error(gemini_cli.sent(turns)) is None


@pytest.mark.parametrize("name", ["x" * 5000, "é" * 200, "..", "../other", "{folder}/other"])
def test_a_session_id_leads_to_no_other_folder(name: str, tmp_path: Path) -> None:
    chat, other = tmp_path / "chat" / gemini_cli.NAME, tmp_path / "other"
    chat.parent.mkdir()
    other.mkdir()
    for folder in (tmp_path, other):
        (folder / "agent.jsonl").write_bytes(lines(gemini_cli.records(parse("u | a"))))
    records = gemini_cli.records(parse("u | a"))
    records[0]["sessionId"] = name.format(folder=tmp_path)
    chat.write_bytes(lines(records))
    with open_source(str(chat)) as source:
        assert check(open_log(source)).subagents == []


@pytest.mark.parametrize(("folder", "project"), [("tea/chats", "tea"), ("desk/tickets", "")])
def test_the_project_of_a_chat_is_named_by_its_store_only(folder: str, project: str, tmp_path: Path) -> None:
    path = tmp_path / folder / "session-1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes((SAMPLES / "gemini-cli-healthy.jsonl").read_bytes())
    assert [log.project for log in list_logs([str(path)])] == [project]
