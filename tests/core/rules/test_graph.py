"""What a resume leaves behind (G3), and compactions that name what is not there (G7)."""

from pathlib import Path
from typing import Any

import pytest

from tests.core.repair.logs import repaired, saved
from tests.support import product
from tests.support.notation import claude_code_records, lines, neovate_records, parse, uuid
from tests.support.projection import claude_code_chain, printed

BEFORE = uuid(2)
CONTINUE = "Continue from where you left off."


def log(folder: Path, records: list[dict[str, Any]]) -> Path:
    return saved(folder, "claude-code", lines(records))


def left(path: Path) -> list[tuple[str, int, str]]:
    found = product.check(path).findings
    return [(each["severity"], each["record"], each["message"]) for each in found if each["rule"] == "G3"]


def torn_off() -> list[dict[str, Any]]:
    """Records 1 and 2 are answered; 3 to 6 follow; the turn that a resume puts in hangs off record 2."""
    records = claude_code_records(parse(f'u"one" | a"1" | u"two" | a{{A}} | r(A=alpha) | a"2" | u"{CONTINUE}" | a"3"'))
    records[6] |= {"isMeta": True, "parentUuid": records[1]["uuid"]}
    return records


def test_a_turn_that_a_resume_hung_off_an_older_message(tmp_path: Path) -> None:
    path = log(tmp_path, torn_off())
    answer = product.check(path)
    assert answer.session["verdict"] == "broken"
    assert answer.errors == {"G3"}
    ((severity, record, message),) = left(path)
    assert (severity, record) == ("error", 6)
    assert "4 messages" in message
    data, answer = repaired(path, "claude-code")
    assert printed(data, "claude-code") == f'u"one" | a"1" | u"two" | a{{A}} | r(A=alpha) | a"2" | u"{CONTINUE}" | a"3"'
    assert [record["uuid"] for record in claude_code_chain(data)] == [uuid(number) for number in range(1, 9)]
    assert answer.losses == []
    assert [edit["action"] for edit in answer.edits] == ["replace"]


def test_a_broken_pair_that_was_left_behind_is_mended_with_it(tmp_path: Path) -> None:
    records = torn_off()
    del records[4]
    records[4]["parentUuid"] = records[3]["uuid"]
    path = log(tmp_path, records)
    data, _ = repaired(path, "claude-code")
    assert printed(data, "claude-code").startswith('u"one" | a"1" | u"two" | a{A} | PH!(A)')


def test_it_can_be_left(tmp_path: Path) -> None:
    path = log(tmp_path, torn_off())
    assert product.repair(path, tmp_path / "out.jsonl", strategies="G3=leave").code == 1


@pytest.mark.parametrize("words", ["Let us try something else", CONTINUE])
def test_a_branch_that_a_person_left_is_only_noted(words: str, tmp_path: Path) -> None:
    records = torn_off()
    records[6] |= {"isMeta": False, "message": {"role": "user", "content": words}}
    path = log(tmp_path, records)
    assert product.check(path).session["verdict"] == "healthy"
    ((severity, record, message),) = left(path)
    assert (severity, record) == ("info", 2)
    assert "4 messages in 1 branch are not on the active path" in message
    assert repaired(path, "claude-code")[0] == path.read_bytes()


def test_a_second_beginning_is_noted(tmp_path: Path) -> None:
    records = claude_code_records(parse('u"one" | a"1" | u"two" | a"2"'))
    records[2]["parentUuid"] = None
    ((severity, record, message),) = left(log(tmp_path, records))
    assert (severity, record) == ("info", 0)
    assert "2 messages in 1 branch (1 without a parent) are" in message


def test_several_branches_are_one_note(tmp_path: Path) -> None:
    records = claude_code_records(parse('u"one" | a"1" | u"two" | a"2" | u"three" | a"3" | u"four" | a"4"'))
    for number in (2, 4, 6):
        records[number]["parentUuid"] = records[1]["uuid"]
    ((_, record, message),) = left(log(tmp_path, records))
    assert (record, "4 messages in 2 branches" in message) == (2, True)


@pytest.mark.parametrize("history", ['u | a{A,B} | r(A=alpha),r(B=beta) | a"ok"', "u", "u | a[th]"])
@pytest.mark.parametrize("fork", [False, True])
def test_a_whole_tree_leaves_nothing_behind(history: str, fork: bool, tmp_path: Path) -> None:
    assert left(log(tmp_path, claude_code_records(parse(history), fork=fork))) == []


def test_what_a_compaction_took_is_not_left_behind(tmp_path: Path) -> None:
    assert left(log(tmp_path, compacted())) == []


def test_side_threads_are_not_left_behind(tmp_path: Path) -> None:
    records = claude_code_records(parse('u"one" | a"1" | u"two" | a"2"'))
    for record in records[:2]:
        record["isSidechain"] = True
    records[2]["parentUuid"] = None
    assert left(log(tmp_path, records)) == []


def test_circles_off_the_path_end(tmp_path: Path) -> None:
    records = claude_code_records(parse('u"one" | a"1" | u"two" | a"2"'))
    records[0]["parentUuid"], records[2]["parentUuid"] = records[1]["uuid"], None
    ((severity, _, message),) = left(log(tmp_path, records))
    assert (severity, "2 messages" in message) == ("info", True)


def test_the_fork_of_neovate(tmp_path: Path) -> None:
    records = neovate_records(parse('u"one" | a"1" | u"two" | a"2" | u"three" | a"3"'))
    records[5]["parentUuid"] = records[2]["uuid"]
    path = saved(tmp_path, "neovate", lines(records))
    assert [(severity, record) for severity, record, _ in left(path)] == [("info", 3)]
    assert product.check(path).session["verdict"] == "healthy"


# compactions


def compacted(named: Any = BEFORE) -> list[dict[str, Any]]:
    records = claude_code_records(parse('u"one" | a"1" | u"x" | u"two" | a"2"'))
    keep = {key: records[2][key] for key in ("uuid", "timestamp", "sessionId", "isSidechain", "version")}
    records[2] = {"parentUuid": None, "logicalParentUuid": named, **keep, "type": "system"}
    records[2] |= {
        "subtype": "compact_boundary",
        "content": "Conversation compacted",
        "compactMetadata": {"preTokens": 9},
    }
    return records


def test_a_compaction_that_names_what_is_not_there(tmp_path: Path) -> None:
    path, out, again = log(tmp_path, compacted(uuid(99))), tmp_path / "out.jsonl", tmp_path / "again.jsonl"
    (finding,) = product.check(path).findings
    assert (finding["rule"], finding["severity"], finding["record"]) == ("G7", "info", 2)
    assert repaired(path, "claude-code")[0] == path.read_bytes()
    assert product.repair(path, out, strategies="G7=relink").code == 0
    assert out.read_bytes() == path.read_bytes().replace(uuid(99).encode(), uuid(2).encode())
    assert product.check(out).findings == []
    assert product.repair(out, again, strategies="G7=relink").code == 0
    assert again.read_bytes() == out.read_bytes()


@pytest.mark.parametrize("named", [uuid(2), uuid(1), None, 7, []])
def test_other_compactions_are_well(named: Any, tmp_path: Path) -> None:
    assert product.check(log(tmp_path, compacted(named))).findings == []


def test_a_compaction_with_nothing_before_it(tmp_path: Path) -> None:
    path, out = log(tmp_path, compacted(uuid(99))[2:]), tmp_path / "out.jsonl"
    assert product.check(path).rules == {"G7"}
    assert product.repair(path, out, strategies="G7=relink").code == 0
    assert out.read_bytes() == path.read_bytes()
