"""The threads of a database as one text: an array of states like those of LangGraph's own API.

A thread is `{checkpoint, next, …, values: {messages: [...]}}`. The text holds each message as JSON. Only the newest
checkpoint of a thread is read, and no more than one thread at a time.
"""

import sqlite3

from inspector.core.formats.base.assembled_text import AssembledText
from inspector.core.formats.base.database_assembly import DatabaseAssembly
from inspector.core.formats.langgraph import TABLES, packed
from inspector.core.formats.langgraph.state import ThreadState, thread_state
from inspector.core.formats.langgraph.writer import add_checkpoints

# The index of the primary key answers it.
_THREADS = """SELECT thread_id, checkpoint_ns FROM checkpoints GROUP BY thread_id, checkpoint_ns
              ORDER BY min(checkpoint_id), thread_id, checkpoint_ns"""
_NEWEST_THREAD = """SELECT thread_id, (SELECT count(DISTINCT thread_id) FROM checkpoints) FROM checkpoints
                    ORDER BY checkpoint_id DESC LIMIT 1"""


def _put_threads(text: AssembledText, database: sqlite3.Connection, path: str) -> None:
    text.put(b"[\n")
    for thread_id, namespace in database.execute(_THREADS).fetchall():
        _put_thread(text, thread_state(database, thread_id, namespace, path))
    text.put(b"\n]\n")


def _put_thread(text: AssembledText, state: ThreadState) -> None:
    start = text.begin_object()
    text.put(packed.to_json(state.description)[:-1] + b',"values":{')
    if state.summary is not None:
        text.put(b'"_summarization_event":' + packed.to_json(state.summary) + b",")
    text.put(b'"messages":')
    text.put_records(start, ((message.name, message.json) for message in state.messages), b"}}")


DATABASE = DatabaseAssembly(
    _put_threads, _NEWEST_THREAD, groups=dict.fromkeys(TABLES, "thread_id"), write_rows=add_checkpoints
)
