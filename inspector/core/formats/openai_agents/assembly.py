"""The rows of a database as one text: an array of sessions `{session_id, agent_messages: [item, ...]}`.

The text holds the JSON of every row unchanged. A session is in it if it has rows, or if it is listed.
"""

import sqlite3

import orjson

from inspector.core.formats.base.assembled_text import AssembledText
from inspector.core.formats.base.database_assembly import DatabaseAssembly
from inspector.core.formats.base.databases import encrypted_messages

_SESSIONS = """
SELECT session_id FROM (SELECT session_id, created_at FROM agent_sessions
                        UNION ALL SELECT session_id, created_at FROM agent_messages)
GROUP BY session_id ORDER BY min(created_at), session_id
"""
_ROWS = "SELECT id, CAST(message_data AS BLOB) FROM agent_messages WHERE session_id = ? ORDER BY id"
_ENCRYPTED = """SELECT 1 FROM agent_messages WHERE message_data LIKE '{"__enc__"%' LIMIT 1"""
_NEWEST_SESSION = "SELECT session_id, count(*) OVER () FROM agent_sessions ORDER BY updated_at DESC LIMIT 1"


def _put_sessions(text: AssembledText, database: sqlite3.Connection, path: str) -> None:
    if database.execute(_ENCRYPTED).fetchone() is not None:
        raise encrypted_messages(path)
    text.put(b"[\n")
    for (session_id,) in database.execute(_SESSIONS).fetchall():
        start, rows = text.begin_object(), database.execute(_ROWS, (session_id,))
        text.put(b'{"session_id":%s,"agent_messages":' % orjson.dumps(session_id, default=str))
        text.put_records(start, ((f"agent_messages:{key}", data or b"") for key, data in rows))
    text.put(b"\n]\n")


DATABASE = DatabaseAssembly(
    _put_sessions, _NEWEST_SESSION, {"agent_messages": "message_data"}, {"agent_messages": "session_id"}
)
