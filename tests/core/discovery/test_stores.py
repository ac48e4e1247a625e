"""The sessions of a machine and the logs of a folder: where they are looked for, and what their heads tell."""

import json
import os
import shutil
import sqlite3
from contextlib import closing
from hashlib import md5
from pathlib import Path

import pytest
from click.testing import CliRunner

from inspector.cli.app import main
from inspector.cli.report_without_display import print_text_report
from inspector.core.discovery.log_entry import LogEntry, UnreadFile
from inspector.core.discovery.opening import multi_file_format_at, open_head, open_log, open_source
from inspector.core.discovery.stores import agent_name, list_logs, possible_store_locations
from inspector.core.errors import UnreadableLog
from inspector.core.formats import FORMATS, detect_format
from inspector.core.formats.base.agent_behavior import Agent
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.stores import HostEnvironment, StorePattern
from inspector.core.formats.base.writer import deterministic_uuid
from inspector.core.storage.source import Source
from tests.core.formats import WRITABLE
from tests.support import product
from tests.support.notation import parse

NEWEST = 1_790_000_000
SESSION = "88dd9faf-80e2-49f8-a338-f6d759acbce4"
KEEPERS = [name for name, format in FORMATS.items() if format.stores]


def log_path(home: Path, name: str) -> Path:
    """Where the first store of a format below `home` would keep a log."""
    store = next(store for store in FORMATS[name].stores if store.folder_on(machine(home)))
    parts = [part.replace("????????-????-????-????-????????????", SESSION) for part in store.pattern.split("/")]
    return Path(store.folder_on(machine(home)), *(part.replace("*", "one") for part in parts))


def machine(home: Path, **environment: str) -> HostEnvironment:
    return HostEnvironment(environment, str(home))


def listed(home: Path, agent: str = "", project: str = "") -> list[LogEntry]:
    return list(list_logs(machine(home), agent=agent, project=project))


def sample_of(samples: Path, name: str) -> Path | None:
    """A healthy sample of a format that is one file."""
    found = [path for path in samples.glob(f"{name}-healthy*") if path.is_file()]
    return found[0] if found else None


@pytest.fixture
def full_home(tmp_path: Path, samples: Path) -> Path:
    """A home in which every agent has kept a session, one an hour; the first format's is the newest."""
    for hour, name in enumerate(KEEPERS):
        sample, path = sample_of(samples, name), log_path(tmp_path, name)
        if sample is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(sample, path)
            os.utime(path, (NEWEST - 3600 * hour,) * 2)
    return tmp_path


@pytest.mark.parametrize(
    ("store", "environment", "folder"),
    [
        (StorePattern("~/.claude", "", "CLAUDE_CONFIG_DIR"), {}, "/home/mei/.claude"),
        (StorePattern("~/.claude", "", "CLAUDE_CONFIG_DIR"), {"CLAUDE_CONFIG_DIR": "/srv/claude"}, "/srv/claude"),
        (StorePattern("~/.claude", "", "CLAUDE_CONFIG_DIR"), {"CLAUDE_CONFIG_DIR": ""}, "/home/mei/.claude"),
        (StorePattern("~/.claude", "", "CLAUDE_CONFIG_DIR"), {"CLAUDE_CONFIG_DIR": "~/other/"}, "/home/mei/other"),
        (StorePattern("$XDG_DATA_HOME|~/.local/share", ""), {}, "/home/mei/.local/share"),
        (StorePattern("$XDG_DATA_HOME|~/.local/share", ""), {"XDG_DATA_HOME": "/data"}, "/data"),
        (StorePattern("$XDG_DATA_HOME/goose|~/goose", ""), {"XDG_DATA_HOME": "/data"}, "/data/goose"),
        (
            StorePattern("$XDG_DATA_HOME|~/.local/share", ""),
            {"XDG_DATA_HOME": "not/absolute"},
            "/home/mei/.local/share",
        ),
        (StorePattern("$APPDATA/Code", ""), {}, ""),
        (StorePattern("~", ""), {}, "/home/mei"),
        (StorePattern("/opt/agent", ""), {}, "/opt/agent"),
    ],
)
def test_folder_of_a_store(store: StorePattern, environment: dict[str, str], folder: str) -> None:
    assert store.folder_on(HostEnvironment(environment, "/home/mei")) == folder


def test_every_agent_is_found_once_newest_first(full_home: Path, samples: Path) -> None:
    found = listed(full_home)
    assert [entry.format for entry in found] == [name for name in KEEPERS if sample_of(samples, name)]
    assert [entry.path for entry in found] == [str(log_path(full_home, entry.format)) for entry in found]
    assert all(entry.agent and entry.size == Path(entry.path).stat().st_size for entry in found)
    assert [entry.modified for entry in found] == sorted((entry.modified for entry in found), reverse=True)


@pytest.mark.parametrize("place", [1, -1])
def test_what_was_written_to_last_is_listed_first_wherever_it_lies(place: int, full_home: Path) -> None:
    found = [entry.path for entry in listed(full_home)]
    newest = found[place]
    os.utime(newest, (NEWEST + 60,) * 2)
    expected = [newest, *(path for path in found if path != newest)]
    assert [entry.path for entry in listed(full_home)] == expected
    assert [entry.path for entry in list_logs(machine(full_home), [str(full_home)])] == expected


@pytest.mark.parametrize("name", KEEPERS)
def test_store_of_a_format_can_be_found_on_this_system(name: str) -> None:
    assert any(store.folder_on(HostEnvironment({}, "/home/mei")) for store in FORMATS[name].stores)
    assert all(store.pattern and not store.pattern.startswith("/") for store in FORMATS[name].stores)


def test_claude_code_and_neovate_say_what_a_session_is_about(full_home: Path) -> None:
    told = {entry.format: (entry.agent, entry.project, entry.title) for entry in listed(full_home)}
    assert told["claude-code"] == ("Claude Code", "/home/mei/projects/tea-timer", "Tea timer drift and Chinese texts")
    assert told["neovate"] == ("Neovate Code", "one", "Recipe scaling")


def test_filters_by_agent_and_project(full_home: Path) -> None:
    assert [entry.format for entry in listed(full_home, agent="claude code")] == ["claude-code"]
    assert [entry.format for entry in listed(full_home, agent="Neovate")] == ["neovate"]
    assert "claude-code" in [entry.format for entry in listed(full_home, project="TEA-timer")]
    assert listed(full_home, agent="nobody") == []


def test_subagents_and_strangers_in_a_store_are_no_sessions(full_home: Path) -> None:
    folder = log_path(full_home, "claude-code").parent
    for name in ("agent-a1b2c3d4.jsonl", f"{SESSION}.jsonl.backup", "notes.txt"):
        (folder / name).write_text('{"type":"user"}\n')
    assert len(listed(full_home, agent="claude")) == 1


def test_a_moved_store_is_followed(tmp_path: Path, samples: Path) -> None:
    moved = tmp_path / "elsewhere" / "projects" / "-p"
    moved.mkdir(parents=True)
    shutil.copy(samples / "claude-code-healthy.jsonl", moved / f"{SESSION}.jsonl")
    found = list(list_logs(machine(tmp_path, CLAUDE_CONFIG_DIR=str(tmp_path / "elsewhere"))))
    assert [entry.path for entry in found] == [str(moved / f"{SESSION}.jsonl")]
    assert listed(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR"),
        ("codex", "CODEX_HOME"),
        ("copilot-cli", "COPILOT_HOME"),
        ("dsh", "DSH_HOME"),
        ("pi", "PI_CODING_AGENT_DIR"),
        ("qwen-code", "QWEN_RUNTIME_DIR"),
        ("qwen-code", "QWEN_HOME"),
    ],
)
def test_a_new_session_lies_in_the_store_that_is_looked_through(
    name: str, variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("QWEN_RUNTIME_DIR", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(variable, "~/elsewhere")
    format = FORMATS[name]
    assert isinstance(format, Agent)
    with open_source(str(WRITABLE[name].write(parse("u | a"), tmp_path))) as source:
        folder = format.store_folder(open_log(source))
    assert folder is not None
    assert folder.is_relative_to(tmp_path / "elsewhere")


def test_only_heads_are_read(full_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = log_path(full_home, "claude-code")
    with path.open("ab") as file:
        for _ in range(40):
            file.write(b'{"type":"attachment","uuid":"u","text":"' + b"x" * 100_000 + b'"}\n')
    read: list[int] = []
    original = Source.read

    def counted(self: Source, start: int, end: int) -> bytes:
        data = original(self, start, end)
        read.append(len(data))
        return data

    monkeypatch.setattr(Source, "read", counted)
    assert [entry.size for entry in listed(full_home, agent="claude")] == [path.stat().st_size]
    assert sum(read) < 100_000


@pytest.mark.parametrize("ahead", [1, 2, 500])
def test_logs_are_listed_alike_however_many_are_asked_for_ahead(
    ahead: int, full_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = listed(full_home)
    monkeypatch.setattr("inspector.core.discovery.stores._AHEAD", ahead)
    assert listed(full_home) == expected
    monkeypatch.delattr(os, "posix_fadvise", raising=False)
    assert listed(full_home) == expected


def test_a_torn_or_locked_log_keeps_its_row(tmp_path: Path) -> None:
    folder = tmp_path / ".claude" / "projects" / "-p"
    folder.mkdir(parents=True)
    (folder / f"{SESSION}.jsonl").write_bytes(b"")
    (folder / f"{SESSION[:-1]}5.jsonl").write_bytes(b'{"type":"user","message":{"role":"us\xff\x00')
    (folder / f"{SESSION[:-1]}6.jsonl").symlink_to(folder / "gone.jsonl")
    found = listed(tmp_path)
    assert sorted(entry.path[-7:] for entry in found) == ["4.jsonl", "5.jsonl"]
    assert {entry.title for entry in found} == {""}


def test_a_folder_is_listed_by_what_its_files_hold(tmp_path: Path, samples: Path) -> None:
    inner = tmp_path / "mail" / "2026"
    inner.mkdir(parents=True)
    shutil.copy(samples / "claude-code-broken.jsonl", inner / "from-a-customer.txt")
    shutil.copy(samples / "openai-chat-healthy.json", tmp_path / "request.json")
    (tmp_path / "readme.md").write_text("# no log")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(1000))
    (tmp_path / "empty.jsonl").write_bytes(b"")
    found = {Path(entry.path).name: entry.format for entry in list_logs(machine(tmp_path), [str(tmp_path)])}
    assert found == {"from-a-customer.txt": "claude-code", "request.json": "openai-chat"}


def test_short_look_sees_what_detection_sees(samples: Path) -> None:
    found = {Path(entry.path).name: entry.format for entry in list_logs(machine(samples), [str(samples)])}
    seen = {}
    for path in samples.iterdir():
        if path.is_file() and multi_file_format_at(str(path)) is None:
            with open_head(str(path)) as source:
                seen[path.name] = detect_format(Head(source)).name
    assert len(seen) > 10
    assert seen.items() <= found.items()


def test_files_that_are_named_are_listed_like_folders(samples: Path, tmp_path: Path) -> None:
    log, page, others = samples / "claude-code-healthy.jsonl", tmp_path / "page.md", list[UnreadFile]()
    page.write_text("# no log")
    assert [entry.path for entry in list_logs(machine(samples), map(str, (page, log)), other_files=others)] == [
        str(log)
    ]
    assert others == [UnreadFile(str(page), "no-log")]
    with pytest.raises(UnreadableLog, match="does not exist"):
        list(list_logs(machine(samples), [str(samples / "missing")]))


# the command


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["sessions", *arguments], catch_exceptions=False)
    return result.exit_code, result.output


@pytest.fixture
def at_home(full_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(full_home))
    monkeypatch.setenv("TZ", "UTC")
    return full_home


def test_command_prints_a_table_whose_paths_are_whole(at_home: Path) -> None:
    code, output = run("--limit", "1")
    path = log_path(at_home, KEEPERS[0])
    heading, row = output.splitlines()
    assert code == 0
    assert heading.split() == ["changed", "agent", "project", "title", "size", "path"]
    assert row.endswith(f"  {path.stat().st_size:,}  {path}")


def test_command_prints_json(at_home: Path) -> None:
    os.utime(log_path(at_home, "neovate"), (NEWEST, NEWEST))
    code, output = run("--agent", "neovate", "--format", "json")
    assert code == 0
    report = json.loads(output)
    path = log_path(at_home, "neovate")
    assert report["schema"] == 1
    assert report["logs"] == [
        {
            "path": str(path),
            "format": "neovate",
            "agent": agent_name(FORMATS["neovate"]),
            "project": "one",
            "title": "Recipe scaling",
            "modified": "2026-09-21T14:13:20+00:00",
            "size": path.stat().st_size,
        }
    ]


def test_command_says_that_there_is_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    code, output = run()
    assert code == 0
    assert output.startswith("No sessions were found on this machine. All ")
    (tmp_path / ".claude" / "projects").mkdir(parents=True)
    assert f"Searched folders: {tmp_path}/.claude/projects." in run()[1]
    assert run("--agent", "claude")[1] == "No logs match this agent and project.\n"
    assert run(str(tmp_path))[1] == "No supported logs were found in these places.\n"


def test_command_refuses_what_is_not_there(tmp_path: Path) -> None:
    code, output = run(str(tmp_path / "missing"))
    assert code == 2
    assert "does not exist" in output


def test_text_of_a_log_steers_no_terminal(at_home: Path) -> None:
    path = log_path(at_home, "claude-code")
    title = {"type": "custom-title", "customTitle": "red \x1b[31m and 中文 \u202e title"}
    path.write_bytes(path.read_bytes() + json.dumps(title).encode() + b"\n")
    _, output = run("--agent", "claude")
    assert "red �[31m and 中文 � title" in output


def test_a_folder_is_listed_where_there_is_no_display(samples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert print_text_report([str(samples)]) == 0
    heading, *rows = capsys.readouterr().out.splitlines()
    assert heading.startswith("changed")
    assert any(row.endswith("claude-code-broken.jsonl") for row in rows)
    assert print_text_report([str(samples / "missing.jsonl")]) == 2


def test_places_are_told_once() -> None:
    found = possible_store_locations(HostEnvironment({"CLAUDE_CONFIG_DIR": "/home/mei/.claude"}, "/home/mei"))
    assert len(found) == len(set(found))
    assert ("claude-code", "/home/mei/.claude/projects") in {(place.format, place.folder) for place in found}


def test_a_relative_home_is_a_whole_path(full_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(full_home.parent)
    monkeypatch.setenv("HOME", full_home.name)
    monkeypatch.setenv("USERPROFILE", full_home.name)
    listed_there = CliRunner().invoke(main, ["sessions", "--format", "json"], catch_exceptions=False).output
    assert [log["path"] for log in json.loads(listed_there)["logs"]] == [entry.path for entry in listed(full_home)]
    assert possible_store_locations(HostEnvironment({}, "not/absolute")) == []


def test_what_a_new_session_of_kimi_cli_wrote_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    path = log_path(tmp_path, "kimi-cli")
    path.parent.mkdir(parents=True)
    path.write_bytes(WRITABLE["kimi-cli"].write(parse('u"go" | a{A} | u"on"'), tmp_path).read_bytes())
    written = product.repair(path, None, "--new-session").report["output"]
    assert written is not None
    assert {entry.path for entry in listed(tmp_path, agent="kimi-cli")} == {str(path), written}


def kimi_session(home: Path, work_dir: str, kaos: str = "") -> Path:
    name = f"{kaos}_" * bool(kaos) + md5(work_dir.encode()).hexdigest()
    folder = home / ".kimi" / "sessions" / name / SESSION
    folder.mkdir(parents=True)
    (folder / "context.jsonl").write_text('{"role":"user","content":"say hi"}\n{"role":"_usage","token_count":1}\n')
    dirs = [{"path": "/other", "kaos": "local"}, {"path": work_dir, "kaos": kaos or "local", "last_session_id": None}]
    (home / ".kimi" / "kimi.json").write_text(json.dumps({"work_dirs": dirs}))
    return folder


@pytest.mark.parametrize("kaos", ["", "kaos-foo"])
def test_kimi_cli_keeps_folder_and_title_beside_a_session(kaos: str, tmp_path: Path) -> None:
    folder = kimi_session(tmp_path, "/home/mei/tea", kaos)
    (folder.parent / "older.jsonl").write_bytes((folder / "context.jsonl").read_bytes())
    assert {(entry.project, entry.title) for entry in listed(tmp_path)} == {("/home/mei/tea", "say hi")}
    (folder / "state.json").write_text(json.dumps({"version": 1, "custom_title": "Tea"}))
    titles = {Path(entry.path).name: entry.title for entry in listed(tmp_path)}
    assert titles == {"context.jsonl": "Tea", "older.jsonl": "say hi"}
    (tmp_path / ".kimi" / "kimi.json").write_text("[torn")
    (folder / "state.json").write_text("[torn")
    assert {(entry.project, entry.title) for entry in listed(tmp_path)} == {("", "say hi")}


@pytest.mark.parametrize(
    ("beside", "told"),
    [
        ({}, ("/told/in/the/log", "say hi")),
        ({"state.json": {"title": "Tea", "cwd": "/home/mei/tea"}}, ("/home/mei/tea", "Tea")),
        ({"session-meta/state.json": {"customTitle": "Tea", "workDir": "/w"}}, ("/w", "Tea")),
        ({"state.json": {"lastPrompt": "and now?", "custom": {"cwd": "/c"}}}, ("/c", "and now?")),
        ({"../../../session_index.jsonl": {"sessionId": "session_1", "workDir": "/i"}}, ("/i", "say hi")),
        (
            {"../../../session_index.jsonl": {"sessionId": "session_12", "workDir": "/i"}},
            ("/told/in/the/log", "say hi"),
        ),
    ],
)
def test_kimi_code_keeps_folder_and_title_beside_a_session(
    beside: dict[str, object], told: tuple[str, str], tmp_path: Path
) -> None:
    session = tmp_path / ".kimi-code" / "sessions" / "wd_tea_0123456789ab" / "session_1"
    log = session / "agents" / "main" / "wire.jsonl"
    log.parent.mkdir(parents=True)
    said = {"role": "user", "content": [{"type": "text", "text": "say hi"}], "origin": {"kind": "user"}}
    rows = [
        {"type": "metadata", "protocol_version": "1.5", "created_at": 1},
        {"type": "profile.bind", "environmentDisclosure": {"cwd": "/told/in/the/log"}},
        {"type": "context.append_message", "message": said},
    ]
    log.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    for name, value in beside.items():
        (session / name).parent.mkdir(parents=True, exist_ok=True)
        (session / name).write_text(json.dumps(value) + "\n")
    assert [(entry.project, entry.title) for entry in listed(tmp_path)] == [told]


def opencode_database(home: Path) -> sqlite3.Connection:
    path = home / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("CREATE TABLE session (id, parent_id, title, directory, time_updated)")
    database.execute("CREATE TABLE message (id, session_id, time_created, data)")
    database.execute("CREATE TABLE part (id, message_id, session_id, data)")
    database.execute("INSERT INTO session VALUES ('ses_1', NULL, 'Tea', '/home/mei/tea', 1)")
    return database


def test_a_database_of_opencode_tells_its_newest_session_and_counts_its_wal(tmp_path: Path) -> None:
    with closing(opencode_database(tmp_path)) as database:
        (entry,) = listed(tmp_path)
        files = [Path(f"{entry.path}{ending}") for ending in ("", "-wal")]
        assert (entry.project, entry.title) == ("/home/mei/tea", "Tea")
        assert entry.size == sum(file.stat().st_size for file in files) > files[0].stat().st_size
        os.utime(files[0], (NEWEST, NEWEST))
        os.utime(files[1], (NEWEST + 60, NEWEST + 60))
        assert listed(tmp_path)[0].modified == NEWEST + 60
        database.execute("INSERT INTO session VALUES ('ses_2', NULL, 'Coffee', '/home/mei/bar', 3)")
        database.execute("INSERT INTO session VALUES ('ses_3', 'ses_2', 'Subtask', '/home/mei/bar', 9)")
        assert [(each.project, each.title) for each in listed(tmp_path)] == [
            ("/home/mei/bar", "Coffee (and 1 more session)")
        ]
        assert sorted(file.name for file in files[0].parent.iterdir()) == [
            "opencode.db", "opencode.db-shm", "opencode.db-wal"
        ]  # fmt: skip


def test_a_wal_that_nobody_has_open_is_read_from_a_copy_unless_it_is_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(opencode_database(tmp_path / "live")):
        shutil.copytree(tmp_path / "live", tmp_path / "left", ignore=shutil.ignore_patterns("*-shm"))
    assert [entry.title for entry in listed(tmp_path / "left")] == ["Tea"]
    monkeypatch.setattr("inspector.core.storage.sqlite._WORTH_A_COPY", 0)
    assert [entry.title for entry in listed(tmp_path / "left")] == [""]
    names = {path.name for path in (tmp_path / "left").rglob("opencode.db*")}
    assert names == {"opencode.db", "opencode.db-wal"}


def test_a_repaired_session_is_marked(tmp_path: Path, samples: Path) -> None:
    log = tmp_path / f"{SESSION}.jsonl"
    shutil.copy(samples / "claude-code-broken.jsonl", log)
    repaired = tmp_path / f"{deterministic_uuid(f'new-session:{SESSION}:1')}.jsonl"
    shutil.copy(samples / "claude-code-healthy.jsonl", repaired)
    rows = run(str(tmp_path))[1].splitlines()[1:]
    assert {row.split()[-1]: "(repaired)" in row for row in rows} == {str(log): False, str(repaired): True}
