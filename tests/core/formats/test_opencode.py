"""opencode: what it loads, how a repair is spelled, and that three containers come to the same."""

import errno
import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from inspector.core.engine.log import OpenLog
from inspector.core.engine.without_open_log import list_logs
from tests.core.formats import FORMATS, WRITABLE, opencode
from tests.core.formats import test_broken_samples as every_format
from tests.core.formats.opencode import Message, assistant, text, tool, user
from tests.core.formats.written import WrittenFormat
from tests.support import product
from tests.support.notation import PLACEHOLDER, Call, Result, parse, show

VARIANTS = {"database": opencode.DATABASE, "export": opencode.EXPORT}
OPEN = [user(1, text("go")), assistant(2, tool(Call("A", "bash", {"c": 1}), None)), user(3, text("stop"))]
ANSWER = PLACEHOLDER.format("bash")


@pytest.fixture(params=VARIANTS)
def variant(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> WrittenFormat:
    monkeypatch.setitem(FORMATS, "opencode", VARIANTS[request.param])
    return VARIANTS[request.param]


def test_a_healthy_one_of_another_container_comes_back(variant: WrittenFormat, tmp_path: Path) -> None:
    assert variant.name == "opencode"
    every_format.test_healthy_comes_back_as_it_is("opencode", tmp_path)


@pytest.mark.parametrize("code", [code for code in every_format.BROKEN if code not in opencode.CANNOT])
def test_a_broken_one_of_another_container_is_repaired(variant: WrittenFormat, code: str, tmp_path: Path) -> None:
    assert variant.name == "opencode"
    every_format.test_broken_is_found_repaired_and_loads("opencode", code, tmp_path)


@pytest.mark.parametrize("notation", every_format.BROKEN.values(), ids=every_format.BROKEN)
def test_three_containers_have_the_same_findings(notation: str, tmp_path: Path) -> None:
    history = parse(notation)
    logs = [written.write(history, tmp_path) for written in (opencode.FORMAT, *VARIANTS.values())]
    told = [
        [(finding["rule"], finding["call_id"], finding["pointer"]) for finding in product.check(log).findings]
        for log in logs
    ]
    assert told[0] == told[1] == told[2]


# --- a folder of which a part cannot be read


def refuse_to_list(monkeypatch: pytest.MonkeyPatch, folder: Path, code: int) -> None:
    """Let the operating system answer with an error whenever one folder is listed."""

    def failing(real: Any) -> Any:
        def listed(path: Any = ".") -> Any:
            if Path(path) == folder:
                raise OSError(code, os.strerror(code), str(path))
            return real(path)

        return listed

    for name in ("listdir", "scandir"):
        monkeypatch.setattr(os, name, failing(getattr(os, name)))


@pytest.mark.parametrize("code", [errno.EACCES, errno.EIO])
@pytest.mark.parametrize("part", ["session", f"session/{opencode.PROJECT}", f"message/{opencode.SESSION}", "part/*"])
def test_a_folder_that_cannot_be_read_is_not_an_empty_one(
    part: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opencode.write_folder(OPEN, tmp_path / "storage")
    (unreadable, *_) = sorted(store.glob(part))
    refuse_to_list(monkeypatch, unreadable, code)
    answer = product.run("check", str(store))
    assert (answer.exit_code, str(unreadable) in answer.output) == (2, True), answer.output
    assert os.strerror(code) in answer.output


def test_a_copy_of_a_store_does_not_leave_out_what_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opencode.write_folder(OPEN, tmp_path / "storage")
    refuse_to_list(monkeypatch, store / "project", errno.EACCES)
    assert product.repair_code(store, "-o", str(tmp_path / "out")) == 2
    assert not (tmp_path / "out").exists()


# --- how a call is closed


def state_of(path: Path) -> dict[str, Any]:
    state: dict[str, Any] = json.loads(path.read_text("utf-8"))["messages"][1]["parts"][1]["state"]
    return state


@pytest.mark.parametrize("status", ["running", "pending"])
def test_a_call_without_an_outcome_becomes_a_failed_one(status: str, tmp_path: Path) -> None:
    messages = [user(1, text("go")), assistant(2, tool(Call("A", "bash", {"c": 1}), None, status)), user(3, text("?"))]
    log = opencode.write_export(messages, tmp_path / "export.json")
    before = state_of(log)
    assert product.repair(log, tmp_path / "out.json").code == 0
    times = {"start": 1 if status == "running" else 1767261600002, "end": 1767261600007}
    assert state_of(tmp_path / "out.json") == before | {"status": "error", "error": ANSWER, "time": times}


@pytest.mark.parametrize("state", [None, "running", 7, [], {}, {"status": None}, {"status": "running", "input": "x"}])
def test_a_state_of_another_shape_is_closed_too(state: Any, tmp_path: Path) -> None:
    part = {"type": "tool", "callID": "A", "tool": "bash"} | ({} if state is None else {"state": state})
    log = opencode.write_export([user(1, text("go")), assistant(2, part), user(3, text("?"))], tmp_path / "export.json")
    assert {"D2"} <= product.check(log).rules
    assert product.repair(log, tmp_path / "out.json").code == 0
    found = state_of(tmp_path / "out.json")
    assert (found["status"], found["error"], isinstance(found["input"], dict)) == ("error", ANSWER, True)


@pytest.mark.parametrize("as_text", [json.dumps, "{} in short".format], ids=["JSON", "another text"])
def test_a_state_that_is_a_text_is_not_lost(as_text: Callable[[Any], str], tmp_path: Path) -> None:
    """The agent leaves the call out; the repair reads the state, or keeps the text beside the placeholder."""
    messages = opencode.messages_of(parse('u | a{A} | r(A=all is well) | a"ok"'))
    part = next(part for part in messages[1]["parts"] if part["type"] == "tool")
    state, part["state"] = part["state"], as_text(part["state"])
    log = opencode.write_export(messages, tmp_path / "export.json")
    answer = product.check(log)
    assert (answer.errors, answer.session["on_resume"]["loses"]) == ({"D2:A", "K6:A", "M12"}, ["the call to Read"])
    assert product.repair(log, tmp_path / "out.json").losses == []
    parts = json.loads((tmp_path / "out.json").read_bytes())["messages"][1]["parts"]
    found = next(part["state"] for part in parts if part["type"] == "tool")
    assert found == state if as_text is json.dumps else as_text(state) in found.values()


@pytest.mark.parametrize("indent", [None, 2], ids=["one line", "as it is exported"])
@pytest.mark.parametrize("odd", [None, 7, {"info": None, "parts": {}}])
def test_an_export_is_known_with_an_odd_message_in_it(odd: Any, indent: int | None, tmp_path: Path) -> None:
    log = tmp_path / "export.json"
    log.write_text(json.dumps({"info": opencode.INFO, "messages": [*OPEN, odd]}, indent=indent))
    assert product.check(log).errors == {"D2:A"}


def test_only_the_part_of_the_call_is_written(tmp_path: Path) -> None:
    store = opencode.write_folder(OPEN, tmp_path / "storage")
    out = tmp_path / "out"
    assert product.repair(store, out).code == 0
    assert changed(store, out) == ["part/msg_0002/prt_000201.json"]


def changed(one: Path, other: Path) -> list[str]:
    names = [{path.relative_to(root).as_posix() for path in root.rglob("*.json")} for root in (one, other)]
    assert names[0] == names[1]
    return sorted(name for name in names[0] if (one / name).read_bytes() != (other / name).read_bytes())


def test_a_member_that_is_added_is_said_to_be_in_the_file_of_its_part(tmp_path: Path) -> None:
    store = opencode.write_folder(
        [user(1, text("go")), assistant(2, tool(Call("A", "bash", {}), Result("A", "x")))], tmp_path / "s"
    )
    part = next(path for path in store.glob("part/*/*.json") if json.loads(path.read_bytes())["type"] == "tool")
    data = json.loads(part.read_bytes())
    del data["state"]["time"]
    part.write_text(json.dumps(data))
    (edit,) = product.repair(store, tmp_path / "out").edits
    assert (edit["pointer"].endswith("/state/time"), edit["place"]["member"]) == (True, str(part.relative_to(store)))


def test_only_the_row_of_the_call_is_written(tmp_path: Path) -> None:
    log = opencode.write_database(OPEN, tmp_path / "opencode.db")
    assert product.repair(log, tmp_path / "out.db").code == 0
    before, after = rows(log), rows(tmp_path / "out.db")
    assert len(before) == len(after)
    (row,) = [line for line in after if line not in before]
    assert row.startswith("INSERT INTO \"part\" VALUES('prt_000201','msg_0002',")


def rows(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as database:
        return list(database.iterdump())


def test_a_finding_names_the_file_or_the_row(tmp_path: Path) -> None:
    store = opencode.write_folder(OPEN, tmp_path / "storage")
    database = opencode.write_database(OPEN, tmp_path / "opencode.db")
    places = [product.check(log).findings[0] for log in (store, database)]
    assert [place["member"] for place in places] == ["part/msg_0002/prt_000201.json", "part:prt_000201"]
    assert [(place["line"], place["bytes"]) for place in places] == [(None, None)] * 2


# --- what is loaded


def verdict(messages: list[dict[str, Any]], tmp_path: Path, **info: Any) -> tuple[str, set[str]]:
    log = opencode.write_export(messages, tmp_path / "export.json", opencode.INFO | info)
    answer = product.check(log)
    return answer.session["verdict"], answer.errors


def test_an_interrupted_end_is_waiting_only_while_it_is_live(tmp_path: Path) -> None:
    log = opencode.FORMAT.write(parse('u"go" | a{A}'), tmp_path)
    assert product.check(log).errors == {"D1:A"}
    assert product.check(log, live=True).session["verdict"] == "waiting"


def test_what_an_undo_hides_is_not_judged(tmp_path: Path) -> None:
    assert verdict(OPEN, tmp_path)[1] == {"D2:A"}
    assert verdict(OPEN, tmp_path, revert={"messageID": "msg_0002"}) == ("healthy", set())
    # An undo inside a message leaves the message.
    assert verdict(OPEN, tmp_path, revert={"messageID": "msg_0002", "partID": "prt_000202"})[1] == {"D1:A"}


def compacted(**part: Any) -> list[dict[str, Any]]:
    compaction = {"type": "compaction", "auto": True, **part}
    return [*OPEN, user(4, compaction), assistant(5, text("summary"), summary=True), user(6, text("on"))]


def test_a_compaction_stands_for_what_was_before_it(tmp_path: Path) -> None:
    assert verdict(compacted(), tmp_path) == ("healthy", set())
    unfinished = compacted()
    del unfinished[4]["info"]["finish"]
    assert verdict(unfinished, tmp_path)[1] == {"D2:A"}


def test_what_a_compaction_keeps_stands_behind_its_summary(tmp_path: Path) -> None:
    messages = compacted(tail_start_id="msg_0002")
    assert verdict(messages, tmp_path)[1] == {"D2:A"}
    folded = [message["info"]["id"] for message in opencode.filter_compacted(messages)]
    assert folded == ["msg_0004", "msg_0005", "msg_0002", "msg_0003", "msg_0006"]
    with closing(product.Door(tmp_path / "export.json")) as door:
        path = door.engine.log.report.log.sessions[0].main_thread.path
    assert [f"msg_{record + 1:04}" for record in path] == folded


@pytest.mark.parametrize(
    ("name", "errors"), [("APIError", set()), ("MessageAbortedError", {"D5:A"}), ("MessageOutputLengthError", set())]
)
def test_a_message_that_ended_in_an_error_is_not_sent(name: str, errors: set[str], tmp_path: Path) -> None:
    call = tool(Call("A"), None)
    failed = assistant(2, call, error={"name": name, "data": {"message": "overloaded"}})
    assert verdict([user(1, text("go")), failed, user(3, text("again"))], tmp_path)[1] == errors


def test_an_aborted_message_without_words_is_not_sent(tmp_path: Path) -> None:
    failed = assistant(2, error={"name": "MessageAbortedError", "data": {"message": "aborted"}})
    failed["parts"] = [{"type": "step-start"}, {"type": "reasoning", "text": "hm", "time": {"start": 1}}]
    assert verdict([user(1, text("go")), failed, user(3, text("again"))], tmp_path) == ("healthy", set())


def test_the_newest_error_is_told(tmp_path: Path) -> None:
    failed = assistant(2, error={"name": "APIError", "data": {"message": "prompt is too long", "isRetryable": False}})
    log = opencode.write_export([user(1, text("go")), failed], tmp_path / "export.json")
    session = product.check(log).session
    assert (session["verdict"], session["recorded_error"]) == ("unexplained", "APIError: prompt is too long")


def test_blank_texts_are_left_out_as_the_agent_does(tmp_path: Path) -> None:
    blank = assistant(2, text(""), tool(Call("A"), Result("A", "x")))
    assert verdict([user(1, text("go")), blank, user(3, text(""))], tmp_path) == ("healthy", set())


@pytest.mark.parametrize(
    ("messages", "errors"),
    [
        ([user(1, text("go")), assistant(2, text("ok")), user(3, text(" "))], {"M7"}),
        ([user(1, text("go")), assistant(2, text("ok")), user(3, text(" ")), user(4, text("\n"))], {"M7"}),
        ([user(1, text("go")), assistant(2, text("ok")), user(3, text(" "), text("more"))], set()),
        ([user(1, text("go")), assistant(2, text("ok")), user(3, text(" ")), user(4, text("more"))], set()),
        ([user(1, text("go")), assistant(2, tool(Call("A"), Result("A", "x"))), user(3, text(" "))], set()),
        (
            [
                user(1, text("go")),
                assistant(2, tool(Call("A"), Result("A", "x"))),
                assistant(3, text("ok")),
                user(4, text(" ")),
            ],
            {"M7"},
        ),
    ],
)
def test_white_space_is_refused_where_its_turn_says_nothing_else(
    messages: list[Message], errors: set[str], tmp_path: Path
) -> None:
    """It goes out, and Anthropic's API wants some text that is not white space in a turn."""
    assert verdict(messages, tmp_path)[1] == errors
    log = opencode.write_export(messages, tmp_path / "export.json")
    assert product.repair(log, tmp_path / "out.json").code == 0
    assert opencode.EXPORT.judge(opencode.EXPORT.load(tmp_path / "out.json")) is None


def test_a_tool_part_of_the_user_is_no_call(tmp_path: Path) -> None:
    assert verdict([user(1, text("go"), tool(Call("A"), None)), assistant(2, text("ok"))], tmp_path)[1] == set()


@pytest.mark.parametrize(
    ("provider", "model", "profile"),
    [
        ("anthropic", "claude-opus-4-5", "anthropic"),
        ("opencode", "claude-sonnet-4-5", "anthropic"),
        ("google-vertex-anthropic", "claude-opus-4-5", "anthropic"),
        ("amazon-bedrock", "anthropic.claude-opus-4-5", "bedrock-converse"),
        ("openai", "gpt-5", "openai-responses"),
        ("github-copilot", "gpt-5.2", "openai-responses"),
        ("github-copilot", "gpt-4.1", "openai-chat"),
        ("google", "gemini-3-pro", "gemini"),
        ("mistral", "devstral-medium", "mistral"),
        ("opencode", "kimi-k2", "openai-chat"),
        ("", "", "anthropic"),
    ],
)
def test_the_provider_that_answered_last_tells_the_rules(
    provider: str, model: str, profile: str, tmp_path: Path
) -> None:
    answer = assistant(2, text("ok"), providerID=provider, modelID=model)
    log = opencode.write_export([user(1, text("go")), answer], tmp_path / "export.json")
    assert product.check(log).session["profile"] == profile


# --- stores


def test_a_session_without_an_id_holds_the_messages_that_name_none(tmp_path: Path) -> None:
    path = opencode.write_database(OPEN, tmp_path / "opencode.db")
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE session SET id = NULL")
    session = product.check(path).session
    assert (session["verdict"], session["messages"]) == ("healthy", 0)


def test_sessions_of_a_database_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    other = opencode.INFO | {"id": "ses_2", "title": "Other"}
    sound = [user(11, text("go"), session="ses_2"), assistant(12, text("ok"), session="ses_2")]
    with closing(sqlite3.connect(path)) as database:
        opencode.fill(database, OPEN)
        opencode.fill(database, sound, other)
    sessions = product.check(path).report["sessions"]
    assert [(session["id"], session["verdict"]) for session in sessions] == [
        ("ses_2", "healthy"),
        (opencode.SESSION, "heals-itself"),
    ]
    assert product.repair(path, tmp_path / "out.db").code == 0
    assert show(opencode.loaded(opencode.database_messages(tmp_path / "out.db", "ses_2"))) == 'u"go" | a"ok"'


@pytest.mark.parametrize(
    ("recorded", "title"),
    [
        ('{"title": "Beans", "isNewTopic": false}', "Beans"),
        ('{"title": 1}', '{"title": 1}'),
        ("{curly} beans", "{curly} beans"),
    ],
)
def test_a_title_that_a_model_wrote_as_an_object_is_shown_as_words(recorded: str, title: str, tmp_path: Path) -> None:
    info = opencode.INFO | {"title": recorded}
    store, database_path = opencode.write_folder(OPEN, tmp_path / "storage", info), tmp_path / "opencode.db"
    with closing(sqlite3.connect(database_path)) as database:
        opencode.fill(database, OPEN, info)
    for path in (store / "session" / opencode.PROJECT / f"{opencode.SESSION}.json", database_path):
        with OpenLog.at(path) as log:
            assert [session.title for session in log.log.sessions] == [title]
        assert [entry.title for entry in list_logs([str(path)])] == [title]


def test_a_session_is_opened_by_its_file_alone(tmp_path: Path) -> None:
    store = opencode.write_folder(OPEN, tmp_path / "storage")
    opencode.write_folder(
        [user(11, text("go"), session="ses_2")], store, opencode.INFO | {"id": "ses_2", "title": "Other"}
    )
    session = store / "session" / opencode.PROJECT / f"{opencode.SESSION}.json"
    assert product.check(session).session["id"] == opencode.SESSION
    out = tmp_path / "out"
    assert product.repair(session, out).code == 0
    assert opencode.anthropic_error(opencode.loaded(opencode.folder_messages(out))) is None
    assert not (out / "message" / "ses_2").exists()


def test_the_older_folders_are_read(tmp_path: Path) -> None:
    store = opencode.write_folder(OPEN, tmp_path / "new")
    old = tmp_path / "storage"
    for name in ("info", "message", "part"):
        (old / "session" / name).mkdir(parents=True)
    shutil.copy(store / "session" / opencode.PROJECT / f"{opencode.SESSION}.json", old / "session" / "info")
    shutil.copytree(store / "message", old / "session" / "message", dirs_exist_ok=True)
    shutil.copytree(store / "part", old / "session" / "part" / opencode.SESSION)
    assert product.check(old).errors == {"D2:A"}
    assert product.check(old / "session" / "info" / f"{opencode.SESSION}.json").errors == {"D2:A"}
    assert product.repair(old, tmp_path / "out").code == 0
    assert product.check(tmp_path / "out").session["verdict"] == "healthy"


def test_a_message_or_a_part_alone_is_not_judged(tmp_path: Path) -> None:
    store = opencode.write_folder(OPEN, tmp_path / "storage")
    for number, path in enumerate(sorted(store.rglob("*.json"))):
        alone = tmp_path / f"{number}.json"
        shutil.copy(path, alone)
        assert product.check(alone).code == 3, path


@pytest.mark.parametrize("odd", ["null", "7"])
def test_a_text_of_the_user_that_is_none_is_sent_and_refused(odd: str, tmp_path: Path) -> None:
    store = opencode.FORMAT.write(parse('u"hello" | u"words" | a"ok"'), tmp_path)
    part = store / "part" / "msg_0002" / "prt_000200.json"
    part.write_text(part.read_text().replace('"words"', odd))
    assert product.check(store).errors == {"M12"}
    assert product.repair(store, tmp_path / "out").code == 0
    assert product.check(tmp_path / "out").session["verdict"] == "healthy"


def test_a_torn_part_leaves_its_message(tmp_path: Path) -> None:
    store = opencode.FORMAT.write(parse('u"hello" | a"kept"{A} | r(A=x) | a"ok"'), tmp_path)
    torn = store / "part" / "msg_0002" / "prt_000200.json"
    torn.write_text('{"id": "prt')
    assert product.check(store).session["on_resume"]["outcome"] == "refuses"
    out = tmp_path / "out"
    assert product.repair(store, out).code == 0
    assert show(opencode.FORMAT.load(out)) == 'u"hello" | a"kept"{A} | r(A=x) | a"ok"'
    assert not (out / "part" / "msg_0002" / "prt_000200.json").exists()
    assert (tmp_path / "out.quarantine").read_text().startswith("--- part/msg_0002/prt_000200.json, 11 bytes\n")


@pytest.mark.parametrize("spelled", ["\ufeff%s", "[%s\n%s"], ids=["byte order mark", "twice"])
def test_a_part_that_could_be_read_again_leaves_its_message_too(spelled: str, tmp_path: Path) -> None:
    store = opencode.FORMAT.write(parse('u"hello" | a{A} | a"ok"'), tmp_path)
    part = store / "part" / "msg_0002" / "prt_000201.json"
    whole = json.dumps(json.loads(part.read_bytes()), separators=(",", ":"))
    part.write_text(spelled.replace("%s", whole), "utf-8")
    out, again = tmp_path / "out", tmp_path / "again"
    assert product.repair(store, out).code == 0
    assert whole in (tmp_path / "out.quarantine").read_text("utf-8")
    assert product.check(out).session["verdict"] == "healthy"
    assert product.repair(out, again).edits == []


def test_a_message_whose_id_is_repaired_too_loses_only_its_dropped_parts(tmp_path: Path) -> None:
    store = opencode.FORMAT.write(parse('u"go" | a"say"{A,B} | r(A=x) | u"next" | a"ok"'), tmp_path)
    message = next(store.glob("message/*/msg_0002.json"))
    message.write_text(message.read_text().replace('"id": "msg_0002"', r'"id": "\ud83d"'))
    assert r"\ud83d" in message.read_text()
    repaired = product.repair(store, tmp_path / "out", "--strategy", "D3=drop-exchange")
    assert repaired.code == 0, repaired.report["reason"]
    assert product.check(tmp_path / "out").session["verdict"] == "healthy"


def test_of_a_damaged_message_each_row_is_kept_as_it_was(tmp_path: Path) -> None:
    path = opencode.write_database(OPEN, tmp_path / "opencode.db")
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE message SET data = '{torn' WHERE id = 'msg_0003'")
        ((part,),) = database.execute("SELECT data FROM part WHERE message_id = 'msg_0003'").fetchall()
    assert product.repair(path, tmp_path / "out.db").code == 0
    assert (tmp_path / "out.db.quarantine").read_text() == (
        f"--- message:msg_0003, 5 bytes\n{{torn\n--- part:prt_000300, {len(part)} bytes\n{part}\n"
    )


def test_a_damaged_session_file_is_a_sentence(tmp_path: Path) -> None:
    store = opencode.write_folder(OPEN, tmp_path / "storage")
    (store / "session" / opencode.PROJECT / f"{opencode.SESSION}.json").write_text("{")
    assert product.check(store).code == 2


def test_an_export_comes_back_by_an_import(tmp_path: Path) -> None:
    log = opencode.write_export(OPEN, tmp_path / "export.json")
    with closing(product.Door(log)) as door:
        saved = door.save("copy", tmp_path / "out.json")
    assert saved.command == f"cd /home/ada/garden && opencode import {tmp_path / 'out.json'}"
    assert any("does not overwrite" in step for step in saved.steps)


def test_the_repaired_session_is_resumed_by_its_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    store = opencode.write_folder(OPEN, tmp_path / "storage")
    with closing(product.Door(store)) as door:
        assert door.save("in-place").command == f"cd /home/ada/garden && opencode -s {opencode.SESSION}"
    kilo = opencode.write_database(OPEN, tmp_path / "kilo.db")
    with closing(product.Door(kilo)) as door:
        assert door.save("in-place").command == f"cd /home/ada/garden && kilo -s {opencode.SESSION}"


@pytest.mark.parametrize("name", ["opencode", "opencode-database", "opencode-export"])
def test_half_a_character_in_a_prompt_is_mended_where_it_stands(name: str, tmp_path: Path) -> None:
    form = WRITABLE[name]
    path = form.write(parse('u"MARK" | a"ok"'), tmp_path)
    for file in [path] if path.is_file() else path.rglob("*.json"):
        if name == "opencode-database":
            with closing(sqlite3.connect(file)) as database, database:
                database.execute("UPDATE part SET data = replace(data, 'MARK', '\\ud83d')")
        else:
            file.write_bytes(file.read_bytes().replace(b"MARK", rb"\ud83d"))
    (tmp_path / "out").mkdir()
    out = tmp_path / "out" / path.name
    answer = product.repair(path, out)
    assert (answer.code, show(form.load(out))) == (0, 'u"\ufffd" | a"ok"')


def test_what_follows_an_export_is_no_record_of_it_though_its_characters_can_be_mended(tmp_path: Path) -> None:
    export = opencode.EXPORT.write(parse('u"one" | a"two"'), tmp_path)
    whole = export.read_bytes()
    export.write_bytes(whole + whole.replace(b'"two"', rb'"tw\ud83d"'))
    assert {"F6", "F7"} & product.check(export).errors == {"F6"}
    assert product.repair(export, tmp_path / "out.json").code == 0
    assert (tmp_path / "out.json").read_bytes() == whole


@pytest.mark.parametrize("container", ["opencode", "opencode-database", "opencode-export"])
def test_a_text_that_is_none_is_mended_in_its_own_part(container: str, tmp_path: Path) -> None:
    messages = opencode.messages_of(parse('u"one" | a"two"'))
    odd = next(part for part in messages[-1]["parts"] if part["type"] == "text")
    odd["text"] = {"type": "text", "text": "two"}
    write = {
        "opencode": lambda: opencode.write_folder(messages, tmp_path / "storage"),
        "opencode-database": lambda: opencode.write_database(messages, tmp_path / "opencode.db"),
        "opencode-export": lambda: opencode.write_export(messages, tmp_path / "export.json"),
    }
    path = write[container]()
    assert product.check(path).errors == {"M12"}
    out = tmp_path / "out" / path.name
    out.parent.mkdir()
    assert product.repair(path, out).code == 0
    assert show(WRITABLE[container].load(out)) == 'u"one" | a"two"'
