"""What formats share whose logs are rows of an SQLite database: how it is recognized and read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from inspector.core.errors import UnreadableLog
from inspector.core.formats.base.format import MultiFileFormat
from inspector.core.formats.base.log_head import Head
from inspector.core.formats.base.stores import SessionMetadata
from inspector.core.lazy import LazyModule
from inspector.core.storage.source import Source, file_starts_with
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


class DatabaseFormat(MultiFileFormat):
    """A format whose logs can be the rows of a database.

    `assembly` is the module with the format's `DATABASE` (see `database_assembly`). It is loaded for databases only, as
    it needs sqlite3.
    """

    is_database = True
    tables: ClassVar[Tables]
    other_table: ClassVar[str] = ""
    assembly: ClassVar[LazyModule]

    def claims(self, path: Path) -> bool:
        return is_database(path, self.tables, self.other_table)

    def assemble(self, path: Path) -> Source:
        source: Source = self.assembly.DATABASE.assemble(path, self.name)
        return source

    def may_be_archived(self, name: str, data: bytes) -> bool:
        return data.startswith(SQLITE_MAGIC)

    def assemble_archived(self, archive: str, members: dict[str, bytes]) -> Iterator[tuple[list[str], Source]]:
        for name, data in members.items():
            if is_database_bytes(data, self.tables, self.other_table):
                yield [name], self.assembly.DATABASE.assemble_archived(archive, name, data, self.name)

    def part_spans(self, raw: bytes) -> list[tuple[int, int]]:
        return [(0, len(raw))]

    def metadata(self, head: Head) -> SessionMetadata:
        if not head.text.startswith(SQLITE_MAGIC):
            return super().metadata(head)
        metadata: SessionMetadata = self.assembly.DATABASE.metadata(head.path)
        return metadata
