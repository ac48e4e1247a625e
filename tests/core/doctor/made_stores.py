"""The smallest stores that the agents would find a session in, and the ways in which each is broken."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from inspector.core.formats.dsh.folder_and_file_names import project_folder_name

UUID = "0f7d3f0a-5b1c-4c52-9a51-3f6f1f2a7c11"
OTHER = "1a2b3c4d-5e6f-4a1b-8c2d-3e4f5a6b7c8d"
KIMI = f"session_{UUID}"
OPENCODE = "ses_0123456789abAbCdEfGhIjKl"
CLINE = "1795492544656_cmuvj"


@dataclass(frozen=True)
class Place:
    """A home with one session: where its log is, its id, and the folder of its project."""

    home: Path
    project: Path
    log: Path
    id: str

    def write(self, log: Path, *records: Any) -> None:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("".join(json.dumps(record) + "\n" for record in records))


def _place(home: Path, log: str, id: str) -> Place:
    project = home / "project"
    project.mkdir(parents=True, exist_ok=True)
    return Place(home, project, home / log.format(slug=str(project).replace("/", "-").replace("_", "-")), id)


def claude_code(home: Path) -> Place:
    place = _place(home, f".claude/projects/{{slug}}/{UUID}.jsonl", UUID)
    message = {"type": "user", "sessionId": UUID, "cwd": str(place.project), "message": {"role": "user"}}
    place.write(place.log, {"type": "queue-operation", "sessionId": UUID}, message, {"type": "assistant"})
    return place


def codex(home: Path) -> Place:
    place = _place(home, f".codex/sessions/2026/11/24/rollout-2026-11-24T03-47-50-{UUID}.jsonl", UUID)
    meta = {"id": UUID, "cwd": str(place.project), "timestamp": "2026-11-24T03:47:50.469Z", "history_mode": "paginated"}
    lines = [{"ordinal": 0, "type": "session_meta", "payload": meta}, {"ordinal": 1, "type": "response_item"}]
    place.write(place.log, *lines)
    with closing(sqlite3.connect(home / ".codex" / "state_5.sqlite")) as database:
        database.execute("CREATE TABLE threads (id TEXT, rollout_path TEXT, cwd TEXT, archived INTEGER, name TEXT)")
        database.execute(
            "INSERT INTO threads VALUES (?, ?, ?, 0, 'harbour')", (UUID, str(place.log), str(place.project))
        )
        database.commit()
    return place


def gemini_cli(home: Path) -> Place:
    place = _place(home, f".gemini/tmp/project/chats/session-2026-11-24T04-01-{UUID[:8]}.jsonl", UUID)
    hash = sha256(str(place.project).encode()).hexdigest()
    meta = {"sessionId": UUID, "projectHash": hash, "startTime": "2026-11-24T04:01:09.876Z", "kind": "main"}
    place.write(place.log, meta, {"type": "user", "content": [{"text": "hello"}]})
    (home / ".gemini" / "projects.json").write_text(json.dumps({"projects": {str(place.project): "project"}}))
    for root in (home / ".gemini" / "history" / "project", home / ".gemini" / "tmp" / "project"):
        root.mkdir(parents=True, exist_ok=True)
        (root / ".project_root").write_text(str(place.project))
    return place


def kimi_code(home: Path) -> Place:
    place = _place(home, f".kimi-code/sessions/wd_project_1d0d6298ceb4/{KIMI}/agents/main/wire.jsonl", KIMI)
    bound = {"type": "runtime.set_binding", "workspaceId": "wd_project_1d0d6298ceb4"}
    place.write(place.log, {"type": "metadata", "protocol_version": "1.5"}, bound, {"type": "x"}, {"type": "y"})
    (place.log.parent.parent.parent / "state.json").write_text(json.dumps({"id": KIMI, "cwd": str(place.project)}))
    (home / ".kimi-code" / "workspaces.json").write_text('{"version":1,"workspaces":{}}')
    return place


def qwen_code(home: Path) -> Place:
    place = _place(home, f".qwen/projects/{{slug}}/chats/{UUID}.jsonl", UUID)
    record = {"uuid": OTHER, "sessionId": UUID, "type": "user", "cwd": str(place.project)}
    place.write(place.log, record, {**record, "uuid": UUID, "type": "assistant"})
    return place


def copilot_cli(home: Path) -> Place:
    place = _place(home, f".copilot/session-state/{UUID}/events.jsonl", UUID)
    data = {"sessionId": UUID, "version": 1, "context": {"cwd": str(place.project)}}
    place.write(place.log, {"type": "session.start", "data": data, "id": OTHER}, {"type": "user.message", "id": UUID})
    place.log.with_name("workspace.yaml").write_text(f"id: {UUID}\ncwd: {place.project}\n")
    return place


def dsh(home: Path) -> Place:
    project = home / "project"
    project.mkdir(parents=True, exist_ok=True)
    log = home / ".dsh" / "sessions" / project_folder_name(str(project)) / UUID / "session.jsonl"
    place = Place(home, project, log, UUID)
    header = {"type": "session", "version": 0, "id": UUID, "createdAt": 1, "cwd": str(project), "delegationDepth": 0}
    place.write(log, header, {"type": "permission/preset", "seq": 0, "time": 1, "data": {}})
    return place


def vscode_chat(home: Path) -> Place:
    place = _place(home, f".config/Code/User/workspaceStorage/0a1b/chatSessions/{UUID}.jsonl", UUID)
    place.write(place.log, {"kind": 0, "v": {"version": 3, "sessionId": UUID, "requests": []}})
    workspace = place.log.parent.parent
    place.write(workspace / "workspace.json", {"folder": place.project.as_uri()})
    index = {"version": 1, "entries": {UUID: {"sessionId": UUID, "title": "Tides", "isEmpty": False}}}
    with closing(sqlite3.connect(workspace / "state.vscdb")) as database:
        database.execute("CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        database.execute("INSERT INTO ItemTable VALUES ('chat.ChatSessionStore.index', ?)", (json.dumps(index),))
        database.commit()
    return place


def opencode(home: Path) -> Place:
    place = _place(home, ".local/share/opencode/opencode.db", OPENCODE)
    place.log.parent.mkdir(parents=True)
    with closing(sqlite3.connect(place.log)) as database:
        database.execute("CREATE TABLE project (id TEXT)")
        database.execute("INSERT INTO project VALUES ('global')")
        database.execute("CREATE TABLE session (id TEXT, project_id TEXT, parent_id TEXT, directory TEXT, title TEXT)")
        values = (OPENCODE, "global", str(place.project), "A session")
        database.execute("INSERT INTO session VALUES (?, ?, NULL, ?, ?)", values)
        for table in ("message", "part"):
            database.execute(f"CREATE TABLE {table} (id TEXT, message_id TEXT, session_id TEXT, data TEXT)")
            database.execute(f"INSERT INTO {table} VALUES ('row_1', 'row_1', ?, '{{}}')", (OPENCODE,))
        database.commit()
    return place


def pi(home: Path) -> Place:
    place = _place(home, "", UUID)
    slug = f"--{str(place.project).lstrip('/').replace('/', '-')}--"
    log = home / ".pi" / "agent" / "sessions" / slug / f"2026-11-24T03-51-35-158Z_{UUID}.jsonl"
    header = {"type": "session", "version": 3, "id": UUID, "timestamp": "2026", "cwd": str(place.project)}
    place.write(log, header, {"type": "message", "id": "1"})
    return Place(place.home, place.project, log, UUID)


def omp(home: Path) -> Place:
    place = _place(home, f".omp/agent/sessions/-project/2026-11-29T11-22-15-377Z_{UUID}.jsonl", UUID)
    header = {"type": "session", "version": 3, "id": UUID, "timestamp": "2026", "cwd": str(place.project)}
    place.write(place.log, {"type": "title", "v": 1, "title": ""}, header, {"type": "message", "id": "1"})
    return place


def openclaw(home: Path) -> Place:
    place = _place(home, f".openclaw/agents/main/sessions/{UUID}.jsonl", UUID)
    header = {"type": "session", "version": 3, "id": UUID, "timestamp": "2026", "cwd": str(place.project)}
    place.write(place.log, header, {"type": "message", "id": "1"})
    entry = {"sessionId": UUID, "updatedAt": 1, "sessionFile": str(place.log)}
    place.log.with_name("sessions.json").write_text(json.dumps({"agent:main:main": entry}))
    place.log.with_name(f"{UUID}.trajectory.jsonl").write_text('{"type":"session.started"}\n')
    return place


def cline(home: Path) -> Place:
    place = _place(home, f".cline/data/sessions/{CLINE}/{CLINE}.messages.json", CLINE)
    place.write(place.log, {"version": 1, "messages": []})
    manifest = {"session_id": CLINE, "cwd": str(place.project), "messages_path": str(place.log)}
    place.log.with_name(f"{CLINE}.json").write_text(json.dumps(manifest))
    database_path = home / ".cline" / "data" / "db" / "sessions.db"
    database_path.parent.mkdir()
    with closing(sqlite3.connect(database_path)) as database:
        columns = "session_id TEXT, messages_path TEXT, cwd TEXT, is_subagent INTEGER"
        database.execute(f"CREATE TABLE sessions ({columns})")
        database.execute("INSERT INTO sessions VALUES (?, ?, ?, 0)", (CLINE, str(place.log), str(place.project)))
        database.commit()
    return place


MADE: dict[str, Callable[[Path], Place]] = {
    "claude-code": claude_code,
    "codex": codex,
    "gemini-cli": gemini_cli,
    "kimi-code": kimi_code,
    "qwen-code": qwen_code,
    "copilot-cli": copilot_cli,
    "dsh": dsh,
    "vscode-chat": vscode_chat,
    "opencode": opencode,
    "pi": pi,
    "omp": omp,
    "openclaw": openclaw,
    "cline-sdk": cline,
}

Break = Callable[[Place], None]


class Case(NamedTuple):
    """One fault: how the store is broken, the cause and the effect that are found, and the end of the command.

    `end` is "" where no command opens the session. {id}, {log} and {project} are those of the store before the break.
    """

    agent: str
    name: str
    breaks: Break
    cause: str
    effect: str
    end: str
    after_remedy: bool = False


def _target(place: Place, to: str) -> Path:
    session = place.log.parent.parent.parent
    return Path(
        to.format(
            log=place.log, parent=place.log.parent, home=place.home, name=place.log.name, id=place.id, session=session
        )
    )


def moved(to: str) -> Break:
    def move(place: Place) -> None:
        target = _target(place, to)
        target.parent.mkdir(parents=True, exist_ok=True)
        place.log.rename(target)

    return move


def edited(edit: Callable[[bytes], bytes]) -> Break:
    def change(place: Place) -> None:
        place.log.write_bytes(edit(place.log.read_bytes()))

    return change


def project_gone(place: Place) -> None:
    place.project.rename(place.project.with_name("renamed"))


def copied(to: str) -> Break:
    def copy(place: Place) -> None:
        target = _target(place, to)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(place.log.read_bytes())

    return copy


def linked(place: Place) -> None:
    real = place.home / "real.jsonl"
    place.log.rename(real)
    place.log.symlink_to(real)


def folder_in_its_place(place: Place) -> None:
    place.log.unlink()
    place.log.mkdir()


def sql(database: str, statement: str) -> Break:
    def run(place: Place) -> None:
        with closing(sqlite3.connect(place.home / database)) as connection:
            connection.execute("PRAGMA foreign_keys = OFF")
            connection.execute(statement)
            connection.commit()

    return run


def compressed_neighbour(place: Place) -> None:
    """Put a compressed log into the folder of another session of DeepSeek Harness."""
    path = place.log.parent.with_name(OTHER) / "session.jsonl.zstd"
    path.parent.mkdir()
    path.write_bytes(b"\0")


def written(name: str, text: str) -> Break:
    """Write a file below the home, "" removes it. {session} is the folder of a session of Kimi Code."""

    def write(place: Place) -> None:
        path = place.home / name.format(session=place.log.parent.parent.parent, parent=place.log.parent)
        path.write_text(text) if text else path.unlink()

    return write


def other_store_in_index(place: Place) -> None:
    """Let projects.json of Gemini CLI name another store for the folder."""
    path = place.home / ".gemini" / "projects.json"
    projects = json.loads(path.read_text())["projects"]
    path.write_text(json.dumps({"projects": dict.fromkeys(projects, "elsewhere")}))


def both(*breaks: Break) -> Break:
    def run(place: Place) -> None:
        for each in breaks:
            each(place)

    return run


def _first(data: bytes) -> bytes:
    return data.partition(b"\n")[0]


def _rest(data: bytes) -> bytes:
    return data.partition(b"\n")[2]


def in_state(key: str, value: object) -> Break:
    """Change a member of the state.json of Kimi Code."""

    def change(place: Place) -> None:
        path = place.log.parent.parent.parent / "state.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {key: value}))

    return change


def moved_session(workspace: str) -> Break:
    """Move the folder of a session of Kimi Code."""

    def move(place: Place) -> None:
        folder = place.log.parent.parent.parent
        target = folder.parent.parent / workspace / folder.name
        target.parent.mkdir()
        folder.rename(target)

    return move


def as_sidechain(data: bytes) -> bytes:
    """Make every record of Claude Code one of a subagent."""
    records = [json.loads(line) | {"isSidechain": True} for line in data.splitlines()]
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def in_openclaw_index(key: str, value: object) -> Break:
    """Change a member of the only entry of the index of OpenClaw. {home} and {parent} are those of the log."""

    def change(place: Place) -> None:
        path = place.log.with_name("sessions.json")
        ((session, entry),) = json.loads(path.read_text()).items()
        text = value.format(home=place.home, parent=place.log.parent) if isinstance(value, str) else value
        path.write_text(json.dumps({session: entry | {key: text}}))

    return change


torn_first = edited(lambda data: data[7:])
bom = edited(lambda data: b"\xef\xbb\xbf" + data)
fused_first = edited(lambda data: data.replace(b"}\n{", b"}{", 1))
displaced = edited(lambda data: b'{"type":"note"}\n' + data)
without_first = edited(_rest)
without_second = edited(lambda data: _first(data) + b"\n" + _rest(_rest(data)))
torn_second = edited(lambda data: _first(data) + b"\n" + _rest(data)[7:])
emptied = edited(lambda data: b"")
torn_middle = edited(lambda data: _first(data) + b'\n{"type": \n' + _rest(data))
torn_json = edited(lambda data: data[:-3])

_OPENCLAW_KEY = "openclaw agent --local --agent main --session-key agent:main:explicit:{id}"
_STATE, _CLINE_DATABASE, _OPENCODE = (
    ".codex/state_5.sqlite",
    ".cline/data/db/sessions.db",
    ".local/share/opencode/opencode.db",
)
_VSCODE = ".config/Code/User/workspaceStorage/0a1b/state.vscdb"
_BY_PATH = "claude --resume {home}/.claude/projects/"

CASES = (
    # Claude Code
    Case("claude-code", "project renamed", project_gone, "folder-gone", "not-opened", "claude --resume {log}"),
    Case("claude-code", "in another slug", moved("{parent}-other/{name}"), "other-folder", "not-opened", _BY_PATH),
    Case("claude-code", "in projects/", moved("{home}/.claude/projects/{name}"), "misplaced", "not-opened", _BY_PATH),
    Case("claude-code", "packed", moved("{log}.gz"), "compressed", "not-opened", "claude --resume {id}", True),
    Case(
        "claude-code",
        "UTF-16",
        edited(lambda data: data.decode().encode("utf-16")),
        "compressed",
        "not-opened",
        "claude --resume {id}",
        True,
    ),
    Case(
        "claude-code", "no UUID", moved("{parent}/work.jsonl"), "misnamed", "not-opened", "claude --resume {id}", True
    ),
    Case(
        "claude-code",
        "as a subagent",
        moved("{parent}/agent-{name}"),
        "misnamed",
        "not-opened",
        "claude --resume {id}",
        True,
    ),
    Case(
        "claude-code",
        "another UUID",
        moved(f"{{parent}}/{OTHER}.jsonl"),
        "other-id",
        "note",
        f"claude --resume {OTHER}",
    ),
    Case("claude-code", "empty", emptied, "empty", "not-opened", ""),
    Case("claude-code", "metadata only", edited(_first), "no-messages", "not-opened", ""),
    Case("claude-code", "sidechains only", edited(as_sidechain), "no-messages", "not-opened", ""),
    Case("claude-code", "a folder", folder_in_its_place, "misplaced", "not-opened", ""),
    Case("claude-code", "a link", linked, "link", "passed-over", "claude --resume {id}"),
    Case("claude-code", "two files", copied("{parent}-other/{name}"), "duplicate", "not-opened", _BY_PATH),
    # Codex
    Case(
        "codex",
        "in another day",
        moved("{home}/.codex/sessions/2026/01/01/{name}"),
        "index-path",
        "not-opened",
        "codex resume {id}",
        True,
    ),
    Case(
        "codex",
        "in the archive",
        moved("{home}/.codex/archived_sessions/{name}"),
        "archived",
        "not-opened",
        "codex resume {id}",
        True,
    ),
    Case(
        "codex",
        "name without id",
        moved("{parent}/rollout-mine.jsonl"),
        "misnamed",
        "not-opened",
        "codex resume {id}",
        True,
    ),
    Case(
        "codex",
        "another time",
        moved("{parent}/rollout-2026-11-25T00-00-00-{id}.jsonl"),
        "index-path",
        "not-opened",
        "codex resume {id}",
        True,
    ),
    Case(
        "codex",
        "another id in the name",
        moved(f"{{parent}}/rollout-2026-11-24T03-47-50-{OTHER}.jsonl"),
        "other-id",
        "not-opened",
        f"codex resume {OTHER}",
        True,
    ),
    Case("codex", "row missing", sql(_STATE, "DELETE FROM threads"), "file-without-entry", "note", "codex resume {id}"),
    Case(
        "codex",
        "row with a wrong path",
        sql(_STATE, "UPDATE threads SET rollout_path = '/gone.jsonl'"),
        "index-path",
        "not-opened",
        "codex resume {id}",
        True,
    ),
    Case("codex", "file gone", lambda place: place.log.unlink(), "entry-without-file", "not-opened", ""),
    Case("codex", "first line torn", torn_first, "first-record", "not-opened", "", True),
    Case("codex", "first line gone", without_first, "first-record", "not-opened", "", True),
    Case("codex", "first line fused", fused_first, "first-record", "not-opened", "codex resume {id}", True),
    Case("codex", "another record first", displaced, "first-record", "not-opened", "codex resume {id}", True),
    Case("codex", "BOM", bom, "first-record", "not-opened", "codex resume {id}", True),
    Case("codex", "empty", emptied, "empty", "not-opened", ""),
    Case(
        "codex",
        "of 2025",
        edited(lambda data: json.dumps({"id": UUID, "timestamp": "2025", "instructions": None}).encode()),
        "older-layout",
        "not-opened",
        "",
    ),
    Case(
        "codex",
        "no ordinal",
        edited(lambda data: data + b'{"type":"event_msg"}\n'),
        "damaged-record",
        "not-opened",
        "",
        True,
    ),
    Case("codex", "packed", moved("{log}.gz"), "compressed", "not-opened", "codex resume {id}", True),
    # Gemini CLI
    Case("gemini-cli", "project renamed", project_gone, "folder-gone", "not-opened", "gemini --session-file {log}"),
    Case(
        "gemini-cli",
        "no session- in front",
        moved("{parent}/chat.jsonl"),
        "misnamed",
        "not-opened",
        "gemini --resume {id}",
        True,
    ),
    Case("gemini-cli", "first line torn", torn_first, "first-record", "not-opened", "", True),
    Case("gemini-cli", "BOM", bom, "first-record", "not-opened", "", True),
    Case("gemini-cli", "empty", emptied, "empty", "not-opened", ""),
    Case(
        "gemini-cli",
        "no user",
        edited(lambda data: data.replace(b'"user"', b'"info"')),
        "no-messages",
        "not-opened",
        "",
    ),
    Case(
        "gemini-cli",
        "of a subagent",
        edited(lambda data: data.replace(b'"main"', b'"subagent"')),
        "misplaced",
        "not-opened",
        "gemini --resume {id}",
        True,
    ),
    Case(
        "gemini-cli",
        "projects.json",
        other_store_in_index,
        "pointer",
        "not-opened",
        "gemini --resume {id}",
        True,
    ),
    Case(
        "gemini-cli",
        "in another slug",
        moved("{home}/.gemini/tmp/other/chats/{name}"),
        "misplaced",
        "not-opened",
        "gemini --resume {id}",
        True,
    ),
    Case(
        "gemini-cli",
        "in the folder of an older version",
        moved("{home}/.gemini/tmp/" + "0" * 64 + "/chats/{name}"),
        "older-layout",
        "not-opened",
        "gemini --resume {id}",
        True,
    ),
    Case(
        "gemini-cli",
        ".project_root",
        written(".gemini/history/project/.project_root", "/else"),
        "pointer",
        "not-opened",
        "gemini --resume {id}",
        True,
    ),
    # Kimi Code
    Case("kimi-code", "project renamed", project_gone, "folder-gone", "not-opened", "kimi --session {id}", True),
    Case(
        "kimi-code",
        "state.json missing",
        written("{session}/state.json", ""),
        "damaged-metadata",
        "not-opened",
        "kimi --session {id}",
        True,
    ),
    Case(
        "kimi-code",
        "state.json torn",
        written("{session}/state.json", '{"id"'),
        "damaged-metadata",
        "not-opened",
        "kimi --session {id}",
        True,
    ),
    Case("kimi-code", "archived", in_state("archived", True), "archived", "passed-over", "kimi --session {id}"),
    Case(
        "kimi-code",
        "another cwd",
        in_state("cwd", "/nowhere"),
        "folder-gone",
        "not-opened",
        "cd /nowhere && kimi --session {id}",
        True,
    ),
    Case(
        "kimi-code",
        "moved to another workspace",
        moved_session("wd_other_0123456789ab"),
        "misplaced",
        "not-opened",
        "kimi --session {id}",
        True,
    ),
    Case(
        "kimi-code",
        "in two workspaces",
        copied("{session}/../../wd_other_0123456789ab/{id}/agents/main/wire.jsonl"),
        "duplicate",
        "not-opened",
        "kimi --session {id}",
        True,
    ),
    Case("kimi-code", "wire.jsonl empty", emptied, "empty", "not-opened", "kimi --session {id}", True),
    Case("kimi-code", "first line torn", torn_first, "damaged-record", "destroys", "kimi --session {id}", True),
    Case("kimi-code", "a middle line torn", torn_middle, "damaged-record", "destroys", "kimi --session {id}", True),
    Case("kimi-code", "the last line torn", edited(lambda data: data + b'{"type":'), "", "note", "kimi --session {id}"),
    Case(
        "kimi-code",
        "cut before",
        both(copied("{log}.bak"), edited(lambda data: _first(data) + b"\n")),
        "cut",
        "lost",
        "kimi --session {id}",
        True,
    ),
    # Qwen Code
    Case("qwen-code", "project renamed", project_gone, "folder-gone", "not-opened", "qwen --resume {id}", True),
    Case(
        "qwen-code",
        "in the archive",
        moved("{parent}/archive/{name}"),
        "archived",
        "not-opened",
        "qwen --resume {id}",
        True,
    ),
    Case(
        "qwen-code",
        "in another slug",
        moved("{home}/.qwen/projects/-other/chats/{name}"),
        "misplaced",
        "not-opened",
        "qwen --resume {id}",
        True,
    ),
    Case("qwen-code", "no UUID", moved("{parent}/mine.jsonl"), "misnamed", "not-opened", "qwen --resume {id}", True),
    Case("qwen-code", "another UUID", moved(f"{{parent}}/{OTHER}.jsonl"), "other-id", "note", f"qwen --resume {OTHER}"),
    Case(
        "qwen-code",
        "two sessions",
        edited(lambda data: data + b'{"sessionId":"x"}\n'),
        "mixed-ids",
        "not-opened",
        "qwen --resume {id}",
        True,
    ),
    Case(
        "qwen-code",
        "no cwd first",
        edited(lambda data: data.replace(b'"cwd"', b'"dir"', 1)),
        "first-record",
        "not-opened",
        "qwen --resume {id}",
        True,
    ),
    Case("qwen-code", "empty", emptied, "empty", "not-opened", ""),
    # Copilot CLI
    Case("copilot-cli", "project renamed", project_gone, "", "note", "copilot --resume={id}"),
    Case("copilot-cli", "empty", emptied, "empty", "not-opened", ""),
    Case(
        "copilot-cli",
        "workspace.yaml of NUL bytes",
        written("{parent}/workspace.yaml", "\0" * 40),
        "damaged-metadata",
        "not-opened",
        "copilot --resume={id}",
        True,
    ),
    Case(
        "copilot-cli",
        "workspace.yaml without an id",
        written("{parent}/workspace.yaml", "cwd: /w\n"),
        "damaged-metadata",
        "not-opened",
        "copilot --resume={id}",
        True,
    ),
    Case("copilot-cli", "first line torn", torn_first, "first-record", "not-opened", ""),
    Case(
        "copilot-cli",
        "in no folder",
        moved("{parent}.jsonl"),
        "older-layout",
        "not-opened",
        "copilot --resume={id}",
        True,
    ),
    # DeepSeek Harness
    Case("dsh", "project renamed", project_gone, "", "note", "dsh --profile tui --resume {id}"),
    Case("dsh", "empty", emptied, "empty", "not-opened", ""),
    Case("dsh", "first line torn", torn_first, "first-record", "not-opened", ""),
    Case(
        "dsh",
        "in the folder of another project",
        moved("{home}/.dsh/sessions/--w--/" + UUID + "/session.jsonl"),
        "other-folder",
        "not-opened",
        "dsh --profile tui --resume {id}",
        True,
    ),
    Case(
        "dsh",
        "in the folder of another session",
        moved("{parent}/../" + OTHER + "/session.jsonl"),
        "other-id",
        "not-opened",
        "dsh --profile tui --resume {id}",
        True,
    ),
    Case(
        "dsh",
        "in no folder",
        moved("{parent}.jsonl"),
        "older-layout",
        "not-opened",
        "dsh --profile tui --resume {id}",
        True,
    ),
    Case(
        "dsh",
        "a compressed log in the store",
        compressed_neighbour,
        "compressed",
        "not-opened",
        "dsh --profile tui --resume {id}",
        True,
    ),
    # VS Code
    Case("vscode-chat", "project renamed", project_gone, "folder-gone", "note", "code ."),
    Case("vscode-chat", "empty", emptied, "empty", "not-opened", "code .", True),
    Case(
        "vscode-chat",
        "first line gone",
        edited(lambda data: b'{"kind":1,"k":["customTitle"],"v":"a"}\n'),
        "first-record",
        "not-opened",
        "code .",
        True,
    ),
    Case("vscode-chat", "BOM", bom, "damaged-record", "not-opened", "code .", True),
    Case("vscode-chat", "a line torn", torn_middle, "damaged-record", "not-opened", "code .", True),
    Case("vscode-chat", "log gone", lambda place: place.log.unlink(), "entry-without-file", "not-opened", ""),
    Case(
        "vscode-chat",
        "not in the index",
        sql(_VSCODE, 'UPDATE ItemTable SET value = \'{"version": 1, "entries": {}}\''),
        "file-without-entry",
        "not-opened",
        "code .",
        True,
    ),
    # opencode
    Case("opencode", "project renamed", project_gone, "folder-gone", "not-opened", "opencode -s {id}", True),
    Case(
        "opencode",
        "no project",
        sql(_OPENCODE, "UPDATE session SET project_id = 'nobody'"),
        "pointer",
        "not-opened",
        "opencode -s {id}",
        True,
    ),
    Case(
        "opencode",
        "a part that is no JSON",
        sql(_OPENCODE, "UPDATE part SET data = '{'"),
        "damaged-record",
        "not-opened",
        "opencode -s {id}",
        True,
    ),
    Case(
        "opencode",
        "a message that is no JSON",
        sql(_OPENCODE, "UPDATE message SET data = '{'"),
        "damaged-record",
        "not-opened",
        "opencode -s {id}",
        True,
    ),
    # pi
    Case("pi", "project renamed", project_gone, "folder-gone", "not-opened", "pi --session {log}", True),
    Case(
        "pi",
        "in another store",
        moved("{home}/.pi/agent/sessions/--other--/{name}"),
        "other-folder",
        "not-opened",
        "pi --session {home}/.pi/agent/sessions/--other--/{name}",
    ),
    Case("pi", "no .jsonl", moved("{log}.txt"), "misnamed", "not-opened", "pi --session {log}.txt"),
    Case("pi", "header torn", torn_first, "first-record", "not-opened", "pi --session {log}", True),
    Case("pi", "header not first", displaced, "first-record", "not-opened", "pi --session {log}", True),
    Case("pi", "BOM", bom, "first-record", "not-opened", "pi --session {log}", True),
    Case("pi", "empty", emptied, "empty", "not-opened", ""),
    # omp
    Case("omp", "project renamed", project_gone, "folder-gone", "not-opened", "omp --resume {log}"),
    Case(
        "omp",
        "in no folder of a project",
        moved("{home}/.omp/agent/sessions/{name}"),
        "misplaced",
        "not-opened",
        "omp --resume {home}/.omp/agent/sessions/{name}",
    ),
    Case("omp", "no .jsonl", moved("{log}.txt"), "misnamed", "not-opened", "omp --resume {log}.txt"),
    Case("omp", "header lost", without_second, "first-record", "not-opened", "omp --resume {log}", True),
    Case("omp", "header torn", torn_second, "first-record", "not-opened", "omp --resume {log}", True),
    Case("omp", "title and header on one line", fused_first, "first-record", "not-opened", "omp --resume {log}", True),
    Case("omp", "a record before the title", displaced, "first-record", "not-opened", "omp --resume {log}", True),
    Case(
        "omp",
        "a blank line before the title",
        edited(lambda data: b"\n" + data),
        "first-record",
        "not-opened",
        "omp --resume {log}",
        True,
    ),
    Case("omp", "a link", linked, "link", "not-opened", "omp --resume {log}"),
    Case("omp", "two files", copied("{parent}-other/{name}"), "duplicate", "note", "omp --resume {log}"),
    Case("omp", "empty", emptied, "empty", "not-opened", ""),
    # OpenClaw
    Case(
        "openclaw",
        "the index refers to a log that is gone",
        in_openclaw_index("sessionFile", "{parent}/gone.jsonl"),
        "index-path",
        "not-opened",
        f"{_OPENCLAW_KEY} --session-id {{id}} --message 'Go on.'",
    ),
    Case(
        "openclaw",
        "the index refers to the log of another session",
        both(copied("{parent}/other.jsonl"), in_openclaw_index("sessionFile", "{parent}/other.jsonl")),
        "index-path",
        "not-opened",
        f"{_OPENCLAW_KEY} --session-id {{id}} --message 'Go on.'",
    ),
    Case(
        "openclaw",
        "the index refers to the former home",
        in_openclaw_index("sessionFile", f"/home/old/.openclaw/agents/main/sessions/{UUID}.jsonl"),
        "index-path",
        "not-opened",
        f"{_OPENCLAW_KEY} --session-id {{id}} --message 'Go on.'",
    ),
    Case("openclaw", "log gone", lambda place: place.log.unlink(), "entry-without-file", "not-opened", ""),
    Case("openclaw", "log renamed", moved("{parent}/mine.jsonl"), "entry-without-file", "not-opened", ""),
    Case(
        "openclaw",
        "log renamed, by its new name",
        moved("{parent}/mine.jsonl"),
        "file-without-entry",
        "note",
        "openclaw agent --local --agent main --session-id mine --message 'Go on.'",
    ),
    Case(
        "openclaw",
        "reset",
        moved("{log}.reset.2026-11-29T11-00-00.000Z"),
        "archived",
        "not-opened",
        "openclaw agent --local --agent main --session-id {id} --message 'Go on.'",
        True,
    ),
    Case(
        "openclaw",
        "no entry",
        in_openclaw_index("sessionId", ""),
        "file-without-entry",
        "note",
        "openclaw agent --local --agent main --session-id {id} --message 'Go on.'",
    ),
    # Cline
    Case(
        "cline-sdk",
        "row with a wrong path",
        sql(_CLINE_DATABASE, "UPDATE sessions SET messages_path = '/gone.json'"),
        "index-path",
        "destroys",
        "cline --id {id}",
        True,
    ),
    Case(
        "cline-sdk",
        "unknown to both",
        both(sql(_CLINE_DATABASE, "DELETE FROM sessions"), written(f"{{parent}}/{CLINE}.json", "")),
        "damaged-metadata",
        "destroys",
        "cline --id {id}",
        True,
    ),
    Case("cline-sdk", "messages torn", torn_json, "damaged-record", "destroys", "cline --id {id}", True),
    Case("cline-sdk", "messages missing", lambda place: place.log.unlink(), "entry-without-file", "not-opened", ""),
)
