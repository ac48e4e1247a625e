"""Kimi Code's fold: what is judged, what would be in memory, where a repair puts things."""

import importlib.util
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.core.discovery.opening import open_source
from inspector.core.formats import FORMATS
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.stores import SessionMetadata
from inspector.core.formats.kimi_code.loader import FoldedMessageStatus, HistoryFold, ReplayRules
from inspector.core.formats.kimi_code.reader import add_line
from inspector.core.model.columnar_index import Columns
from tests.core.formats import kimi_code
from tests.core.formats.kimi_code import Memory, Record, Writer, is_prompt, load, restored
from tests.support import product
from tests.support.judges import openai_error
from tests.support.notation import Call, Result, lines, parse
from tests.support.paths import SHARED

TOOLS = Path(os.environ.get("TRANSCRIPT_TOOLS", SHARED / "tools"))
CORPUS = Path(os.environ.get("TRANSCRIPT_CORPUS", SHARED / "corpus"))


class Log(Writer):
    """A log written event by event: nothing is closed unless it is said."""

    def user(self, text: str, **origin: Any) -> "Log":
        message = {"role": "user", "content": [{"type": "text", "text": text}], "toolCalls": []}
        self.add("context.append_message", message=message | ({"origin": origin} if origin else {}))
        return self

    def open(self, *calls: str) -> "Log":
        self.step += 1
        self.event("step.begin", uuid=self.uuid, turnId="0", step=self.step)
        for call_id in calls:
            self.call(Call(call_id))
        return self

    def say(self, text: str) -> "Log":
        self.part({"type": "text", "text": text})
        return self

    def give(self, call_id: str, text: str = "x") -> "Log":
        self.result(Result(call_id, text))
        return self

    def leave(self, reason: str = "tool_calls") -> "Log":
        self.event("step.end", uuid=self.uuid, turnId="0", step=self.step, finishReason=reason)
        return self

    def compact(self, count: int, **more: int) -> "Log":
        self.add("context.apply_compaction", summary="so far", compactedCount=count, **more)
        return self

    def put(self, folder: Path) -> Path:
        path = folder / "wire.jsonl"
        path.write_bytes(lines(self.records))
        return path


def kinds(path: Path) -> list[str]:
    """The records of a log, each in a word."""
    return [_word(record) for record in map(json.loads, path.read_bytes().splitlines())]


def _word(record: Record) -> str:
    event, message = record.get("event"), record.get("message")
    if event:
        named = event.get("toolCallId") or event.get("part", {}).get("text") or event["uuid"]
        return f"{event['type'].split('.')[1]} {named}"
    return f"{message['role']} {message['content'][0]['text']}" if message else str(record["type"]).split(".")[-1]


def repaired(path: Path, **how: str) -> Path:
    out = path.parent / "out" / path.name
    out.parent.mkdir(exist_ok=True)
    answer = product.repair(path, out, **how)
    assert answer.code == 0, answer.report.get("reason")
    assert product.check(out).session["verdict"] in ("healthy", "waiting")
    return out


def assert_sound(path: Path) -> None:
    """Engine v1 loads it and has nothing to mend, and the provider takes what it would send."""
    assert restored(path).odd == []
    assert openai_error(load(path)) is None


# what is judged


def test_a_message_that_waits_behind_an_open_call_is_in_its_place(tmp_path: Path) -> None:
    log = Log().user("q").open("A").user("wait").give("A").leave().open().say("ok").leave().put(tmp_path)
    assert product.check(log).session["verdict"] == "healthy"
    assert product.check(log).session["memory"]["notes"] == [
        {
            "record": 4,
            "note": "This message was recorded while a call had no result, so it is placed after the results of that "
            "exchange.",
        }
    ]


def test_a_call_is_closed_where_the_next_step_begins_and_its_result_comes_too_late(tmp_path: Path) -> None:
    log = Log().user("q").open("A").leave().user("and?").open().say("ok").leave().give("A", "real").put(tmp_path)
    answer = product.check(log)
    assert answer.errors == {"R4:A"}
    memory = answer.session["memory"]
    assert (memory["messages"], memory["logged"]) == (5, 5)
    told = [note["note"] for note in memory["notes"]]
    assert told[0].startswith("The call 'A' is closed at record 7")
    assert told[-1] == "This result is skipped, because the call 'A' was closed at record 7."
    out = repaired(log)
    assert kinds(out)[2:6] == ["begin s1", "call A", "result A", "end s1"]
    assert_sound(out)


def test_a_stale_placeholder_of_an_earlier_repair_is_skipped(tmp_path: Path) -> None:
    text = (
        "Tool execution was interrupted before its result was recorded. Do not assume the tool completed successfully."
    )
    log = Log().user("q").open("A").leave().open().say("ok").leave().give("A", text).put(tmp_path)
    notes = [note["note"] for note in product.check(log).session["memory"]["notes"]]
    assert "This placeholder from an earlier repair is skipped, because the call 'A' was closed at record 6." in notes
    assert_sound(repaired(log))


def test_several_open_calls_are_closed_in_the_order_of_the_calls(tmp_path: Path) -> None:
    log = Log().user("q").open("A", "B", "C").give("B").leave().user("go on").open().say("ok").leave().put(tmp_path)
    out = repaired(log)
    assert kinds(out)[3:9] == ["call A", "call B", "call C", "result B", "result A", "result C"]
    assert_sound(out)


def test_a_new_result_names_the_event_of_its_call_and_its_time(tmp_path: Path) -> None:
    log = Log().user("q").open("A").put(tmp_path)
    call, result = (json.loads(line) for line in repaired(log).read_bytes().splitlines()[3:5])
    assert (result["event"]["parentUuid"], result["time"]) == (call["event"]["uuid"], call["time"])
    assert result["event"]["result"]["isError"] is True


def test_a_message_written_before_the_call_of_its_step_is_moved_behind_it(tmp_path: Path) -> None:
    log = Log().user("q").open().user("by the way")
    log.call(Call("A"))
    path = log.give("A").leave().open().say("ok").leave().put(tmp_path)
    assert product.check(path).errors == {"R3:A"}
    out = repaired(path)
    assert kinds(out)[2:6] == ["begin s1", "call A", "user by the way", "result A"]
    assert_sound(out)


@pytest.mark.parametrize(("version", "rules"), [("1.4", set()), ("1.5", {"R3:A"})])
def test_engine_v2_closes_calls_at_the_end_of_their_step(version: str, rules: set[str], tmp_path: Path) -> None:
    log = Log(version).user("q").open("A").leave().give("A", "real").open().say("ok").leave().put(tmp_path)
    answer = product.check(log)
    assert answer.errors == rules
    told = " ".join(answer.session["memory"]["disagreements"])
    other = "engine v2 (agent-core-v2)" if version == "1.4" else "Engine v1 (agent-core)"
    assert f"{other[0].upper()}{other[1:]} would have 4 other messages: it has" in told
    assert kinds(repaired(log))[3:6] == (
        ["call A", "result A", "end s1"] if rules else ["call A", "end s1", "result A"]
    )


def test_an_interrupted_step_stays_open_in_engine_v2(tmp_path: Path) -> None:
    log = Log("1.5").user("q").open("A").leave("interrupted").give("A").open().say("ok").leave().put(tmp_path)
    assert product.check(log).session["verdict"] == "healthy"


def test_undo_takes_back_the_last_prompt_and_leaves_reminders(tmp_path: Path) -> None:
    log = Log().user("q").open("A").give("A").leave().user("reminder", kind="injection").user("next").open("B")
    log.add("context.undo", count=1)
    path = log.user("other").open().say("ok").leave().put(tmp_path)
    answer = product.check(path)
    assert (answer.session["verdict"], answer.session["messages"]) == ("healthy", 6)
    assert answer.session["memory"]["messages"] == len(restored(path).history) == 6


def test_clear_forgets_an_open_call(tmp_path: Path) -> None:
    log = Log().user("q").open("A")
    log.add("context.clear")
    assert product.check(log.user("new").put(tmp_path)).session["verdict"] == "healthy"


def test_calls_and_results_in_messages_of_their_own_are_paired_by_their_place(tmp_path: Path) -> None:
    call = {"type": "function", "id": "A", "name": "Read", "arguments": "{}"}
    log = Log().user("q")
    log.add("context.append_message", message={"role": "assistant", "content": [], "toolCalls": [call]})
    path = log.user("stop").put(tmp_path)
    assert product.check(path).errors == {"D2:A"}
    new = json.loads(repaired(path).read_bytes().splitlines()[3])
    assert (new["type"], new["message"]["role"], new["message"]["toolCallId"]) == (
        "context.append_message",
        "tool",
        "A",
    )


def test_a_result_moves_to_its_call_in_the_form_that_the_fold_takes_there(tmp_path: Path) -> None:
    call = {"type": "function", "id": "A", "name": "Read", "arguments": "{}"}
    log = Log().user("q")
    log.add("context.append_message", message={"role": "assistant", "content": [], "toolCalls": [call]})
    path = log.give("A", "real").user("so").put(tmp_path)
    assert product.check(path).errors == {"R3:A"}
    moved = json.loads(repaired(path).read_bytes().splitlines()[3])
    assert moved["message"] | {"content": moved["message"]["content"][0]["text"]} == {
        "role": "tool", "content": "real", "toolCalls": [], "toolCallId": "A", "isError": False,
    }  # fmt: skip


# compaction


def test_a_compaction_in_an_exchange_is_found_and_the_result_goes_before_it(tmp_path: Path) -> None:
    log = Log().user("q").open("A").compact(9).give("A", "real").leave().open().say("ok").leave().put(tmp_path)
    answer = product.check(log)
    assert answer.errors == {"C3:A"}
    assert "C3" not in product.check(log).report["sessions"][0]["checks_skipped"]
    out = repaired(log)
    assert kinds(out)[2:6] == ["begin s1", "call A", "result A", "apply_compaction"]
    assert_sound(out)


def test_what_a_compaction_dropped_with_the_open_call_is_heard_again(tmp_path: Path) -> None:
    log = (
        Log().user("q").open("A").user("mind the tests").compact(1, keptUserMessageCount=1).user("go on").put(tmp_path)
    )
    answer = product.check(log)
    assert [(f["rule"], f["severity"]) for f in answer.findings] == [("C3", "error")]
    assert "1 message that was waiting for the result is lost" in answer.findings[0]["message"]
    out = repaired(log)
    assert json.loads(out.read_bytes().splitlines()[6])["keptUserMessageCount"] == 2
    assert "mind the tests" in json.dumps(restored(out).history)


@pytest.mark.parametrize("key", ["contextSummary", "nothing"])
def test_a_compaction_tells_its_summary_under_another_key_or_not_at_all(key: str, tmp_path: Path) -> None:
    log = Log().user("q").open().say("ok").leave().compact(2).user("go on")
    record = next(each for each in log.records if each["type"] == "context.apply_compaction")
    record[key] = record.pop("summary")
    answer = product.sent(log.put(tmp_path))
    assert (answer.code, "so far" in json.dumps(answer.report["messages"])) == (0, key == "contextSummary")


@pytest.mark.parametrize(("summary", "told"), [(44, "44"), (True, "true"), (None, ""), (["so far"], "so far")])
def test_a_summary_that_is_no_text_is_no_message(summary: Any, told: str, tmp_path: Path) -> None:
    log = Log().user("q").open().say("ok").leave().compact(2).user("go on")
    record = next(each for each in log.records if each["type"] == "context.apply_compaction")
    record["summary"] = summary
    path = log.put(tmp_path)
    assert product.check(path).errors == {"M12"}
    (text,) = [each["content"][0]["text"] for each in restored(repaired(path)).history if not is_prompt(each)]
    assert isinstance(text, str)
    assert told in text


def test_an_old_summary_is_a_message(tmp_path: Path) -> None:
    log = Log().user("q").open().say("ok").leave().compact(2).user("go on")
    record = next(each for each in log.records if each["type"] == "context.apply_compaction")
    record["summary"] = {"role": "user", "content": [{"type": "text", "text": "so far"}]}
    assert product.check(log.put(tmp_path)).errors == set()


def test_a_call_that_went_whole_into_the_summary_is_only_noted(tmp_path: Path) -> None:
    log = Log().user("q").open("A").compact(2, keptUserMessageCount=1).user("go on").put(tmp_path)
    answer = product.check(log)
    assert (answer.session["verdict"], answer.rules) == ("healthy", {"C3"})


def test_a_cut_between_a_call_and_its_result_goes_before_the_call(tmp_path: Path) -> None:
    log = (
        Log()
        .user("q")
        .open("A")
        .give("A", "real")
        .leave()
        .open()
        .say("ok")
        .leave()
        .compact(2)
        .user("go on")
        .put(tmp_path)
    )
    assert product.check(log).errors == {"C3:A"}
    out = repaired(log)
    assert json.loads(out.read_bytes().splitlines()[9])["compactedCount"] == 1
    assert kinds(out) == kinds(log)
    assert_sound(out)


def test_counts_of_messages_are_shifted(tmp_path: Path) -> None:
    log = Log().user("q").open("A").leave().user("next").open().say("ok").leave().user("last")
    log.compact(3).add("micro_compaction.apply", cutoff=2)
    out = repaired(log.open("B").put(tmp_path))
    record = json.loads(out.read_bytes().splitlines()[10])
    # Before it the agent made up a result for A, which is written now: nothing shifts.
    assert (record["type"], record["compactedCount"]) == ("context.apply_compaction", 3)
    broken = Log().user("q").open("A").user("wait").compact(2).open().say("ok").leave().put(tmp_path)
    record = json.loads(repaired(broken).read_bytes().splitlines()[6])
    assert (record["type"], record["compactedCount"]) == ("context.apply_compaction", 4)


def test_a_cutoff_is_shifted_by_a_note_that_takes_the_place_of_an_orphan(tmp_path: Path) -> None:
    log = Log().user("q").give("X", "lost").open().say("ok").leave()
    log.add("micro_compaction.apply", cutoff=2)
    out = repaired(log.user("go on").put(tmp_path))
    assert json.loads(out.read_bytes().splitlines()[6])["cutoff"] == 3


# damage


@pytest.mark.parametrize(("version", "outcome"), [("1.4", "refuses"), ("1.5", "mends")])
def test_a_part_without_its_step_gets_one(version: str, outcome: str, tmp_path: Path) -> None:
    log = Log(version).user("q")
    log.step += 1
    path = log.say("hello").leave().user("and?").put(tmp_path)
    answer = product.check(path)
    assert (answer.errors, answer.session["on_resume"]["outcome"]) == ({"G1"}, outcome)
    assert "does not belong to an open step" in answer.findings[0]["message"]
    out = repaired(path)
    assert kinds(out)[2:4] == ["begin s1", "part hello"]
    assert_sound(out)


def test_dropping_a_call_leaves_no_part_without_its_step(tmp_path: Path) -> None:
    log = Log().user("q").open("A").say("words").user("go on").open().say("ok").leave().put(tmp_path)
    out = repaired(log, strategies="D2=drop-call")
    assert kinds(out)[2:4] == ["begin s1", "part words"]
    assert_sound(out)


def test_a_log_without_its_metadata_gets_it(tmp_path: Path) -> None:
    path = tmp_path / "wire.jsonl"
    path.write_bytes(lines(Log().user("q").open().say("ok").leave().records[1:]))
    assert product.check(path).errors == {"G1"}
    assert_sound(repaired(path))


@pytest.mark.parametrize("at", [0, 3])
def test_a_line_that_is_no_json_stops_the_agent_and_is_put_aside(at: int, tmp_path: Path) -> None:
    rows = lines(Log().user("q").open("A").give("A").leave().records).splitlines(keepends=True)
    path = tmp_path / "wire.jsonl"
    path.write_bytes(b"".join([*rows[:at], b'{"type":"metad\n', *rows[at + (at == 0) :]]))
    answer = product.check(path)
    assert (answer.session["format"], answer.session["on_resume"]["outcome"]) == ("kimi-code", "refuses")
    assert_sound(repaired(path))


def test_a_protocol_version_of_any_length_is_read(tmp_path: Path) -> None:
    records = Log().user("q").open("A").give("A").leave().records
    path = tmp_path / "wire.jsonl"
    path.write_bytes(lines([records[0] | {"protocol_version": "9" * 5000}, *records[1:]]))
    assert product.check(path).session["verdict"] == "healthy"


def test_values_of_any_type_are_read(tmp_path: Path) -> None:
    odd: list[Any] = [None, 5, "x", [], {}, [None], True, {"type": 1}]
    rows: list[Any] = [{"type": "metadata", "protocol_version": "1.4", "created_at": 1}, *odd]
    for value in odd:
        rows.append({"type": "context.append_message", "message": value})
        rows.append(
            {"type": "context.append_message", "message": {"role": value, "content": value, "toolCalls": value}}
        )
        rows.append({"type": "context.append_loop_event", "event": value})
        for kind in ("step.begin", "content.part", "tool.call", "tool.result", "step.end"):
            event = dict.fromkeys(("uuid", "stepUuid", "toolCallId", "part", "result"), value)
            rows.append({"type": "context.append_loop_event", "event": event | {"type": kind}})
        rows.append({"type": "context.apply_compaction", "compactedCount": value, "keptUserMessageCount": value})
        rows.append({"type": "context.undo", "count": value})
    path = tmp_path / "wire.jsonl"
    path.write_bytes(lines(rows))
    assert product.check(path).session["format"] == "kimi-code"
    assert product.repair(path, tmp_path / "out.jsonl").code in (0, 1)


def test_a_part_that_is_none_is_sent_as_the_event_that_it_stands_in(tmp_path: Path) -> None:
    log = Log().user("q").open().say("a word").leave()
    del next(each["event"] for each in log.records if each.get("event", {}).get("type") == "content.part")["part"]
    path = log.put(tmp_path)
    assert product.sent(path).reason == ""
    assert_sound(repaired(path))


def test_in_its_store_a_log_says_how_to_resume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIMI_CODE_HOME", str(tmp_path))
    folder = tmp_path / "sessions" / "wd_shop_0123456789ab" / "session_77" / "agents" / "main"
    folder.mkdir(parents=True)
    (folder.parents[1] / "state.json").write_text('{"cwd": "/home/ada/shop"}')
    path = Log().user("Round it.").open("A").put(folder)
    door = product.Door(path)
    saved = door.save("in-place")
    door.close()
    assert (saved.command, saved.verdict) == ("cd /home/ada/shop && kimi --session session_77", "healthy")
    assert product.check(path).session["id"] == "session_77"
    assert product.repair_code(path, "--new-session") == 1


# the folds that others wrote


def _reference() -> ModuleType:
    place = TOOLS / "reference_folds.py"
    if not place.exists():
        pytest.skip(f"the reference fold is not there: {place}")
    spec = importlib.util.spec_from_file_location("reference_folds", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


Seen = list[tuple[Any, ...]]


def ours(records: list[Record], engine: str) -> tuple[Seen, set[int], set[int]]:
    """The messages that our fold holds; the results it does not take and the parts without a step, by record."""
    columns, rows = Columns(), [json.dumps(record).encode() for record in records]
    for row in rows:
        add_line(columns, row, 0, 0)
    # The reference keeps what a compaction takes away, as the program's view of the whole transcript does.
    fold = HistoryFold(columns, rows.__getitem__, ReplayRules("", keeps_one_step=engine == "v2", keeps=True)).run()
    seen: Seen = []
    for entry in fold.history:
        if entry.kind == FoldedMessageStatus.MADE:
            seen.append(("made", entry.call_id))
        elif entry.counts:
            seen.append(_seen(records[entry.records[0]], [records[number]["event"] for number in entry.records[1:]]))
    return [message for message in seen if message != ("step", [], [])], set(fold.unheard), set(fold.homeless)


def _seen(record: Record, parts: list[Record]) -> tuple[Any, ...]:
    if record["type"] == "context.apply_compaction":
        return ("summary", record["summary"])
    if record["type"] == "context.append_message":
        return ("message", record["message"])
    if record["event"]["type"] == "tool.result":
        return ("result", record["event"]["toolCallId"], record["event"]["result"]["output"])
    said = [part["part"] for part in parts if part["type"] == "content.part"]
    return ("step", said, [part["toolCallId"] for part in parts if part["type"] == "tool.call"])


def theirs(records: list[Record], engine: str) -> tuple[Seen, set[int], set[int]]:
    history, issues = _reference().kimi_code_fold(records, engine)
    recorded = [record["message"] for record in records if "message" in record]
    seen: Seen = []
    for message in history:
        if any(message is each for each in recorded):
            seen.append(("message", message))
        elif message.get("origin"):
            seen.append(("summary", message["content"][0]["text"]))
        elif message.get("synthetic"):
            seen.append(("made", message["toolCallId"]))
        elif message["role"] == "tool":
            seen.append(("result", message["toolCallId"], message["content"]))
        else:
            seen.append(("step", message["content"], [call["id"] for call in message["toolCalls"]]))
    late = {record for kind, _, record in issues if kind == "orphan_or_late_result"}
    homeless = {record for kind, _, record in issues if kind == "no_open_step"}
    # Engine v2 drops a step that says nothing; engine v1 leaves that to the projection.
    return [message for message in seen if message != ("step", [], [])], late, homeless


def generated(rnd: random.Random, undo: bool = True, homeless: bool = True) -> list[Record]:
    """A log of events in any order, as a damaged one may hold them."""
    log = Log()
    ids, inside = ["X"], False
    for number in range(rnd.randint(3, 40)):
        roll = rnd.random()
        if roll < 0.2:
            origin = rnd.choice([{}, {}, {"kind": "user"}, {"kind": "injection"}, {"kind": "background_task"}])
            log.user(f"u{number}", **origin)
        elif roll < 0.36:
            log.open()
            inside = True
        elif roll < 0.46 and (inside or homeless):
            log.say(f"t{number}")
        elif roll < 0.64 and (inside or homeless):
            ids.append(rnd.choice(["A", "B", f"c{number}"]))
            log.call(Call(ids[-1]))
        elif roll < 0.84:
            log.give(rnd.choice(ids[-4:]), f"r{number}")
        elif roll < 0.92 and inside:
            log.leave(rnd.choice(["tool_calls", "end_turn", "interrupted", "error"]))
            inside = False
        elif roll < 0.95:
            log.compact(rnd.randint(1, 8), **({"keptUserMessageCount": 1} if rnd.random() < 0.4 else {}))
            inside = False
        elif roll < 0.97 and undo:
            log.add("context.undo", count=rnd.randint(1, 2))
            inside = False
        elif roll < 0.975:
            log.add("context.clear")
            inside = False
    return log.records


@pytest.mark.parametrize("engine", ["v1", "v2"])
@given(seed=st.integers(0, 1 << 32))
def test_the_fold_agrees_with_the_reference(engine: str, seed: int) -> None:
    """On engine v2 without undo: the reference takes back as engine v1 does, which engine v2 does all or nothing."""
    records = generated(random.Random(seed), undo=engine == "v1")
    found, late, homeless = ours(records, engine)
    expected, late_too, homeless_too = theirs(records, engine)
    assert (found, late, homeless) == (expected, late_too, homeless_too)


def kimi_files() -> Iterator[Path]:
    for path in sorted((CORPUS / "kimi").glob("*wire.jsonl")) if CORPUS.exists() else ():
        if b'"created_at"' in path.read_bytes().split(b"\n", 1)[0]:
            yield path


@pytest.mark.parametrize("engine", ["v1", "v2"])
def test_the_fold_agrees_with_the_reference_on_real_logs(engine: str) -> None:
    paths = list(kimi_files())
    if not paths:
        pytest.skip(f"no logs of Kimi Code in {CORPUS}")
    for path in paths:
        records = [json.loads(line) for line in path.read_bytes().splitlines() if line.strip()]
        assert ours(records, engine) == theirs(records, engine)


# any damage


@given(seed=st.integers(0, 1 << 32))
def test_whatever_was_repaired_is_sound_to_engine_v1(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    records = generated(random.Random(seed), homeless=False)
    for number, record in enumerate(records):
        if "keptUserMessageCount" in record:
            record["keptUserMessageCount"] = sum(map(is_prompt, Memory().replay(records[:number]).history))
    folder = tmp_path_factory.mktemp("any")
    path, out = folder / "wire.jsonl", folder / "out.jsonl"
    path.write_bytes(lines(records))
    answer = product.repair(path, out)
    if answer.code == 1:  # several damages of one reused id can be beyond a repair: then nothing is written
        assert not out.exists()
        return
    memory = restored(out)
    checked = product.check(out)
    assert checked.session["verdict"] in ("healthy", "waiting")
    assert checked.session["memory"]["messages"] == len(memory.history)
    assert openai_error(without_what_was_cut_off(load(out))) is None
    again = folder / "again.jsonl"
    assert product.repair(out, again).code == 0
    assert again.read_bytes() == out.read_bytes()


def without_what_was_cut_off(history: kimi_code.History) -> kimi_code.History:
    """Without notes of what happened before a compaction, and results that the agent made up for calls there."""
    kept = []
    for turn in history:
        parts = tuple(
            part
            for part in turn.parts
            if not isinstance(part, kimi_code.Odd) and not (isinstance(part, Result) and part.text == "interrupted")
        )
        if parts:
            kept.append(kimi_code.Turn(turn.role, parts))
    return kept


def test_a_list_of_sessions_tells_the_folder_and_the_first_words(tmp_path: Path) -> None:
    log = Log()
    log.add("config.update", cwd="/home/mei/shop", modelAlias="kimi-k2")
    path = log.user("reminder", kind="injection").user("Round the total.\nTo cents.").put(tmp_path)
    with open_source(str(path)) as source:
        assert FORMATS["kimi-code"].metadata(Head(source)) == SessionMetadata("/home/mei/shop", "Round the total.")


def test_a_users_message_is_put_before_the_step_that_begins_the_history(tmp_path: Path) -> None:
    path, out = kimi_code.FORMAT.write(parse("a{A,B} | r(A=x,B=y)"), tmp_path), tmp_path / "out.jsonl"
    assert product.repair(path, out, strategies="M4=prepend-user").code == 0
    assert [turn.role for turn in load(out)] == ["user", "assistant", "user"]


def test_a_call_behind_another_step_goes_back_to_its_own(tmp_path: Path) -> None:
    """Engine v1 takes it for part of the open step: a result behind it is read behind the other step's message."""
    log = Log().user("Do it.").open().open("A").give("A", "alpha").leave()
    log.step = 1
    log.call(Call("A"))
    path, out = tmp_path / "wire.jsonl", tmp_path / "out.jsonl"
    path.write_bytes(lines(log.leave().user("on").records))
    assert product.repair(path, out).code == 0
    assert kinds(out)[2:6] == ["begin s1", "call A", "result A", "begin s2"]
    assert_sound(out)
