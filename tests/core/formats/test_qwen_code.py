"""Qwen Code: which records are loaded, fragments, compressions, lines that share a place, and what a repair writes."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from inspector.core.discovery.opening import open_log
from inspector.core.formats import FORMATS, detect_format
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.stores import SessionMetadata
from inspector.core.model.columnar_index import Role
from inspector.core.model.session import Log
from inspector.core.providers.placeholders import PLACEHOLDER_WORDINGS
from inspector.core.storage.source import Source
from tests.core.formats import qwen_code
from tests.core.formats.qwen_code import NAME, SESSION
from tests.support import product
from tests.support.notation import Text, clock, lines, parse, show, uuid

HISTORY = 'u"one" | a"t"{A p=1} | r(A=alpha) | a"ok" | u"two" | a{B p=2} | r(B=beta) | a"done"'
OPEN = 'u"one" | a"t"{A p=1,B p=2} | r(A=alpha) | a"ok" | u"two"'


def line(number: int, parent: int | None, kind: str = "user", **more: Any) -> dict[str, Any]:
    """A record of the session that hangs off record `parent`; `text` is what it says."""
    text = more.pop("text", f"said {number}")
    head = {"uuid": uuid(number), "parentUuid": None if parent is None else uuid(parent), "sessionId": SESSION}
    head |= {"timestamp": clock(number), "type": kind, "cwd": "/w", "version": "0.24.4"}
    role = {"assistant": "model"}.get(kind, "user")
    message = {} if kind == "system" else {"message": {"role": role, "parts": [{"text": text}]}}
    return head | message | more


def compression(number: int, parent: int | None, *contents: dict[str, Any]) -> dict[str, Any]:
    payload = {"info": {"originalTokenCount": 9}, "compressedHistory": list(contents)}
    return line(number, parent, "system", subtype="chat_compression", systemPayload=payload)


def content(history: str) -> list[dict[str, Any]]:
    """Contents of Gemini's, as a compression holds them."""
    return [message for _, message in qwen_code.contents(parse(history))]


def file(folder: Path, records: list[Any], name: str = NAME) -> Path:
    path = folder / name
    path.write_bytes(lines(records))
    return path


def repaired(path: Path, **more: Any) -> Path:
    out = path.with_name("out.jsonl")
    done = product.repair(path, out, **more)
    assert done.code == 0, done.report.get("reason")
    return out


def opened(data: bytes) -> Log:
    return open_log(Source.of_bytes(data, NAME), "qwen-code")


def said(log: Log) -> list[str]:
    """The texts on the path, in its order."""
    path = [record for record in log.sessions[0].main_thread.path if log.columns.roles[record] != Role.LINK]
    return [block.text for record in path for block in FORMATS["qwen-code"].view(log.raw(record)).blocks]


def told(data: bytes) -> list[str]:
    """The same as the program's own reader has it."""
    history = qwen_code.read(qwen_code.api_history(qwen_code.prepared(data)))
    return [part.text for turn in history for part in turn.parts if isinstance(part, Text)]


# --- which records are loaded


@pytest.mark.parametrize(
    ("records", "numbers"),
    [
        ([line(1, None), line(2, 1, "assistant"), line(3, 1)], [1, 3]),
        ([line(1, None), line(2, 1), line(3, 2, "system", subtype="session_artifact_event")], [1, 2]),
        ([line(1, None), line(2, 1, "system", subtype="session_artifact_event"), line(3, 2)], [3]),
        ([line(1, None), line(2, 1, "system", subtype="rewind"), line(3, 2)], [1, 3]),
        ([line(1, None), line(2, 9), line(3, 2)], [2, 3]),
        ([line(1, 3), line(2, 1), line(3, 2)], [1, 2, 3]),
        ([line(1, None), line(2, 1, "progress"), line(3, 1)], [1, 3]),
        ([line(1, None), line(2, 1, subtype="realtime_message"), line(3, 2)], [1, 3]),
        ([line(1, None), line(2, 1), {**line(3, 2), "sessionId": ""}], [1, 2]),
        ([line(1, None), line(2, 1), {key: value for key, value in line(3, 2).items() if key != "parentUuid"}], [1, 2]),
    ],
)
def test_the_path_runs_from_the_last_record_of_the_conversation(records: list[Any], numbers: list[int]) -> None:
    data = lines(records)
    assert said(opened(data)) == told(data) == [f"said {number}" for number in numbers]


@pytest.mark.parametrize("seed", range(150))
def test_random_chats_load_as_the_program_loads_them(seed: int) -> None:
    chance = random.Random(seed)
    records: list[Any] = [line(1, None)]
    for number in range(2, chance.randrange(2, 20)):
        parent = chance.choice([number - 1] * 12 + [chance.randrange(number), 99]) or None
        kind = chance.choices(["user", "assistant", "aside", "counted", "fragment", "compression"], [9, 9, 2, 3, 2, 1])[
            0
        ]
        if kind == "aside":
            records.append(line(number, parent, "system", subtype="session_sources_snapshot"))
        elif kind == "counted":
            records.append(line(number, parent, "system", subtype="ui_telemetry", systemPayload={}))
        elif kind == "compression":
            kept = [{"role": "user", "parts": [{"text": f"kept {number}"}]}] * chance.randrange(3)
            records.append(compression(number, parent, *kept))
        elif kind == "fragment":
            whole = chance.choice(records)
            records.append({**whole, **({"message": line(number, None)["message"]} if "message" in whole else {})})
        else:
            records.append(line(number, parent, kind))
    data = lines(records)
    assert said(opened(data)) == told(data)


def test_what_was_said_before_a_missing_parent_comes_back(tmp_path: Path) -> None:
    records = qwen_code.records(parse(HISTORY))
    del records[4]
    path = file(tmp_path, records)
    answer = product.check(path).session
    assert (answer["verdict"], {f["rule"] for f in answer["findings"]}) == ("broken", {"G1", "G3"})
    assert answer["on_resume"]["loses"] == ["everything before the missing parent"]
    assert show(qwen_code.load(path)).startswith('a"ok"')
    assert show(qwen_code.load(repaired(path))) == HISTORY


# --- one record in several lines, several records on one line


def test_fragments_of_one_id_are_one_record(tmp_path: Path) -> None:
    records = qwen_code.records(parse(OPEN))
    whole = next(record for record in records if record["type"] == "assistant")
    first, *behind = whole["message"]["parts"]
    further = {**whole, "message": {"role": "model", "parts": behind}}
    whole["message"] = {"role": "model", "parts": [first]}
    path = file(tmp_path, [*records[:4], further, *records[4:]])
    answer = product.check(path)
    assert (answer.errors, answer.session["messages"]) == ({"D3:B"}, 5)
    assert show(qwen_code.load(repaired(path))) == 'u"one" | a"t"{A p=1,B p=2} | r(A=alpha),PH!(B) | a"ok" | u"two"'


def test_a_result_under_the_id_of_its_call_would_go_out_as_the_models_own(tmp_path: Path) -> None:
    records = [line(1, None), line(2, 1, "assistant"), line(3, 2, "tool_result"), line(4, 3)]
    records[1]["message"] = {"role": "model", "parts": [{"functionCall": {"id": "A", "name": "Read", "args": {}}}]}
    response = {"id": "A", "name": "Read", "response": {"output": "alpha"}}
    records[2]["message"] = {"role": "user", "parts": [{"functionResponse": response}]}
    records[2]["uuid"] = records[1]["uuid"]
    path = file(tmp_path, records)
    assert "G4" in product.check(path).errors
    assert show(qwen_code.load(repaired(path))) == 'u"said 1" | a{A} | r(A=alpha) | u"said 4"'


def test_what_shares_the_id_of_a_record_of_the_programs_own_is_not_sent(tmp_path: Path) -> None:
    """`SessionApiHistoryAccumulator.add` passes a system record by, whatever message was joined to it."""
    counted = line(2, 1, "system", subtype="ui_telemetry", systemPayload={})
    records = [line(1, None), counted, line(2, 1, "assistant"), line(3, 2)]
    path = file(tmp_path, records)
    assert said(opened(path.read_bytes())) == told(path.read_bytes()) == ["said 1", "said 3"]
    assert [block["text"] for block in product.sent(path).blocks] == ["said 1", "said 3"]


def test_what_a_record_on_a_torn_line_cut_off_comes_back(tmp_path: Path) -> None:
    """The program writes its next record onto a torn line, and loses all that came before on the resume after that."""
    whole = lines(qwen_code.records(parse(HISTORY))).splitlines(keepends=True)
    path = tmp_path / NAME
    path.write_bytes(b"".join([*whole[:6], b'{"uuid":"aa', *whole[6:]]))
    assert [turn for turn in qwen_code.load(path) if turn.of(Text)] == parse('a"done"')
    answer = product.check(path)
    assert answer.errors == {"F2"}
    assert "everything before the incomplete record" in answer.session["on_resume"]["loses"][0]
    assert show(qwen_code.load(repaired(path))) == HISTORY


def test_whole_records_on_one_line_are_all_kept(tmp_path: Path) -> None:
    whole = lines(qwen_code.records(parse(HISTORY))).splitlines(keepends=True)
    path = tmp_path / NAME
    path.write_bytes(b"".join([*whole[:4], whole[4].rstrip(), whole[5].rstrip(), *whole[6:]]))
    out = repaired(path)
    assert out.read_bytes() == b"".join(whole)
    assert not out.with_name("out.jsonl.quarantine").exists()


# --- compressions


def test_a_call_in_a_compression_is_answered_behind_it(tmp_path: Path) -> None:
    kept = content('u"summary" | a"yes" | u"next" | a{N p=1}')
    result, answer = content('r(N=nu) | a"fine"')
    records = [line(1, None), compression(2, 1, *kept), line(3, 2, "tool_result", message=result)]
    path = file(tmp_path, [*records, line(4, 3, "assistant", message=answer)])
    told = product.check(path).session
    assert (told["verdict"], told["messages"], told["calls"], told["results"]) == ("healthy", 6, 1, 1)


@pytest.mark.parametrize("behind", ['u"more" | a"end"', 'u"more"', ""])
def test_an_open_call_in_a_compression_is_answered_there(behind: str, tmp_path: Path) -> None:
    kept = content('u"summary" | a"yes" | u"next" | a{N p=1,M p=2} | r(N=nu)')
    records = [line(1, None), compression(2, 1, *kept)]
    for number, message in enumerate(content(behind), 3):
        kind = "assistant" if message["role"] == "model" else "user"
        records.append(line(number, number - 1, kind, message=message))
    out = repaired(file(tmp_path, records))
    written = [json.loads(each) for each in out.read_bytes().splitlines()]
    assert [record["uuid"] for record in written] == [record["uuid"] for record in records]
    assert written[1]["systemPayload"]["compressedHistory"][:-1] == kept
    expected = 'u"summary" | a"yes" | u"next" | a{N p=1,M p=2} | r(N=nu),PH!(M)'
    assert show(qwen_code.load(out)) == f"{expected} | {behind}".rstrip(" |")


def test_a_result_moves_into_the_compression_that_holds_its_call(tmp_path: Path) -> None:
    words, result, end = content('u"more" | r(N=nu) | a"end"')
    records = [line(1, None), compression(2, 1, *content('u"summary" | a{N p=1}')), line(3, 2, message=words)]
    records += [line(4, 3, "tool_result", message=result), line(5, 4, "assistant", message=end)]
    out = repaired(file(tmp_path, records))
    assert show(qwen_code.load(out)) == 'u"summary" | a{N p=1} | r(N=nu) | u"more" | a"end"'


def test_a_gap_before_a_compression_costs_nothing(tmp_path: Path) -> None:
    records = [line(1, None), compression(3, 2, *content('u"summary" | a"yes"')), line(4, 3)]
    assert product.check(file(tmp_path, records)).session["verdict"] == "healthy"


# --- what a repair writes


def test_a_result_is_written_as_the_program_writes_one(tmp_path: Path) -> None:
    """Right behind the call, between it and what was counted; the leaf stays the last line."""
    path = file(tmp_path, qwen_code.records(parse('u"one" | a{A p=1} | u"two"')))
    before = [json.loads(each) for each in path.read_bytes().splitlines()]
    after = [json.loads(each) for each in repaired(path).read_bytes().splitlines()]
    call, new, behind = after[2:5]
    like = json.loads(lines(qwen_code.records(parse("u | a{A} | r(A=x)"))).splitlines()[-1])
    assert list(new) == list(like)
    assert (new["parentUuid"], behind["parentUuid"]) == (call["uuid"], new["uuid"])
    assert (new["type"], new["toolCallResult"]) == ("tool_result", {"callId": "A", "status": "error"})
    assert after[-1]["uuid"] == before[-1]["uuid"]
    assert [{**record, "parentUuid": None} for record in after if record is not new] == [
        {**record, "parentUuid": None} for record in before
    ]


def test_a_quoted_result_is_not_told_as_the_persons_own_words(tmp_path: Path) -> None:
    path = file(tmp_path, qwen_code.records(parse('u"one" | a"ok" | r(X=lost) | a"end"')))
    note = json.loads(repaired(path).read_bytes().splitlines()[3])
    assert (note["type"], note["provenance"], "toolCallResult" in note) == ("user", "system", False)


def test_a_call_under_an_id_of_an_earlier_one_is_an_error(tmp_path: Path) -> None:
    """The provider takes it, and the program leaves it out of the request, with its result."""
    path = file(tmp_path, qwen_code.records(parse("u | a{A p=1} | r(A=one) | u | a{A p=2} | r(A=two) | a")))
    answer = product.check(path).session
    assert answer["verdict"] == "broken"
    assert answer["on_resume"]["loses"] == ["the call to Read", "the result of the dropped call to Read"]
    records = [json.loads(each) for each in repaired(path).read_bytes().splitlines()]
    assert [record["toolCallResult"]["callId"] for record in records if "toolCallResult" in record] == ["A", "A-2"]


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A broken chat in its store, under a home of its own."""
    for name in ("QWEN_RUNTIME_DIR", "QWEN_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / ".qwen" / "projects" / "-w" / "chats"
    folder.mkdir(parents=True)
    return file(folder, qwen_code.records(parse(OPEN)))


def test_a_new_session_has_its_id_in_the_name_and_in_every_record(stored: Path, tmp_path: Path) -> None:
    copy = tmp_path / "sent-by-mail.jsonl"
    copy.write_bytes(stored.read_bytes())
    answer = product.repair(copy, None, "--new-session")
    (new,) = set(stored.parent.iterdir()) - {stored}
    assert Path(answer.report["output"]) == new
    assert {json.loads(each)["sessionId"] for each in new.read_bytes().splitlines()} == {new.stem}
    assert len(new.stem) == len(SESSION)
    assert qwen_code.openai_error(qwen_code.load(new)) is None


def test_in_place_says_how_to_go_on(stored: Path) -> None:
    door = product.Door(stored)
    saved = door.save("in-place")
    door.close()
    assert (saved.command, saved.verdict) == (f"cd /w && qwen --resume {SESSION}", "healthy")


# --- what is shown


def test_what_was_counted_shows_that_a_call_ran(tmp_path: Path) -> None:
    event = {"event.name": "qwen-code.tool_call", "call_id": "call_abc", "status": "success"}
    counted = line(9, None, "system", subtype="ui_telemetry", systemPayload={"uiEvent": event})
    records = qwen_code.records(parse("u | a{call_abc@Bash command=ls}"))
    counted["parentUuid"] = records[-1]["uuid"]
    (found,) = product.check(file(tmp_path, [*records, counted])).findings
    told = found["evidence"]
    assert (told["verdict"], told["folder"]) == ("ran", "/w")
    assert told["traces"][0]["sentence"] == "Statistics in the log show that the call ended: success."


def test_a_refused_request_at_the_end_is_told(tmp_path: Path) -> None:
    event = {"event.name": "qwen-code.api_error", "error_message": "400 messages.1: something odd", "status_code": 400}
    records = [line(1, None), line(2, 1, "system", subtype="ui_telemetry", systemPayload={"uiEvent": event})]
    session = product.check(file(tmp_path, records)).session
    assert (session["verdict"], session["recorded_error"]) == ("unexplained", "400 messages.1: something odd")


def test_its_own_placeholder_is_known(tmp_path: Path) -> None:
    wording = PLACEHOLDER_WORDINGS["qwen-code"].text
    path = file(tmp_path, qwen_code.records(parse(f'u | a{{A}} | r!(A="{wording}") | a')))
    assert product.check(path).rules >= {"R13"}


@pytest.mark.parametrize(
    ("more", "title"),
    [
        ({}, "said 1"),
        ({"systemPayload": {"displayText": "as typed", "hookContext": "x"}}, "as typed"),
        ({"subtype": "notification"}, "said 2"),
    ],
)
def test_a_chat_is_told_by_its_folder_and_what_the_person_typed(more: dict[str, Any], title: str) -> None:
    data = lines([line(1, None, **more), line(2, 1)])
    with Source.of_bytes(data, NAME) as source:
        head = Head(source)
        assert detect_format(head).name == "qwen-code"
        assert FORMATS["qwen-code"].metadata(head) == SessionMetadata("/w", title)


def test_a_type_that_is_no_text_is_the_type_of_no_record(tmp_path: Path) -> None:
    path = tmp_path / NAME
    path.write_bytes(lines([line(1, None), {**line(2, 1), "type": {"value": "user"}}]))
    assert product.check(path).session["verdict"] in ("healthy", "not-judged")


def test_the_roles_of_a_chat() -> None:
    log = opened(lines(qwen_code.records(parse("u | a{A} | r(A=x)"))))
    assert [Role(role).name for role in log.columns.roles] == ["USER", "LINK", "ASSISTANT", "TOOL"]


@pytest.mark.parametrize(
    ("model", "part", "note"),
    [
        ("qwen3-coder-plus", {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}, "\n[image: image/png]"),
        ("some-model", {"fileData": {"mimeType": "application/pdf", "fileUri": "f"}}, "\n[document: application/pdf]"),
        ("qwen3-vl-plus", {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}, ""),
    ],
)
def test_media_of_a_result_that_the_model_does_not_take_become_a_note(
    model: str, part: dict[str, Any], note: str, tmp_path: Path
) -> None:
    path = qwen_code.FORMAT.write(parse("u | a{A} | r(A=alpha) | a"), tmp_path)
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for record in records:
        if record["type"] == "assistant":
            record["model"] = model
        for each in record.get("message", {}).get("parts", ()):
            if "functionResponse" in each:
                each["functionResponse"]["parts"] = [part]
    (result,) = (m for m in product.sent(file(tmp_path, records)).report["messages"] if m["role"] == "tool")
    assert result["content"] == f"alpha{note}"
