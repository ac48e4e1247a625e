"""Goose: the database in which it keeps sessions, and its export of a session.

`load` is `get_conversation` of session_manager.rs (aaif-goose/goose @017176d): the messages that the agent sees, by
time and number, converted as for Anthropic. What Goose drops when it sends them (`fix_conversation`) is left in.
"""

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.core.formats.written import NO_DEVELOPER, WrittenFormat, file_writer
from tests.support import notation, projection
from tests.support.judges import JUDGES
from tests.support.notation import Call, History
from tests.system.corpus.otherwise import OfFormat

Json = dict[str, Any]

SESSION, NAME = "20261128_2", "sessions.db"
TIME = 1795334512
TABLES = """
CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', user_set_name BOOLEAN DEFAULT FALSE,
    session_type TEXT NOT NULL DEFAULT 'user', working_dir TEXT NOT NULL,
    created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    provider_name TEXT, model_config_json TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT,
    session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL, content_json TEXT NOT NULL,
    created_timestamp INTEGER NOT NULL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, tokens INTEGER,
    metadata_json TEXT);
CREATE INDEX idx_messages_session_created ON messages(session_id, created_timestamp, id);
"""
VISIBLE = {"userVisible": True, "agentVisible": True}


def block(given: Json) -> Json:
    """A block of Anthropic as Goose keeps it."""
    match given:
        case {"type": "tool_use", "id": call_id, "name": name, "input": args}:
            return {
                "type": "toolRequest",
                "id": call_id,
                "toolCall": {"status": "success", "value": {"name": name, "arguments": args}},
            }
        case {"type": "tool_result", "tool_use_id": call_id, **more}:
            content = more.get("content", "")
            parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
            value = {"content": parts, "isError": bool(more.get("is_error"))}
            return {"type": "toolResponse", "id": call_id, "toolResult": {"status": "success", "value": value}}
    return given


def plain(given: Json) -> Json:
    """A block of Goose as it is sent to Anthropic."""
    match given:
        case {"type": "toolRequest", "id": call_id, "toolCall": {"value": value}}:
            return {"type": "tool_use", "id": call_id, "name": value["name"], "input": value.get("arguments", {})}
        case {"type": "toolResponse", "id": call_id, "toolResult": {"value": {**more}}}:
            content: Any = more.get("content") or [{"type": "text", "text": ""}]
            failed = {"is_error": True} if more.get("isError") else {}
            text = content[0]["text"] if len(content) == 1 and content[0].keys() == {"type", "text"} else content
            return {"type": "tool_result", "tool_use_id": call_id, "content": text, **failed}
    return given


def messages(history: History) -> list[Json]:
    made = []
    for number, message in enumerate(notation.anthropic_messages(history)):
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        made.append(
            {
                "id": f"msg_{SESSION}_{number}",
                "role": message["role"],
                "created": TIME + number // 2,
                "content": list(map(block, blocks)),
                "metadata": VISIBLE,
            }
        )
    return made


def loaded(found: Iterable[Json]) -> History:
    spoken = (each for each in found if each.get("role") in ("user", "assistant"))
    seen = (each for each in spoken if each.get("metadata", VISIBLE).get("agentVisible", True) is not False)
    kept = [{"role": each["role"], "content": list(map(plain, each["content"]))} for each in seen]
    return projection.read(json.dumps(kept).encode(), "anthropic")


def exported(made: list[Json], session: str = SESSION) -> Json:
    return {"id": session, "working_dir": "/w", "name": "work", "session_type": "user", "conversation": made}


def render(history: History) -> bytes:
    return json.dumps(exported(messages(history)), ensure_ascii=False, indent=2).encode() + b"\n"


def add_messages(path: Path, made: Iterable[Json], session: str = SESSION) -> Path:
    """Append messages to a session, as Goose does. A text in the place of a content is stored as it is."""
    with closing(sqlite3.connect(path)) as database:
        if not database.execute("SELECT name FROM sqlite_master WHERE name = 'messages'").fetchone():
            database.executescript(TABLES)
        database.execute("INSERT OR IGNORE INTO sessions (id, working_dir) VALUES (?, '/w')", (session,))
        for message in made:
            content = message["content"]
            text = content if isinstance(content, str) else json.dumps(content)
            row = (message.get("id"), session, message["role"], text, message["created"])
            metadata = json.dumps(message["metadata"]) if "metadata" in message else None
            database.execute(
                "INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp, metadata_json)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (*row, metadata),
            )
        database.commit()
    return path


def rows(path: Path, session: str = SESSION) -> list[Json]:
    """The messages of a session, in the order in which Goose loads them."""
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        found = database.execute(
            "SELECT id, message_id, role, content_json, created_timestamp, metadata_json FROM messages"
            " WHERE session_id = ? ORDER BY created_timestamp, id",
            (session,),
        )
        return [
            {"row": row, "id": own, "role": role, "created": time, "content": json.loads(content)}
            | ({"metadata": json.loads(metadata)} if metadata else {})
            for row, own, role, content, time, metadata in found
        ]


def write_database(history: History, folder: Path) -> Path:
    return add_messages(folder / NAME, messages(history))


def tear_last_row(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        newest = "(SELECT max(id) FROM messages)"
        database.execute(f"UPDATE messages SET content_json = substr(content_json, 1, 20) WHERE id = {newest}")
        database.commit()


def tear_end(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: data.rindex(b'"metadata"')])


def rejected(history: History) -> str | None:
    """What Anthropic rejects, to which Goose sends a call without arguments with an empty input."""

    def sent(part: notation.Part) -> notation.Part:
        return replace(part, input={}) if isinstance(part, Call) and part.input is None else part

    return JUDGES["anthropic"][0]([replace(turn, parts=tuple(map(sent, turn.parts))) for turn in history])


FORMAT = WrittenFormat(
    "goose",
    file_writer("session.json", render),
    lambda path: loaded(json.loads(path.read_bytes())["conversation"]),
    rejected,
    cannot=NO_DEVELOPER,
    tear=tear_end,
    bookkeeping=("created", "created_timestamp", "metadata", "userVisible", "agentVisible"),
)
DATABASE = WrittenFormat(
    "goose",
    write_database,
    lambda path: loaded(rows(path)),
    FORMAT.judge,
    cannot=FORMAT.cannot,
    tear=tear_last_row,
    bookkeeping=FORMAT.bookkeeping,
)
CONTAINERS = {"goose-database": DATABASE}
CORPUS = OfFormat(folders=("goose",), elsewhere=(), broken={})
