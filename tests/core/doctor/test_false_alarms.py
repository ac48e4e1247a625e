"""What an agent opens in spite of a damage: the doctor does not say that it would not."""

import os
from pathlib import Path

import pytest

from inspector.core.doctor.machine import examine_session
from inspector.core.formats.base.stores import HostEnvironment
from tests.core.doctor.made_stores import (
    CLINE,
    MADE,
    UUID,
    Break,
    Place,
    bom,
    both,
    copied,
    displaced,
    edited,
    fused_first,
    in_openclaw_index,
    in_state,
    linked,
    moved,
    project_gone,
    sql,
    torn_first,
    torn_middle,
    without_first,
    written,
)
from tests.core.doctor.test_stores import store_of

torn_last = edited(lambda data: data + b'{"type":')
blank_first = edited(lambda data: b"\n" + data)


def title_second(data: bytes) -> bytes:
    title, header, rest = data.split(b"\n", 2)
    return b"\n".join((header, title, rest))


def store_linked(name: str) -> Break:
    """Put a link in the place of a folder below the home."""

    def link(place: Place) -> None:
        folder = place.home / name
        folder.rename(place.home / "real")
        folder.symlink_to(place.home / "real")

    return link


def as_document(place: Place) -> None:
    """Write a chat of Gemini CLI as the JSON document of older versions."""
    text = place.log.read_text().splitlines()[0]
    place.log.with_suffix(".json").write_text(text[:-1] + ', "messages": [{"type": "user"}]}')
    place.log.unlink()


_CODEX, _CLINE = ".codex/state_5.sqlite", ".cline/data/db/sessions.db"
OPENED: list[tuple[str, str, Break]] = [
    ("claude-code", "first record torn", torn_first),
    ("claude-code", "first record gone", without_first),
    ("claude-code", "first record fused", fused_first),
    ("claude-code", "first record blank", blank_first),
    ("claude-code", "pr-link first", edited(lambda data: b'{"type":"pr-link"}\n' + data)),
    ("claude-code", "BOM", bom),
    ("claude-code", "last line torn", torn_last),
    ("claude-code", "middle line torn", torn_middle),
    ("claude-code", "a link", linked),
    ("claude-code", "the store is a link", store_linked(".claude")),
    ("claude-code", "sessions-index.json wrong", written(".claude/projects/sessions-index.json", "{")),
    ("codex", "blank line first", blank_first),
    ("codex", "last line torn", torn_last),
    ("codex", "middle line torn", torn_middle),
    ("codex", "a gap in the ordinals", edited(lambda data: data.replace(b'"ordinal": 1', b'"ordinal": 7'))),
    ("codex", "row says archived", sql(_CODEX, "UPDATE threads SET archived = 1")),
    ("codex", "row with a wrong cwd", sql(_CODEX, "UPDATE threads SET cwd = '/nowhere'")),
    ("codex", "database garbage", written(_CODEX, "garbage " * 30)),
    ("codex", "database missing", written(_CODEX, "")),
    ("codex", "a link", linked),
    ("codex", "the store is a link", store_linked(".codex")),
    ("codex", "wrong cwd in the file", edited(lambda data: data.replace(b'/project"', b'/elsewhere"'))),
    ("gemini-cli", "projects.json missing", written(".gemini/projects.json", "")),
    ("gemini-cli", "projects.json torn", written(".gemini/projects.json", '{"projects"')),
    ("gemini-cli", ".project_root missing", written(".gemini/tmp/project/.project_root", "")),
    ("gemini-cli", "a document", as_document),
    ("gemini-cli", "a link", linked),
    (
        "gemini-cli",
        "older layout without projects.json",
        both(moved("{home}/.gemini/tmp/" + "0" * 64 + "/chats/{name}"), written(".gemini/projects.json", "")),
    ),
    ("kimi-code", "session_index.jsonl torn", written(".kimi-code/session_index.jsonl", '{"sessionId":')),
    ("kimi-code", "workspaces.json missing", written(".kimi-code/workspaces.json", "")),
    ("kimi-code", "another id in state.json", in_state("id", "session_other")),
    ("kimi-code", "no agents in state.json", in_state("agents", {})),
    ("kimi-code", "first line gone", without_first),
    ("kimi-code", "BOM", bom),
    ("kimi-code", "blank first line", blank_first),
    ("kimi-code", "last line torn", torn_last),
    ("kimi-code", "another protocol", edited(lambda data: data.replace(b"1.5", b"9.0"))),
    ("kimi-code", "a link", linked),
    ("qwen-code", "first line torn", torn_first),
    ("qwen-code", "first line gone", without_first),
    ("qwen-code", "first line fused", fused_first),
    ("qwen-code", "BOM", bom),
    ("qwen-code", "last line torn", torn_last),
    ("qwen-code", "a link", linked),
    ("qwen-code", "in the archive as well", copied("{parent}/archive/{name}")),
    ("pi", "blank first line", blank_first),
    ("pi", "last line torn", torn_last),
    ("pi", "middle line torn", torn_middle),
    ("pi", "version 99", edited(lambda data: data.replace(b'"version": 3', b'"version": 99'))),
    ("pi", "renamed", moved("{parent}/mine.jsonl")),
    ("pi", "a link", linked),
    ("omp", "title torn", torn_first),
    ("omp", "no title", without_first),
    ("omp", "no title, and a blank first line", both(without_first, blank_first)),
    ("omp", "no title, and a BOM", both(without_first, bom)),
    ("omp", "BOM", bom),
    ("omp", "the title behind the header", edited(title_second)),
    ("omp", "last line torn", torn_last),
    (
        "omp",
        "middle line torn",
        edited(lambda data: data.replace(b'}\n{"type": "message"', b'}\n{"ty\n{"type": "message"')),
    ),
    ("omp", "no cwd", edited(lambda data: data.replace(b'"cwd"', b'"was"'))),
    ("omp", "version 99", edited(lambda data: data.replace(b'"version": 3', b'"version": 99'))),
    ("omp", "in the folder of another project", moved("{home}/.omp/agent/sessions/-other/{name}")),
    ("omp", "renamed", moved("{parent}/mine.jsonl")),
    ("openclaw", "header lost", without_first),
    ("openclaw", "header torn", torn_first),
    ("openclaw", "header fused", fused_first),
    ("openclaw", "header not first", displaced),
    ("openclaw", "blank line first", blank_first),
    ("openclaw", "BOM", bom),
    ("openclaw", "last line torn", torn_last),
    ("openclaw", "middle line torn", torn_middle),
    ("openclaw", "version 99", edited(lambda data: data.replace(b'"version": 3', b'"version": 99'))),
    ("openclaw", "project renamed", project_gone),
    ("openclaw", "a link", linked),
    (
        "openclaw",
        "the store is a link, and the index has the real path",
        both(
            in_openclaw_index("sessionFile", f"{{home}}/real/agents/main/sessions/{UUID}.jsonl"),
            store_linked(".openclaw"),
        ),
    ),
    ("openclaw", "a copy made by a repair", copied("{log}.corrupt-2026-11-29T11-35-08-850Z-48ccaca1.jsonl")),
    ("openclaw", "index missing", written("{parent}/sessions.json", "")),
    ("openclaw", "index torn", written("{parent}/sessions.json", '{"agent:main:main": {')),
    ("openclaw", "index is a list", written("{parent}/sessions.json", "[]")),
    ("openclaw", "no entries", written("{parent}/sessions.json", "{}")),
    ("openclaw", "path elsewhere", in_openclaw_index("sessionFile", "/nowhere/gone.jsonl")),
    ("openclaw", "no path", in_openclaw_index("sessionFile", "")),
    ("openclaw", "path is a number", in_openclaw_index("sessionFile", 5)),
    ("cline-sdk", "row missing", sql(_CLINE, "DELETE FROM sessions")),
    ("cline-sdk", "database garbage", written(_CLINE, "garbage " * 30)),
    ("cline-sdk", "manifest missing", written(f"{{parent}}/{CLINE}.json", "")),
    ("cline-sdk", "manifest torn", written(f"{{parent}}/{CLINE}.json", "{")),
    ("cline-sdk", "BOM", bom),
    ("cline-sdk", "a bare array", edited(lambda data: b"[]")),
]


@pytest.mark.parametrize(("agent", "name", "breaks"), OPENED, ids=[f"{agent}: {name}" for agent, name, _ in OPENED])
def test_what_the_agent_opens_is_no_obstacle(agent: str, name: str, breaks: Break, tmp_path: Path) -> None:
    place = MADE[agent](tmp_path)
    breaks(place)
    store = store_of(tmp_path)
    (session,) = store.store.sessions(store.home)
    examined = examine_session(store, session, HostEnvironment({}, str(tmp_path)))
    assert [fault for fault in examined.faults if fault.effect.blocks] == []
    assert [fault for fault in store.store.store_faults(store.home) if fault.effect.blocks] == []
    assert not examined.opening.after_remedy
    assert session.id == place.id
    assert os.path.lexists(session.log)
