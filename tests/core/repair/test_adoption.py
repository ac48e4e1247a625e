"""A result that another log of the same conversation holds answers an open call."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.cli.app import main
from tests.core.analysis.logs import CALL, answered, claude_lines, written
from tests.core.formats.codex import FILE, call_item, message, output_item, rollout
from tests.support import product
from tests.support.notation import FORMATS, PLACEHOLDER_START, Call, Result, lines, parse

ID = "call_8fJ2kQ0x7aPz"
REAL = "installed 3 packages"


def adopted(path: Path, *others: Path | str) -> tuple[bytes, product.Answer]:
    """Repaired with results of other logs; the outcome is healthy, and a second repair changes nothing."""
    out = path.parent / "out" / path.name
    out.parent.mkdir(exist_ok=True)
    options = [word for other in others for word in ("--results-from", str(other))]
    before = path.read_bytes()
    answer = product.repair(path, out, *options)
    assert answer.code == 0, answer.report["reason"]
    assert path.read_bytes() == before
    assert product.check(out).session["verdict"] == "healthy"
    again = path.parent / "again.jsonl"
    assert product.repair(out, again, *options).code == 0
    assert again.read_bytes() == out.read_bytes()
    return out.read_bytes(), answer


def chosen(answer: product.Answer) -> set[str]:
    """What was done about open calls."""
    return {strategy for finding, strategy in answer.session["chosen"].items() if finding.startswith("D")}


def test_the_result_of_a_forked_session_is_taken_over(tmp_path: Path) -> None:
    path = written(tmp_path, "open.jsonl", claude_lines())
    other = written(tmp_path, "other.jsonl", claude_lines(answered(REAL, error=False)))
    data, answer = adopted(path, other)
    assert chosen(answer) == {"adopt"}
    line = json.loads(data.splitlines()[-1])
    assert line["message"]["content"] == answered(REAL, error=False)["message"]["content"]
    assert "toolUseResult" not in line
    (edit,) = [each for each in answer.edits if each["action"] == "insert"]
    assert edit["reason"] == (
        f"copied: the result of the same call in {other}, line 3 (the call is in the same record in both logs)"
    )
    (offer,) = answer.session["offers"]
    assert (offer["call_id"], offer["from"]) == (CALL, {"path": str(other), "record": 2, "line": 3})


def test_auto_looks_at_the_logs_of_the_same_folder(tmp_path: Path) -> None:
    path = written(tmp_path, "open.jsonl", claude_lines())
    written(tmp_path, "other.jsonl", claude_lines(answered(REAL, error=False)))
    (tmp_path / "notes.txt").write_text(f"about {CALL}")
    (tmp_path / "below").mkdir()
    assert REAL.encode() in adopted(path, "auto")[0]


def test_auto_finds_nothing_where_no_log_names_the_call(tmp_path: Path) -> None:
    path = written(tmp_path, "open.jsonl", claude_lines())
    other = claude_lines(answered(REAL, error=False, call="toolu_01another0"), call="toolu_01another0")
    written(tmp_path, "other.jsonl", other)
    data, answer = adopted(path, "auto")
    assert chosen(answer) == {"answer"}
    assert PLACEHOLDER_START.encode() in data


@pytest.mark.parametrize(
    "other",
    [
        claude_lines(answered(REAL, error=False), given={"command": "make clean"}),
        claude_lines(answered(REAL, error=False), name="Read"),
        claude_lines(answered("[Tool result missing due to internal error]")),
        claude_lines(),
    ],
    ids=["another input", "another tool", "a placeholder", "no result"],
)
def test_what_is_not_the_result_of_the_same_call_is_left(tmp_path: Path, other: list[dict[str, Any]]) -> None:
    path = written(tmp_path, "open.jsonl", claude_lines())
    data, answer = adopted(path, written(tmp_path, "other.jsonl", other))
    assert chosen(answer) == {"answer"}
    assert REAL.encode() not in data


@pytest.mark.parametrize(("name", "file"), [("openai", "a.json"), ("anthropic", "a.json")])
def test_an_id_that_is_handed_out_anew_proves_nothing(tmp_path: Path, name: str, file: str) -> None:
    path, other = tmp_path / file, tmp_path / "b.json"
    path.write_bytes(FORMATS[name].render(parse("u | a{call_0}")))
    other.write_bytes(FORMATS[name].render(parse(f"u | a{{call_0}} | r(call_0={REAL}) | a")))
    answer = product.repair(path, tmp_path / "out.json", "--results-from", str(other))
    assert answer.code == 0
    assert chosen(answer) == {"answer"}


@pytest.mark.parametrize("name", ["openai", "anthropic", "neovate"])
def test_an_id_made_by_chance_is_the_same_call_in_every_format(tmp_path: Path, name: str) -> None:
    path = tmp_path / FORMATS[name].file
    path.write_bytes(FORMATS[name].render(parse(f"u | a{{{ID}@Bash command=ls}}")))
    other = tmp_path / "other.json"
    shown = FORMATS["anthropic"].render(parse(f'u | a{{{ID}@Bash command=ls}} | r({ID}={REAL}) | a"ok"'))
    other.write_bytes(shown)
    data, answer = adopted(path, other)
    assert chosen(answer) == {"adopt"}
    assert REAL.encode() in data
    assert b'"is_error":true' not in data.replace(b" ", b"")
    assert ("only the result's text" in answer.edits[-1]["reason"]) == (name != "anthropic")


def test_codex_takes_over_from_a_fork(tmp_path: Path) -> None:
    call = ("response_item", call_item(Call(ID, "shell", {"command": ["ls"]})))
    head = ("response_item", message("user", "hi"))
    path, other = tmp_path / FILE, tmp_path / "fork.jsonl"
    path.write_bytes(rollout(head, call))
    other.write_bytes(rollout(head, call, ("response_item", output_item(Result(ID, REAL)))))
    data, answer = adopted(path, other)
    assert chosen(answer) == {"adopt"}
    assert json.loads(data.splitlines()[-1])["payload"] == output_item(Result(ID, REAL))


def kimi(folder: Path, *times: str) -> Path:
    """A context and the events of its window, in which the call Shell:0 was answered so many times."""
    folder = folder / "11111111-2222-4333-8444-5555555555a5"
    folder.mkdir()
    function = {"name": "Shell", "arguments": '{"command":"make"}'}
    call = {"type": "function", "id": "Shell:0", "function": function}
    context: list[dict[str, Any]] = [{"role": "_system_prompt", "content": "s"}, {"role": "user", "content": "hi"}]
    context.append({"role": "assistant", "content": "on it", "tool_calls": [call]})
    events: list[tuple[str, dict[str, Any]]] = [("TurnBegin", {"user_input": "hi"}), ("StepBegin", {"n": 1})]
    for text in times:
        events += [("ToolCall", call), ("ToolResult", {"tool_call_id": "Shell:0", "return_value": {"output": text}})]
    shown = [{"timestamp": 1.0, "message": {"type": kind, "payload": given}} for kind, given in events]
    (folder / "wire.jsonl").write_bytes(lines([{"type": "metadata", "protocol_version": "1.10"}, *shown]))
    return written(folder, "context.jsonl", context)


def test_kimi_cli_takes_over_what_its_window_was_shown(tmp_path: Path) -> None:
    path = tmp_path / "11111111-2222-4333-8444-5555555555a5" / "context.jsonl"
    assert kimi(tmp_path, REAL) == path
    answer = product.repair(path, tmp_path / "out.jsonl", "--results-from", "auto")
    assert (answer.code, chosen(answer)) == (0, {"adopt"})
    assert json.loads((tmp_path / "out.jsonl").read_bytes().splitlines()[-1])["content"] == REAL


def test_which_of_two_alike_calls_was_answered_cannot_be_told(tmp_path: Path) -> None:
    answer = product.repair(kimi(tmp_path, REAL, "other"), tmp_path / "out.jsonl", "--results-from", "auto")
    assert chosen(answer) == {"answer"}


def test_the_person_may_choose_otherwise(tmp_path: Path) -> None:
    path = written(tmp_path, "open.jsonl", claude_lines())
    other = written(tmp_path, "other.jsonl", claude_lines(answered(REAL, error=False)))
    (finding,) = [each for each in product.check(path).findings if each["rule"].startswith("D")]
    for target in (finding["rule"], finding["id"]):
        answer = product.repair(
            path, tmp_path / "out.jsonl", "--results-from", str(other), strategies=f"{target}=answer"
        )
        assert chosen(answer) == {"answer"}
    alone = product.repair(path, tmp_path / "out.jsonl", strategies=f"{finding['id']}=adopt")
    assert (alone.code, alone.report["output"]) == (2, None)
    assert "because no other log with the result was provided" in alone.report["reason"]


def test_a_log_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    path = written(tmp_path, "open.jsonl", claude_lines())
    (tmp_path / "notes.txt").write_text("no log")
    for other in ("missing.jsonl", "notes.txt"):
        answer = product.repair(path, tmp_path / "out.jsonl", "--results-from", str(tmp_path / other))
        assert answer.code == 2
        assert other in answer.report["reason"]


def test_a_sound_log_opens_no_other(tmp_path: Path) -> None:
    path = written(tmp_path, "sound.jsonl", claude_lines(answered(REAL, error=False)))
    answer = product.repair(path, tmp_path / "out.jsonl", "--results-from", str(tmp_path / "missing.jsonl"))
    assert answer.code == 0
    assert (tmp_path / "out.jsonl").read_bytes() == path.read_bytes()


def text_of_command(*arguments: str) -> list[str]:
    return CliRunner().invoke(main, list(arguments), catch_exceptions=False).output.splitlines()


def test_the_calls_are_listed_before_anything_is_repaired(tmp_path: Path) -> None:
    path = written(tmp_path, "open.jsonl", claude_lines())
    other = written(tmp_path, "other.jsonl", claude_lines(answered(REAL, error=False)))
    expected = [
        "  Calls that have no result but may have run and changed something (1):",
        "    line 2: Bash (shell) in /work: make install",
        "      no-trace: Nothing in this log shows that the call ran, but it may have run anyway.",
    ]
    checked = text_of_command("check", "-v", str(path))
    assert checked[-3:] == expected
    assert not set(expected) & set(text_of_command("check", str(path)))
    dry = text_of_command("repair", str(path), "--dry-run", "--results-from", str(other))
    assert dry[1:4] == expected
    assert dry[4].startswith(f"  Found for call {CALL} (record 2): the result of the same call in {other}, line 3 (")


def test_read_only_calls_are_not_listed(tmp_path: Path) -> None:
    path = written(tmp_path, "open.jsonl", claude_lines(name="Read", given={"file_path": "/work/a"}))
    assert not any("may have changed" in line for line in text_of_command("check", "-v", str(path)))


def test_the_evidence_stands_in_the_findings(tmp_path: Path) -> None:
    again = {"type": "user", "message": {"role": "user", "content": f"what of {CALL}?"}}
    path = written(tmp_path, "open.jsonl", claude_lines(again))
    (found,) = [each["evidence"] for each in product.check(path).findings if "evidence" in each]
    trace = {"record": 2, "line": 3, "weight": "mentioned", "sentence": "The record contains the id of the call."}
    expected = {"verdict": "no-trace", "traces": [trace], "effect": "shell"}
    assert found == expected | {"command": "make install", "folder": "/work"}
