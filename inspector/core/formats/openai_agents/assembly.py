"""The rows of a database as one text: an array of sessions `{session_id, agent_messages: [item, ...]}`.

The text holds the JSON of every row unchanged. A session is in it if it has rows, or if it is listed.
"""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import orjson

from inspector.core.errors import UnreadableLog
from inspector.core.formats.base.databases import (
    AssembledText,
    encrypted_messages,
    is_database_bytes,
    require_utf8,
    title_among_others,
)
from inspector.core.formats.base.stores import SessionMetadata
from inspector.core.formats.openai_agents import BRANCH_TABLE, TABLES
from inspector.core.storage.sqlite import ArchivedDatabase, DatabaseContainer, open_for_listing
from inspector.core.storage.temporary_files import AssembledSource

_JSON_COLUMNS = {"agent_messages": "message_data"}
_GROUPS = {"agent_messages": "session_id"}
_SESSIONS = """
SELECT session_id FROM (SELECT session_id, created_at FROM agent_sessions
                        UNION ALL SELECT session_id, created_at FROM agent_messages)
GROUP BY session_id ORDER BY min(created_at), session_id
"""
_ROWS = "SELECT id, CAST(message_data AS BLOB) FROM agent_messages WHERE session_id = ? ORDER BY id"
_ENCRYPTED = """SELECT 1 FROM agent_messages WHERE message_data LIKE '{"__enc__"%' LIMIT 1"""
_NEWEST_SESSION = "SELECT session_id, count(*) OVER () FROM agent_sessions ORDER BY updated_at DESC LIMIT 1"


def assemble(path: Path, format: str) -> AssembledSource:
    """Return the database at `path` as one text. Raises UnreadableLog."""
    return _assemble(str(path), format, DatabaseContainer(path, _JSON_COLUMNS, _GROUPS))


def assemble_from_archive(
    archive: str, members: dict[str, bytes], format: str
) -> Iterator[tuple[list[str], AssembledSource]]:
    """Yield the databases among members of an archive, each with the name of its member. Raises UnreadableLog."""
    for name, data in members.items():
        if is_database_bytes(data, TABLES, BRANCH_TABLE):
            database = ArchivedDatabase(archive, name, data, _JSON_COLUMNS, _GROUPS)
            source = _assemble(str(database.path), format, database)
            source.archive = archive
            yield [name], source


def _assemble(path: str, format: str, container: DatabaseContainer) -> AssembledSource:
    text = AssembledText()
    try:
        with container.connect() as database:
            require_utf8(database, path)
            if database.execute(_ENCRYPTED).fetchone() is not None:
                raise encrypted_messages(path)
            text.put(b"[\n")
            for (session_id,) in database.execute(_SESSIONS).fetchall():
                _put_session(text, session_id, database.execute(_ROWS, (session_id,)))
            text.put(b"\n]\n")
        return AssembledSource(path, format, text.spool, container, text.members, text.arrays)
    except BaseException:
        text.spool.close()
        raise


def _put_session(text: AssembledText, session_id: object, rows: sqlite3.Cursor) -> None:
    text.put(b",\n" if text.arrays else b"")
    start = text.spool.size
    text.put(b'{"session_id":%s,"agent_messages":' % orjson.dumps(session_id, default=str))
    array_start, spans = text.spool.size, list[tuple[int, int]]()
    for key, data in rows:
        text.put(b",\n" if spans else b"[\n")
        spans.append(text.put_member(f"agent_messages:{key}", data or b""))
    text.put(b"\n]}" if spans else b"[]}")
    text.arrays.append((array_start, spans, (start, text.spool.size)))


def database_metadata(path: str) -> SessionMetadata:
    """Return the id of the newest session; empty if the database cannot be read, which opening reports."""
    try:
        with open_for_listing(Path(path)) as database:
            row = database.execute(_NEWEST_SESSION).fetchone()
    except (sqlite3.Error, UnreadableLog):
        row = None
    return SessionMetadata("", title_among_others(str(row[0]), row[1])) if row is not None else SessionMetadata()
