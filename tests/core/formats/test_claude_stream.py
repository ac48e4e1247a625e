"""Claude Code's event stream: how far it came, its threads, what waits, and who else's events are not taken for it."""

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.core.check.check import check
from inspector.core.discovery.opening import open_log
from inspector.core.formats import FORMATS, UNKNOWN_FORMAT, detect_format
from inspector.core.formats.base.agent_behavior import agent_of, save_modes_of
from inspector.core.formats.base.log_head import Head
from inspector.core.report.sentences import session_sentence
from inspector.core.storage.source import Source
from tests.core.formats import claude_stream
from tests.core.formats.claude_stream import INIT, end, events
from tests.support import product
from tests.support.notation import PLACEHOLDER, SESSION, Call, Text, Turn, clock, lines, parse, show

THREE = 'a"t"{A,B,C}'


def stream(text: str, *more: Any) -> list[Any]:
    return [*events(parse(text)), *more]


def told(data: bytes) -> tuple[str, str]:
    """The state and the verdict of the first session."""
    report = check(open_log(Source.of_bytes(data)))
    return report.sessions[0].session.state, report.sessions[0].verdict.word


def side(text: str, call: str) -> list[dict[str, Any]]:
    return [event | {"parent_tool_use_id": call} for event in events(parse(text))[1:]]


def file(folder: Path, records: list[Any]) -> Path:
    path = folder / "stream.jsonl"
    path.write_bytes(lines(records))
    return path


@pytest.mark.parametrize(
    ("text", "ends", "state", "verdict"),
    [
        (f"{THREE} | r(A=1),r(B=2),r(C=3)", [end()], "complete: 1 turn, 3 of 3 calls answered", "healthy"),
        (f"{THREE} | r(A=1)", [], "waiting for 2 of 3 results", "waiting"),
        ("a{A}", [], "waiting for 1 of 1 result", "waiting"),
        (f"{THREE} | r(A=1)", [end()], "ended with open calls: 1 turn, 1 of 3 calls answered", "broken"),
        (
            "a{A}",
            [end(permission_denials=[{"tool_name": "Read", "tool_use_id": "A"}])],
            "ended with open calls: 1 turn, 0 of 1 call answered, 1 denied",
            "broken",
        ),
        (
            f"{THREE} | r(A=1),r(B=2)",
            [end(subtype="error_max_turns", is_error=True)],
            "failed (error_max_turns): 1 turn, 2 of 3 calls answered",
            "broken",
        ),
        ("a", [end(is_error=True)], "failed (success): 1 turn, no calls", "healthy"),
        (
            "a{A}",
            [end(deferred_tool_use={"id": "A", "name": "Read", "input": {}})],
            "ended with a deferred call: 1 turn, 0 of 1 call answered",
            "waiting",
        ),
        ("a", [], "no result event, so the stream is still running or was cut off", "healthy"),
        ('a{A} | u"go on" | a"ok"', [], "no result event, so the stream is still running or was cut off", "broken"),
    ],
)
def test_the_state_is_said_plainly(text: str, ends: list[Any], state: str, verdict: str) -> None:
    assert told(lines(stream(text, *ends))) == (state, verdict)


def test_several_turns_and_what_came_after_the_last_end() -> None:
    turn = events(parse("a{A} | r(A=1)"))
    later = [event | {"uuid": "later"} for event in events(parse("A[m9]{B} | r(B=1)"))[1:]]
    assert told(lines([*turn, end(), INIT, *later, end()])) == ("complete: 2 turns, 2 of 2 calls answered", "healthy")
    assert told(lines([*turn, end(), INIT, later[0]])) == ("waiting for 1 of 1 result", "waiting")
    open_before = lines([*turn[:-1], end(), INIT, later[0]])
    assert told(open_before) == ("waiting for 1 of 1 result", "broken")


def test_the_sentence_reads_well() -> None:
    report = check(open_log(Source.of_bytes(lines(stream(f"{THREE} | r(A=1)")))))
    said = session_sentence(report.sessions[0])
    assert (
        said
        == "Waiting for 2 of 3 results. The tool calls at the end are waiting for their results. Nothing is damaged."
    )


def test_fragments_of_one_message_are_one_message(tmp_path: Path) -> None:
    session = product.check(file(tmp_path, stream("u | A[m1]{A} | A[m1]{B} | r(A=1) | r(B=2)", end()))).session
    assert (session["messages"], session["calls"], session["verdict"]) == (3, 2, "healthy")


def test_a_missing_result_stands_before_the_result_event(tmp_path: Path) -> None:
    records = stream("u | a{A,B} | r(A=1)", end())
    path, out = file(tmp_path, records), tmp_path / "out.jsonl"
    assert product.repair(path, out).code == 0
    assert show(claude_stream.load(out)) == "u | a{A,B} | r(A=1),PH!(B)"
    old, new = path.read_bytes().splitlines(), out.read_bytes().splitlines()
    assert [*new[:-2], new[-1]] == old
    made = json.loads(new[-2])
    assert (made["session_id"], made["parent_tool_use_id"]) == (SESSION, None)
    assert made["message"]["content"][0]["content"] == PLACEHOLDER.format("Read")
    assert product.check(out).session["verdict"] == "healthy"


def test_each_subagent_is_a_thread_of_its_own(tmp_path: Path) -> None:
    inner = [*side("A[s1]{X} | r(X=1)", "A")[:1], *side("A[s2]{Y} | r(Y=1)", "B"), *side("A[s1]{X} | r(X=1)", "A")[1:]]
    records = [*events(parse("a{A,B}")), *inner, *events(parse("a{A,B} | r(A=1),r(B=2)"))[3:], end()]
    path = file(tmp_path, records)
    with Source.open(str(path)) as source:
        threads = open_log(source).sessions[0].threads
    assert [(thread.is_side, len(thread.path)) for thread in threads] == [(False, 5), (True, 2), (True, 2)]
    assert product.check(path).session["verdict"] == "healthy"


def test_a_subagents_open_call_is_only_noted(tmp_path: Path) -> None:
    records = [*events(parse("a{A}")), *side("A[s1]{X}", "A"), *events(parse("a{A} | r(A=1)"))[2:], end()]
    session = product.check(file(tmp_path, records)).session
    assert (session["verdict"], {f["severity"] for f in session["findings"]}) == ("healthy", {"info"})


def test_other_events_are_passed_over(tmp_path: Path) -> None:
    opaque = [
        {"type": "stream_event", "event": {"type": "message_start"}, "session_id": SESSION},
        {"type": "rate_limit_event", "session_id": SESSION},
        {"type": "control_request", "request_id": "1", "request": {}},
        {"type": "keep_alive"},
        {"type": "system", "subtype": "hook_started", "session_id": SESSION},
        {"type": "something_new", "message": 5},
    ]
    turn = events(parse("u | a{A} | r(A=1)"))
    records = [INIT, *(each for event in turn[1:] for each in (event, *opaque)), end()]
    assert told(lines(records)) == ("complete: 1 turn, 1 of 1 call answered", "healthy")


def test_several_streams_in_one_file_are_several_sessions(tmp_path: Path) -> None:
    first = stream("a{A} | r(A=1)", end())
    other = [event | {"session_id": "other"} for event in stream("a{A}")]
    report = product.check(file(tmp_path, [*first, *other])).report
    assert [(s["id"], s["verdict"]) for s in report["sessions"]] == [(SESSION, "healthy"), ("other", "waiting")]


def test_a_session_that_comes_out_of_a_damaged_line_is_one_more(tmp_path: Path) -> None:
    """It has none of its number among those that were read, with which a planned repair is compared."""
    first = stream("u | a{A} | r(A=1)", end())
    other = [event | {"session_id": "other"} for event in first]
    path, out = tmp_path / "stream.jsonl", tmp_path / "out.jsonl"
    path.write_bytes(lines(first) + b'{"type":"user","session_id":"1' + lines(other))
    assert [s["id"] for s in product.check(path).report["sessions"]] == [SESSION]
    assert product.repair(path, out).report["reason"] is None
    found = [(s["id"], s["verdict"]) for s in product.check(out).report["sessions"]]
    assert found == [(SESSION, "healthy"), ("other", "healthy")]


def test_an_error_of_the_provider_is_no_message(tmp_path: Path) -> None:
    said = {
        "id": "e",
        "role": "assistant",
        "model": "<synthetic>",
        "content": [{"type": "text", "text": "API Error: 400"}],
    }
    error = {"type": "assistant", "message": said, "error": "invalid_request", "session_id": SESSION}
    session = product.check(file(tmp_path, stream("u", error, end(is_error=True, result="API Error: 400")))).session
    assert (session["messages"], session["verdict"]) == (1, "unexplained")


def test_what_is_saved_and_how_it_is_resumed(tmp_path: Path) -> None:
    path = file(tmp_path, stream("u | a{A}", end()))
    door = product.Door(path)
    saved = door.save("in-place")
    door.close()
    assert (saved.verdict, saved.command) == ("healthy", "")
    assert f"{SESSION}.jsonl" in saved.steps[1]
    with Source.open(str(path)) as source:
        log = open_log(source)
        assert save_modes_of(FORMATS["claude-stream"], log) == ("copy", "in-place")
        steps = agent_of(FORMATS["claude-stream"]).copy_steps(log, str(path))
    says, own = steps.all_steps
    assert (says, steps.command) == (
        "This stream cannot be loaded directly as a session. Replay or convert it first.",
        "",
    )
    assert f"{SESSION}.jsonl" in own


def test_the_headline_names_project_and_first_words() -> None:
    head = Head(Source.of_bytes(lines(stream('u"scale it" | a'))))
    told = FORMATS["claude-stream"].metadata(head)
    assert (told.project, told.title) == ("/w", "scale it")


# --- relatives

LOGGED = [{key: event[key] for key in ("type", "message")} for event in events(parse("u | a{A} | r(A=1) | a{B}"))[1:]]


def test_loglines_of_the_web_are_read_and_tell_no_state(tmp_path: Path) -> None:
    path, out = tmp_path / "session.json", tmp_path / "out.json"
    path.write_text(json.dumps({"loglines": LOGGED, "title": "t"}, indent=2))
    assert product.check(path).rules == {"D1"}
    assert product.repair(path, out).code == 0
    made = json.loads(out.read_bytes())
    assert (made["loglines"][:4], made["title"], len(made["loglines"])) == (LOGGED, "t", 5)
    assert set(made["loglines"][4]) == {"type", "message"}


@pytest.mark.parametrize("cut", [0, 1])
def test_loglines_are_one_document_wherever_its_lines_begin(cut: int, tmp_path: Path) -> None:
    """A line of a document can begin with the very bytes that an event of a stream begins with."""
    path, out = tmp_path / "session.json", tmp_path / "out.json"
    path.write_text(json.dumps({"loglines": LOGGED[cut:]}, separators=(",\n", ": ")))
    assert b'\n{"type"' in path.read_bytes()
    assert product.check(path).rules == ({"D1", "M4"} if cut else {"D1"})
    assert product.repair(path, out).code == 0
    assert json.loads(out.read_bytes())["loglines"][: 4 - cut] == LOGGED[cut:]
    assert product.convert(path, "anthropic", tmp_path / "sent.json").code == 0


def test_lines_of_which_none_names_a_parent_are_read_in_their_order(tmp_path: Path) -> None:
    rows = [row | {"uuid": f"m{n}", "sessionId": "s", "timestamp": clock(n)} for n, row in enumerate(LOGGED)]
    answer = product.check(file(tmp_path, [{"type": "summary", "summary": "t", "leafUuid": "m3"}, *rows]))
    assert (answer.session["format"], answer.rules, answer.session["messages"]) == ("claude-stream", {"D1"}, 4)


@pytest.mark.parametrize(
    "line",
    [
        {"type": "tool_call", "session_id": "s", "toolCallId": "c1", "toolName": "Shell", "parameters": {}},
        {"type": "tool_call", "subtype": "started", "call_id": "c", "tool_call": {}, "session_id": "s"},
        {"type": "message", "session_id": "s", "role": "user", "text": "Do thing"},
        {"type": "tool_use", "tool_name": "read_file", "tool_id": "t", "parameters": {}, "timestamp": "t"},
    ],
    ids=["droid", "cursor", "droid-message", "gemini-cli"],
)
def test_events_of_other_programs_are_not_taken_for_it(line: dict[str, Any]) -> None:
    head = Head(Source.of_bytes(lines([INIT, line, *events(parse("u | a"))[1:]])))
    assert FORMATS["claude-stream"].score(head) == 0
    assert detect_format(head) is UNKNOWN_FORMAT


def test_a_repair_that_stands_still_tells_what_is_left(tmp_path: Path) -> None:
    """The call belongs to the message before last, and no place for its result is behind both."""
    said = [Turn("assistant", (Text("x"),), "m"), Turn("assistant", (Text("y"),), "n")]
    history = [Turn("user", (Text("q"),)), *said, Turn("assistant", (Call("A"),), "m")]
    answer = product.repair(claude_stream.FORMAT.write(history, tmp_path), tmp_path / "out.jsonl")
    assert (answer.code, "would still reject the history: The result" in answer.report["reason"]) == (1, True)


def test_a_result_behind_text_is_so_between_the_fragments_of_its_call_s_message_too(tmp_path: Path) -> None:
    path = tmp_path / "stream.jsonl"
    path.write_bytes(lines(stream('u | A[m1]{B} | r(B=y)+"so"+r(A=x) | A[m1]{A} | a"ok" | u"on"')))
    assert product.check(path).errors == {"R9:A"}
    product.repair(path, out := tmp_path / "out.jsonl")
    assert product.check(out).errors == set()
