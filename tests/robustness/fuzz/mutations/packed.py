"""Containers: compressed logs, whole and damaged; the pages and the rows of a database."""

from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Callable
from contextlib import closing
from random import Random
from typing import Any

import msgspec

from tests.robustness.fuzz.mutations.raw import TABLE as OF_BYTES
from tests.support import packing

_SKIPPABLE = b"\x50\x2a\x4d\x18\x04\x00\x00\x00skip"
SQLITE = b"SQLite format 3\x00"
_PAGE = 4096
_ROLLBACK = b"\x01\x01"
# The tables of opencode, the OpenAI Agents SDK, LangGraph and Google ADK, and the columns with JSON or msgpack.
_TABLES = (
    *("message", "part", "session", "agent_messages", "agent_sessions", "checkpoints", "writes", "events"),
    *("messages", "sessions"),
)
_JSON_COLUMNS = ("data", "message_data", "event_data", "tool_calls", "content_json", "parts")
_PACKED_COLUMNS = ("checkpoint", "value")
_EXTENSION = "\x00extension"


def zstd(random: Random, data: bytes) -> bytes:
    return packing.packed(data)


def zstd_frames(random: Random, data: bytes) -> bytes:
    """The log in two frames, with empty and skippable ones between or before them."""
    at = random.randrange(len(data) + 1)
    between = random.choice((b"", packing.packed(b""), _SKIPPABLE, packing.packed(b"") * 50))
    first = random.choice((b"", _SKIPPABLE))
    return first + packing.packed(data[:at]) + between + packing.packed(data[at:])


def zstd_damaged(random: Random, data: bytes) -> bytes:
    return random.choice(list(OF_BYTES.values()))(random, packing.packed(data))


def gz(random: Random, data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def in_database(
    random: Random, data: bytes, mutate: Callable[[Random, bytes], tuple[bytes, tuple[str, ...]]]
) -> tuple[bytes, tuple[str, ...]]:
    """A database whose pages are damaged, or in one row of which the JSON is mutated."""
    if random.random() < 0.25:
        page, name = random.randrange(len(data) // _PAGE) * _PAGE, random.choice(list(OF_BYTES))
        changed = OF_BYTES[name](random, data[page : page + _PAGE])[:_PAGE].ljust(_PAGE, b"\0")
        return data[:page] + changed + data[page + _PAGE :], (f"page: {name}",)
    with closing(in_memory(data)) as database:
        found = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        filled = (name for name in _TABLES if name in found)
        table = random.choice([name for name in filled if database.execute(f"SELECT 1 FROM {name}").fetchone()])
        rows = database.execute(f"SELECT * FROM {table} ORDER BY rowid").fetchall()
        columns = [each[1] for each in database.execute(f"PRAGMA table_info({table})")]
        row, column = (
            random.choice(rows),
            random.choice([*columns, *(name for name in columns if name in (*_JSON_COLUMNS, *_PACKED_COLUMNS))]),
        )
        old = row[columns.index(column)]
        is_packed = column in _PACKED_COLUMNS and bool(old) and isinstance(old, bytes) and random.random() < 0.9
        new, did = mutate(random, unpacked(old) if is_packed else str(old).encode())
        value = random.choice((new, new.decode("utf-8", "replace"), new.decode("utf-8", "replace"), None))
        value = repacked(new) if is_packed else value
        try:
            database.execute(f"UPDATE {table} SET {column} = ? WHERE {columns[0]} = ?", (value, row[0]))
            database.commit()
        except sqlite3.Error as error:
            return data, (f"row: {error}",)
        return _with_journal(database.serialize(), data[18:20]), (f"row of {table}, {column}:", *did)


def unpacked(data: bytes) -> bytes:
    """A packed value as JSON, in which an extension is an object with its code and its content."""

    def extension(code: int, inner: memoryview) -> Any:
        return {_EXTENSION: [code, msgspec.msgpack.decode(bytes(inner), ext_hook=extension)]}

    return msgspec.json.encode(msgspec.msgpack.decode(data, ext_hook=extension))


def repacked(text: bytes) -> bytes:
    """The packed value of such a JSON text; of another text, its bytes."""
    try:
        return msgspec.msgpack.encode(_with_extensions(msgspec.json.decode(text)))
    except (ValueError, TypeError, OverflowError, RecursionError):
        return text


def _with_extensions(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_extensions(each) for each in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {_EXTENSION} and isinstance(value[_EXTENSION], list) and len(value[_EXTENSION]) == 2:
        code, inner = value[_EXTENSION]
        return msgspec.msgpack.Ext(code, msgspec.msgpack.encode(_with_extensions(inner)))
    return {key: _with_extensions(each) for key, each in value.items()}


def in_memory(data: bytes) -> sqlite3.Connection:
    """A database, from its bytes."""
    database = sqlite3.connect(":memory:")
    database.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
    database.deserialize(_with_journal(data, _ROLLBACK))
    return database


def _with_journal(data: bytes, versions: bytes) -> bytes:
    """A database in memory has no write-ahead log, so that one whose header asks for it cannot be opened there."""
    return data[:18] + versions + data[20:]


TABLE = {each.__name__: each for each in (zstd, zstd_frames, zstd_damaged, gz)}
