"""The events of a database as one text: an array of sessions `{app_name, user_id, id, events: [event, ...]}`.

Facts: google-adk 2.13.0, sessions/sqlite_session_service.py, sessions/schemas/v1.py. Both services keep an event as
JSON and order events by their time; events of one time by their row, or where the time is a text
(`DatabaseSessionService`) by their id.
"""

import sqlite3

import orjson

from inspector.core.formats.base.assembled_text import AssembledText
from inspector.core.formats.base.database_assembly import DatabaseAssembly
from inspector.core.formats.google_adk.writer import IN_ORDER, write_events

_SESSIONS = """
SELECT app_name, user_id, id FROM (SELECT app_name, user_id, id, create_time FROM sessions
                                   UNION ALL SELECT app_name, user_id, session_id, NULL FROM events)
GROUP BY app_name, user_id, id ORDER BY min(create_time), app_name, user_id, id
"""
_ROWS = f"""SELECT rowid, CAST(event_data AS BLOB) FROM events
            WHERE app_name IS ? AND user_id IS ? AND session_id IS ? ORDER BY {IN_ORDER}"""
_NEWEST_SESSION = "SELECT id, count(*) OVER () FROM sessions ORDER BY update_time DESC LIMIT 1"


def _put_sessions(text: AssembledText, database: sqlite3.Connection, path: str) -> None:
    text.put(b"[\n")
    for names in database.execute(_SESSIONS).fetchall():
        start = text.begin_object()
        head = orjson.dumps(dict(zip(("app_name", "user_id", "id"), names, strict=True)), default=str)
        text.put(head[:-1] + b',"events":')
        text.put_records(start, ((f"events:{key}", data or b"") for key, data in database.execute(_ROWS, names)))
    text.put(b"\n]\n")


DATABASE = DatabaseAssembly(_put_sessions, _NEWEST_SESSION, groups={"events": "session_id"}, write_rows=write_events)
