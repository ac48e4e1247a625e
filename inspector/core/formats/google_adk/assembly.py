"""The events of a database as one text: an array of sessions `{app_name, user_id, id, events: [event, ...]}`.

Facts: google-adk 2.13.0, sessions/sqlite_session_service.py, sessions/schemas/v1.py. Both services keep an event as
JSON and order events by their time; events of one time by their row, or where the time is a text
(`DatabaseSessionService`) by their id.
"""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import orjson

from inspector.core.errors import UnreadableLog
from inspector.core.formats.base.databases import AssembledText, is_database_bytes, require_utf8, title_among_others
from inspector.core.formats.base.stores import SessionMetadata
from inspector.core.formats.google_adk import TABLES
from inspector.core.formats.google_adk.writer import IN_ORDER, write_events
from inspector.core.storage.sqlite import ArchivedDatabase, DatabaseContainer, open_for_listing
from inspector.core.storage.temporary_files import AssembledSource

_GROUPS = {"events": "session_id"}
_SESSIONS = """
SELECT app_name, user_id, id FROM (SELECT app_name, user_id, id, create_time FROM sessions
                                   UNION ALL SELECT app_name, user_id, session_id, NULL FROM events)
GROUP BY app_name, user_id, id ORDER BY min(create_time), app_name, user_id, id
"""
_ROWS = f"""SELECT rowid, CAST(event_data AS BLOB) FROM events
            WHERE app_name IS ? AND user_id IS ? AND session_id IS ? ORDER BY {IN_ORDER}"""
_NEWEST_SESSION = "SELECT id, count(*) OVER () FROM sessions ORDER BY update_time DESC LIMIT 1"


def assemble(path: Path, format: str) -> AssembledSource:
    """Return the database at `path` as one text. Raises UnreadableLog."""
    return _assemble(str(path), format, DatabaseContainer(path, {}, _GROUPS, write_events))


def assemble_from_archive(
    archive: str, members: dict[str, bytes], format: str
) -> Iterator[tuple[list[str], AssembledSource]]:
    """Yield the databases among members of an archive, each with the name of its member. Raises UnreadableLog."""
    for name, data in members.items():
        if is_database_bytes(data, TABLES):
            database = ArchivedDatabase(archive, name, data, {}, _GROUPS, write_events)
            source = _assemble(str(database.path), format, database)
            source.archive = archive
            yield [name], source


def _assemble(path: str, format: str, container: DatabaseContainer) -> AssembledSource:
    text = AssembledText()
    try:
        with container.connect() as database:
            require_utf8(database, path)
            text.put(b"[\n")
            for names in database.execute(_SESSIONS).fetchall():
                _put_session(text, names, database.execute(_ROWS, names))
            text.put(b"\n]\n")
        return AssembledSource(path, format, text.spool, container, text.members, text.arrays)
    except BaseException:
        text.spool.close()
        raise


def _put_session(text: AssembledText, names: tuple[object, ...], rows: sqlite3.Cursor) -> None:
    text.put(b",\n" if text.arrays else b"")
    start = text.spool.size
    head = orjson.dumps(dict(zip(("app_name", "user_id", "id"), names, strict=True)), default=str)
    text.put(head[:-1] + b',"events":')
    array_start, spans = text.spool.size, list[tuple[int, int]]()
    for key, data in rows:
        text.put(b",\n" if spans else b"[\n")
        spans.append(text.put_member(f"events:{key}", data or b""))
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
