"""The known causes: every row has its source and is found; "upgrade" is said where the agent's model agrees."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from inspector.core.analysis.thread_context import CheckedThread
from inspector.core.check import check as checking
from inspector.core.check.causes import RESUME_ADVICE
from inspector.core.check.known_causes import KNOWN_CAUSES
from inspector.core.formats import FORMATS
from inspector.core.rules import RULES
from tests.core.formats import FORMATS as WRITTEN
from tests.core.formats import opencode
from tests.core.formats.test_copilot_cli import events as copilot_cli_events
from tests.core.formats.test_copilot_cli import file as copilot_cli_file
from tests.core.formats.test_dsh import file as dsh_file
from tests.core.formats.test_dsh import rows as dsh_rows
from tests.support import product
from tests.support.notation import Call, claude_code_records, parse

CUT = "u | a{A@Bash} | u | a"


@pytest.fixture(autouse=True)
def nobody_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that another program has just closed, and whose place on the disk a log takes, does not hold the log."""
    monkeypatch.setattr("inspector.core.engine.activity.is_open_for_writing", lambda path: False)


def claude_code(folder: Path, history: str, version: str, name: str = "log") -> Path:
    records = [record | {"version": version} for record in claude_code_records(parse(history))]
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_the_table_is_sound() -> None:
    assert len(KNOWN_CAUSES) >= 25
    assert len({cause.id for cause in KNOWN_CAUSES}) == len(KNOWN_CAUSES)
    for cause in KNOWN_CAUSES:
        assert set(cause.rules.split()) <= set(RULES), cause.id
        assert set(cause.formats) <= set(FORMATS), cause.id
        assert re.fullmatch(r"[\w.-]+/[\w.-]+/(issues|pull)/\d+", cause.source), cause.id
        assert (cause.explanation[-1], cause.advice[-1]) == (".", "."), cause.id
        re.compile(cause.error)


@pytest.mark.parametrize(
    ("history", "version", "cause", "upgrade"),
    [
        ("u | a{A@Bash}", "2.1.112", "claude-code-interrupted-shell", "2.1.330"),
        ("u | a{A@Read}", "2.1.112", "claude-code-interrupted", "2.1.330"),
        (CUT, "2.1.112", "claude-code-interrupted-shell", None),
        (CUT, "2.1.330", "claude-code-interrupted", None),
        ("u | a{A} | r(A=x),r(A=x) | a", "2.0.14", "claude-code-result-twice", "2.1.20"),
        ("u | a{A} | r(A=x),r(A=x) | a", "2.1.112", "claude-code-result-twice", None),
        ("u | a{A,A} | r(A=x) | a", "2.1.19", "claude-code-ids-twice", None),
        ("u | a{A,A} | r(A=x) | a", "2.1.60", "claude-code-one-id-twice", None),
        ("u | r(A=x) | a", "2.1.112", "claude-code-compacted-calls", None),
        ("u | a | u | a", "2.1.112", None, None),
    ],
)
def test_a_cause_is_told(history: str, version: str, cause: str | None, upgrade: str | None, tmp_path: Path) -> None:
    session = product.check(claude_code(tmp_path, history, version)).session
    told = session["likely_cause"]
    assert (told and told["id"], told and told["upgrade_to"]) == (cause, upgrade)
    assert told is None or ("To continue with an older version, repair the log" in told["advice"]) == bool(upgrade)


@pytest.mark.parametrize(
    ("history", "edited", "cause"),
    [
        ("u:hi | a:x,c1 | u:on | a:y", bytes, "copilot-interrupted"),
        ("u:hi | a:x,c1 | abort | r:c1=late | u:on | a:y", bytes, "copilot-late-result"),
        ("u:hi | a:x", lambda data: data + b"\0" * 40, "copilot-nul-bytes"),
        ("u:hi | a:two words | u:on", lambda data: data.replace(b"two w", b"two\nw"), "copilot-unescaped-line-break"),
        ("u:hi | a:x | u:on", lambda data: data.replace(b'"x"', data, 1), "copilot-half-written-event"),
    ],
)
def test_a_cause_in_a_log_of_copilot_cli(history: str, edited: Any, cause: str, tmp_path: Path) -> None:
    path = copilot_cli_file(tmp_path, copilot_cli_events(history))
    path.write_bytes(edited(path.read_bytes()))
    assert product.check(path).session["likely_cause"]["id"] == cause


def test_a_gap_in_the_numbers_of_deepseek_harness(tmp_path: Path) -> None:
    path = dsh_file(tmp_path, [row for row in dsh_rows("t | u:hi | a:x | /s | /t") if row.get("seq") != 1])
    assert product.check(path).session["likely_cause"]["id"] == "dsh-sequence-gap"


@pytest.mark.parametrize("name", sorted(WRITTEN))
@pytest.mark.parametrize("history", ["u | a{A,B} | r(A=x) | u | a", "u | a{A}", "u | r(A=x) | a"])
def test_the_advice_never_contradicts_the_verdict(name: str, history: str, tmp_path: Path) -> None:
    """A session that heals itself needs neither a repair nor another version, and any other needs one of them."""
    session = product.check(WRITTEN[name].write(parse(history), tmp_path)).session
    told, heals = session["likely_cause"], session["verdict"] == "heals-itself"
    assert session["verdict"] in ("healthy", "waiting") or heals == (
        session["on_resume"]["outcome"] in ("mends", "as-is") and session["on_resume"]["loses"] == []
    )
    assert told is None or ("no file needs to be changed" in told["advice"]) == heals
    assert told is None or not (heals and told["upgrade_to"])


def test_a_version_that_heals_is_not_to_be_upgraded(tmp_path: Path) -> None:
    """The model of opencode knows no version that does not heal this, so that an upgrade is not what it takes."""
    path = tmp_path / "export.json"
    messages = [
        opencode.user(1, opencode.text("go")),
        opencode.assistant(2, opencode.tool(Call("A", "bash", {}), None)),
    ]
    opencode.write_export([*messages, opencode.user(3, opencode.text("?"))], path, opencode.INFO | {"version": "1.2.0"})
    session = product.check(path).session
    assert session["verdict"] == "heals-itself"
    assert (session["likely_cause"]["upgrade_to"], session["likely_cause"]["advice"]) == (None, RESUME_ADVICE)


@pytest.mark.parametrize(
    ("damage", "cause"),
    [
        (lambda line: line[: len(line) // 2], "claude-code-torn-end"),
        (lambda line: b"\0" * len(line), "claude-code-nul-bytes"),
    ],
)
def test_the_cause_is_the_damage_and_not_the_call_that_it_left_open(damage: Any, cause: str, tmp_path: Path) -> None:
    path = claude_code(tmp_path, "u | a{A@Bash} | r(A=x)", "2.1.330")
    *lines, last = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines, damage(last)]))
    answer = product.check(path)
    assert answer.findings[0]["rule"] == "D1", "the call is the first finding by place"
    assert answer.session["likely_cause"]["id"] == cause


def test_a_call_that_the_conversation_left_behind_is_not_open_for_damage_at_the_end(tmp_path: Path) -> None:
    path = claude_code(tmp_path, "u | a{A@Bash} | u | a | u | a", "2.1.330")
    path.write_bytes(path.read_bytes()[:-30])
    answer = product.check(path)
    assert [finding["rule"] for finding in answer.findings if finding["severity"] == "error"] == ["D2", "F1"]
    assert answer.session["likely_cause"]["id"] == "claude-code-interrupted"


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_a_shared_report_does_not_say_that_a_session_ends_where_its_agent_goes_on(form: str, tmp_path: Path) -> None:
    """Broken is also what goes on and loses something."""
    path = claude_code(tmp_path, "u | a{A@Bash}", "2.1.112")
    said = product.run("check", str(path), "--format", form, "--content-free").output
    assert "The agent continues the session, but drops part of the history" in said
    assert "cannot be continued" not in said
    assert "or the agent loses part of it" in said


def test_of_messages_that_went_on_it_is_not_said_that_their_program_cannot(tmp_path: Path) -> None:
    """A dump of a benchmark is no session that somebody resumes; and its program went on."""
    path = WRITTEN["openai-chat"].write(parse("u | a{A} | u | a | u | a"), tmp_path)
    said = product.run("check", str(path)).output
    assert "the history continues past this problem, so the agent did not send the messages as recorded here." in said
    path = WRITTEN["openai-chat"].write(parse("u | a | u | a{A} | u"), tmp_path)
    said = product.run("check", str(path)).output
    assert "OpenAI Chat Completions rejects this history.\n" in said


@pytest.mark.parametrize("name", sorted({name for cause in KNOWN_CAUSES for name in cause.formats} & set(WRITTEN)))
def test_each_agent_has_a_cause_for_a_call_that_was_cut_off(name: str, tmp_path: Path) -> None:
    session = product.check(WRITTEN[name].write(parse("u | a{A,B} | r(A=x) | u | a"), tmp_path)).session
    told = session["likely_cause"]
    of_format = [cause for cause in KNOWN_CAUSES if name in cause.formats and {"D2", "D3"} & set(cause.rules.split())]
    assert (told["id"] if told else "") in ([cause.id for cause in of_format] or [""])
    assert session["fingerprint"]


def test_text_tells_it_and_groups_the_logs_of_a_folder(tmp_path: Path) -> None:
    for number in range(3):
        claude_code(tmp_path, CUT, "2.1.112", f"same{number}")
    claude_code(tmp_path, "u | r(A=x) | a", "2.1.112", "other")
    claude_code(tmp_path, "u | a", "2.1.112", "sound")
    lines = product.run("check", str(tmp_path)).output.splitlines()
    assert [line for line in lines if " × " in line] == [
        "  3 × Claude Code was stopped while a command was running, and did not record the result. "
        "[claude-code-interrupted-shell]",
        "  1 × A compaction by Claude Code removed calls but left their results. [claude-code-compacted-calls]",
    ]
    assert len([line for line in lines if line.startswith("  Cause   ")]) == 4
    groups = product.check(tmp_path).report["causes"]
    assert [(group["cause"], len(group["logs"])) for group in groups] == [
        ("claude-code-interrupted-shell", 3),
        ("claude-code-compacted-calls", 1),
    ]


def test_one_log_has_no_groups(tmp_path: Path) -> None:
    assert "causes" not in product.check(claude_code(tmp_path, CUT, "2.1.112")).report


@pytest.mark.parametrize("form", ["text", "markdown", "html", "junit", "github", "sarif", "json"])
def test_reports_tell_it(form: str, tmp_path: Path) -> None:
    for name in ("one", "two"):
        claude_code(tmp_path, "u | a{A@Bash}", "2.1.112", name)
    told = product.run("check", str(tmp_path), "--format", form, "--content-free").output
    assert "Claude Code was stopped while a command was running" in told
    assert form == "sarif" or "2.1.330" in told.replace("\\", "")


@pytest.mark.parametrize(("version", "told"), [("2.1.112", "2.1"), ("1512.345678901 Jane", ""), ("9.87654321", "")])
def test_a_fingerprint_tells_versions_alone(
    version: str, told: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("inspector.core.check.causes._causes_of", lambda *_: [])
    session = product.check(claude_code(tmp_path, CUT, version)).session
    assert session["fingerprint"] == f"D2 claude-code {told} shell".replace("  ", " ")


def test_a_newer_version_that_reads_the_same_is_not_given_the_log_to_judge_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged, judge = [], checking.check_threads

    def noted(*arguments: Any, **options: Any) -> list[CheckedThread]:
        judged.append(1)
        return judge(*arguments, **options)

    monkeypatch.setattr(checking, "check_threads", noted)
    answer = product.check(claude_code(tmp_path, "u | a{A@Bash}", "2.1.112"))
    assert answer.session["likely_cause"]["upgrade_to"] == "2.1.330"
    assert len(judged) == 1
