"""What formats share whose logs are rows of an SQLite database: its recognition, and the text made of its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from inspector.core.errors import UnreadableLog
from inspector.core.lazy import LazyModule
from inspector.core.storage.source import file_starts_with
from inspector.core.storage.temporary_files import LogMember, SpoolFile
from inspector.core.translation import tr, tr_plural

if TYPE_CHECKING:
    from pathlib import Path
    from sqlite3 import Connection

    from inspector.core.storage import sqlite
else:
    sqlite = LazyModule("inspector.core.storage.sqlite")  # most files that are looked at are no databases

CLOSE_PROGRAM_STEP = tr("Close the program that uses this database.")
SQLITE_MAGIC = b"SQLite format 3\0"
# The names of columns that a database must have, by table.
Tables: TypeAlias = dict[str, set[str]]


def is_database(path: Path, tables: Tables, other_table: str = "") -> bool:
    """Return whether the file at `path` is a database with these tables and without another one."""
    return file_starts_with(path, SQLITE_MAGIC) and _has_tables(sqlite.columns_by_table(path), tables, other_table)


def is_database_bytes(data: bytes, tables: Tables, other_table: str = "") -> bool:
    """Return whether the bytes are a database with these tables and without another one."""
    return data.startswith(SQLITE_MAGIC) and _has_tables(sqlite.table_columns_in_memory(data), tables, other_table)


def _has_tables(found: Tables, tables: Tables, other_table: str) -> bool:
    return other_table not in found and all(needed <= found.get(table, set()) for table, needed in tables.items())


def require_utf8(database: Connection, path: str) -> None:
    """Raise UnreadableLog if the texts of a database have another encoding: their bytes would not be JSON."""
    if database.execute("PRAGMA encoding").fetchone()[0] != "UTF-8":
        raise UnreadableLog(tr("{path} contains UTF-16 text, which is not supported.", path=path))


def encrypted_messages(path: str) -> UnreadableLog:
    """Return the error for a database whose messages are encrypted."""
    return UnreadableLog(tr("{path} contains encrypted messages, which cannot be checked.", path=path))


def title_among_others(title: str, sessions: int) -> str:
    """Return the title of the newest session of a database, with the number of its other sessions."""
    others = (
        tr_plural(" (and {number} more session)", " (and {number} more sessions)", sessions - 1) if sessions > 1 else ""
    )
    return f"{title}{others}".strip()


class AssembledText:
    """A log that is being assembled: its bytes, the spans of its members, and its arrays of records."""

    def __init__(self) -> None:
        self.spool = SpoolFile()
        self.members: list[LogMember] = []
        self.arrays: list[tuple[int, list[tuple[int, int]], tuple[int, int]]] = []

    def put(self, text: bytes) -> None:
        self.spool.write(text)

    def put_member(self, name: str, text: bytes, given: int = 0) -> tuple[int, int]:
        """Append a member with `given` added bytes at its start, and return its span."""
        start = self.spool.size
        self.put(text)
        self.members.append(LogMember(name, start, self.spool.size, given))
        return start, self.spool.size
