"""A result that is missing from the conversation is taken from where the log still holds it."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.cli.app import main
from inspector.core.engine.window_engine import WindowEngine
from inspector.core.presentation.outline import PairMark
from inspector.core.repair.choices import Choices
from tests.core.analysis.logs import CALL, claude_lines, written
from tests.core.formats import opencode
from tests.core.formats.codex import FILE, call_item, event, message, output_item, rollout
from tests.support import product
from tests.support.notation import PLACEHOLDER_START, Call, Result, lines

CUT = "... command output truncated for persistence ..."


def ended(call: str, output: str = "real\n", code: int = 0, **fields: Any) -> tuple[str, dict[str, Any]]:
    """The event of a command's end, as Codex 0.169.0 writes it."""
    item = {
        "type": "CommandExecution",
        "id": call,
        "status": "failed" if code else "completed",
        "aggregated_output": output,
        "exit_code": code,
        "duration": {"secs": 1, "nanos": 500_000_000},
        **fields,
    }
    return event("item_completed", item=item)


def codex(path: Path, *entries: tuple[str, dict[str, Any]], name: str = "exec_command") -> Path:
    """A rollout with the two open calls A and B, and what follows them."""
    calls = [("response_item", call_item(Call(id, name, {"cmd": "make"}))) for id in "AB"]
    path = path / FILE
    path.write_bytes(rollout(("response_item", message("user", "hi")), *calls, *entries))
    return path


def repaired(path: Path, *more: str, **choices: str) -> tuple[dict[str, str], product.Answer]:
    """The outputs of the repaired log, by call; it is healthy, and a second repair changes nothing."""
    out, again = path.parent / "out.jsonl", path.parent / "again.jsonl"
    answer = product.repair(path, out, *more, **choices)
    assert answer.code == 0, answer.report["reason"]
    assert product.check(out).session["verdict"] == "healthy"
    assert product.repair(out, again).code == 0
    assert again.read_bytes() == out.read_bytes()
    rows = [json.loads(line)["payload"] for line in out.read_bytes().splitlines()]
    return {row["call_id"]: row["output"] for row in rows if row.get("type") == "function_call_output"}, answer


def text_of_command(*arguments: str) -> str:
    return CliRunner().invoke(main, list(arguments), catch_exceptions=False).output


def test_the_result_is_written_as_codex_writes_it(tmp_path: Path) -> None:
    outputs, answer = repaired(codex(tmp_path, ended("B", "real\n", 3)))
    assert outputs["A"].startswith(PLACEHOLDER_START)
    assert outputs["B"] == (
        "Wall time: 1.5000 seconds\nProcess exited with code 3\nOriginal token count: 2\nOutput:\nreal\n"
    )
    place = {"record": 4, "line": 5, "file": None, "origin": "event item_completed", "doubt": None}
    assert answer.session["recovered"] == [{"call_id": "B", **place}]
    assert answer.session["not_recovered"] == []
    reasons = [edit["reason"] for edit in answer.edits]
    assert "the real result, recovered from line 5 (event item_completed)" in reasons


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("shell_command", "Exit code: 0\nWall time: 1.5 seconds\nOutput:\nreal\n"),
        ("shell", '{"output":"real\\n","metadata":{"exit_code":0,"duration_seconds":1.5}}'),
    ],
)
def test_older_tools_have_a_form_of_their_own(tmp_path: Path, name: str, text: str) -> None:
    end = event(
        "exec_command_end",
        call_id="B",
        aggregated_output="real\n",
        exit_code=0,
        duration=ended("B")[1]["item"]["duration"],
    )
    assert repaired(codex(tmp_path, end, name=name))[0]["B"] == text


TEXT = {"type": "text", "text": "echo of one"}
IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
RESOURCE = {"type": "resource", "resource": {"uri": "file:///a", "text": "inside"}}
TIMED = "Wall time: 1.5000 seconds\nOutput:"


def of_mcp(**fields: Any) -> tuple[str, dict[str, Any]]:
    """The event of the end of an MCP call, as Codex 0.169.0 writes it."""
    _, payload = ended("B", type="McpToolCall", server="probe", tool="echo", **fields)
    del payload["item"]["aggregated_output"], payload["item"]["exit_code"]
    return "event_msg", payload


@pytest.mark.parametrize(
    ("result", "output"),
    [
        ({"content": [TEXT], "isError": False}, [TIMED, "echo of one"]),
        ({"content": [TEXT], "isError": True}, [TIMED, "echo of one"]),
        ({"content": [], "isError": False}, [TIMED]),
        ({"content": [RESOURCE]}, [TIMED, json.dumps(RESOURCE, separators=(",", ":"))]),
        ({"content": [TEXT, IMAGE]}, [TIMED, "echo of one", "data:image/png;base64,aGk="]),
        ({"content": [TEXT], "structuredContent": {"b": 1, "a": "é"}}, TIMED + '\n{"b":1,"a":"é"}'),
        ({"content": [TEXT], "structuredContent": None}, [TIMED, "echo of one"]),
    ],
)
def test_the_answer_of_an_mcp_server_is_written_as_codex_writes_it(
    tmp_path: Path, result: dict[str, Any], output: Any
) -> None:
    written: Any = repaired(codex(tmp_path, of_mcp(status="completed", result=result), name="echo"))[0]["B"]
    texts = [part.get("text") or part["image_url"] for part in written] if isinstance(written, list) else written
    assert texts == output
    older = event("mcp_tool_call_end", call_id="B", duration={"secs": 1, "nanos": 500_000_000}, result={"Ok": result})
    assert repaired(codex(tmp_path, older, name="echo"))[0]["B"] == written


@pytest.mark.parametrize(
    "entry",
    [
        of_mcp(status="failed", error={"message": "Transport closed"}),
        event(
            "mcp_tool_call_end",
            call_id="B",
            duration={"secs": 1, "nanos": 500_000_000},
            result={"Err": "Transport closed"},
        ),
    ],
)
def test_an_mcp_server_that_gave_no_answer_is_told_by_its_error(
    tmp_path: Path, entry: tuple[str, dict[str, Any]]
) -> None:
    written: Any = repaired(codex(tmp_path, entry, name="echo"))[0]["B"]
    assert [part["text"] for part in written] == [TIMED, "Transport closed"]


def test_a_long_answer_of_an_mcp_server_is_cut_as_codex_cuts_it(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": letter * 9_000} for letter in "xy"]
    written: Any = repaired(codex(tmp_path, of_mcp(result={"content": parts}), name="echo"))[0]["B"]
    assert [len(part["text"]) for part in written] == [33, 9_000, 2_989]
    assert "y…6033 chars truncated…y" in written[2]["text"]
    more = codex(tmp_path, of_mcp(result={"content": [*parts, TEXT]}), name="echo")
    _, answer = repaired(more)
    assert answer.session["not_recovered"][0]["doubt"] == "the result has more text parts than Codex sends to the model"


PATCHED, FAILED = "Success. Updated the following files:\nA a\n", "Failed to create parent directories for /a\n"


@pytest.mark.parametrize(
    ("name", "told", "output"),
    [
        (
            "shell_command",
            {"status": "completed", "stdout": PATCHED},
            f"Exit code: 0\nWall time: 0 seconds\nOutput:\n{PATCHED}",
        ),
        (
            "shell_command",
            {"status": "failed", "stderr": FAILED},
            f"Exit code: 1\nWall time: 0 seconds\nOutput:\n{FAILED}",
        ),
        (
            "exec_command",
            {"status": "failed", "stderr": FAILED},
            f"Exit code: 1\nWall time: 0 seconds\nOutput:\n{FAILED}",
        ),
        (
            "exec_command",
            {"status": "completed", "stdout": PATCHED},
            f"Wall time: 0.0000 seconds\nOutput:\nExit code: 0\nWall time: 0 seconds\nOutput:\n{PATCHED}",
        ),
    ],
)
def test_the_end_of_a_patch_is_written_as_codex_writes_it(
    tmp_path: Path, name: str, told: dict[str, Any], output: str
) -> None:
    fields = {"stdout": "", "stderr": "", **told}
    item = {"type": "FileChange", "id": "B", "changes": {}, **fields}
    older = event("patch_apply_end", call_id="B", success=told["status"] == "completed", **fields)
    for entry in event("item_completed", item=item), older:
        assert repaired(codex(tmp_path, entry, name=name))[0]["B"] == output


def test_a_long_output_is_cut_as_codex_cuts_it(tmp_path: Path) -> None:
    output = repaired(codex(tmp_path, ended("B", "ä" * 6_000)))[0]["B"]
    assert "truncated output (original token count: 3000)\nTotal output lines: 1\n" in output
    assert "ä…1000 chars truncated…ä" in output


@pytest.mark.parametrize(
    "entry",
    [
        ended("B", code=-1),
        ended("B", status="in_progress"),
        ended("B", aggregated_output=None),
        ended("B", type="McpToolCall"),
        of_mcp(status="in_progress", result={"content": [TEXT]}),
        of_mcp(status="completed", result={"content": "none"}),
        ended("B", type="FileChange", status="declined", stdout="", stderr=""),
        ended("B", type="FileChange", stdout=None, stderr=""),
        ended("C"),
        event("exec_command_begin", call_id="B"),
        event("exec_command_output_delta", call_id="B", chunk="real"),
    ],
    ids=[
        *("interrupted", "running", "no output", "another kind", "MCP running", "no answer", "declined", "no text"),
        *("another call", "begun", "a part"),
    ],
)
def test_what_is_no_end_is_no_result(tmp_path: Path, entry: tuple[str, dict[str, Any]]) -> None:
    outputs, answer = repaired(codex(tmp_path, entry))
    assert all(output.startswith(PLACEHOLDER_START) for output in outputs.values())
    assert (answer.session["recovered"], answer.session["not_recovered"]) == ([], [])


def test_a_result_that_was_cut_is_offered_and_not_taken(tmp_path: Path) -> None:
    path = codex(tmp_path, ended("B", f"begin\n{CUT}\nend"))
    outputs, answer = repaired(path)
    assert outputs["B"].startswith(PLACEHOLDER_START)
    assert answer.session["not_recovered"][0]["doubt"] == "only the beginning and the end of the output were recorded"
    (finding,) = [each for each in product.check(path).findings if each["call_id"] == "B"]
    assert (finding["default"], "recover" in finding["strategies"]) == ("answer", True)
    outputs, answer = repaired(path, strategies="D1=recover")
    assert outputs["B"].endswith(f"Output:\nbegin\n{CUT}\nend")
    assert [each["sentence"] for each in answer.report["unmet"]] == [
        "D1=recover cannot be applied to 1 finding of D1: answer is used instead."
    ]


def test_a_finding_names_the_place_of_the_result(tmp_path: Path) -> None:
    path = codex(tmp_path, ended("B"))
    a, b = product.check(path).findings
    assert ("recover" in a["strategies"], "result_in" in a) == (False, False)
    assert (b["default"], b["result_in"]) == ("recover", "line 5 (event item_completed)")
    assert b["message"].endswith("The result was found in line 5 (event item_completed).")
    assert b["costs"]["recover"] == "nothing"


def test_nothing_says_that_nothing_is_lost(tmp_path: Path) -> None:
    path = codex(tmp_path, ended("B"))
    checked, planned = text_of_command("check", str(path)), text_of_command("repair", str(path), "--dry-run")
    assert "drop the result of a call, which is stored outside the conversation" in checked
    assert "  The result of B is recovered from line 5 (event item_completed).\n" in planned
    answered = text_of_command("repair", str(path), "--dry-run", "--strategy", "D1=answer")
    assert "  The result of B is in line 5 (event item_completed) but is not used.\n" in answered
    assert "  Nothing is lost.\n" in planned
    assert not any("othing is lost" in text or "no file needs" in text for text in (checked, answered))


def test_the_request_marks_what_was_recovered(tmp_path: Path) -> None:
    sent = product.sent(codex(tmp_path, ended("B")), "--repaired")
    marks = {
        block["id"]: (block["mark"], block.get("recovered_from")) for block in sent.blocks if block["kind"] == "result"
    }
    assert marks == {"A": ("kept", None), "B": ("recovered", "line 5 (event item_completed)")}


@pytest.mark.parametrize("preset", ["codex", "deepagents", "kimi", "litellm"])
def test_a_real_result_wins_over_the_placeholder_of_any_preset(tmp_path: Path, preset: str) -> None:
    answer = product.repair(codex(tmp_path, ended("B")), tmp_path / "out.jsonl", preset=preset)
    assert [each["call_id"] for each in answer.session["recovered"]] == ["B"]


def test_an_id_of_two_calls_says_nothing(tmp_path: Path) -> None:
    again = ("response_item", call_item(Call("B", "exec_command", {"cmd": "make"})))
    answer = product.repair(codex(tmp_path, again, ended("B")), tmp_path / "out.jsonl")
    assert "recover" not in answer.session["chosen"].values()


def test_two_results_that_differ_are_not_taken(tmp_path: Path) -> None:
    answer = repaired(codex(tmp_path, ended("B", "one"), ended("B", "two")))[1]
    assert answer.session["not_recovered"][0]["doubt"] == "another record contains a different result"
    assert repaired(codex(tmp_path, ended("B", "one"), ended("B", "one")))[1].session["recovered"]


def test_a_placeholder_gives_way_only_when_it_is_undone(tmp_path: Path) -> None:
    aborted = [("response_item", output_item(Result(id, "aborted"))) for id in "AB"]
    path = codex(tmp_path, ended("B"), *aborted)
    assert repaired(path)[0] == {"A": "aborted", "B": "aborted"}
    (finding,) = [each for each in product.check(path).findings if each["rule"] == "R13" and each["call_id"] == "B"]
    assert finding["message"].endswith(
        "The result was found in line 5 (event item_completed). To recover the result, remove the placeholder."
    )
    assert repaired(path, "--undo-placeholders")[0]["B"].endswith("Output:\nreal\n")


def test_a_plan_without_content_recovers_where_the_log_is(tmp_path: Path) -> None:
    path, plan = codex(tmp_path, ended("B", "secret")), tmp_path / "plan.json"
    assert product.repair(path, None, "--plan-out", str(plan)).code == 0
    assert b"secret" not in plan.read_bytes()
    repaired(path)
    assert product.repair(path, tmp_path / "applied.jsonl", "--plan", str(plan)).code == 0
    assert (tmp_path / "applied.jsonl").read_bytes() == (tmp_path / "out.jsonl").read_bytes()


def qwen(path: Path, **event: Any) -> Path:
    """A chat with the open call A, and what counted its end."""
    call = {"functionCall": {"id": "A", "name": "run_shell_command", "args": {"command": "make"}}}
    counted = {"event.name": "qwen-code.tool_call", "call_id": "A", "status": "error", **event}
    rows: list[dict[str, Any]] = [
        {"type": "user", "message": {"role": "user", "parts": [{"text": "hi"}]}},
        {"type": "assistant", "message": {"role": "model", "parts": [call]}},
        {"type": "system", "subtype": "ui_telemetry", "systemPayload": {"uiEvent": counted}},
    ]
    ids = [None, *(f"00000000-0000-4000-8000-00000000000{number}" for number in range(3))]
    common = {"sessionId": "11111111-1111-4111-8111-111111111111", "cwd": "/w", "version": "0.24.4"}
    for number, row in enumerate(rows):
        row |= {"uuid": ids[number + 1], "parentUuid": ids[number], "timestamp": "2026-11-24T03:02:30.773Z"} | common
    path = path / "11111111-1111-4111-8111-111111111111.jsonl"
    path.write_bytes(lines(rows))
    return path


def test_qwen_counts_the_text_of_a_failed_call(tmp_path: Path) -> None:
    path, out = qwen(tmp_path, error="Exit Code: 3 ä😀", content_length=16), tmp_path / "out.jsonl"
    answer = product.repair(path, out)
    assert answer.session["recovered"][0]["origin"] == "ui_telemetry event tool_call"
    assert product.check(out).session["verdict"] == "healthy"
    row = next(row for row in map(json.loads, out.read_bytes().splitlines()) if row["type"] == "tool_result")
    response = {"id": "A", "name": "run_shell_command", "response": {"error": "Exit Code: 3 ä😀"}}
    assert row["message"]["parts"] == [{"functionResponse": response}]
    assert row["toolCallResult"] == {"callId": "A", "status": "error"}


@pytest.mark.parametrize(
    ("event", "is_offered"),
    [
        ({"error": "cut", "content_length": 900}, True),
        ({"error": "no length"}, True),
        ({"status": "success", "content_length": 3}, False),
        ({"status": "cancelled", "error": "err", "content_length": 3}, False),
        ({"call_id": "B", "error": "err", "content_length": 3}, False),
        ({"event.name": "qwen-code.api_error", "error": "err", "content_length": 3}, False),
    ],
)
def test_what_qwen_counts_otherwise_is_not_taken(tmp_path: Path, event: dict[str, Any], is_offered: bool) -> None:
    answer = product.repair(qwen(tmp_path, **event), tmp_path / "out.jsonl")
    assert answer.session["recovered"] == []
    assert bool(answer.session["not_recovered"]) == is_offered


def kimi(folder: Path, output: str = "real\n", **info: Any) -> Path:
    """A session with the open call A, and the task that ran it."""
    begin = {"type": "step.begin", "uuid": "s1", "turnId": "t", "step": 1}
    call = {
        "type": "tool.call",
        "uuid": "c1",
        "stepUuid": "s1",
        "toolCallId": "A",
        "name": "Bash",
        "args": {"command": "make"},
    }
    user = {"role": "user", "content": [{"type": "text", "text": "hi"}], "toolCalls": [], "origin": {"kind": "user"}}
    rows: list[dict[str, Any]] = [
        {"type": "metadata", "protocol_version": "1.5", "created_at": 1},
        {"type": "context.append_message", "agentId": "main", "message": user},
        *({"type": "context.append_loop_event", "agentId": "main", "event": each} for each in (begin, call)),
    ]
    task = {"taskId": "bash-1", "status": "completed", "detached": False, "endedAt": 2, "exitCode": 0}
    (folder / "tasks" / "bash-1").mkdir(parents=True)
    (folder / "tasks" / "bash-1.json").write_text(json.dumps(task | {"parentToolCallId": "A"} | info))
    (folder / "tasks" / "bash-1" / "output.log").write_text(output)
    path = folder / "wire.jsonl"
    path.write_bytes(lines(rows))
    return path


def told_by_kimi(path: Path) -> tuple[str, product.Answer]:
    out = path.parent / "out.jsonl"
    answer = product.repair(path, out)
    assert product.check(out).session["verdict"] == "healthy"
    results = [
        row["event"]["result"]
        for row in map(json.loads, out.read_bytes().splitlines())
        if "result" in row.get("event", {})
    ]
    return results[0]["output"], answer


@pytest.mark.parametrize(
    ("code", "output", "told"),
    [
        (0, "real\n", "real\n"),
        (3, "real\n", "real\nCommand failed with exit code: 3."),
        (0, "", "Command executed successfully."),
    ],
)
def test_kimi_keeps_the_output_of_a_task_beside_the_log(tmp_path: Path, code: int, output: str, told: str) -> None:
    path = kimi(tmp_path, output, exitCode=code, status="failed" if code else "completed")
    text, answer = told_by_kimi(path)
    assert text == told
    place = {"record": None, "line": None, "file": "tasks/bash-1/output.log", "origin": "named by bash-1.json"}
    assert answer.session["recovered"] == [{"call_id": "A", **place, "doubt": None}]


def test_kimi_gives_the_model_the_ends_of_a_large_output(tmp_path: Path) -> None:
    text = told_by_kimi(kimi(tmp_path, "x" * 60_000))[0]
    assert text.startswith(
        "Tool output exceeded 50000 characters; the full output was saved to a file.\ntool_name: Bash\n"
    )
    assert "[elided: chars [4096, 58976)]\n\n[preview: chars [58976, 60000)]" in text
    assert str(tmp_path) not in text


@pytest.mark.parametrize(
    ("info", "is_offered"),
    [
        ({"status": "running", "exitCode": None, "endedAt": None}, False),
        ({"exitCode": None}, False),
        ({"parentToolCallId": "B"}, False),
        ({"taskId": "../bash-1"}, False),
        ({"detached": True}, True),
    ],
)
def test_what_a_task_of_kimi_does_not_say_is_not_taken(tmp_path: Path, info: dict[str, Any], is_offered: bool) -> None:
    text, answer = told_by_kimi(kimi(tmp_path, **info))
    assert text.startswith(PLACEHOLDER_START)
    assert bool(answer.session["not_recovered"]) == is_offered


@pytest.mark.parametrize("linked", ["tasks", "tasks/bash-1", "tasks/bash-1/output.log", "tasks/bash-1.json"])
def test_no_link_in_the_folder_of_the_session_is_followed(tmp_path: Path, linked: str) -> None:
    path, elsewhere = kimi(tmp_path / "session"), tmp_path / "elsewhere"
    (path.parent / linked).rename(elsewhere)
    (path.parent / linked).symlink_to(elsewhere)
    text, answer = told_by_kimi(path)
    assert text.startswith(PLACEHOLDER_START)
    assert (answer.session["recovered"], answer.session["not_recovered"]) == ([], [])


def kimi_cli(folder: Path, *events: tuple[str, dict[str, Any]]) -> Path:
    """A context with the open call A, and the events that the window was shown."""
    call = {"type": "function", "id": "A", "function": {"name": "Shell", "arguments": '{"command":"make"}'}}
    rows: list[dict[str, Any]] = [
        {"role": "_system_prompt", "content": "s"},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "on it", "tool_calls": [call]},
    ]
    shown = [
        {"timestamp": 1.0, "message": {"type": kind, "payload": given}} for kind, given in [("ToolCall", call), *events]
    ]
    (folder / "wire.jsonl").write_bytes(lines([{"type": "metadata", "protocol_version": "1.10"}, *shown]))
    path = folder / "context.jsonl"
    path.write_bytes(lines(rows))
    return path


def shown(call: str = "A", **value: Any) -> tuple[str, dict[str, Any]]:
    given = {"is_error": False, "output": "real\n", "message": "Done.", "display": [], "extras": None}
    return "ToolResult", {"tool_call_id": call, "return_value": given | value}


@pytest.mark.parametrize(
    ("value", "content"),
    [
        ({}, ["<system>Done.</system>", "real\n"]),
        ({"message": ""}, "real\n"),
        ({"output": ""}, "<system>Done.</system>"),
        ({"output": "", "message": ""}, "<system>Tool output is empty.</system>"),
        ({"is_error": True}, ["<system>ERROR: Done.</system>", "real\n"]),
        ({"output": [{"type": "text", "text": "real"}]}, ["<system>Done.</system>", "real"]),
    ],
)
def test_kimi_cli_shows_each_result_at_once(tmp_path: Path, value: dict[str, Any], content: str | list[str]) -> None:
    answer = product.repair(kimi_cli(tmp_path, shown(**value)), tmp_path / "out.jsonl")
    row = json.loads((tmp_path / "out.jsonl").read_bytes().splitlines()[-1])
    texts = [{"type": "text", "text": text} for text in content] if isinstance(content, list) else content
    assert row == {"role": "tool", "content": texts, "tool_call_id": "A"}
    place = {"record": None, "line": None, "file": "wire.jsonl", "origin": "line 3, event ToolResult", "doubt": None}
    assert answer.session["recovered"] == [{"call_id": "A", **place}]


OTHER = {"type": "function", "id": "A", "function": {"name": "Shell", "arguments": '{"command":"rm"}'}}


@pytest.mark.parametrize(
    "events",
    [
        [("ToolCall", OTHER), shown()],
        [shown(), ("ToolCall", OTHER)],
        [shown("B")],
        [shown(output=[{"type": "image_url", "image_url": {"url": "data:"}}])],
        [("SubagentEvent", {"parent_tool_call_id": "A", "event": {"type": "ToolResult", "payload": shown()[1]}})],
    ],
)
def test_what_kimi_cli_shows_of_something_else_is_not_taken(tmp_path: Path, events: list[tuple[str, Any]]) -> None:
    answer = product.repair(kimi_cli(tmp_path, *events), tmp_path / "out.jsonl")
    assert (answer.session["recovered"], answer.session["not_recovered"]) == ([], [])
    assert PLACEHOLDER_START in (tmp_path / "out.jsonl").read_text()


def claude(folder: Path, *records: dict[str, Any], meta: dict[str, Any] | None = None) -> Path:
    """A session with the open call of a subagent, whose own log holds these records."""
    path = written(folder, "open.jsonl", claude_lines(name="Task", given={"prompt": "look", "description": "d"}))
    own = folder / "open" / "subagents"
    own.mkdir(parents=True)
    (own / "agent-1.meta.json").write_text(json.dumps({"toolUseId": CALL, "finished": True} if meta is None else meta))
    (own / "agent-1.jsonl").write_bytes(
        lines([{"type": "user", "message": {"role": "user", "content": "look"}}, *records])
    )
    return path


def said(text: str, reason: str = "end_turn", *more: dict[str, Any]) -> dict[str, Any]:
    content = [{"type": "text", "text": text}, *more]
    return {"type": "assistant", "message": {"role": "assistant", "content": content, "stop_reason": reason}}


@pytest.mark.parametrize("meta", [None, {}], ids=["named by the meta file", "named by the prompt"])
def test_the_report_of_a_subagent_is_offered(tmp_path: Path, meta: dict[str, Any] | None) -> None:
    path = claude(tmp_path, said("The report."), {"type": "api-request"}, meta=meta)
    answer = product.repair(path, tmp_path / "out.jsonl")
    assert (answer.session["recovered"], PLACEHOLDER_START in (tmp_path / "out.jsonl").read_text()) == ([], True)
    (offered,) = answer.session["not_recovered"]
    assert offered["file"] == "open/subagents/agent-1.jsonl"
    answer = product.repair(path, tmp_path / "out.jsonl", strategies="D1=recover")
    (block,) = json.loads((tmp_path / "out.jsonl").read_bytes().splitlines()[-1])["message"]["content"]
    assert "The report." in json.dumps(block["content"])
    assert "is_error" not in block or block["is_error"] is False
    assert answer.edits[-1]["reason"].startswith("the possible result, recovered from open/subagents/agent-1.jsonl")


@pytest.mark.parametrize(
    ("records", "meta"),
    [
        ([said("Not yet.")], {"toolUseId": CALL, "finished": False}),
        ([said("Of another.")], {"toolUseId": "toolu_other"}),
        ([said("A call.", "tool_use", {"type": "tool_use", "id": "x", "name": "Bash", "input": {}})], None),
        ([said("Early."), {"type": "user", "message": {"role": "user", "content": "more"}}], None),
        ([], None),
    ],
)
def test_a_subagent_that_was_not_done_offers_nothing(
    tmp_path: Path, records: list[dict[str, Any]], meta: dict[str, Any] | None
) -> None:
    path = claude(tmp_path, *records, meta=meta)
    assert not any("recover" in finding["strategies"] for finding in product.check(path).findings)


def cline(folder: Path, *shown: tuple[str, str], commands: tuple[str, ...] = ("make",)) -> Path:
    calls = [
        {"type": "tool_use", "id": f"call_{number}", "name": "execute_command", "input": {"command": command}}
        for number, command in enumerate(commands)
    ]
    history = [
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {"role": "assistant", "content": calls},
    ]
    (folder / "ui_messages.json").write_text(
        json.dumps([{"ts": 1, "type": "say", "say": kind, "text": text} for kind, text in shown])
    )
    path = folder / "api_conversation_history.json"
    path.write_text(json.dumps(history))
    return path


def test_what_the_window_of_cline_showed_is_offered(tmp_path: Path) -> None:
    path = cline(tmp_path, ("command", "make"), ("command_output", "one"), ("command_output", "two"))
    (finding,) = product.check(path).findings
    assert (finding["default"], finding["result_in"]) == ("answer", "ui_messages.json (record 2, command_output)")
    product.repair(path, tmp_path / "out.json", strategies="D1=recover")
    assert "one\\ntwo" in (tmp_path / "out.json").read_text()


@pytest.mark.parametrize(
    ("shown_messages", "commands"),
    [
        ([("command", "make"), ("command_output", "one")], ("make", "make")),
        ([("command", "make"), ("command_output", "one"), ("command", "make"), ("command_output", "two")], ("make",)),
        ([("command", "ls"), ("command_output", "one")], ("make",)),
        ([("command", "make")], ("make",)),
    ],
    ids=["two calls", "shown twice", "another command", "no output"],
)
def test_a_command_that_is_not_alone_is_not_matched(
    tmp_path: Path, shown_messages: list[tuple[str, str]], commands: tuple[str, ...]
) -> None:
    path = cline(tmp_path, *shown_messages, commands=commands)
    assert not any("recover" in finding["strategies"] for finding in product.check(path).findings)


def test_the_tree_and_the_preview_show_what_is_recovered(tmp_path: Path) -> None:
    engine = WindowEngine()
    outline = engine.open(str(codex(tmp_path, ended("B")))).outline
    assert [mark for mark in outline.mark if mark] == [PairMark.UNANSWERED, PairMark.RECOVERABLE]
    preview = engine.preview(Choices())
    assert preview.recovered == ("The result of B is recovered from line 5 (event item_completed).",)
    assert preview.changes[-2].reason == "the real result, recovered from line 5 (event item_completed)"
    preview = engine.preview(Choices(rules={"D1": "answer"}))
    assert (preview.recovered, len(preview.unused_results)) == ((), 1)
    blocks = engine.resume_request(Choices()).blocks
    assert [block.mark for block in blocks if block.kind == "result"] == ["added by the repair", "recovered"]
    engine.close()


@pytest.mark.parametrize(("entry", "said"), [(ended("B"), "loses part of it"), (ended("C"), "nothing is lost")])
def test_a_report_to_share_does_not_say_that_nothing_is_lost(
    tmp_path: Path, entry: tuple[str, dict[str, Any]], said: str
) -> None:
    assert said in text_of_command("check", str(codex(tmp_path, entry)), "--format", "markdown").splitlines()[4]


EVENTS = """
CREATE TABLE event (id TEXT PRIMARY KEY, aggregate_id TEXT NOT NULL, seq INTEGER NOT NULL, type TEXT NOT NULL,
    data TEXT NOT NULL)
"""


def opencode_database(folder: Path, *states: dict[str, Any], type_: str = "message.part.updated.1") -> Path:
    """A session whose call A is open, and the states of its part in the table of events; `part` changes the part."""
    state = {"status": "running", "input": {"command": "make"}, "time": {"start": 1}}
    call = opencode.assistant(2, {"type": "tool", "callID": "A", "tool": "bash", "state": state})
    messages = [opencode.user(1, {"type": "text", "text": "go"}), call]
    path = opencode.write_database(messages, folder / "opencode.db")
    (part,) = (part for part in call["parts"] if part["type"] == "tool")
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(EVENTS)
        for number, each in enumerate(states):
            changed = {**part, "state": state | each} | each.pop("part", {})
            event = json.dumps({"sessionID": opencode.SESSION, "part": changed, "time": 2})
            row = (f"evt_{number}", opencode.SESSION, number, type_, event)
            database.execute("INSERT INTO event VALUES (?, ?, ?, ?, ?)", row)
    return path


def state_of_call(path: Path, folder: Path) -> tuple[dict[str, Any], product.Answer]:
    """The state of the call in the repaired database."""
    answer = product.repair(path, folder / "out.db")
    with closing(sqlite3.connect(folder / "out.db")) as database:
        (data,) = database.execute("""SELECT data FROM part WHERE data LIKE '%"tool"%'""").fetchone()
    return dict(json.loads(data)["state"]), answer


FINISHED = {"status": "completed", "output": "real\n", "title": "make", "metadata": {"exit": 0}, "attachments": []}


@pytest.mark.parametrize("last", [FINISHED, {"status": "error", "error": "no rule to make target"}])
def test_the_state_in_which_a_call_of_opencode_ended_is_taken_whole(last: dict[str, Any], tmp_path: Path) -> None:
    path = opencode_database(tmp_path, FINISHED | {"output": "earlier"}, {"metadata": {"output": "re"}}, dict(last))
    assert product.check(path).session["verdict"] == "broken"
    state, answer = state_of_call(path, tmp_path)
    assert state == {"input": {"command": "make"}, "time": {"start": 1}, **last}
    place = {"record": None, "line": None, "file": "opencode.db", "origin": "table event", "doubt": None}
    assert answer.session["recovered"] == [{"call_id": "A", **place}]


@pytest.mark.parametrize(
    "state",
    [
        {"metadata": {"output": "real\n"}},
        FINISHED | {"output": 7},
        FINISHED | {"part": {"callID": "B"}},
        FINISHED | {"part": {"id": "prt_other"}},
        FINISHED | {"part": {"sessionID": "ses_other"}},
    ],
)
def test_nothing_is_taken_from_another_part_or_before_its_end(state: dict[str, Any], tmp_path: Path) -> None:
    taken, answer = state_of_call(opencode_database(tmp_path, dict(state)), tmp_path)
    assert (taken["status"], answer.session["recovered"]) == ("error", [])
    assert taken["error"].startswith(PLACEHOLDER_START)


def test_other_events_and_a_database_without_events_hold_no_result(tmp_path: Path) -> None:
    other = opencode_database(tmp_path, dict(FINISHED), type_="session.updated.1")
    assert state_of_call(other, tmp_path)[1].session["recovered"] == []
    with closing(sqlite3.connect(other)) as database, database:
        database.execute("DROP TABLE event")
    assert product.repair(other, tmp_path / "again.db").session["recovered"] == []
