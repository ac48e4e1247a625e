"""The sessions of Hermes's database as one text, in the form of its own export.

Facts: hermes-agent 0.19.0, hermes_state.py. A session is loaded in the order of the numbers of its rows, not of their
times. Each row is also in the indexes for searching, which triggers keep up to date. As triggers of a log never run,
the entries of changed rows are written here.
"""

import sqlite3

from inspector.core.formats.base.message_rows import MessageRows, RowNumbers

_NEWEST = """SELECT coalesce(title, display_name, id), count(*) OVER () FROM sessions
             WHERE id IN (SELECT session_id FROM messages) ORDER BY started_at DESC LIMIT 1"""
_NEWEST_WITHOUT_LIST = """SELECT session_id, count(*) OVER () FROM messages
                          GROUP BY session_id ORDER BY max(id) DESC LIMIT 1"""
_INDEXES = ("messages_fts", "messages_fts_trigram")
_ENTRY = "coalesce(content, '') || ' ' || coalesce(tool_name, '') || ' ' || coalesce(tool_calls, '')"


def _write_index(database: sqlite3.Connection, rows: list[RowNumbers]) -> int:
    before = database.total_changes
    known = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    for index in _INDEXES:
        if database.execute(known, (index,)).fetchone():
            database.executemany(f"DELETE FROM {index} WHERE rowid = ?", [(old,) for old, _ in rows if old])
            add = f"INSERT INTO {index} (rowid, content) SELECT id, {_ENTRY} FROM messages WHERE id = ?"
            database.executemany(add, [(new,) for _, new in rows if new])
    return database.total_changes - before


DATABASE = MessageRows(
    session_columns=("source", "model", "billing_provider", "title", "cwd", "system_prompt", "parent_session_id"),
    json_columns={
        "content": b"\0json:",
        **dict.fromkeys(("tool_calls", "reasoning_details", "codex_reasoning_items", "codex_message_items"), b""),
    },
    newest=_NEWEST,
    write_index=_write_index,
).assembly()
