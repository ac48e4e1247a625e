"""A pasted text that names a session: where its log is, why the agent does not find it, the command that opens it."""

import json
import os
import shlex
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from inspector.cli.app import main
from inspector.core.doctor.mentioned_sessions import mentions_in
from inspector.core.engine.log_list import EngineWithoutOpenLog
from inspector.core.providers.error_parser import parse_error_text
from tests.core.doctor.made_stores import (
    CLINE,
    KIMI,
    MADE,
    OPENCODE,
    OTHER,
    UUID,
    moved,
    project_gone,
    torn_middle,
    written,
)
from tests.core.doctor.test_stores import hashes

# What each agent says where it does not find its session, with the id.
NOT_FOUND = {
    "claude-code": f"No conversation found with session ID: {UUID}",
    "codex": f"Error: thread/resume: thread/resume failed: no rollout found for thread id {UUID} (code -32600)",
    "gemini-cli": f'Error resuming session: Invalid session identifier "{UUID}".\n  Searched for sessions in ~/.gemini',
    "kimi-code": f'error: failed to run prompt: Session "{KIMI}" not found.',
    "qwen-code": f"No saved session found with ID {UUID}. Run `qwen --resume` without an ID to choose.",
    "copilot-cli": f"Error: No session, task, or name matched '{UUID}'.",
    "vscode-chat": f"ChatSessionStore: Error reading log chat session file {UUID}",
    "dsh": f'corrupt session log "/w/{UUID}/session.jsonl": header id "{UUID}" and cwd identify "/v"',
    "opencode": f"Error: Session not found: {OPENCODE}",
    "pi": f"No session found matching '{UUID}'",
    "omp": f'Error: Session "{UUID}" not found.',
    "openclaw": f"openclaw agent --agent main --session-id {UUID} --message hello",
    "cline-sdk": f"cline --id {CLINE}",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def explain(text: str, *more: str) -> Result:
    return CliRunner().invoke(main, ["explain", "--error", text, *more], catch_exceptions=False)


def told(text: str, code: int = 0) -> dict[str, Any]:
    result = explain(text, "--format", "json")
    assert result.exit_code == code, result.output
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def the_session(text: str) -> dict[str, Any]:
    (session,) = told(text)["sessions"]
    return dict(session)


@pytest.mark.parametrize("agent", MADE)
def test_a_session_is_found_by_what_its_agent_says(agent: str, home: Path) -> None:
    place = MADE[agent](home)
    before = hashes(home)
    answer = told(NOT_FOUND[agent])
    (session,) = answer["sessions"]
    assert answer["error"]["kind"] == "store"
    assert (session["format"], session["path"], session["project"]) == (agent, str(place.log), str(place.project))
    assert (session["by"], session["faults"], session["after_remedy"]) == ("id", [], False)
    assert session["command"].startswith(f"cd {place.project} && ")
    assert hashes(home) == before


@pytest.mark.parametrize("agent", MADE)
@pytest.mark.parametrize("kind", ["id", "path", "command"])
def test_an_id_a_path_and_a_command_are_looked_up(agent: str, kind: str, home: Path) -> None:
    place = MADE[agent](home)
    words = shlex.split(the_session(place.id)["command"])
    if kind == "command" and not any(place.id in word for word in words):
        pytest.skip("the command opens the folder, and names no session")
    text = {"id": place.id, "path": f"{place.log}:", "command": f"$ {shlex.join(words[3:])}"}[kind]
    session = the_session(text)
    assert (session["id"], session["path"]) == (place.id, str(place.log))


def test_the_text_says_where_why_and_how(home: Path) -> None:
    place = MADE["claude-code"](home)
    project_gone(place)
    lines = explain(NOT_FOUND["claude-code"]).stdout.splitlines()
    assert lines[0] == "The agent cannot find a session with this id."
    assert f"~{str(place.log).removeprefix(str(home))} (Claude Code): the text contains the session id" in lines
    assert lines[-1] == f"  Open the session: claude --resume {place.log}"
    assert "  folder-gone (not-opened): The project's folder, ~/project, does not exist." in lines


@pytest.mark.parametrize(
    ("agent", "text", "how"),
    [
        ("claude-code", f"claude --resume {UUID[:13]}", "beginning"),
        ("claude-code", f"No conversation found with session ID: {UUID.upper()}", "capitals"),
        ("kimi-code", f"kimi --session {UUID}", "id"),
        ("codex", "codex resume harbour", "name"),
        ("codex", "codex resume 'harbour'", "name"),
        ("opencode", "A session", "name"),
    ],
)
def test_other_spellings_of_an_id_and_names(agent: str, text: str, how: str, home: Path) -> None:
    place = MADE[agent](home)
    session = the_session(text)
    assert (session["id"], session["by"]) == (place.id, how)


def test_a_title_is_looked_up_in_the_logs_of_its_agent(home: Path) -> None:
    place = MADE["claude-code"](home)
    with place.log.open("a") as log:
        log.write(json.dumps({"type": "custom-title", "customTitle": "the harbour", "sessionId": UUID}) + "\n")
    said = 'Provided value "the harbour" is not a UUID and does not match any session title.'
    assert the_session(said)["by"] == "name"


def test_an_id_broken_by_a_terminal_is_found(home: Path) -> None:
    MADE["claude-code"](home)
    assert the_session(f"No conversation found with session ID: {UUID[:20]}\n{UUID[20:]}")["by"] == "id"


@pytest.mark.parametrize("text", [NOT_FOUND["claude-code"].replace(UUID, OTHER), f"claude --resume {OTHER}"])
def test_a_session_that_no_store_has_is_not_found(text: str, home: Path) -> None:
    MADE["claude-code"](home)
    assert told(text, code=1)["sessions"] == []


@pytest.mark.parametrize(
    ("agent", "text"),
    [
        ("kimi-code", 'No sessions to continue under "{project}"; starting a fresh session.'),
        ("pi", "Session found in different project: {project}\nFork this session into current directory? [y/N]"),
    ],
)
def test_the_folder_of_a_project_leads_to_its_sessions(agent: str, text: str, home: Path) -> None:
    place = MADE[agent](home)
    session = the_session(text.format(project=place.project))
    assert (session["by"], session["id"]) == ("folder", place.id)


def test_a_text_without_an_id_shows_the_sessions_of_its_agent_with_faults(home: Path) -> None:
    place = MADE["gemini-cli"](home)
    moved("{parent}/chat.jsonl")(place)
    session = the_session("Error resuming session: No previous sessions found for this project.")
    assert (session["by"], [fault["cause"] for fault in session["faults"]]) == ("agent", ["misnamed"])


@pytest.mark.parametrize(
    "text", ["npm ERR! code ERESOLVE", "TypeError: fetch failed", "529 overloaded_error", "resume the work please"]
)
def test_a_text_about_something_else_names_no_session(text: str, home: Path) -> None:
    MADE["codex"](home)
    assert told(text, code=1)["sessions"] == []


def test_a_warning_comes_before_a_command_that_would_cut(home: Path) -> None:
    place = MADE["kimi-code"](home)
    torn_middle(place)
    session = the_session(NOT_FOUND["kimi-code"])
    assert (session["faults"][0]["effect"], session["after_remedy"]) == ("destroys", True)
    lines = explain(NOT_FOUND["kimi-code"]).stdout.splitlines()
    (warning,) = (number for number, line in enumerate(lines) if line.startswith("  Warning: Do not open this"))
    assert lines[warning + 1].startswith("  After that, open the session: ")


def test_a_fault_of_the_whole_store_is_shown_with_the_session(home: Path) -> None:
    place = MADE["kimi-code"](home)
    written(".kimi-code/workspaces.json", "{")(place)
    session = the_session(NOT_FOUND["kimi-code"])
    assert [fault["cause"] for fault in session["faults"]] == ["damaged-index"]
    assert session["after_remedy"]


def test_a_store_that_was_moved_is_opened_with_its_variable(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = MADE["claude-code"](home)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "other"))
    command = the_session(NOT_FOUND["claude-code"])["command"]
    assert f"CLAUDE_CONFIG_DIR={home}/.claude claude --resume" in command
    monkeypatch.setenv("HOME", str(home / "new"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")
    session = the_session(str(place.log))
    assert f"CLAUDE_CONFIG_DIR={home}/.claude claude --resume" in session["command"]


def test_two_files_with_one_id_are_both_shown(home: Path) -> None:
    place = MADE["claude-code"](home)
    other = place.log.parent.with_name("-other") / place.log.name
    other.parent.mkdir()
    other.write_bytes(place.log.read_bytes())
    sessions = told(NOT_FOUND["claude-code"])["sessions"]
    assert {session["path"] for session in sessions} == {str(place.log), str(other)}
    assert all(str(session["path"]) in session["command"] for session in sessions)


@pytest.mark.parametrize("text", ["/" * 100_000, "/a " * 30_000, "resume " * 15_000, "'a" * 40_000, "a:b " * 25_000])
def test_a_huge_text_is_read_in_a_breath(text: str) -> None:
    start = time.process_time()
    assert len(mentions_in(text, about_session=True).paths) <= 50
    parse_error_text(text)
    assert time.process_time() - start < 10


def test_the_words_of_a_request_are_no_kind(home: Path) -> None:
    MADE["codex"](home)
    body = {"model": "m", "messages": [{"role": "user", "content": "prompt is too long: 9 tokens > 8 maximum"}]}
    assert told(json.dumps(body))["error"]["kind"] is None


def test_the_window_gets_the_same(home: Path) -> None:
    place = MADE["codex"](home)
    answer = EngineWithoutOpenLog().search(NOT_FOUND["codex"])
    assert answer.explains
    assert [found.path for found in answer.places] == [str(place.log)]
    assert f"Open the session: cd {place.project} && codex resume {UUID}" in answer.remarks


@pytest.mark.parametrize(
    ("text", "ids", "paths"),
    [
        ("No rollout at /home/u/.codex/sessions/a b.jsonl", (), ("/home/u/.codex/sessions/a",)),
        ("'/home/u/my work/a.jsonl' is empty", (), ("/home/u/my work/a.jsonl", "/home/u/my")),
        ("see https://example.org/a/b", (), ()),
        (f"x {UUID}, {KIMI}", (UUID,), ()),
        (f"{CLINE} and {OPENCODE}", (CLINE, OPENCODE), ()),
    ],
)
def test_what_a_text_names(text: str, ids: tuple[str, ...], paths: tuple[str, ...]) -> None:
    found = mentions_in(text, about_session=True)
    assert set(found.ids) == set(ids)
    assert set(found.paths) == set(paths)


def test_a_path_that_leads_nowhere_is_found_by_the_name_of_its_file(home: Path) -> None:
    place = MADE["codex"](home)
    text = f"rollout at /Users/x/.codex/sessions/2026/11/24/{os.path.basename(place.log)} is empty"
    assert the_session(text)["path"] == str(place.log)


def test_an_agent_of_which_nothing_is_known_is_found_by_its_path(home: Path) -> None:
    log = home / ".kimi" / "sessions" / "0123456789abcdef" / UUID / "context.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text('{"role":"user","content":"hello"}\n')
    session = the_session(f'Session "{UUID}" not found')
    assert (session["format"], session["path"]) == ("kimi-cli", str(log))
