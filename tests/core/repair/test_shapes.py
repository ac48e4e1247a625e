"""Calls and messages of the wrong shape (T15, T31, T32, T34, M4, M9, R11), and the containers of histories."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.cli.app import main
from tests.core.repair.logs import refused, repaired, saved, written
from tests.support import product
from tests.support.judges import refusals
from tests.support.notation import (
    FORMATS,
    Call,
    Result,
    Turn,
    anthropic,
    anthropic_messages,
    claude_code_records,
    lines,
    neovate_records,
    openai,
    openai_messages,
    parse,
)
from tests.support.projection import printed, read

MESSAGES = ["anthropic", "openai"]
ALL = [*MESSAGES, "claude-code"]


def document(messages: list[dict[str, Any]], name: str) -> bytes:
    return json.dumps(
        {"model": {"anthropic": "claude-sonnet-4-5", "openai": "gpt-4o"}[name], "messages": messages}
    ).encode()


def test_t15_without_its_orphan_the_history_begins_with_an_answer(tmp_path: Path) -> None:
    path = written(tmp_path, "anthropic", 'r(A=alpha) | a"ok" | u"q"')
    refused(path, strategies="R1=drop M4=leave")
    data, answer = repaired(path, "anthropic", strategies="R1=drop")
    first, *rest = read(data, "anthropic")
    assert first.role == "user"
    assert [turn.role for turn in rest] == ["assistant", "user"]
    assert "alpha" in answer.lost_text


@pytest.mark.parametrize("name", ["anthropic", "claude-code"])
def test_a_history_that_begins_with_an_answer(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, 'a"ok" | u"q"')
    assert {error.partition(":")[0] for error in product.check(path).errors} == {"M4"}
    data, _ = repaired(path, name)
    assert [turn.role for turn in read(data, name)] == ["user", "assistant", "user"]


@pytest.mark.parametrize("behind", [[], [{"role": "assistant", "content": "ok"}]])
def test_a_history_in_which_the_user_never_speaks(behind: list[dict[str, Any]], tmp_path: Path) -> None:
    system = {"role": "system", "content": "be brief"}
    body = {"model": "claude-opus-4-8", "max_tokens": 9, "messages": [system, *behind]}
    path = saved(tmp_path, "anthropic", json.dumps(body).encode())
    assert [each["message"] for each in product.check(path).findings] == ["The history begins with a system message."]
    data, _ = repaired(path, "anthropic")
    assert [each["role"] for each in json.loads(data)["messages"]] == ["user", "system", *(m["role"] for m in behind)]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    ("history", "offered"), [("u | a{A} | r(X=alpha) | a", True), ("u | a{A,B} | r(X=alpha) | a", False)]
)
def test_t31_match_is_offered_only_where_it_is_certain(history: str, offered: bool, name: str, tmp_path: Path) -> None:
    findings = product.check(written(tmp_path, name, history)).findings
    (orphan,) = [finding for finding in findings if finding["call_id"] == "X"]
    assert ("match" in orphan["strategies"]) == offered
    assert orphan["default"] == "keep-as-note"


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("history", ['u | a{""} | r(""=alpha) | a', 'u | a{"" p=1,"" p=2} | r(""=alpha,""=beta) | a'])
def test_t32_calls_without_id_get_one(history: str, name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, history)
    assert "K3" in {error.partition(":")[0] for error in product.check(path).errors}
    data, answer = repaired(path, name)
    turns = read(data, name)
    calls = [call for turn in turns for call in turn.of(Call)]
    results = [result for turn in turns for result in turn.of(Result)]
    assert [call.id for call in calls] == [result.id for result in results]
    assert [result.text for result in results] == ["alpha", "beta"][: len(calls)]
    assert answer.losses == []


@pytest.mark.parametrize("name", ["anthropic", "claude-code"])
@pytest.mark.parametrize(
    ("stored", "becomes"),
    [
        (None, {}),
        ('{"a":1}', {"a": 1}),
        ([1], {"_raw": [1]}),
        ('{"a":', {"_raw": '{"a":'}),
    ],
)
def test_t34_inputs_that_are_no_object(stored: Any, becomes: Any, name: str, tmp_path: Path) -> None:
    history = [parse("u")[0], Turn("assistant", (Call("A", input=stored),)), *parse("r(A=alpha) | a")]
    path = saved(tmp_path, name, FORMATS[name].render(history))
    assert product.check(path).errors == {"K6:A"}
    data, _ = repaired(path, name)
    (call,) = [call for turn in read(data, name) for call in turn.of(Call)]
    assert call.input == becomes
    assert "r(A=alpha)" in printed(data, name)


def test_broken_arguments_of_openai_are_a_string_and_stay(tmp_path: Path) -> None:
    data = FORMATS["openai"].render(parse("u | a{A p=1} | r(A=alpha) | a")).replace(rb"{\"p\": 1}", rb"{\"p\": ")
    path = saved(tmp_path, "openai", data)
    assert product.check(path).errors == set()
    assert repaired(path, "openai")[0] == data


def test_an_empty_list_of_calls_goes(tmp_path: Path) -> None:
    messages = openai_messages(parse('u | a"ok" | u'))
    messages[1]["tool_calls"] = []
    path = saved(tmp_path, "openai", document([*messages, *openai_messages(parse("a{A} | r(A=x)"))], "openai"))
    assert {error.partition(":")[0] for error in product.check(path).errors} == {"M9"}
    data, _ = repaired(path, "openai")
    assert "tool_calls" not in json.loads(data)["messages"][1]


def test_a_result_in_an_answer_is_moved_to_the_user(tmp_path: Path) -> None:
    messages = anthropic_messages(parse("u | a{A} | r(A=alpha) | a"))
    messages[1]["content"] += messages.pop(2)["content"]
    path = saved(tmp_path, "anthropic", document([*messages[:2], *anthropic_messages(parse("u | a"))], "anthropic"))
    assert "R11" in {error.partition(":")[0] for error in product.check(path).errors}
    data, answer = repaired(path, "anthropic")
    assert printed(data, "anthropic") == 'u | a{A} | r(A=alpha)+"u" | a'
    assert answer.losses == []


def test_a_result_of_the_system_is_moved_to_the_user(tmp_path: Path) -> None:
    messages = anthropic_messages(parse("u | a{A} | r(A=alpha) | a"))
    messages[2]["role"] = "system"
    path = saved(tmp_path, "anthropic", document(messages, "anthropic"))
    (finding,) = [each for each in product.check(path).findings if each["severity"] == "error"]
    assert finding["message"] == "A tool result is in a system message."
    data, answer = repaired(path, "anthropic")
    assert printed(data, "anthropic") == "u | a{A} | r(A=alpha) | a"
    assert answer.losses == []


BROKEN, SOUND = "u | a{A} | u | a", "u | a{B} | r(B=beta) | a"


@pytest.mark.parametrize("name", MESSAGES)
def test_a_bare_list(name: str, tmp_path: Path) -> None:
    render = {"anthropic": anthropic, "openai": openai}[name]
    path = saved(tmp_path, name, render(parse(BROKEN), bare=True))
    assert product.check(path).errors == {"D2:A"}
    assert json.loads(repaired(path, name)[0])[0] == json.loads(path.read_bytes())[0]


@pytest.mark.parametrize("name", MESSAGES)
def test_only_messages_without_a_model(name: str, tmp_path: Path) -> None:
    messages = {"anthropic": anthropic_messages, "openai": openai_messages}[name](parse(BROKEN))
    path = saved(tmp_path, name, json.dumps({"messages": messages}).encode())
    assert product.check(path).errors == {"D2:A"}
    repaired(path, name)


def test_a_message_a_line(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(lines(openai_messages(parse(BROKEN))))
    assert product.check(path).errors == {"D2:A"}
    out = tmp_path / "out.jsonl"
    assert product.repair(path, out).code == 0
    messages = [json.loads(line) for line in out.read_bytes().splitlines()]
    assert refusals(read(json.dumps(messages).encode(), "openai"), "openai") == []
    assert set(path.read_bytes().splitlines()) < set(out.read_bytes().splitlines())


def conversations() -> list[list[dict[str, Any]]]:
    return [openai_messages(parse(history)) for history in (SOUND, BROKEN, SOUND)]


CONTAINERS = {
    "a conversation a line": ("log.jsonl", lines({"messages": chat} for chat in conversations())),
    "an array of conversations": ("log.json", json.dumps([{"messages": chat} for chat in conversations()]).encode()),
    "traj": ("log.json", json.dumps([{"task": 1, "traj": chat} for chat in conversations()], indent=1).encode()),
    "simulations": ("log.json", json.dumps({"simulations": [{"messages": c} for c in conversations()]}).encode()),
}


def chats_in(data: bytes) -> list[list[dict[str, Any]]]:
    found = json.loads(data) if not data.startswith(b'{"messages"') else [json.loads(x) for x in data.splitlines()]
    entries = found["simulations"] if isinstance(found, dict) else found
    return [entry.get("messages") or entry["traj"] for entry in entries]


@pytest.mark.parametrize("container", CONTAINERS)
def test_many_conversations_in_one_log_are_many_sessions(container: str, tmp_path: Path) -> None:
    file, data = CONTAINERS[container]
    path, out = tmp_path / file, tmp_path / f"out-{file}"
    path.write_bytes(data)
    answer = product.check(path)
    assert [session["verdict"] for session in answer.report["sessions"]] == ["healthy", "broken", "healthy"]
    assert answer.errors == {"D2:A"}  # one id in two conversations is no reuse
    assert product.repair(path, out).code == 0
    before, after = chats_in(data), chats_in(out.read_bytes())
    assert (after[0], after[2]) == (before[0], before[2])
    assert refusals(read(json.dumps(after[1]).encode(), "openai"), "openai") == []


BEGINNING = "[The beginning of this conversation is not part of the log.]"
CONVERSATIONS = ("u | m | u", "m | u", "m | u | m")


def conversation(history: str) -> dict[str, Any]:
    """One of Gemini's, of texts alone."""
    roles = {"u": "user", "m": "model"}
    return {"contents": [{"role": roles[each], "parts": [{"text": each}]} for each in history.split(" | ")]}


def said_in(data: str) -> list[str]:
    values = json.loads(data) if data.startswith("[") else [json.loads(line) for line in data.splitlines()]
    texts = [[message["parts"][0]["text"] for message in value["contents"]] for value in values]
    return [" | ".join(each) for each in texts]


@pytest.mark.parametrize("one_document", [False, True])
def test_what_is_put_first_belongs_to_the_conversation_behind_it(one_document: bool, tmp_path: Path) -> None:
    path, out = tmp_path / "log.json", tmp_path / "out"
    values = [conversation(each) for each in CONVERSATIONS]
    path.write_text(json.dumps(values) if one_document else "".join(json.dumps(each) + "\n" for each in values))
    assert product.repair(path, out).code == 0
    assert said_in(out.read_text()) == ["u | m | u", f"{BEGINNING} | m | u", f"{BEGINNING} | m | u | m"]
    assert product.check(out).report["sessions"][2]["verdict"] == "healthy"


def ended_with(sentence: str, folder: Path, history: str = "u | a", **more: object) -> Path:
    """A session of Claude Code whose last record is an error."""
    records = [json.loads(line) for line in FORMATS["claude-code"].render(parse(history)).splitlines()]
    records[-1] |= {"isApiErrorMessage": True, **more}
    records[-1]["message"]["content"][0]["text"] = sentence
    records[-1]["message"]["model"] = "<synthetic>"
    return saved(folder, "claude-code", lines(records))


def test_an_error_that_the_log_records_is_told(tmp_path: Path) -> None:
    answer = product.check(ended_with("API Error: 400 the harbour is closed", tmp_path))
    assert answer.session["recorded_error"] == "API Error: 400 the harbour is closed"
    assert "E1" in answer.rules
    assert (answer.session["verdict"], answer.code) == ("unexplained", 1)


def test_it_is_told_however_many_notes_follow_it(tmp_path: Path) -> None:
    path = ended_with("API Error: 400 the harbour is closed", tmp_path)
    last = json.loads(path.read_bytes().splitlines()[-1])
    ids = [last["uuid"], *(f"99999999-0000-4000-8000-{number:012}" for number in range(28))]
    note = {"type": "system", "subtype": "turn_duration", "sessionId": last["sessionId"], "isSidechain": False}
    with path.open("ab") as file:
        file.write(lines([note | {"parentUuid": parent, "uuid": own} for parent, own in pairwise(ids)]))
    assert product.check(path).session["recorded_error"] == "API Error: 400 the harbour is closed"


@pytest.mark.parametrize(
    ("sentence", "more", "kind", "about"),
    [
        ("API Error: 529 overloaded_error", {}, "overload", "the provider's servers"),
        ("Credit balance is too low", {}, "quota", "the account's quota"),
        ("Invalid API key · Please run /login", {}, "sign-in", "signing in to the provider"),
        ("API Error: Connection error.", {}, "network", "the connection to the provider"),
        (
            "Something of a later version",
            {"error": "rate_limit"},
            "rate-limit",
            "the rate limit",
        ),
    ],
)
def test_an_error_that_is_no_fault_of_the_history_explains_itself(
    sentence: str, more: dict[str, str], kind: str, about: str, tmp_path: Path
) -> None:
    path = ended_with(sentence, tmp_path, **more)
    answer = product.check(path)
    assert (answer.session["verdict"], answer.code, answer.findings) == ("healthy", 0, [])
    assert (answer.session["recorded_error"], answer.session["recorded_error_kind"]) == (sentence, kind)
    told = CliRunner().invoke(main, ["check", str(path)], catch_exceptions=False).output.splitlines()
    assert told[0] == (
        f"{path}  HEALTHY  Anthropic Messages accepts the history that the agent would load. "
        f"The last entry is an error about {about}. The error was not caused by the history."
    )


def test_an_error_that_names_nothing_is_from_before_the_note_that_a_repair_left(tmp_path: Path) -> None:
    sentence = "API Error: 400 due to tool use concurrency issues."
    path, out = ended_with(sentence, tmp_path, 'u | a"ok" | r(Z=zeta) | a'), tmp_path / "out.jsonl"
    assert product.check(path).errors == {"R1:Z"}
    assert product.repair(path, out).code == 0
    assert product.check(out).session["verdict"] == "healthy"
    assert product.check(ended_with(sentence, tmp_path)).session["verdict"] == "unexplained"


def test_nor_is_a_repaired_session_unexplained_that_ends_with_such_an_error(tmp_path: Path) -> None:
    path, out = ended_with("529 overloaded_error", tmp_path, 'u | a{A} | u"go on" | a'), tmp_path / "out.jsonl"
    assert product.check(path).errors == {"D2:A"}
    assert product.repair(path, out).code == 0
    assert product.check(out).session["verdict"] == "healthy"


def test_a_recorded_error_that_a_finding_explains(tmp_path: Path) -> None:
    history = 'u | a{toolu_9} | u"go on" | a"error"'
    records = [json.loads(line) for line in FORMATS["claude-code"].render(parse(history)).splitlines()]
    records[3] |= {"isApiErrorMessage": True}
    records[3]["message"]["content"][0]["text"] = (
        "API Error: 400 messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_9."
    )
    path = saved(tmp_path, "claude-code", lines(records))
    assert product.check(path).session["verdict"] == "broken"
    repaired(path, "claude-code")
    assert product.check(path.with_name("repaired.jsonl")).session["verdict"] == "healthy"


@pytest.mark.parametrize(
    "data", [b"", b"hello\nworld\n", b'{"title":"x"}\n{"title":"y"}\n', b"[1,2,3]", b"\x00\x01\x02"]
)
def test_what_is_no_session_is_not_judged(data: bytes, tmp_path: Path) -> None:
    path, out = tmp_path / "file.jsonl", tmp_path / "out.jsonl"
    path.write_bytes(data)
    answer = product.check(path)
    assert answer.session["verdict"] in ("not-judged", "unreadable")
    assert answer.code in (2, 3)
    assert product.repair(path, out).code in (2, 3)
    assert not out.exists()


def test_an_error_about_an_exchange_that_was_dropped_is_explained(tmp_path: Path) -> None:
    records = claude_code_records(parse('u"a" | a{toolu_01lost} | u"b" | a"ok" | u"c" | a"API Error"'))
    text = (
        'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.1: `tool_use` ids '
        'were found without `tool_result` blocks immediately after: toolu_01lost."}}'
    )
    records[-1]["message"]["content"][0]["text"] = text
    records[-1] |= {"isApiErrorMessage": True}
    path = saved(tmp_path, "claude-code", lines(records))
    assert product.check(path).session["verdict"] == "broken"
    for strategy in ("D2=drop-call", "D2=drop-exchange"):
        data, _ = repaired(path, "claude-code", strategies=strategy)
        assert b"toolu_01lost" in data.splitlines()[-1]
        assert product.check(path.with_name("repaired.jsonl")).session["verdict"] == "healthy"


def test_a_result_of_another_programs_shape_keeps_its_words(tmp_path: Path) -> None:
    block = {"type": "tool_result", "tool_use_id": "A", "content": "alpha"}
    records = neovate_records(parse('u | a"ok"'))
    records[-1]["content"].append(block)
    data, answer = repaired(saved(tmp_path, "neovate", lines(records)), "neovate")
    assert "alpha" in printed(data, "neovate") + answer.lost_text
