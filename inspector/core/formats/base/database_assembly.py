"""The rows of a database as one text: the steps that formats share. What differs is in a `DatabaseAssembly`."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from inspector.core.errors import UnreadableLog
from inspector.core.formats.base.assembled_text import AssembledText
from inspector.core.formats.base.databases import require_utf8, title_among_others
from inspector.core.formats.base.stores import SessionMetadata
from inspector.core.storage.sqlite import ArchivedDatabase, DatabaseContainer, WriteRows, open_for_listing
from inspector.core.storage.temporary_files import AssembledSource


class DatabaseAssembly(Struct, frozen=True):
    """How the sessions in a database are put together as one text.

    `put_sessions` is called with the text, the database and its path. `newest` asks for the title of the newest
    session and the number of sessions. The other members are those of a `DatabaseContainer`.
    """

    put_sessions: Callable[[AssembledText, sqlite3.Connection, str], None]
    newest: str
    columns: dict[str, str] = {}
    groups: dict[str, str] = {}
    write_rows: WriteRows | None = None

    def assemble(self, path: Path, format: str) -> AssembledSource:
        """Return the database at `path` as one text. Raises UnreadableLog."""
        return self._assemble(DatabaseContainer(path, self.columns, self.groups, self.write_rows), format)

    def assemble_archived(self, archive: str, name: str, data: bytes, format: str) -> AssembledSource:
        """Return a database in an archive as one text. Raises UnreadableLog."""
        container = ArchivedDatabase(archive, name, data, self.columns, self.groups, self.write_rows)
        source = self._assemble(container, format)
        source.archive = archive
        return source

    def _assemble(self, container: DatabaseContainer, format: str) -> AssembledSource:
        text, path = AssembledText(), str(container.path)
        try:
            with container.connect() as database:
                require_utf8(database, path)
                self.put_sessions(text, database, path)
            return AssembledSource(path, format, text.spool, container, text.members, text.arrays)
        except BaseException:
            text.spool.close()
            raise

    def metadata(self, path: str) -> SessionMetadata:
        """Return the title of the newest session; empty if the database cannot be read, which opening reports."""
        try:
            with open_for_listing(Path(path)) as database:
                row = database.execute(self.newest).fetchone()
        except (sqlite3.Error, UnreadableLog):
            row = None
        return SessionMetadata("", title_among_others(str(row[0]), row[1])) if row is not None else SessionMetadata()
