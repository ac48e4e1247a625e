"""The sessions of Crush's database as one text: an array of sessions with their rows.

Facts: charmbracelet/crush, internal/db/migrations and internal/db/sql/messages.sql @37f36e9. Ids are texts. Rows are
read in the order of `created_at`, a time in seconds. SQLite returns rows of one second in the order of their `rowid`.
So a new row has the time of the row next to it, the time is not part of a record, and the rows after a new one get a
new `rowid`. Triggers count the messages of a session. As triggers of a log never run, the count is changed here.
"""

from inspector.core.formats.base.message_rows import MessageRows

_NEWEST = """SELECT coalesce(nullif(title, ''), id), count(*) OVER () FROM sessions
             WHERE id IN (SELECT session_id FROM messages) ORDER BY updated_at DESC LIMIT 1"""

DATABASE = MessageRows(
    session_columns=("title", "parent_session_id", "summary_message_id"),
    json_columns={"parts": b""},
    newest=_NEWEST,
    order="created_at, rowid",
    number="rowid",
    count_column="message_count",
    members={
        "id": "id",
        "role": "role",
        "parts": "parts",
        "model": "model",
        "provider": "provider",
    },
    required_column="parts",
).assembly()
