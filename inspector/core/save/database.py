"""Changed rows of an SQLite database: in a copy made by its own backup, or where they are. No other row is touched."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path

from inspector.core.errors import CannotWrite, ChangedMeanwhile, PartlyWritten, UnreadableLog
from inspector.core.save.atomic import fsync_folder, rename_to_free_name, temporary_beside
from inspector.core.save.backup import BACKUP_SUFFIX, restore_command
from inspector.core.save.file_metadata import MetadataSource, copy_metadata
from inspector.core.storage.source import file_stamp_if_present
from inspector.core.storage.splices import MemberChanges
from inspector.core.storage.sqlite import (
    SIDE_FILE_SUFFIXES,
    ArchivedDatabase,
    DatabaseContainer,
    connect,
    harden,
    open_read_only,
)


def copy_database(database: DatabaseContainer, target: Path, changes: MemberChanges) -> tuple[str, ...]:
    """The whole database at `target`, where nothing is, with the changes made; what its WAL holds is in it.

    What could not be kept of the file is told. Raises CannotWrite.
    """
    if isinstance(database, ArchivedDatabase):
        _unpack(database, target, changes)
        return copy_metadata(target, MetadataSource(database.archive))
    if not changes and not any(database.stamps[name] for name in database.stamps if name.endswith(SIDE_FILE_SUFFIXES)):
        # The backup counts itself as a change.
        shutil.copyfile(database.path, target)
        return copy_metadata(target, MetadataSource(database.path))
    _back_up(database.path, target)
    with _writing(target) as connection:
        _change(connection, database, changes)
    _require_alone(target)
    return copy_metadata(target, MetadataSource(database.path))


def _unpack(database: ArchivedDatabase, target: Path, changes: MemberChanges) -> None:
    """Raises CannotWrite."""
    try:
        target.write_bytes(database.data)
    except OSError as error:
        raise CannotWrite(f"{target} could not be written: {error}. Nothing was changed.") from error
    if changes:
        with _writing(target) as connection:
            _change(connection, database, changes)
        _require_alone(target)


def back_up_database(path: Path) -> Path:
    """Keep the whole database as it is, beside it; the name of the backup. Raises CannotWrite."""
    with temporary_beside(path, is_folder=True) as spare:
        part = spare / path.name
        _back_up(path, part)
        try:
            copy_metadata(part, MetadataSource(path, with_owner=True))
            kept = rename_to_free_name(part, path, BACKUP_SUFFIX)
        except OSError as error:
            raise CannotWrite.from_error(error, f"{path}{BACKUP_SUFFIX}") from error
    fsync_folder(kept.parent)
    return kept


def _back_up(path: Path, target: Path) -> None:
    """Raises CannotWrite."""
    try:
        with open_read_only(path) as source, connect(target) as connection:
            source.backup(connection)
    except (sqlite3.Error, OSError) as error:
        raise CannotWrite(f"{target} could not be written: {error}. Nothing was changed.") from error
    _require_alone(target)


def _require_alone(target: Path) -> None:
    """Raises CannotWrite where SQLite closed a new database and says nothing of what it left out of it, in its WAL."""
    if any(file_stamp_if_present(f"{target}{suffix}") is not None for suffix in SIDE_FILE_SUFFIXES):
        raise CannotWrite(f"{target} could not be written: the disk did not take all of it. Nothing was changed.")


def apply_to_database(database: DatabaseContainer, backup: Path, changes: MemberChanges) -> None:
    """Change the rows where they lie, in one transaction. Raises CannotWrite, ChangedMeanwhile.

    HalfDone where a failing disk leaves it open whether the transaction counts: then the backup `kept` is needed.
    """
    try:
        _apply(database, changes)
    except CannotWrite as error:
        if not _is_as_it_was(database.path, backup):
            raise PartlyWritten(
                f"{error} Whether it is changed is not certain, so {backup} was kept. Close the agent, make room on "
                f"the disk, and run: {restore_command(backup)}"
            ) from error
        raise


def _is_as_it_was(path: Path, kept: Path) -> bool:
    """Whether whoever opens the database finds all that its backup holds; False when that cannot be told.

    All of it is compared: SQLite 3.40 removes a WAL that it has not read when it cannot make the file that it shares
    with other readers.
    """
    try:
        with open_read_only(path) as now, open_read_only(kept) as before:
            return all(one == other for one, other in zip_longest(now.iterdump(), before.iterdump()))
    except (UnreadableLog, sqlite3.Error, OSError):
        return False


def _apply(database: DatabaseContainer, changes: MemberChanges) -> None:
    with _writing(database.path) as connection:
        for path, stamp in database.stamps.items():
            if file_stamp_if_present(path) != stamp:
                raise ChangedMeanwhile.for_path(path)
        _change(connection, database, changes)


def restore_database(place: Path, backup: Path) -> None:
    """Put a backup back. Raises HalfDone: the backup is needed until that was possible."""
    try:
        with connect(backup) as source, connect(place, timeout=0) as connection:
            source.backup(connection)
    except sqlite3.Error as error:
        raise PartlyWritten(
            f"{place} could not be put back: {error}. {backup} holds the original. When what hinders it is gone, run: "
            f"{restore_command(backup)}"
        ) from error


@contextmanager
def _writing(path: Path) -> Iterator[sqlite3.Connection]:
    """A transaction that is carried out whole, and only when the database is sound after it."""
    try:
        with connect(path, timeout=0) as connection:
            connection.isolation_level = None
            harden(connection, writes=True)
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            told = connection.execute("PRAGMA integrity_check").fetchone()[0]
            if told != "ok":
                raise CannotWrite(f"{path} would not be sound after the change ({told}), so nothing was written.")
            connection.execute("COMMIT")
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or "busy" in str(error):
            raise CannotWrite(f"{path} is in use: close the agent, then save again. Nothing was written.") from error
        raise CannotWrite.from_error(error, path) from error
    except sqlite3.Error as error:
        raise CannotWrite.from_error(error, path) from error


def _change(connection: sqlite3.Connection, database: DatabaseContainer, changes: MemberChanges) -> None:
    """Change the named rows, and no others: whatever else a statement sets off is counted, and undone."""
    before = connection.total_changes
    for name, after in changes.items():
        table, _, key = name.partition(":")
        column = database.columns[table]
        if after is None:
            done = connection.execute(f"DELETE FROM {table} WHERE id = ?", (key,))
        else:
            # A text stays a text, bytes stay bytes.
            kept = f"CASE typeof({column}) WHEN 'blob' THEN CAST(? AS BLOB) ELSE CAST(? AS TEXT) END"
            done = connection.execute(f"UPDATE {table} SET {column} = {kept} WHERE id = ?", (after, after, key))
        if done.rowcount != 1:
            raise ChangedMeanwhile(f"Row {key} of {table} is no longer there, so nothing was written.")
    changed = connection.total_changes - before
    if changed != len(changes):
        raise CannotWrite(
            f"{database.path} changes {changed} rows where {len(changes)} were to be changed: something in it reacts "
            "to changes. Nothing was written; export the session, and repair the export."
        )
