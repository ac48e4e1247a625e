"""The events of a database as one text of lines, session by session, as the files of older versions hold them.

The text holds the JSON of every event, which may be compressed in its row.
"""

import sqlite3

from inspector.core.formats.base.assembled_text import AssembledText
from inspector.core.formats.base.database_assembly import DatabaseAssembly
from inspector.core.storage.compression import decompression_errors, zstd_library

_SESSIONS = "SELECT session_id FROM transcript_events GROUP BY session_id ORDER BY max(created_at) DESC, session_id"
_NEWEST_SESSION = _SESSIONS.replace("session_id FROM", "session_id, count(*) OVER () FROM") + " LIMIT 1"
_COMPRESSED = "event_zstd"
_LONGEST_EVENT = 4 * 1024 * 1024  # that OpenClaw compresses
_ROWS = "SELECT seq, CAST(event_json AS BLOB), {} FROM transcript_events WHERE session_id = ? ORDER BY seq"


def _put_sessions(text: AssembledText, database: sqlite3.Connection, path: str) -> None:
    columns = {row[1] for row in database.execute("PRAGMA table_info(transcript_events)")}
    rows = _ROWS.format(_COMPRESSED if _COMPRESSED in columns else "NULL")
    for (session_id,) in database.execute(_SESSIONS).fetchall():
        _put_session(text, session_id, database.execute(rows, (session_id,)))


def _put_session(text: AssembledText, session_id: object, rows: sqlite3.Cursor) -> None:
    start, spans = text.spool.size, list[tuple[int, int]]()
    for seq, plain, compressed in rows:
        event = plain if compressed is None else _unpacked(compressed)
        spans.append(text.put_member(f"transcript_events:{session_id}:{seq}", event or b""))
        text.put(b"\n")
    text.arrays.append((start, spans, (start, text.spool.size)))


def _unpacked(compressed: bytes) -> bytes:
    """Return the JSON of a compressed event, b"" if the row is damaged."""
    try:
        event: bytes = zstd_library().ZstdDecompressor().decompress(compressed, _LONGEST_EVENT)
    except decompression_errors():
        return b""
    return event


DATABASE = DatabaseAssembly(_put_sessions, _NEWEST_SESSION, {"transcript_events": "event_json"})
