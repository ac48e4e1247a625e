"""The threads of a database as one text: an array of states like those of LangGraph's own API.

A thread is `{checkpoint, next, …, values: {messages: [...]}}`. The text holds each message as JSON. Only the newest
checkpoint of a thread is read, and no more than one thread at a time.
"""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from inspector.core.errors import UnreadableLog
from inspector.core.formats.base.databases import AssembledText, is_database_bytes, require_utf8, title_among_others
from inspector.core.formats.base.stores import SessionMetadata
from inspector.core.formats.langgraph import TABLES, packed
from inspector.core.formats.langgraph.state import ThreadState, thread_state
from inspector.core.formats.langgraph.writer import add_checkpoints
from inspector.core.storage.sqlite import ArchivedDatabase, DatabaseContainer, open_for_listing
from inspector.core.storage.temporary_files import AssembledSource

# The index of the primary key answers it.
_THREADS = """SELECT thread_id, checkpoint_ns FROM checkpoints GROUP BY thread_id, checkpoint_ns
              ORDER BY min(checkpoint_id), thread_id, checkpoint_ns"""
_NEWEST_THREAD = """SELECT thread_id, (SELECT count(DISTINCT thread_id) FROM checkpoints) FROM checkpoints
                    ORDER BY checkpoint_id DESC LIMIT 1"""
_TABLES = dict.fromkeys(TABLES, "thread_id")


def assemble(path: Path, format: str) -> AssembledSource:
    """Return the database at `path` as one text. Raises UnreadableLog."""
    return _assemble(str(path), format, DatabaseContainer(path, {}, _TABLES, add_checkpoints))


def assemble_from_archive(
    archive: str, members: dict[str, bytes], format: str
) -> Iterator[tuple[list[str], AssembledSource]]:
    """Yield the databases among members of an archive, each with the name of its member. Raises UnreadableLog."""
    for name, data in members.items():
        if is_database_bytes(data, TABLES):
            database = ArchivedDatabase(archive, name, data, {}, _TABLES, add_checkpoints)
            source = _assemble(str(database.path), format, database)
            source.archive = archive
            yield [name], source


def _assemble(path: str, format: str, container: DatabaseContainer) -> AssembledSource:
    text = AssembledText()
    try:
        with container.connect() as database:
            require_utf8(database, path)
            text.put(b"[\n")
            for thread_id, namespace in database.execute(_THREADS).fetchall():
                _put_thread(text, thread_state(database, thread_id, namespace, path))
            text.put(b"\n]\n")
        return AssembledSource(path, format, text.spool, container, text.members, text.arrays)
    except BaseException:
        text.spool.close()
        raise


def _put_thread(text: AssembledText, state: ThreadState) -> None:
    text.put(b",\n" if text.arrays else b"")
    start = text.spool.size
    text.put(packed.to_json(state.description)[:-1] + b',"values":{')
    if state.summary is not None:
        text.put(b'"_summarization_event":' + packed.to_json(state.summary) + b",")
    text.put(b'"messages":')
    array_start, spans = text.spool.size, list[tuple[int, int]]()
    for message in state.messages:
        text.put(b",\n" if spans else b"[\n")
        spans.append(text.put_member(message.name, message.json))
    text.put(b"\n]}}" if spans else b"[]}}")
    text.arrays.append((array_start, spans, (start, text.spool.size)))


def database_metadata(path: str) -> SessionMetadata:
    """Return the id of the newest thread; empty if the database cannot be read, which opening reports."""
    try:
        with open_for_listing(Path(path)) as database:
            row = database.execute(_NEWEST_THREAD).fetchone()
    except (sqlite3.Error, UnreadableLog):
        row = None
    return SessionMetadata("", title_among_others(str(row[0]), row[1])) if row is not None else SessionMetadata()
