"""What a person may choose: by finding, by session, by rule and by preset, and in which words."""

import json
from pathlib import Path

import pytest

from tests.core.repair.logs import refused, repaired, written
from tests.support import product
from tests.support.notation import openai_messages, parse
from tests.support.projection import printed

OPEN = 'u | a"t"{A} | u"next"'


def two_sessions(folder: Path) -> Path:
    """Two conversations, a line each, both with a call without a result."""
    path = folder / "two.jsonl"
    lines = [json.dumps({"id": name, "messages": openai_messages(parse(OPEN))}) for name in ("one", "two")]
    path.write_text("\n".join(lines) + "\n")
    return path


def roles(out: Path) -> list[list[str]]:
    return [[m["role"] for m in json.loads(line)["messages"]] for line in out.read_text().splitlines()]


ANSWERED, DROPPED = ["user", "assistant", "tool", "user"], ["user", "assistant", "user"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), [ANSWERED, ANSWERED]),
        (("--session", "1:D2=drop-call"), [ANSWERED, DROPPED]),
        (("--strategy", "D2=drop-call", "--session", "0:D2=answer"), [ANSWERED, DROPPED]),
        (("--session", "1:goose"), [ANSWERED, DROPPED]),
        (("--session", "1:goose", "--session", "1:D2=answer"), [ANSWERED, ANSWERED]),
        (("--session", "1:D2=drop-call", "--strategy", "D2:1:A:0=answer"), [ANSWERED, ANSWERED]),
    ],
)
def test_the_narrower_choice_wins(options: tuple[str, ...], expected: list[list[str]], tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    answer = product.repair(two_sessions(tmp_path), out, *options)
    assert answer.code == 0, answer.report.get("reason")
    assert roles(out) == expected


def test_a_session_is_named_by_its_id(tmp_path: Path) -> None:
    path, out = written(tmp_path, "claude-code", OPEN), tmp_path / "out.jsonl"
    name = product.check(path).session["id"]
    assert product.repair(path, out, "--session", f"{name}:D2=drop-call").code == 0
    assert b"tool_use" not in out.read_bytes().replace(b'"stop_reason":"tool_use"', b"")


def test_an_open_call_that_is_left_is_left_also_when_its_sibling_is_answered(tmp_path: Path) -> None:
    """It is then of another class: one of a turn that is answered in part."""
    path, out = written(tmp_path, "claude-code", 'u | a{A,B} | u"next"'), tmp_path / "out.jsonl"
    answer = product.repair(path, out, "--strategy", "D2:0:A:0=leave", "--dry-run")
    assert [edit["findings"] for edit in answer.session["edits"] if edit["action"] == "insert"] == [["D2:0:B:0"]]


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("7:D2=drop-call", "This log has no session 7"),
        ("0:D2=merge", "D2 cannot be repaired with the merge strategy"),
        ("0:Q9=leave", "No rule has the code Q9"),
        ("0:nonsense", "There is no preset named nonsense"),
        ("nonsense", "--session expects SESSION:RULE=STRATEGY or SESSION:PRESET"),
    ],
)
def test_what_does_not_exist_is_said(option: str, said: str, tmp_path: Path) -> None:
    answer = product.repair(written(tmp_path, "openai", OPEN), tmp_path / "out.json", "--session", option)
    assert answer.code == 2
    assert said in json.dumps(answer.report)
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize(
    ("wording", "said"),
    [
        ("codex", "aborted"),
        ("honest", "[No result was recorded for this call to Read."),
        ("{name} gave nothing for {id} {other}", "Read gave nothing for A {other}"),
    ],
)
def test_the_wording_is_a_system_s_or_any_text(wording: str, said: str, tmp_path: Path) -> None:
    path, out = written(tmp_path, "openai", OPEN), tmp_path / "out.json"
    assert product.repair(path, out, "--wording", wording).code == 0
    (result,) = [m for m in json.loads(out.read_bytes())["messages"] if m["role"] == "tool"]
    assert result["content"].startswith(said)


def test_the_person_s_wording_wins_over_the_preset_s(tmp_path: Path) -> None:
    path, out = written(tmp_path, "openai", OPEN), tmp_path / "out.json"
    assert product.repair(path, out, "--wording", "honest", preset="codex").code == 0
    assert b"No result was recorded" in out.read_bytes()


def test_a_wording_without_words_is_refused(tmp_path: Path) -> None:
    answer = product.repair(written(tmp_path, "openai", OPEN), tmp_path / "out.json", "--wording", "  ")
    assert answer.code == 2


def test_repair_for_another_provider(tmp_path: Path) -> None:
    """Mistral takes ids of nine letters and digits, and wants the assistant between a result and the user."""
    path = written(tmp_path, "openai", 'u | a{call_1} | r(call_1=alpha) | u"next" | a"ok"')
    assert repaired(path, "openai")[0] == path.read_bytes()
    out = tmp_path / "out.json"
    assert product.repair(path, out, profile="mistral").code == 0
    told = product.check(out, "--accepted-by", "mistral").session["accepted_by"]["mistral"]
    assert told["accepts"] is True
    messages = json.loads(out.read_bytes())["messages"]
    assert [m["role"] for m in messages] == ["user", "assistant", "tool", "assistant", "user", "assistant"]
    assert messages[1]["tool_calls"][0]["id"] == messages[2]["tool_call_id"]


@pytest.mark.parametrize("name", ["anthropic", "openai", "claude-code", "neovate"])
def test_a_cut_leaves_nothing_of_what_other_choices_put_behind_it(name: str, tmp_path: Path) -> None:
    path, out = written(tmp_path, name, 'u | a"one"{A} | u"x" | a"two"{B} | u"y" | a"z"'), tmp_path / "out.jsonl"
    answer = product.repair(path, out, strategies="D2:0:A:0=cut-tail D2:0:B:0=answer")
    assert printed(out.read_bytes(), name) == "u"
    assert [loss["text"] for loss in answer.losses if loss["kind"] == "text"] == ["one", "x", "two", "y", "z"]


@pytest.mark.parametrize("name", ["anthropic", "openai", "claude-code", "neovate"])
def test_a_history_of_nothing_but_an_orphan_is_not_emptied(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, "r(A=x)")
    assert "no messages would be left" in refused(path, strategies="R1=drop").report["reason"]


def test_a_wording_that_no_file_can_hold_is_refused(tmp_path: Path) -> None:
    answer = product.repair(written(tmp_path, "openai", OPEN), tmp_path / "out.json", "--wording", "half \ud83d")
    assert (answer.code, answer.report["output"]) == (2, None)
    assert "invalid characters" in answer.report["reason"]


def test_findings_that_are_alike_are_told_apart_by_their_ordinal(tmp_path: Path) -> None:
    """Two orphans of one id: each can be chosen for by itself."""
    path, out = written(tmp_path, "anthropic", "u | a | r(X=one,X=two) | a"), tmp_path / "out.json"
    assert [finding["id"] for finding in product.check(path).findings] == ["R1:0:X:0", "R1:0:X:1"]
    assert product.repair(path, out, strategies="R1:0:X:0=drop R1:0:X:1=keep-as-note").code == 0
    assert b"one" not in out.read_bytes()
    assert b"two" in out.read_bytes()
