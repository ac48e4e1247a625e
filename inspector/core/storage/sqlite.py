"""Logs that are rows of an SQLite database. One JSON column of each table belongs to a log; members are `table:id`."""

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from inspector.core.errors import UnreadableLog
from inspector.core.storage.log_layout import MemberChanges, MemberContainer
from inspector.core.storage.source import file_stamp_if_present
from inspector.core.storage.temporary_files import TemporaryPath
from inspector.core.translation import tr

# Files that SQLite keeps next to a database: the newest changes, or the state before an unfinished change.
SIDE_FILE_SUFFIXES = ("-wal", "-journal")
_WORTH_A_COPY = 32 * 1024 * 1024
# Writes changes into the database at a path, and returns the number of rows that it changed.
WriteRows: TypeAlias = Callable[[sqlite3.Connection, str, MemberChanges], int]


class DatabaseContainer(MemberContainer):
    """The database at `path` with its write-ahead log. `columns` names the JSON column of each table.

    `groups` names the tables to which rows can be added: the rows with the same value in this column are read in the
    order of their `id`, a number. `write_rows` is set if rows are written in another way, as for a program that only
    adds rows, or one whose rows have no such `id`. Then the names of members mean what it takes them for, and members
    can be added next to those of the tables in `groups`.
    """

    is_file = True

    def __init__(
        self,
        path: Path,
        columns: dict[str, str],
        groups: Mapping[str, str] = MappingProxyType({}),
        write_rows: WriteRows | None = None,
    ) -> None:
        super().__init__(path)
        self.columns, self.groups, self.write_rows = columns, groups, write_rows
        self.remember_stamp(path)
        for suffix in SIDE_FILE_SUFFIXES:
            self.remember_stamp(f"{path}{suffix}")

    def connect(self) -> AbstractContextManager[sqlite3.Connection]:
        """Open the database as `open_read_only` does."""
        return open_read_only(self.path)


class ArchivedDatabase(DatabaseContainer):
    """A database in an archive, without a WAL. `data` are its bytes."""

    def __init__(
        self,
        archive: str,
        name: str,
        data: bytes,
        columns: dict[str, str],
        groups: Mapping[str, str] = MappingProxyType({}),
        write_rows: WriteRows | None = None,
    ) -> None:
        MemberContainer.__init__(self, Path(archive, name))
        self.archive, self.data, self.columns, self.groups = Path(archive), data, columns, groups
        self.write_rows = write_rows
        self.remember_stamp(archive)

    def connect(self) -> AbstractContextManager[sqlite3.Connection]:
        """Open the database in memory. Raises UnreadableLog."""
        return _open_in_memory(self.data, self.path)


@contextmanager
def connect(place: Path | str, timeout: float = 5) -> Iterator[sqlite3.Connection]:
    """Open a path or a URI, and close the connection at the end. `timeout` is how long to wait for a lock, in seconds.

    An SQLite message that quotes a name which is not UTF-8 cannot be decoded. It is raised as sqlite3.DatabaseError.
    """
    try:
        with closing(sqlite3.connect(place, uri=isinstance(place, str), timeout=timeout)) as database:
            yield database
    except UnicodeDecodeError as error:
        raise sqlite3.DatabaseError(tr("a name in its schema is not valid UTF-8")) from error


def columns_by_table(path: Path) -> dict[str, set[str]]:
    """Return the column names of every table, by table; empty if the database cannot be read."""
    try:
        # Without the WAL this is fast for a database of any size. Only tables that are quite new are missed.
        with connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1") as database:
            columns = _columns(database)
        if columns:
            return columns
        with open_read_only(path) as database:
            return _columns(database)
    except (OSError, sqlite3.Error, UnreadableLog):
        return {}


def table_columns_in_memory(data: bytes) -> dict[str, set[str]]:
    """Return the column names of every table of a database whose bytes are `data`; empty if it cannot be read."""
    try:
        with _open_in_memory(data, "") as database:
            return _columns(database)
    except (sqlite3.Error, UnreadableLog):
        return {}


def _columns(database: sqlite3.Connection) -> dict[str, set[str]]:
    tables_query = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
    tables = database.execute(tables_query).fetchall()
    columns_query = "SELECT name FROM pragma_table_info(?)"
    return {table: {row[0] for row in database.execute(columns_query, (table,))} for (table,) in tables}


def harden(database: sqlite3.Connection) -> None:
    """Disable all code in an untrusted database: triggers, views, and functions of its schema.

    Python 3.11 cannot disable triggers, which only a change would start: see `without_triggers`. Raises
    sqlite3.OperationalError.
    """
    database.execute("PRAGMA trusted_schema = OFF")
    if hasattr(database, "setconfig"):
        for option, on in (("ENABLE_TRIGGER", False), ("ENABLE_VIEW", False), ("DEFENSIVE", True)):
            database.setconfig(getattr(sqlite3, f"SQLITE_DBCONFIG_{option}"), on)


@contextmanager
def without_triggers(database: sqlite3.Connection) -> Iterator[None]:
    """Change a database in a transaction without its triggers, also where Python cannot disable them.

    Then they are dropped, and created again from the same text before the transaction ends. Raises
    sqlite3.OperationalError.
    """
    triggers = [] if hasattr(database, "setconfig") else _triggers(database)
    for name, _ in triggers:
        quoted_name = name.replace('"', '""')
        database.execute(f'DROP TRIGGER "{quoted_name}"')
    yield
    for _, text in triggers:
        database.execute(text)
    if triggers and _triggers(database) != triggers:
        raise sqlite3.OperationalError(tr("the triggers could not be kept as they are"))


def _triggers(database: sqlite3.Connection) -> list[tuple[str, str]]:
    return database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid").fetchall()


@contextmanager
def open_for_listing(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database read-only to list its sessions.

    A large database is not copied for a list. What is only in its WAL is then not seen.
    """
    wal = Path(f"{path}-wal")
    to_copy = path.stat().st_size + wal.stat().st_size if wal.exists() and not Path(f"{path}-shm").exists() else 0
    if to_copy <= _WORTH_A_COPY:
        with open_read_only(path) as database:
            yield database
    else:
        with connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1") as database:
            yield database


@contextmanager
def open_unchanged(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database to look something up, and change no byte of it or next to it. Raises UnreadableLog.

    A reader of a database that its program has open writes marks into the -shm file. A copy is therefore read where
    there is a WAL; of a large database, what is only in its WAL is not seen.
    """
    suffixes = [suffix for suffix in SIDE_FILE_SUFFIXES if file_stamp_if_present(f"{path}{suffix}") is not None]
    try:
        with ExitStack() as stack:
            uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
            if suffixes and path.stat().st_size <= _WORTH_A_COPY:
                copy = Path(stack.enter_context(_temporary_folder()), "log.db")
                for suffix in ("", *suffixes):
                    shutil.copyfile(f"{path}{suffix}", f"{copy}{suffix}")
                uri = f"{copy.absolute().as_uri()}?mode=rw"
            with connect(uri) as database:
                harden(database)
                database.execute("SELECT count(*) FROM sqlite_master").fetchone()
                yield database
    except sqlite3.DatabaseError as error:
        raise UnreadableLog(tr("{path} is a damaged database: {error}.", path=path, error=error)) from error
    except OSError as error:
        raise UnreadableLog.from_os_error(error, path) from error


@contextmanager
def open_read_only(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database, read what is committed, and leave no files next to it. Raises UnreadableLog.

    A reader of a database in WAL mode creates files next to it. It does not need them if there is no WAL. If there is
    a WAL that no program has open, a copy of both files is read. A database with the journal of an interrupted change
    is copied as well, because a reader has to undo that change first.
    """
    try:
        suffixes = [suffix for suffix in SIDE_FILE_SUFFIXES if file_stamp_if_present(f"{path}{suffix}") is not None]
        in_use = Path(f"{path}-shm").exists()
        with ExitStack() as stack:
            database_path, query = path, "mode=ro" if suffixes else "mode=ro&immutable=1"
            if suffixes and not in_use:
                database_path, query = Path(stack.enter_context(_temporary_folder()), "log.db"), "mode=rw"
                for suffix in ("", *suffixes):
                    shutil.copyfile(f"{path}{suffix}", f"{database_path}{suffix}")
            uri = f"{database_path.absolute().as_uri()}?{query}"
            with connect(uri, timeout=2) as database:
                harden(database)
                database.execute("SELECT count(*) FROM sqlite_master").fetchone()
                yield database
    except sqlite3.OperationalError as error:
        raise UnreadableLog(
            tr(
                "{path} cannot be read at the moment: {error}. Close the agent, then open the log again.",
                path=path,
                error=error,
            )
        ) from error
    except sqlite3.DatabaseError as error:
        raise UnreadableLog(tr("{path} is a damaged database: {error}.", path=path, error=error)) from error
    except OSError as error:
        raise UnreadableLog.from_os_error(error, path) from error


@contextmanager
def _open_in_memory(data: bytes, path: Path | str) -> Iterator[sqlite3.Connection]:
    try:
        with connect(":memory:") as database:
            if not hasattr(database, "deserialize"):
                raise UnreadableLog(
                    tr(
                        "{path} is a database in an archive. Unpack the archive first, then open the database.",
                        path=path,
                    )
                )
            # There is no WAL in memory. The two bytes say whether the database uses one (sqlite.org/fileformat2).
            database.deserialize(data[:18] + b"\x01\x01" + data[20:])
            harden(database)
            database.execute("SELECT count(*) FROM sqlite_master").fetchone()
            yield database
    except sqlite3.DatabaseError as error:
        raise UnreadableLog(tr("{path} is a damaged database: {error}.", path=path, error=error)) from error


def _temporary_folder() -> TemporaryPath:
    """Create a temporary folder for a copy of a database. Raises OSError."""
    return TemporaryPath(Path(tempfile.gettempdir()), "transcript-inspector", is_folder=True)
