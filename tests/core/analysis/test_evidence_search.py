"""Did it run? What each format shows of a call that nothing answers."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.core.analysis.logs import CALL, claude_lines, evidence, progress, told, written
from tests.core.formats.codex import FILE, call_item, event, message, output_item, rollout
from tests.support.notation import Call, Result, uuid

CODEX_CALL = "call_8fJ2kQ0x7aPz"


@pytest.mark.parametrize(
    ("data", "verdict", "trace"),
    [
        (
            {"type": "bash_progress", "output": "x"},
            "started",
            "started 2 The shell reported progress while the command was running.",
        ),
        ({"type": "agent_progress"}, "started", "started 2 The subagent started by the call reported progress."),
        ({"type": "mcp_progress", "status": "progress"}, "started", "started 2 The MCP server started the call."),
        ({"type": "mcp_progress", "status": "completed"}, "ran", "ran 2 The MCP server completed the call."),
        (
            {"type": "hook_progress", "hookEvent": "PostToolUse"},
            "ran",
            "ran 2 A hook ran after the call (PostToolUse).",
        ),
        (
            {"type": "hook_progress", "hookEvent": "PreToolUse"},
            "no-trace",
            "mentioned 2 A hook ran before the call (PreToolUse).",
        ),
    ],
)
def test_claude_code_progress_tells_how_far_a_call_came(
    tmp_path: Path, data: dict[str, Any], verdict: str, trace: str
) -> None:
    path = written(tmp_path, "s.jsonl", claude_lines(progress(data)))
    assert told(path) == [verdict, trace]


def test_progress_that_repeats_itself_is_told_once_with_its_count(tmp_path: Path) -> None:
    path = written(tmp_path, "s.jsonl", claude_lines(*[progress({"type": "bash_progress"})] * 7))
    assert told(path) == [
        "started",
        "started 2 The shell reported progress while the command was running. (the first of 7 records with this "
        "evidence)",
    ]


def test_progress_of_another_call_is_no_trace(tmp_path: Path) -> None:
    path = written(tmp_path, "s.jsonl", claude_lines(progress({"type": "bash_progress"}, "toolu_another")))
    assert told(path) == ["no-trace"]


@pytest.mark.parametrize(("named", "verdict"), [(uuid(1), "started"), (uuid(0), "no-trace")])
def test_a_backup_of_the_file_is_taken_when_the_edit_begins(tmp_path: Path, named: str, verdict: str) -> None:
    snapshot = {"type": "file-history-snapshot", "messageId": named, "isSnapshotUpdate": True, "snapshot": {}}
    path = written(tmp_path, "s.jsonl", claude_lines(snapshot, name="Edit", given={"file_path": "/work/a.py"}))
    assert told(path)[0] == verdict


def test_the_note_of_a_background_task_names_its_call(tmp_path: Path) -> None:
    note = f"<task-notification>\n<tool-use-id>{CALL}</tool-use-id>\n<status>failed</status></task-notification>"
    path = written(tmp_path, "s.jsonl", claude_lines({"type": "user", "message": {"role": "user", "content": note}}))
    assert told(path) == ["ran", "ran 2 A note contains the status of the background task: failed."]


def test_the_log_of_a_subagent_shows_that_its_call_was_begun(tmp_path: Path) -> None:
    path = written(tmp_path, "s.jsonl", claude_lines(name="Task", given={"prompt": "look"}))
    folder = tmp_path / "s" / "subagents"
    folder.mkdir(parents=True)
    (folder / "agent-a1.jsonl").write_text("{}\n")
    (folder / "agent-a1.meta.json").write_text(json.dumps({"toolUseId": CALL}))
    assert told(path)[0] == "started"


def test_commands_are_found_however_many_are_looked_for(tmp_path: Path) -> None:
    calls = [
        {"type": "tool_use", "id": f"toolu_{n:04}", "name": "Bash", "input": {"command": f"make target {n:04} of all"}}
        for n in range(400)
    ]
    said = "I ran make target 0007 of all and make target 0399 of all, not make target 0008 of some"
    turns = [
        {"type": "assistant", "message": {"id": "m1", "role": "assistant", "content": calls}},
        {"type": "user", "message": {"role": "user", "content": said}},
    ]
    found = evidence(written(tmp_path, "s.jsonl", claude_lines(*turns)))
    assert [each.command for each in found if each.traces] == ["make target 0007 of all", "make target 0399 of all"]


def test_what_speaks_of_a_call_does_not_show_that_it_ran(tmp_path: Path) -> None:
    again = {"type": "user", "message": {"role": "user", "content": f"I ran make install by hand, see {CALL}"}}
    path = written(tmp_path, "s.jsonl", claude_lines(again))
    assert told(path) == [
        "no-trace",
        "mentioned 2 The record contains the id of the call.",
        "mentioned 2 A later record contains the command.",
    ]


def test_the_error_that_names_a_call_is_no_trace_of_it(tmp_path: Path) -> None:
    text = f"API Error: 400 `tool_use` ids were found without `tool_result` blocks: {CALL}"
    message = {"role": "assistant", "content": [{"type": "text", "text": text}]}
    failed = {"type": "assistant", "isApiErrorMessage": True, "message": message}
    path = written(tmp_path, "s.jsonl", claude_lines(failed))
    assert told(path) == ["no-trace"]


SHELL = Call(CODEX_CALL, "shell", {"command": ["bash", "-lc", "make install"]})


def codex_log(folder: Path, *entries: tuple[str, dict[str, Any]], call: Call = SHELL) -> Path:
    """A prompt, a call in record 2, and what follows it."""
    path = folder / FILE
    path.write_bytes(rollout(("response_item", message("user", "hi")), ("response_item", call_item(call)), *entries))
    return path


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"type": "exec_command_begin"}, ["started", "started 3 The command was started (exec_command_begin)."]),
        (
            {"type": "exec_command_end", "exit_code": 0, "status": "completed"},
            ["ran", "ran 3 The command ended (exec_command_end, status completed, exit code 0)."],
        ),
        (
            {"type": "exec_command_end", "exit_code": -1, "status": "declined"},
            ["no-trace", "mentioned 3 The call was declined (exec_command_end)."],
        ),
        (
            {"type": "patch_apply_end", "success": True},
            ["ran", "ran 3 The patch was applied (patch_apply_end, success True)."],
        ),
        (
            {"type": "exec_approval_request"},
            ["no-trace", "mentioned 3 The user was asked to allow the command (exec_approval_request)."],
        ),
    ],
)
def test_codex_events_tell_how_far_a_call_came(tmp_path: Path, payload: dict[str, Any], expected: list[str]) -> None:
    path = codex_log(tmp_path, ("event_msg", payload | {"call_id": CODEX_CALL}))
    assert told(path) == expected


def test_codex_items_tell_of_calls_too(tmp_path: Path) -> None:
    item = {"type": "CommandExecution", "id": CODEX_CALL, "status": "completed"}
    path = codex_log(tmp_path, event("item_completed", item=item))
    assert told(path)[0] == "ran"


def test_an_event_of_an_earlier_call_with_the_id_is_none_of_this_one(tmp_path: Path) -> None:
    call = Call("call_0", "shell", {"command": ["ls"]})
    begun = event("exec_command_begin", call_id="call_0")
    answer = ("response_item", output_item(Result("call_0", "x")))
    path = codex_log(tmp_path, begun, answer, ("response_item", call_item(call)), call=call)
    assert told(path) == ["no-trace"]


def test_an_event_of_a_later_call_with_the_id_is_none_of_an_earlier_one(tmp_path: Path) -> None:
    call = Call("call_0", "shell", {"command": ["ls"]})
    begun = event("exec_command_begin", call_id="call_0")
    again = [("response_item", message("user", "hi")), ("response_item", call_item(call))]
    first, second = evidence(codex_log(tmp_path, *again, begun, call=call))
    assert (first.verdict, second.verdict) == ("no-trace", "started")


def test_the_folder_of_a_call_is_that_of_its_turn(tmp_path: Path) -> None:
    turn, again = ("turn_context", {"cwd": "/elsewhere"}), ("response_item", call_item(SHELL))
    first = codex_log(tmp_path)
    (found,) = evidence(first)
    assert (found.effect, found.command, found.folder) == ("shell", "make install", "/w")
    answer = ("response_item", output_item(Result(CODEX_CALL, "x")))
    (found,) = evidence(codex_log(tmp_path, answer, turn, again))
    assert found.folder == "/elsewhere"


def opencode_export(folder: Path, state: dict[str, Any]) -> Path:
    part = {"id": "prt_1", "type": "tool", "callID": "c1", "tool": "bash", "state": state}
    info = {"id": "msg_1", "role": "assistant", "sessionID": "ses_1", "path": {"cwd": "/work"}, "time": {"created": 1}}
    said = {"info": {"id": "msg_0", "role": "user", "sessionID": "ses_1"}, "parts": [{"type": "text", "text": "hi"}]}
    path = folder / "export.json"
    session = {"id": "ses_1", "projectID": "p", "directory": "/work"}
    path.write_text(json.dumps({"info": session, "messages": [said, {"info": info, "parts": [part]}]}))
    return path


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ({"status": "pending"}, ["no-trace"]),
        (
            {"status": "running", "time": {"start": 5}},
            ["started", "started 1 According to the log, the call has been running since 5."],
        ),
        (
            {"status": "running", "metadata": {"output": "abc"}},
            ["started", "started 1 The call was running and had written 3 characters."],
        ),
        (
            {"status": "running", "metadata": {"sessionId": "ses_2"}},
            ["started", "started 1 The call was running and had started the session ses_2."],
        ),
    ],
)
def test_opencode_keeps_the_state_of_a_call(tmp_path: Path, state: dict[str, Any], expected: list[str]) -> None:
    path = opencode_export(tmp_path, {"input": {"command": "make install"}} | state)
    assert told(path) == expected
    assert evidence(path)[0].folder == "/work"


@pytest.mark.parametrize(
    ("status", "verdict"),
    [("executing", "started"), ("success", "ran"), ("cancelled", "no-trace"), ("awaiting_approval", "no-trace")],
)
def test_gemini_cli_keeps_the_status_of_a_call(tmp_path: Path, status: str, verdict: str) -> None:
    call = {"id": "c1", "name": "run_shell_command", "args": {"command": "make"}, "status": status}
    head = {"sessionId": "s1", "projectHash": "h", "startTime": "t", "lastUpdated": "t"}
    said = {"id": "m0", "timestamp": "t", "type": "user", "content": [{"text": "hi"}]}
    asked = {"id": "m1", "timestamp": "t", "type": "gemini", "content": "", "toolCalls": [call]}
    path = written(tmp_path, "session-2026-01-01T00-00-abc.jsonl", [head, said, asked])
    assert told(path)[0] == verdict


def kimi_wire(*events: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    head = {"type": "metadata", "protocol_version": "1.10"}
    return [head, *({"timestamp": 1.0, "message": {"type": kind, "payload": given}} for kind, given in events)]


def test_the_events_beside_a_context_of_kimi_cli_tell_of_its_calls(tmp_path: Path) -> None:
    function = {"name": "Shell", "arguments": json.dumps({"command": "make install"})}
    call = {"type": "function", "id": "Shell:0", "function": function}
    context = [
        {"role": "_system_prompt", "content": "s"},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "on it", "tool_calls": [call]},
    ]
    path = written(tmp_path, "context.jsonl", context)
    assert told(path) == ["no-trace"]
    shown = {"name": "Shell", "arguments": '{"command": "make '}
    written(
        tmp_path,
        "wire.jsonl",
        kimi_wire(
            ("ToolCall", {"type": "function", "id": "Shell:0", "function": shown}),
            ("ToolCallPart", {"arguments_part": 'install"}'}),
            ("ApprovalRequest", {"tool_call_id": "Shell:0"}),
            ("ToolResult", {"tool_call_id": "Shell:0", "return_value": {"output": "done"}}),
        ),
    )
    assert told(path) == [
        "ran",
        "ran None The result of the call was displayed (ToolResult). See wire.jsonl, line 5.",
        "mentioned None The user was asked to allow the call (ApprovalRequest). See wire.jsonl, line 4.",
    ]


def test_what_the_window_of_cline_showed_tells_of_its_calls(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "c1", "name": "execute_command", "input": {"command": "make install"}}
    text = "<task>hi</task><environment_details># Current Working Directory (/work)\n</environment_details>"
    history = [
        {"role": "user", "content": [{"type": "text", "text": text}]},
        {"role": "assistant", "content": [call]},
    ]
    path = tmp_path / "api_conversation_history.json"
    path.write_text(json.dumps(history))
    shown = [
        {"ts": 1, "type": "ask", "ask": "command", "text": "make install"},
        {"ts": 2, "type": "say", "say": "command_output", "text": "installing"},
    ]
    (tmp_path / "ui_messages.json").write_text(json.dumps(shown))
    assert told(path) == [
        "started",
        "started None The agent's window displayed the output of the command (ui_messages.json, record 2).",
        "mentioned None The user was asked about the call (ui_messages.json, record 1: command).",
    ]
    assert evidence(path)[0].folder == "/work"


def test_an_approval_in_kimi_code_is_no_trace_of_running(tmp_path: Path) -> None:
    step = {"turnId": "0", "step": 1}
    loop = [
        {"type": "step.begin", "uuid": "s1", **step},
        {"type": "tool.call", "uuid": "c1", "stepUuid": "s1", "toolCallId": CODEX_CALL, "name": "Shell",
         "args": {"command": "make install"}, **step},
    ]  # fmt: skip
    prompt = {"role": "user", "content": [{"type": "text", "text": "hi"}], "toolCalls": []}
    records: list[dict[str, Any]] = [
        {"type": "metadata", "protocol_version": "1.4", "created_at": 1},
        {"type": "config.update", "cwd": "/work", "time": 1},
        {"type": "context.append_message", "message": prompt, "time": 1},
        *({"type": "context.append_loop_event", "event": each, "time": 2} for each in loop),
        {"type": "permission.record_approval_result", "toolCallId": CODEX_CALL, "result": {"decision": "approved"}},
    ]
    path = written(tmp_path, "wire.jsonl", records)
    assert told(path) == [
        "no-trace",
        "mentioned 5 The user was asked to allow the call and answered: approved.",
    ]
    assert evidence(path)[0].folder == "/work"


def test_a_stream_tells_of_its_subagents_and_tasks(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": CALL, "name": "Bash", "input": {"command": "make install"}}
    head = {"type": "system", "subtype": "init", "session_id": "s", "cwd": "/work"}
    asked = {"type": "assistant", "session_id": "s", "message": {"id": "m", "role": "assistant", "content": [call]}}
    task = head | {"subtype": "task_notification", "tool_use_id": CALL, "status": "completed"}
    end = {"type": "result", "subtype": "success", "session_id": "s", "is_error": False}
    path = written(tmp_path, "stream.jsonl", [head, asked, task, end])
    assert told(path) == ["ran", "ran 2 The background task ended: completed."]
    assert evidence(path)[0].folder == "/work"
