"""Hermes: the database in which it keeps sessions, its export, and a copy of the rows with calls as strings.

`load` is `_rows_to_conversation` of hermes_state.py (hermes-agent 0.19.0): active rows in the order of their ids, calls
from the list in their text. What Hermes drops and answers when it sends the messages is left out.
"""

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.core.formats import openai_chat
from tests.core.formats.written import WrittenFormat, file_writer
from tests.support import projection
from tests.support.notation import History, openai_messages
from tests.system.corpus.otherwise import OfFormat

Json = dict[str, Any]

SESSION, NAME = "20261128_081512_a3f09c", "state.db"
TIME = 1795334512.25
JSON_PREFIX = "\0json:"
TABLES = """
CREATE TABLE schema_version (version INTEGER NOT NULL);
CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, model TEXT, system_prompt TEXT,
    parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT,
    message_count INTEGER DEFAULT 0, tool_call_count INTEGER DEFAULT 0, cwd TEXT, title TEXT, display_name TEXT,
    FOREIGN KEY (parent_session_id) REFERENCES sessions(id));
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id),
    role TEXT NOT NULL, content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, effect_disposition TEXT,
    timestamp REAL NOT NULL, token_count INTEGER, finish_reason TEXT, reasoning TEXT, reasoning_content TEXT,
    reasoning_details TEXT, codex_reasoning_items TEXT, codex_message_items TEXT, platform_message_id TEXT,
    observed INTEGER DEFAULT 0, active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0,
    api_content TEXT);
CREATE INDEX idx_messages_session ON messages(session_id, timestamp);
CREATE VIRTUAL TABLE messages_fts USING fts5(content);
CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN
    INSERT INTO messages_fts(rowid, content) VALUES (new.id, COALESCE(new.content, '') || ' '
        || COALESCE(new.tool_name, '') || ' ' || COALESCE(new.tool_calls, ''));
END;
CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages BEGIN
    DELETE FROM messages_fts WHERE rowid = old.id;
END;
CREATE TRIGGER messages_fts_update AFTER UPDATE ON messages BEGIN
    DELETE FROM messages_fts WHERE rowid = old.id;
    INSERT INTO messages_fts(rowid, content) VALUES (new.id, COALESCE(new.content, '') || ' '
        || COALESCE(new.tool_name, '') || ' ' || COALESCE(new.tool_calls, ''));
END;
"""
_ROLES = ("system", "user", "assistant", "tool", "function", "developer")
_JSON_COLUMNS = ("tool_calls", "reasoning_details", "codex_reasoning_items", "codex_message_items")


def stored(message: Json) -> Json:
    """The columns of a message. Texts in the place of JSON are stored as they are."""
    row = dict(message)
    if isinstance(row.get("content"), list | dict):
        row["content"] = JSON_PREFIX + json.dumps(row["content"])
    return row | {key: json.dumps(row[key]) for key in _JSON_COLUMNS if isinstance(row.get(key), list | dict)}


def add_messages(path: Path, messages: Iterable[Json], session: str = SESSION, tables: str = TABLES) -> Path:
    """Append messages to a session, as Hermes does."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        if not database.execute("SELECT name FROM sqlite_master WHERE name = 'messages'").fetchone():
            database.executescript(tables)
        head = (session, "cli", "fake-model", TIME)
        database.execute("INSERT OR IGNORE INTO sessions (id, source, model, started_at) VALUES (?, ?, ?, ?)", head)
        (number,) = database.execute("SELECT count(*) FROM messages").fetchone()
        for at, message in enumerate(messages, number):
            row = {"session_id": session, "timestamp": TIME + at} | stored(message)
            row = {key: value for key, value in row.items() if key != "name"}
            marks = ", ".join("?" * len(row))
            database.execute(f"INSERT INTO messages ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))
        database.commit()
    return path


def rows(path: Path, session: str = SESSION) -> list[Json]:
    """The active rows of a session, in the order in which Hermes loads them. The search index must hold them all."""
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        database.row_factory = sqlite3.Row
        found = "SELECT * FROM messages WHERE session_id = ? AND active = 1 ORDER BY id"
        listed = [dict(row) for row in database.execute(found, (session,))]
        indexed = dict(database.execute("SELECT rowid, content FROM messages_fts").fetchall())
        words = "coalesce(content, '') || ' ' || coalesce(tool_name, '') || ' ' || coalesce(tool_calls, '')"
        assert indexed == dict(database.execute(f"SELECT id, {words} FROM messages").fetchall())
        return listed


def conversation(found: Iterable[Json]) -> list[Json]:
    """The messages of rows: calls that are no JSON are none, and rows of other roles are not sent."""
    messages = []
    for row in found:
        if row.get("role") not in _ROLES or row.get("active", 1) not in (1, None):
            continue
        message = {key: row[key] for key in ("role", "content", "tool_call_id") if row.get(key) is not None}
        content = message.get("content")
        if isinstance(content, str) and content.startswith(JSON_PREFIX):
            message["content"] = json.loads(content.removeprefix(JSON_PREFIX))
        calls = row.get("tool_calls")
        try:
            calls = json.loads(calls) if isinstance(calls, str) else calls
        except json.JSONDecodeError:
            calls = None
        messages.append(message | ({"tool_calls": calls} if calls else {}))
    return messages


def loaded(found: Iterable[Json]) -> History:
    return projection.read(json.dumps(conversation(found)).encode(), "openai")


def exported(messages: list[Json]) -> Json:
    made = [{"id": at, "session_id": SESSION, **message, "timestamp": TIME + at} for at, message in enumerate(messages)]
    return {"id": SESSION, "source": "cli", "started_at": TIME, "messages": made}


def render(history: History) -> bytes:
    """What `hermes sessions export` writes: a session on each line."""
    return json.dumps(exported(openai_messages(history)), ensure_ascii=False).encode() + b"\n"


def render_rows(history: History) -> bytes:
    """A copy of the rows, one a line: calls are the text that the database holds."""
    lines = (stored(message) for message in exported(openai_messages(history))["messages"])
    return b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)


def tear_end(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: data.rindex(b'"timestamp"')])


def write_database(history: History, folder: Path) -> Path:
    return add_messages(folder / NAME, openai_messages(history))


def lines(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


_BOOKKEEPING = ("id", "session_id", "timestamp")
FORMAT = WrittenFormat(
    "hermes",
    file_writer("sessions.jsonl", render),
    lambda path: loaded(lines(path)[0]["messages"]),
    openai_chat.FORMAT.judge,
    provider="openai-chat",
    cannot=openai_chat.FORMAT.cannot,
    tear=tear_end,
    bookkeeping=_BOOKKEEPING,
)
DATABASE = WrittenFormat(
    "hermes",
    write_database,
    lambda path: loaded(rows(path)),
    FORMAT.judge,
    provider=FORMAT.provider,
    cannot=FORMAT.cannot,
    bookkeeping=_BOOKKEEPING,
)
ROWS = WrittenFormat(
    "hermes",
    file_writer("rows.jsonl", render_rows),
    lambda path: loaded(lines(path)),
    FORMAT.judge,
    provider=FORMAT.provider,
    cannot=FORMAT.cannot,
    bookkeeping=_BOOKKEEPING,
)
CONTAINERS = {"hermes-database": DATABASE, "hermes-rows": ROWS}
CORPUS = OfFormat(
    folders=("hermes",), elsewhere=("other-agents/*hermes.*.json",), broken={"hermes/*state.db": "M12 R1"}
)
