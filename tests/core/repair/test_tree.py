"""Claude Code's tree (T40–T42 and its relatives): forks by parallel calls, missing parents, circles, repeated ids."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.repair.logs import repaired, saved
from tests.support import product
from tests.support.notation import claude_code, claude_code_records, clock, lines, parse, uuid
from tests.support.projection import claude_code_chain, notes_in, printed


def log(folder: Path, records: list[dict[str, Any]]) -> Path:
    return saved(folder, "claude-code", lines(records))


def test_t40_results_on_a_fork_are_no_unanswered_calls(tmp_path: Path) -> None:
    data = claude_code(parse("u | a{A,B} | r(A=alpha),r(B=beta)"), fork=True)
    path = saved(tmp_path, "claude-code", data)
    answer = product.check(path)
    assert answer.session["verdict"] == "healthy"
    assert not any(rule[0] in "DR" for rule in answer.rules)
    assert repaired(path, "claude-code")[0] == data


def test_a_result_on_a_fork_is_found_with_words_beside_it(tmp_path: Path) -> None:
    data = claude_code(parse("u | a{A,B} | r(A=alpha),r(B=beta)"), fork=True)
    records = [json.loads(line) for line in data.splitlines()]
    forked = next(each for each in records if "alpha" in json.dumps(each))
    forked["message"]["content"].append({"type": "text", "text": "in a hurry"})
    path = log(tmp_path, records)
    assert not any(rule[0] in "DG" for rule in product.check(path).rules - {"G5"})
    assert "A=alpha" in printed(path.read_bytes(), "claude-code")


def test_t41_a_missing_ancestor_is_shown_and_bridged(tmp_path: Path) -> None:
    records = claude_code_records(parse('u"old" | a{A} | r(A=alpha) | a"ok" | u"new" | a"fine"'))
    del records[3]
    path = log(tmp_path, records)
    answer = product.check(path)
    assert "G1" in {error.partition(":")[0] for error in answer.errors}
    data, answer = repaired(path, "claude-code")
    assert printed(data, "claude-code") == 'u"old" | a{A} | r(A=alpha)+"new" | a"fine"'
    assert [edit for edit in answer.edits if edit["action"] == "replace"]


def test_a_record_without_an_id_gets_one_where_the_next_is_to_hang_off_it(tmp_path: Path) -> None:
    whole = 'u"old" | a{A} | r(A=alpha) | a"ok" | u"new" | a"fine"'
    records = claude_code_records(parse(whole))
    records[2]["uuid"] = {}
    path = log(tmp_path, records)
    assert "G1" in {error.partition(":")[0] for error in product.check(path).errors}
    data, answer = repaired(path, "claude-code")
    assert printed(data, "claude-code") == whole
    assert [edit["reason"] for edit in answer.edits] == ["given a new id", "linked to the record before it"]


@pytest.mark.parametrize("number", [1.5, 10**30])
def test_an_id_that_is_a_number_is_an_id_to_the_loader(number: float, tmp_path: Path) -> None:
    """`_.set(h.uuid, h)` (cli.js 2.1.112): so is the leaf, and a placeholder that hangs off it names the number."""
    records = claude_code_records(parse('u | a"ok" | u"more" | a{A}'))
    records[3]["uuid"] = number
    path, out = log(tmp_path, records), tmp_path / "out.jsonl"
    assert product.repair(path, out).rules == {"D1"}
    assert json.loads(out.read_bytes().splitlines()[-1])["parentUuid"] == float(number)
    assert printed(out.read_bytes(), "claude-code") == 'u | a"ok" | u"more" | a{A} | PH!(A)'
    records[3]["parentUuid"] = "nothing's"
    assert "G1" in product.check(log(tmp_path, records)).rules


def test_fragments_of_a_message_whose_id_is_a_number_are_one(tmp_path: Path) -> None:
    records = claude_code_records(parse("u | a{A,B} | r(A=alpha),r(B=beta)"), fork=True)
    for record in records:
        record["message"] |= {"id": 7} if record["type"] == "assistant" else {}
    assert product.check(log(tmp_path, records)).session["verdict"] == "healthy"


def test_t42_a_circle_of_parents_ends(tmp_path: Path) -> None:
    records = claude_code_records(parse('u | a{A} | r(A=alpha) | a"ok"'))
    records[0]["parentUuid"] = records[2]["uuid"]
    path = log(tmp_path, records)
    assert "G2" in product.check(path).rules
    data, _ = repaired(path, "claude-code")
    assert printed(data, "claude-code") == 'u | a{A} | r(A=alpha) | a"ok"'
    assert len(data.splitlines()) == len(records)


def test_a_record_that_is_its_own_parent(tmp_path: Path) -> None:
    records = claude_code_records(parse('u | a"ok" | u"q" | a"fine"'))
    records[2]["parentUuid"] = records[2]["uuid"]
    path = log(tmp_path, records)
    assert "G2" in product.check(path).rules
    assert printed(repaired(path, "claude-code")[0], "claude-code") == 'u | a"ok" | u"q" | a"fine"'


def test_two_records_of_one_uuid(tmp_path: Path) -> None:
    records = claude_code_records(parse('u | a{A} | r(A=alpha) | a"ok" | u"q" | a"fine"'))
    records[4] = records[4] | {"uuid": records[3]["uuid"], "parentUuid": records[3]["uuid"]}
    records[5]["parentUuid"] = records[4]["uuid"]
    path = log(tmp_path, records)
    assert "G4" in product.check(path).rules
    data, _ = repaired(path, "claude-code")
    assert printed(data, "claude-code") == 'u | a{A} | r(A=alpha) | a"ok" | u"q" | a"fine"'


def test_of_a_log_that_was_written_twice_one_copy_counts(tmp_path: Path) -> None:
    records = claude_code_records(parse('u | A[m1]"t" | A[m1]{A} | r(A=alpha) | a"ok"'))
    path = log(tmp_path, [*records, *records])
    assert product.check(path).session["messages"] == product.check(log(tmp_path, records)).session["messages"]
    assert product.check(log(tmp_path, [*records, *records])).rules == {"G4"}


def test_a_dropped_line_hands_its_children_to_its_parent(tmp_path: Path) -> None:
    path = saved(tmp_path, "claude-code", claude_code(parse('u | a"t"{A} | u"stop" | a"ok"')))
    data, _ = repaired(path, "claude-code", strategies="D2=drop-call")
    assert printed(data, "claude-code") == 'u | a"t" | u"stop" | a"ok"'
    assert [record["uuid"] for record in claude_code_chain(data)] == [uuid(n) for n in (1, 2, 4, 5)]


def test_ids_named_by_metadata_survive_a_drop(tmp_path: Path) -> None:
    records = claude_code_records(parse('u | a"t"{A} | u"stop" | a"ok"'))
    dropped = records[2]["uuid"]
    summary = {"type": "summary", "summary": "s", "leafUuid": dropped}
    snapshot = {"type": "file-history-snapshot", "messageId": dropped, "snapshot": {"messageId": dropped}}
    path = log(tmp_path, [summary, *records, snapshot])
    data, _ = repaired(path, "claude-code", strategies="D2=drop-call")
    uuids = {record["uuid"] for record in claude_code_chain(data)}
    named = {record.get("leafUuid") or record["messageId"] for record in map(dict, read_metadata(data))}
    assert named <= uuids


def read_metadata(data: bytes) -> list[dict[str, Any]]:
    return [r for r in map(json.loads, data.splitlines()) if r["type"] in ("summary", "file-history-snapshot")]


def test_an_inserted_line_is_never_the_leaf_of_another_conversation(tmp_path: Path) -> None:
    path = saved(tmp_path, "claude-code", claude_code(parse('u | a{A} | u"stop" | a"ok"')))
    data, _ = repaired(path, "claude-code")
    assert claude_code_chain(data)[-1]["uuid"] == uuid(4)
    times = [record["timestamp"] for record in claude_code_chain(data)]
    assert times == sorted(times)


def test_a_pair_split_by_compaction_is_judged_on_what_is_loaded(tmp_path: Path) -> None:
    records = claude_code_records(parse('u | a{A} | u"summary" | r(A=alpha) | a"ok"'))
    boundary = {
        "parentUuid": None,
        "logicalParentUuid": records[1]["uuid"],
        "isSidechain": False,
        "type": "system",
        "subtype": "compact_boundary",
        "content": "Conversation compacted",
        "compactMetadata": {"trigger": "auto", "preTokens": 1000},
        "uuid": uuid(99),
        "timestamp": clock(2),
        "sessionId": records[0]["sessionId"],
    }
    records[2] |= {"parentUuid": uuid(99), "isCompactSummary": True, "isVisibleInTranscriptOnly": True}
    path = log(tmp_path, [*records[:2], boundary, *records[2:]])
    answer = product.check(path)
    assert {error.partition(":")[0] for error in answer.errors} & {"C1", "C2", "R1"}
    assert not any(error.startswith("D") for error in answer.errors)
    data, _ = repaired(path, "claude-code")
    assert b"alpha" in data
    assert data.splitlines()[:2] == path.read_bytes().splitlines()[:2]


def test_sidechains_are_conversations_of_their_own(tmp_path: Path) -> None:
    main = claude_code_records(parse('u | a{A@Task} | r(A=alpha) | a"ok"'))
    side = [
        record | {"isSidechain": True, "uuid": uuid(50 + n), "parentUuid": uuid(49 + n) if n else None}
        for n, record in enumerate(claude_code_records(parse('u"task" | a{S} | r(S=sigma) | a"side"')))
    ]
    for record in side:
        if record.pop("sourceToolAssistantUUID", None):
            record["sourceToolAssistantUUID"] = uuid(51)
    path = log(tmp_path, [*main[:2], *side, *main[2:]])
    answer = product.check(path)
    assert sum(session["calls"] for session in answer.report["sessions"]) == 2
    assert answer.code == 0
    assert repaired(path, "claude-code")[0] == path.read_bytes()


def test_what_is_wrong_beside_the_path_is_only_noted(tmp_path: Path) -> None:
    """The newest record of the file is a side thread's, which no resume continues."""
    main = claude_code_records(parse('u | a{A@Task} | r(A=alpha) | a"ok"'))
    side = [
        record | {"isSidechain": True, "uuid": uuid(50 + n), "parentUuid": uuid(49 + n) if n else None}
        for n, record in enumerate(claude_code_records(parse('u"task" | a{S} | u"stop" | a"side"')))
    ]
    for record in side:  # a message of its own: fragments of one are put together whatever their thread
        record["message"] = {key: f"side_{each}" if key == "id" else each for key, each in record["message"].items()}
    path = log(tmp_path, [*main, *side])
    answer = product.check(path)
    assert [(each["rule"], each["severity"]) for each in answer.findings] == [("D2", "info")]
    assert answer.findings[0]["message"].endswith(
        "The call is in a side thread, which the agent does not continue on resume."
    )
    assert (answer.session["verdict"], answer.code) == ("healthy", 0)
    out = tmp_path / "out.jsonl"
    assert product.repair(path, out).code == 0
    assert out.read_bytes() == path.read_bytes()


def test_a_parent_that_is_no_text_is_one_that_is_missing(tmp_path: Path) -> None:
    records = claude_code_records(parse('u | a{A} | r(A=alpha) | a"ok"'))
    records[2]["parentUuid"] = 10**30
    path = log(tmp_path, records)
    answer = product.check(path)
    assert "G1" in answer.rules
    data, _ = repaired(path, "claude-code")
    assert printed(data, "claude-code") == 'u | a{A} | r(A=alpha) | a"ok"'


def test_unknown_records_stop_nothing(tmp_path: Path) -> None:
    records = claude_code_records(parse("u | a{A} | u | a"))
    strange = {"type": "tide-table", "harbour": [1, 2.50, {"x": None}]}
    path = log(tmp_path, [strange, *records[:2], strange, *records[2:], strange])
    data, _ = repaired(path, "claude-code")
    assert data.splitlines().count(lines([strange]).strip()) == 3


@pytest.mark.parametrize("preset", ["kimi", "claude-code", "litellm"])
def test_a_result_behind_a_parted_message_is_not_hung_off_itself(preset: str, tmp_path: Path) -> None:
    """Nor is what stands in for it put in and taken away for ever: what is refused is told once."""
    path = log(tmp_path, claude_code_records(parse('u | A[m]"t" | A[n]"o" | A[m]{A} | r(A=alpha) | a"ok"')))
    answer = product.repair(path, tmp_path / "out.jsonl", preset=preset)
    assert "would still reject the history" in answer.report["reason"]
    assert len(answer.losses) <= 1


def test_an_attachment_that_is_no_object_defers_no_call(tmp_path: Path) -> None:
    records = claude_code_records(parse("u | a{A} | u"))
    noted = {
        "type": "attachment",
        "uuid": uuid(9),
        "parentUuid": records[1]["uuid"],
        "attachment": "hook_deferred_tool",
    }
    records[2]["parentUuid"] = noted["uuid"]
    assert product.check(log(tmp_path, [*records[:2], noted, *records[2:]])).errors == {"D2:A"}


def test_t55_a_deferred_call_is_waiting(tmp_path: Path) -> None:
    records = claude_code_records(parse("u | a{A}"))
    deferred = records[1] | {
        "type": "attachment",
        "parentUuid": records[1]["uuid"],
        "uuid": uuid(9),
        "attachment": {"type": "hook_deferred_tool", "toolUseID": "A", "toolName": "Read"},
    }
    deferred.pop("message")
    path = log(tmp_path, [*records, deferred])
    answer = product.check(path)
    assert answer.errors == set()
    assert [finding["rule"] for finding in answer.findings] == ["D6"]
    assert answer.session["verdict"] == "waiting"
    out = tmp_path / "out.jsonl"
    assert product.repair(path, out).code == 0
    assert out.read_bytes() == path.read_bytes()


def test_a_result_names_the_call_that_stays_when_its_repeat_is_dropped(tmp_path: Path) -> None:
    records = claude_code_records(parse('u | a{A} | r(A=alpha) | a"ok"'))
    repeat = records[1] | {"uuid": uuid(50), "parentUuid": records[1]["uuid"]}
    result = records[2] | {"sourceToolAssistantUUID": uuid(50)}
    path = log(tmp_path, [*records[:2], repeat, result, *records[3:]])
    assert "K2" in {error.partition(":")[0] for error in product.check(path).errors}
    data, _ = repaired(path, "claude-code")
    assert printed(data, "claude-code") == 'u | a{A} | r(A=alpha) | a"ok"'
    assert uuid(50).encode() not in data


def test_a_second_result_beside_the_chain_is_noted_where_the_agent_finds_it(tmp_path: Path) -> None:
    data = claude_code(parse('u"hi" | a{A,B} | r(A=alpha),r(B=beta) | a"ok"'), fork=True)
    records = [json.loads(line) for line in data.splitlines()]
    at = next(n for n, record in enumerate(records) if "alpha" in json.dumps(record))
    second = json.loads(json.dumps(records[at]).replace("alpha", "gamma")) | {"uuid": uuid(60)}
    path = log(tmp_path, [*records[: at + 1], second, *records[at + 1 :]])
    assert "R7" in {error.partition(":")[0] for error in product.check(path).errors}
    data, _ = repaired(path, "claude-code")
    noted = 'u"hi" | a{A,B} | r(A=alpha),r(B=beta)+note(A=gamma) | a"ok"'
    assert printed(data, "claude-code", notes_in(noted)) == noted
