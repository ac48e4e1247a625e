"""OpenAI Agents SDK: the database that `SQLiteSession` writes, and what `get_items` reads of it.

The SDK drops each call without an output before it sends a request. `load` drops only those that wait for an approval.
"""

import json
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from itertools import takewhile
from pathlib import Path
from typing import Any

from tests.core.formats import openai_responses
from tests.core.formats.written import WrittenFormat, by_role, file_writer
from tests.support.notation import History
from tests.system.corpus.otherwise import OfFormat

SESSION = "user_123"
NAME = "conversations.db"
TIME = "2026-11-28 08:00:00"
TABLES = """
CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE agent_messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, message_data TEXT NOT NULL,
    created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    FOREIGN KEY (session_id) REFERENCES agent_sessions (session_id) ON DELETE CASCADE);
CREATE INDEX idx_agent_messages_session_id ON agent_messages (session_id, id);
"""
_WAITS = "a call without an output in the newest response waits for an approval"

Item = dict[str, Any]


def add_items(path: Path, items: Iterable[Item | str], session: str = SESSION) -> Path:
    """Append items to a session, as the SDK does. A text is stored as it is."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        if not database.execute("SELECT name FROM sqlite_master WHERE name = 'agent_sessions'").fetchone():
            database.executescript(TABLES)
        database.execute("INSERT OR IGNORE INTO agent_sessions VALUES (?, ?, ?)", (session, TIME, TIME))
        rows = [(session, item if isinstance(item, str) else json.dumps(item), TIME) for item in items]
        database.executemany("INSERT INTO agent_messages (session_id, message_data, created_at) VALUES (?, ?, ?)", rows)
        database.commit()
    return path


def rows(path: Path, session: str = SESSION) -> list[tuple[int, str]]:
    """The rows of a session, in the order in which the SDK reads them."""
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        found = "SELECT id, message_data FROM agent_messages WHERE session_id = ? ORDER BY id"
        return database.execute(found, (session,)).fetchall()


def get_items(path: Path, session: str = SESSION) -> list[Item]:
    """`SQLiteSession.get_items`: a row that is not JSON is skipped."""
    items = []
    for _, data in rows(path, session):
        try:
            items.append(json.loads(data))
        except json.JSONDecodeError:
            continue
    return items


def sent(items: list[Item]) -> list[Item]:
    """The items without the calls that wait for an approval: those of the newest response without an output."""
    answered = {item["call_id"] for item in items if item.get("type") == "function_call_output"}
    newest = list(takewhile(lambda item: item.get("type") in _OF_RESPONSE, reversed(items)))
    waiting = [item for item in newest if item["type"] == "function_call" and item["call_id"] not in answered]
    return [item for item in items if item not in waiting]


_OF_RESPONSE = ("function_call", "function_call_output", "reasoning")


def loaded(items: list[Item]) -> History:
    return openai_responses.folded(sent(items))


def write_database(history: History, folder: Path) -> Path:
    return add_items(folder / NAME, openai_responses.items(history))


def tear_last_row(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        newest = "(SELECT max(id) FROM agent_messages)"
        database.execute(f"UPDATE agent_messages SET message_data = substr(message_data, 1, 20) WHERE id = {newest}")
        database.commit()


def render(history: History) -> bytes:
    """The text that a database is put together as, and that a bundle holds."""
    session = {"session_id": SESSION, "agent_messages": openai_responses.items(history)}
    return json.dumps([session], ensure_ascii=False, indent=2).encode() + b"\n"


def tear_end(path: Path) -> None:
    """Cut the document in the middle of its last item."""
    data = path.read_bytes()
    path.write_bytes(data[: data.rindex(b'"type"')])


def written_as(
    write: Callable[[History, Path], Path], read: Callable[[Path], list[Item]], tear: Callable[[Path], None]
) -> WrittenFormat:
    return WrittenFormat(
        "openai-agents",
        write,
        lambda path: loaded(read(path)),
        openai_responses.error,
        cannot=dict.fromkeys(("D1", "T05"), _WAITS),
        tear=tear,
        provider="openai-responses",
        in_order=openai_responses.in_order_error,
        is_message=lambda value: "call_id" in value or value.get("type") == "reasoning" or by_role(value),
    )


FORMAT = written_as(
    file_writer("sessions.json", render),
    lambda path: json.loads(path.read_bytes())[0]["agent_messages"],
    tear_end,
)
DATABASE = written_as(write_database, get_items, tear_last_row)
CONTAINERS = {"openai-agents-database": DATABASE}
CORPUS = OfFormat(folders=("openai-agents",), elsewhere=(), broken={})
