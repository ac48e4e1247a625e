"""The events of a database as one text of lines, session by session, as the files of older versions hold them.

The text holds the JSON of every event, which may be compressed in its row.
"""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from inspector.core.errors import UnreadableLog
from inspector.core.formats.base.databases import AssembledText, is_database_bytes, require_utf8, title_among_others
from inspector.core.formats.base.stores import SessionMetadata
from inspector.core.formats.openclaw import TABLES
from inspector.core.storage.compression import decompression_errors, zstd_library
from inspector.core.storage.sqlite import ArchivedDatabase, DatabaseContainer, open_for_listing
from inspector.core.storage.temporary_files import AssembledSource

_JSON_COLUMNS = {"transcript_events": "event_json"}
_SESSIONS = "SELECT session_id FROM transcript_events GROUP BY session_id ORDER BY max(created_at) DESC, session_id"
_NEWEST_SESSION = _SESSIONS.replace("session_id FROM", "session_id, count(*) OVER () FROM") + " LIMIT 1"
_COMPRESSED = "event_zstd"
_LONGEST_EVENT = 4 * 1024 * 1024  # that OpenClaw compresses
_ROWS = "SELECT seq, CAST(event_json AS BLOB), {} FROM transcript_events WHERE session_id = ? ORDER BY seq"


def assemble(path: Path, format: str) -> AssembledSource:
    """Return the database at `path` as one text. Raises UnreadableLog."""
    return _assemble(str(path), format, DatabaseContainer(path, _JSON_COLUMNS, {}))


def assemble_from_archive(
    archive: str, members: dict[str, bytes], format: str
) -> Iterator[tuple[list[str], AssembledSource]]:
    """Yield the databases among members of an archive, each with the name of its member. Raises UnreadableLog."""
    for name, data in members.items():
        if is_database_bytes(data, TABLES):
            database = ArchivedDatabase(archive, name, data, _JSON_COLUMNS, {})
            source = _assemble(str(database.path), format, database)
            source.archive = archive
            yield [name], source


def _assemble(path: str, format: str, container: DatabaseContainer) -> AssembledSource:
    text = AssembledText()
    try:
        with container.connect() as database:
            require_utf8(database, path)
            columns = {row[1] for row in database.execute("PRAGMA table_info(transcript_events)")}
            rows = _ROWS.format(_COMPRESSED if _COMPRESSED in columns else "NULL")
            for (session_id,) in database.execute(_SESSIONS).fetchall():
                _put_session(text, session_id, database.execute(rows, (session_id,)))
        return AssembledSource(path, format, text.spool, container, text.members, text.arrays)
    except BaseException:
        text.spool.close()
        raise


def _put_session(text: AssembledText, session_id: object, rows: sqlite3.Cursor) -> None:
    start, spans = text.spool.size, list[tuple[int, int]]()
    for seq, plain, compressed in rows:
        event = plain if compressed is None else _unpacked(compressed)
        spans.append(text.put_member(f"transcript_events:{session_id}:{seq}", event or b""))
        text.put(b"\n")
    text.arrays.append((start, spans, (start, text.spool.size)))


def database_metadata(path: str) -> SessionMetadata:
    """Return the id of the newest session; empty if the database cannot be read, which opening reports."""
    try:
        with open_for_listing(Path(path)) as database:
            row = database.execute(_NEWEST_SESSION).fetchone()
    except (sqlite3.Error, UnreadableLog):
        row = None
    return SessionMetadata("", title_among_others(str(row[0]), row[1])) if row is not None else SessionMetadata()


def _unpacked(compressed: bytes) -> bytes:
    """Return the JSON of a compressed event, b"" if the row is damaged."""
    try:
        event: bytes = zstd_library().ZstdDecompressor().decompress(compressed, _LONGEST_EVENT)
    except decompression_errors():
        return b""
    return event
