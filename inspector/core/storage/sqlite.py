"""A log that is rows of an SQLite database: one JSON column of each belongs to it. Members are named `table:id`."""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path

from inspector.core.errors import UnreadableLog
from inspector.core.storage.source import file_stamp_if_present
from inspector.core.storage.splices import MemberContainer
from inspector.core.storage.temporary import TemporaryPath

# What SQLite keeps beside a database: what was written last, or what a change that goes on began with.
SIDE_FILE_SUFFIXES = ("-wal", "-journal")
_WORTH_A_COPY = 32 * 1024 * 1024


class DatabaseContainer(MemberContainer):
    """The file at `path` with the log of changes that SQLite keeps beside it. `columns` names the JSON by table."""

    is_file = True

    def __init__(self, path: Path, columns: dict[str, str]) -> None:
        super().__init__(path)
        self.columns = columns
        self.remember_stamp(path)
        for suffix in SIDE_FILE_SUFFIXES:
            self.remember_stamp(f"{path}{suffix}")

    def connect(self) -> AbstractContextManager[sqlite3.Connection]:
        """See `opened`."""
        return open_read_only(self.path)


class ArchivedDatabase(DatabaseContainer):
    """A database in an archive, beside which no WAL lies: `data` are its bytes."""

    def __init__(self, archive: str, name: str, data: bytes, columns: dict[str, str]) -> None:
        MemberContainer.__init__(self, Path(archive, name))
        self.archive, self.data, self.columns = Path(archive), data, columns
        self.remember_stamp(archive)

    def connect(self) -> AbstractContextManager[sqlite3.Connection]:
        """The same in memory. Raises UnreadableLog."""
        return _open_in_memory(self)


@contextmanager
def connect(place: Path | str, timeout: float = 5) -> Iterator[sqlite3.Connection]:
    """A connection to a path or a URI that waits for a lock so many seconds, and is closed in the end.

    A message of SQLite's that quotes a name of the schema that is no UTF-8 cannot be told: then it raises
    sqlite3.DatabaseError in its stead.
    """
    try:
        with closing(sqlite3.connect(place, uri=isinstance(place, str), timeout=timeout)) as database:
            yield database
    except UnicodeDecodeError as error:
        raise sqlite3.DatabaseError("a name in its schema is no UTF-8") from error


def table_columns(path: Path) -> dict[str, set[str]]:
    """The names of the columns of every table; empty when the database cannot be read."""
    try:
        # Without its WAL, whatever its size, a database tells its tables at once, but for those that are quite new.
        with connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1") as database:
            found = _columns(database)
        if found:
            return found
        with open_read_only(path) as database:
            return _columns(database)
    except (OSError, sqlite3.Error, UnreadableLog):
        return {}


def table_columns_in_memory(data: bytes) -> dict[str, set[str]]:
    """The same of a database that is in memory."""
    try:
        with _open_in_memory(ArchivedDatabase("", "", data, {})) as database:
            return _columns(database)
    except (sqlite3.Error, UnreadableLog):
        return {}


def _columns(database: sqlite3.Connection) -> dict[str, set[str]]:
    ordinary = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
    tables = database.execute(ordinary).fetchall()
    described = "SELECT name FROM pragma_table_info(?)"
    return {table: {row[0] for row in database.execute(described, (table,))} for (table,) in tables}


def harden(database: sqlite3.Connection, writes: bool = False) -> None:
    """Let nothing in a stranger's database act: no triggers, no views, no functions of its schema.

    Python 3.11 cannot switch triggers off: where one is to be written, a database that has any is refused. Raises
    sqlite3.OperationalError.
    """
    database.execute("PRAGMA trusted_schema = OFF")
    if hasattr(database, "setconfig"):
        for option, on in (("ENABLE_TRIGGER", False), ("ENABLE_VIEW", False), ("DEFENSIVE", True)):
            database.setconfig(getattr(sqlite3, f"SQLITE_DBCONFIG_{option}"), on)
    elif writes:
        found = database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchone()
        if found is not None:
            raise sqlite3.OperationalError(
                f"it holds the trigger {found[0]}, which would act on every change and cannot be switched off here"
            )


@contextmanager
def open_for_listing(path: Path) -> Iterator[sqlite3.Connection]:
    """The same for a list, which is not worth a copy of much: then what lies in the WAL alone is not seen."""
    wal = Path(f"{path}-wal")
    to_copy = path.stat().st_size + wal.stat().st_size if wal.exists() and not Path(f"{path}-shm").exists() else 0
    if to_copy <= _WORTH_A_COPY:
        with open_read_only(path) as database:
            yield database
    else:
        with connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1") as database:
            yield database


@contextmanager
def open_read_only(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that reads what is committed and leaves nothing beside the database. Raises UnreadableLog.

    A reader of a database in WAL mode makes files beside it. It need not where there is no WAL; where there is one
    that nobody has open, a copy of both is read. So is one with the journal of a change that was broken off, which a
    reader has to undo first.
    """
    try:
        beside = [suffix for suffix in SIDE_FILE_SUFFIXES if file_stamp_if_present(f"{path}{suffix}") is not None]
        in_use = Path(f"{path}-shm").exists()
        with ExitStack() as stack:
            place, how = path, "mode=ro" if beside else "mode=ro&immutable=1"
            if beside and not in_use:
                place, how = Path(stack.enter_context(_temporary_folder()), "log.db"), "mode=rw"
                for suffix in ("", *beside):
                    shutil.copyfile(f"{path}{suffix}", f"{place}{suffix}")
            uri = f"{place.absolute().as_uri()}?{how}"
            with connect(uri, timeout=2) as database:
                harden(database)
                database.execute("SELECT count(*) FROM sqlite_master").fetchone()
                yield database
    except sqlite3.OperationalError as error:
        raise UnreadableLog(f"{path} cannot be read now: {error}. Close the agent, then open the log again.") from error
    except sqlite3.DatabaseError as error:
        raise UnreadableLog(f"{path} is a damaged database: {error}.") from error
    except OSError as error:
        raise UnreadableLog.from_os_error(error, path) from error


@contextmanager
def _open_in_memory(packed: ArchivedDatabase) -> Iterator[sqlite3.Connection]:
    try:
        with connect(":memory:") as database:
            if not hasattr(database, "deserialize"):
                raise UnreadableLog(f"{packed.path} is a database: unpack it to have it read.")
            # In memory there is no WAL; the two bytes say that the database wants one (sqlite.org/fileformat2).
            database.deserialize(packed.data[:18] + b"\x01\x01" + packed.data[20:])
            harden(database)
            database.execute("SELECT count(*) FROM sqlite_master").fetchone()
            yield database
    except sqlite3.DatabaseError as error:
        raise UnreadableLog(f"{packed.path} is a damaged database: {error}.") from error


def _temporary_folder() -> TemporaryPath:
    """A folder for a copy that is read. Raises OSError."""
    return TemporaryPath(Path(tempfile.gettempdir()), "transcript-inspector", is_folder=True)
