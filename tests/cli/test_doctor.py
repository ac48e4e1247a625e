"""`doctor`: what is wrong in the stores of the agents, and that nothing in them changes."""

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from inspector.cli.app import main
from tests.core.doctor.made_stores import KIMI, MADE, UUID, Place, moved, project_gone, torn_middle
from tests.core.doctor.test_stores import hashes
from tests.core.formats import FORMATS
from tests.support.notation import parse

CODEX, CLAUDE = "codex", "claude-code"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def doctor(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["doctor", *arguments], catch_exceptions=False)


def told(*arguments: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(doctor(*arguments, "--format", "json").stdout)
    return answer


def causes_of_store(home: Path) -> list[tuple[str, str]]:
    (store,) = told()["stores"]
    return [(fault["cause"], fault["effect"]) for fault in store["faults"]]


def test_a_machine_without_stores(home: Path) -> None:
    result = doctor()
    assert (result.exit_code, told()) == (0, told() | {"stores": [], "unknown": []})
    assert "No agent stores on this machine" in result.stdout


def test_all_stores_are_listed_and_none_is_changed(home: Path) -> None:
    for make in MADE.values():
        make(home)
    before = hashes(home)
    assert doctor().exit_code == 0
    assert [(store["format"], store["sessions"]) for store in told()["stores"]] == [(name, 1) for name in told_order()]
    assert hashes(home) == before


def told_order() -> list[str]:
    return sorted(MADE, key=[store["format"] for store in told()["stores"]].index)


def test_the_faults_of_one_store(home: Path) -> None:
    project_gone(MADE[CLAUDE](home))
    moved("{home}/.codex/sessions/2026/01/01/{name}")(MADE[CODEX](home))
    result = doctor("--store", CODEX)
    assert result.exit_code == 1
    assert result.stdout.startswith("Codex (~/.codex): 1 session, 1 with faults\n")
    assert "index-path (not-opened): The database refers to ~/.codex/sessions/2026/11/24/" in result.stdout
    assert result.stdout.rstrip().endswith(f"After that, open the session: cd {home}/project && codex resume {UUID}")
    (store,) = told("--store", "Codex")["stores"]
    (session,) = store["troubled"]
    assert [fault["cause"] for fault in session["faults"]] == ["index-path"]


def test_a_session_that_would_be_cut_has_a_warning(home: Path) -> None:
    torn_middle(MADE["kimi-code"](home))
    assert "    Warning: Do not open this session yet, because Kimi Code would shorten" in doctor().stdout


def test_what_a_person_asked_for_is_no_finding(home: Path) -> None:
    place = MADE["kimi-code"](home)
    state = place.log.parent.parent.parent / "state.json"
    state.write_text(json.dumps({"id": KIMI, "cwd": str(place.project), "archived": True}))
    assert doctor().exit_code == 0


def test_a_note_is_listed_and_is_no_finding(home: Path) -> None:
    place = MADE[CODEX](home)
    with closing(sqlite3.connect(home / ".codex" / "state_5.sqlite")) as database:
        database.execute("DELETE FROM threads")
        database.commit()
    result = doctor()
    assert (result.exit_code, "file-without-entry (note)" in result.stdout) == (0, True)
    assert place.log.exists()


def test_an_agent_that_is_not_known(home: Path) -> None:
    assert doctor("--store", "nobody").exit_code == 2
    result = doctor("--store", "kimi-cli")
    assert (result.exit_code, result.stdout) == (
        0,
        "The store of kimi-cli was not examined, because Transcript Inspector does not know "
        "how kimi-cli finds its sessions.\n",
    )


def test_a_database_in_use_gets_no_further_files(home: Path) -> None:
    place = MADE["opencode"](home)
    with closing(sqlite3.connect(place.log)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("INSERT INTO project VALUES ('other')")
        database.commit()
        wal = place.log.with_name("opencode.db-wal")
        kept = wal.read_bytes()
    # A database that was copied with its WAL, while nobody has it open.
    wal.write_bytes(kept)
    store = place.log.parent
    before = hashes(store)
    assert doctor().exit_code == 0
    assert hashes(store) == before


def test_a_database_that_the_agent_has_open_is_not_touched(home: Path) -> None:
    place = MADE["opencode"](home)
    store = place.log.parent
    with closing(sqlite3.connect(place.log)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("UPDATE session SET project_id = 'nobody'")
        database.commit()
        before = hashes(store)
        assert "opencode.db-shm" in " ".join(before)
        result = doctor()
        assert hashes(store) == before
    assert (result.exit_code, "pointer (not-opened)" in result.stdout) == (1, True)


STORE_FAULTS = [
    (CLAUDE, ".claude.json", "{", ("damaged-metadata", "not-opened")),
    (CODEX, ".codex/session_index.jsonl", '{"id":"x"}\n{"id":\n', ("damaged-index", "passed-over")),
    ("gemini-cli", ".gemini/projects.json", "{", ("damaged-index", "note")),
    ("kimi-code", ".kimi-code/workspaces.json", "{", ("damaged-index", "not-opened")),
    ("openclaw", ".openclaw/agents/main/sessions/sessions.json", "{", ("damaged-index", "passed-over")),
    ("opencode", ".local/share/opencode/opencode.db", "garbage " * 20, ("damaged-index", "not-opened")),
    ("opencode", ".local/share/opencode/opencode.db", "", ("damaged-index", "not-opened")),
]


@pytest.mark.parametrize(("agent", "name", "text", "fault"), STORE_FAULTS)
def test_a_damaged_index(agent: str, name: str, text: str, fault: tuple[str, str], home: Path) -> None:
    MADE[agent](home)
    (home / name).write_text(text)
    before = hashes(home)
    assert fault in causes_of_store(home)
    assert hashes(home) == before


def test_an_index_that_the_agent_does_not_need_is_no_fault(home: Path) -> None:
    MADE["kimi-code"](home)
    (home / ".kimi-code" / "session_index.jsonl").write_text('{"torn')
    MADE[CODEX](home)
    (home / ".codex" / "state_5.sqlite").write_text("garbage " * 20)
    MADE[CLAUDE](home)
    (home / ".claude" / "projects" / "sessions-index.json").write_text("{")
    assert doctor().exit_code == 0


PERMISSIONS = [
    (CLAUDE, os.R_OK, "no-permission", "not-opened"),
    (CLAUDE, os.W_OK, "read-only", "not-recorded"),
    (CODEX, os.R_OK, "no-permission", "not-opened"),
    (CODEX, os.W_OK, "read-only", "not-opened"),
    ("gemini-cli", os.R_OK, "no-permission", "not-opened"),
    ("kimi-code", os.R_OK, "no-permission", "not-opened"),
    ("kimi-code", os.W_OK, "read-only", "not-recorded"),
    ("qwen-code", os.R_OK, "no-permission", "not-opened"),
    ("pi", os.R_OK, "no-permission", "not-opened"),
    ("pi", os.W_OK, "read-only", "not-opened"),
    ("cline-sdk", os.R_OK, "no-permission", "not-opened"),
    ("cline-sdk", os.W_OK, "read-only", "not-recorded"),
]


@pytest.mark.parametrize(("agent", "lacks", "cause", "effect"), PERMISSIONS)
def test_permissions(
    agent: str, lacks: int, cause: str, effect: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place: Place = MADE[agent](home)
    real = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: not (str(path) == str(place.log) and mode & lacks) and real(path, mode)
    )
    (store,) = told()["stores"]
    (session,) = store["troubled"]
    (fault,) = session["faults"]
    assert (fault["cause"], fault["effect"]) == (cause, effect)
    assert fault["remedy"].startswith("To grant the permission, run: chmod u+")


@pytest.mark.parametrize("agent", [CLAUDE, CODEX, "kimi-code"])
def test_a_folder_that_may_not_be_read(agent: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = MADE[agent](home)
    closed = place.log.parent.parent.parent.parent if agent == "kimi-code" else place.log.parent
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: str(path) != str(closed) and real(path, mode))
    assert ("no-permission", "not-opened") in causes_of_store(home)


def test_a_database_of_another_name_is_named_in_the_command(home: Path) -> None:
    place = MADE["opencode"](home)
    other = place.log.with_name("opencode-next.db")
    place.log.rename(other)
    project_gone(place)
    (store,) = told()["stores"]
    assert f"OPENCODE_DB={other} opencode -s" in store["troubled"][0]["command"]


def test_how_little_a_resume_keeps(home: Path, tmp_path: Path) -> None:
    """A break in the chain of Claude Code's records leaves out what came before it."""
    place = MADE[CLAUDE](home)
    history = " | ".join(f'u"question {number}" | a"answer {number}"' for number in range(20))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    written = FORMATS[CLAUDE].write(parse(history), scratch)
    records = [json.loads(line) for line in written.read_text().splitlines()]
    messages = [number for number, record in enumerate(records) if record.get("type") in ("user", "assistant")]
    records[messages[-2]]["parentUuid"] = "00000000-0000-4000-8000-000000000000"
    for record in records:
        record["cwd"] = str(place.project)
        record["sessionId"] = UUID
    place.write(place.log, *records)
    result = doctor()
    assert "short-resume (left-out): On resume, 5% of the 40 messages are sent." in result.stdout
    assert result.exit_code == 1
