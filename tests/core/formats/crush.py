"""Crush: the database in which it keeps the sessions of a project.

`load` is `List` of internal/message/message.go (charmbracelet/crush @37f36e9): the messages by time, as SQLite returns
them. What Crush changes when it sends them (`preparePrompt`) is left out.
"""

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.core.formats.written import NO_DEVELOPER, WrittenFormat, file_writer
from tests.support import notation, projection
from tests.support.judges import JUDGES
from tests.support.notation import History
from tests.system.corpus.otherwise import OfFormat

Json = dict[str, Any]

SESSION, NAME = "5b0c4a0e-9d0e-4a6e-8a58-1d3a5f6f0c11", "crush.db"
TIME = 1795334512
TABLES = """
CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL);
CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL,
    message_count INTEGER NOT NULL DEFAULT 0 CHECK (message_count >= 0), updated_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL, summary_message_id TEXT, todos TEXT);
CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL,
    parts BLOB NOT NULL DEFAULT '[]', model TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    finished_at INTEGER, provider TEXT, is_summary_message INTEGER DEFAULT 0 NOT NULL,
    FOREIGN KEY (session_id) REFERENCES sessions (id) ON DELETE CASCADE);
CREATE INDEX idx_messages_session_id ON messages (session_id);
CREATE INDEX idx_messages_created_at ON messages (created_at);
CREATE TRIGGER update_messages_updated_at AFTER UPDATE ON messages
    BEGIN UPDATE messages SET updated_at = strftime('%s', 'now') WHERE id = new.id; END;
CREATE TRIGGER update_session_message_count_on_insert AFTER INSERT ON messages
    BEGIN UPDATE sessions SET message_count = message_count + 1 WHERE id = new.session_id; END;
CREATE TRIGGER update_session_message_count_on_delete AFTER DELETE ON messages
    BEGIN UPDATE sessions SET message_count = message_count - 1 WHERE id = old.session_id; END;
"""
FINISH = {"type": "finish", "data": {"reason": "stop", "time": 0}}


def part(given: Json) -> Json:
    """A block of Anthropic as Crush keeps it."""
    match given:
        case {"type": "tool_use", "id": call_id, "name": name, "input": args}:
            data = {"id": call_id, "name": name, "input": json.dumps(args), "finished": True}
            return {"type": "tool_call", "data": data}
        case {"type": "tool_result", "tool_use_id": call_id, **more}:
            content = more.get("content", "")
            text = content if isinstance(content, str) else "".join(each.get("text", "") for each in content)
            data = {"tool_call_id": call_id, "name": "", "content": text, "is_error": bool(more.get("is_error"))}
            return {"type": "tool_result", "data": data}
        case {"type": "thinking", "thinking": words, **more}:
            return {"type": "reasoning", "data": {"thinking": words, "signature": more.get("signature", "")}}
        case {"type": "text", "text": words}:
            return {"type": "text", "data": {"text": words}}
    raise notation.NotExpressible(f"no place for a {given['type']}")


def plain(given: Json) -> Json | None:
    """A part of Crush as it is sent to Anthropic, None for one that is not sent."""
    data = given["data"]
    match given["type"]:
        case "tool_call":
            return {"type": "tool_use", "id": data["id"], "name": data["name"], "input": given_input(data["input"])}
        case "tool_result":
            failed = {"is_error": True} if data.get("is_error") else {}
            return {"type": "tool_result", "tool_use_id": data["tool_call_id"], "content": data["content"], **failed}
        case "reasoning":
            return {"type": "thinking", "thinking": data["thinking"], "signature": data.get("signature", "")}
        case "text":
            return {"type": "text", "text": data["text"]}
    return None


def given_input(text: str) -> Json:
    """An input as it is sent to Anthropic: one that is no object is empty (fantasy, `decodeToolCallInputMap`)."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def messages(history: History) -> list[Json]:
    """The messages of a history. Results are messages of a role of their own, so texts beside them follow."""
    made: list[Json] = []
    for message in notation.anthropic_messages(history):
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        role = message["role"]
        results = [block for block in blocks if block["type"] == "tool_result"] if role == "user" else []
        others = [block for block in blocks if block not in results]
        in_order = [("tool", results), (role, others)]
        if results and others and blocks[: len(others)] == others:
            in_order.reverse()
        elif results and others and blocks[: len(results)] != results:
            raise notation.NotExpressible("a result between texts in one message")
        for speaker, given in in_order:
            if given or (speaker == role and not results):
                made.append(message_of(speaker, *map(part, given), number=len(made)))
    return made


def message_of(role: str, *parts: Json, number: int = 0, **columns: Any) -> Json:
    made = {"id": f"m{number}", "role": role, "parts": [*parts, FINISH], "created_at": TIME + number // 2}
    return made | ({"model": "claude-sonnet-4-5", "provider": "anthropic"} if role == "assistant" else {}) | columns


def loaded(found: Iterable[Json]) -> History:
    spoken = [each for each in found if each.get("role") in ("user", "assistant", "tool")]
    kept = [
        {
            "role": "user" if each["role"] == "tool" else each["role"],
            "content": [block for block in map(plain, each["parts"]) if block],
        }
        for each in spoken
    ]
    return projection.read(json.dumps([each for each in kept if each["content"]]).encode(), "anthropic")


def as_document(made: list[Json], session: str = SESSION) -> Json:
    return {"id": session, "title": "work", "messages": made}


def render(history: History) -> bytes:
    return json.dumps(as_document(messages(history)), ensure_ascii=False, indent=2).encode() + b"\n"


def add_messages(path: Path, made: Iterable[Json], session: str = SESSION) -> Path:
    """Append messages to a session, as Crush does. A text in the place of the parts is stored as it is."""
    with closing(sqlite3.connect(path)) as database:
        if not database.execute("SELECT name FROM sqlite_master WHERE name = 'messages'").fetchone():
            database.executescript(TABLES)
        database.execute(
            "INSERT OR IGNORE INTO sessions (id, title, updated_at, created_at) VALUES (?, 'work', ?, ?)",
            (session, TIME, TIME),
        )
        for message in made:
            parts, time = message["parts"], message["created_at"]
            text = parts if isinstance(parts, str) else json.dumps(parts)
            database.execute(
                "INSERT INTO messages (id, session_id, role, parts, model, provider, created_at, updated_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    f"{session}-{message['id']}", session, message["role"], text,
                    message.get("model"), message.get("provider"), time, time,
                ),
            )  # fmt: skip
        database.commit()
    return path


def rows(path: Path, session: str = SESSION) -> list[Json]:
    """The messages of a session, in the order in which Crush loads them."""
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        found = database.execute(
            "SELECT rowid, id, role, parts, created_at, updated_at FROM messages WHERE session_id = ?"
            " ORDER BY created_at ASC",
            (session,),
        ).fetchall()
        (count,) = database.execute("SELECT message_count FROM sessions WHERE id = ?", (session,)).fetchone()
        assert count == len(found)
        return [
            {"row": row, "id": own, "role": role, "parts": json.loads(parts), "created_at": made, "updated_at": changed}
            for row, own, role, parts, made, changed in found
        ]


def write_database(history: History, folder: Path) -> Path:
    return add_messages(folder / NAME, messages(history))


def tear_last_row(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        newest = "(SELECT max(rowid) FROM messages)"
        database.execute(f"UPDATE messages SET parts = substr(parts, 1, 20) WHERE rowid = {newest}")
        database.commit()


def tear_end(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: data.rindex(b'"finish"')])


_BOOKKEEPING = ("created_at", "updated_at", "time", "reason", "finished")
FORMAT = WrittenFormat(
    "crush",
    file_writer("session.json", render),
    lambda path: loaded(json.loads(path.read_bytes())["messages"]),
    JUDGES["anthropic"][0],
    cannot={**NO_DEVELOPER, "T34": "the input of a call is a text"},
    tear=tear_end,
    bookkeeping=_BOOKKEEPING,
)
DATABASE = WrittenFormat(
    "crush",
    write_database,
    lambda path: loaded(rows(path)),
    FORMAT.judge,
    cannot=FORMAT.cannot,
    tear=tear_last_row,
    bookkeeping=_BOOKKEEPING,
    counts_messages=True,
)
CONTAINERS = {"crush-database": DATABASE}
CORPUS = OfFormat(folders=("crush",), elsewhere=(), broken={})
